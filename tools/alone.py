"""Notebooks opened on their own: each runs whole in a clean virtual environment that its own install cell fills.

python tools/alone.py [NOTEBOOK ...]     default: a sample of three, one of each folder

As in Colab or Kaggle, the machine has torch, a kernel and what the install cell leaves alone, but not this library. The package comes
from this checkout and not from the network (`PLATO_SOURCE`). Cells that the tests skip are skipped here too."""
import argparse, json, os, re, subprocess, sys, tempfile, time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SAMPLE = ['nbs/core/05_sentiment.ipynb', 'nbs/presets/01_reinforce.ipynb', 'nbs/npc/07_sampling.ipynb']
SKIPPED = re.compile(r'^#\| *(slow|notest|cuda|tpu|peer)\b', re.M)

RUN = '''
import sys, nbformat
from nbclient import NotebookClient
nb = nbformat.read(sys.argv[1], 4)
for c in nb.cells:
    if c.cell_type == 'code' and c.id in sys.argv[2:]: c.source = ''
NotebookClient(nb, timeout=900, kernel_name='python3', allow_errors=False).execute()
'''

def environment(folder, image):
    "A clean virtual environment with what the image of a cloud machine brings; its python"
    subprocess.run([sys.executable, '-m', 'venv', folder], check=True)
    python = Path(folder)/('Scripts' if os.name == 'nt' else 'bin')/'python'
    subprocess.run([python, '-m', 'pip', 'install', '-q', *image], check=True)
    return python

def alone(path, python, folder):
    "Run one notebook, copied away from the project"
    nb = json.loads(path.read_text(encoding='utf-8'))
    skipped = [c['id'] for c in nb['cells'] if c['cell_type'] == 'code' and SKIPPED.search(''.join(c['source']))]
    copy, start = Path(folder)/path.name, time.time()
    copy.write_text(json.dumps(nb), encoding='utf-8')
    env = {k: v for k, v in os.environ.items() if k not in ('PYTHONPATH', 'PYTHONHOME', 'VIRTUAL_ENV')}
    env |= dict(KAGGLE_KERNEL_RUN_TYPE='Batch', PLATO_SOURCE=os.environ.get('PLATO_SOURCE', str(ROOT)), PLATO_DEVICE='cpu',
                OMP_NUM_THREADS='1', PLATO_PRESET='smoke', PLATO_RUNS=str(Path(folder)/'runs'), PLATO_PROGRESS='0')
    done = subprocess.run([python, '-c', RUN, str(copy), *skipped], cwd=folder, env=env, capture_output=True, text=True)
    print(f"{'FAIL' if done.returncode else 'ok  '} {time.time() - start:6.1f}s  {path.relative_to(ROOT)}", flush=True)
    if done.returncode: print(done.stderr[-4000:])
    return not done.returncode

def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument('notebooks', nargs='*', default=SAMPLE)
    p.add_argument('--image', default='torch==2.13.0 numpy nbclient ipykernel setuptools wheel', help='what the machine has (for pip)')
    a, results = p.parse_args(), []
    for n in a.notebooks:
        with tempfile.TemporaryDirectory() as folder:   # each its own, so that none lives on what another installed
            results.append(alone((ROOT/n).resolve(), environment(Path(folder)/'env', a.image.split()), folder))
    print(f'{sum(results)} passed, {len(results) - sum(results)} failed')
    sys.exit(not all(results))

if __name__ == '__main__': main()
