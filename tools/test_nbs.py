"""Run notebooks as tests, each in a process of its own; the last line is 'N passed, N failed'.

python tools/test_nbs.py [PATH ...] [--flags 'slow peer'] [--save] [-n 2] [--timeout 900]

`--save` keeps what the cells print and draw (cells that are skipped keep what they had), then cleans the notebook."""
import argparse, base64, io, os, subprocess, sys, time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from nbdev.config import get_config
from nbdev.doclinks import nbglob

def shrink(outputs):
    "Pictures with a palette of 256 colours: a third of the bytes, the same to the eye"
    from PIL import Image
    for o in outputs:
        if 'image/png' not in o.get('data', {}): continue
        picture = Image.open(io.BytesIO(base64.b64decode(''.join(o['data']['image/png'])))).convert('RGBA')
        flat = Image.alpha_composite(Image.new('RGBA', picture.size, 'white'), picture).convert('RGB')
        small = io.BytesIO()
        flat.quantize(256, dither=Image.Dither.NONE).save(small, 'png', optimize=True)
        o['data']['image/png'] = base64.b64encode(small.getvalue()).decode() + '\n'
    return outputs

def run_one(path, skip, force, root, save):
    "Run the notebook at `path` in this process; True when every cell passed"
    from execnb.nbio import read_nb, write_nb
    from nbdev import clean, test
    if not save: return test.test_nb(path, skip_flags=skip, force_flags=force, basepath=root)[0]
    seen = []
    class Shell(test.CaptureShell):
        def __init__(self, path): super().__init__(path, mpl_format='png')
        def run_all(self, nb, **kwargs):
            seen.append(nb)
            super().run_all(nb, **kwargs)
    test.CaptureShell = Shell
    passed, _ = test.test_nb(path, skip_flags=skip, force_flags=force, basepath=root)
    if passed:
        nb, outputs = read_nb(path), {c.id: c.outputs for c in seen[0].cells if c.cell_type == 'code'}
        for c in nb.cells:
            if c.cell_type == 'code': c['outputs'] = shrink(outputs[c.id])
        write_nb(nb, path)
        clean.nbdev_clean(str(path))
    return passed

def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument('paths', nargs='*')
    p.add_argument('--flags', default='', help='cells to run that are skipped by default, e.g. "slow peer"')
    p.add_argument('--save', action='store_true', help='keep the outputs in the notebooks')
    p.add_argument('-n', type=int, default=min(2, os.cpu_count() or 1), help='notebooks at a time')
    p.add_argument('--timeout', type=float, default=900, help='seconds a notebook may take')
    p.add_argument('--one', action='store_true', help=argparse.SUPPRESS)
    a = p.parse_args()
    cfg = get_config()
    root, skip = Path(cfg.config_path), cfg.tst_flags
    skip = skip.split() if isinstance(skip, str) else list(skip)
    if a.one:
        passed = run_one(Path(a.paths[0]), skip, a.flags.split(), root, a.save)
        sys.stdout.flush(); sys.stderr.flush()
        os._exit(not passed)   # no waiting for threads that a notebook left behind
    named = [Path(f) for f in a.paths or [cfg.nbs_path]]
    if gone := [str(f) for f in named if not f.exists()]: sys.exit(f'no such notebook or folder: {", ".join(gone)}')
    paths = sorted({Path(f).resolve() for d in named for f in ([d] if d.is_file() else nbglob(d))})
    env = {'OMP_NUM_THREADS': '1', 'MPLBACKEND': 'agg', 'PLATO_PROGRESS': '0', 'PYDEVD_DISABLE_FILE_VALIDATION': '1', **os.environ}
    options = ['--one', '--flags', a.flags] + ['--save'] * a.save
    def run(f):
        start = time.time()
        cmd = [sys.executable, __file__, str(f), *options]
        try: r = subprocess.run(cmd, capture_output=True, text=True, env=env, timeout=a.timeout, cwd=root)
        except subprocess.TimeoutExpired as e: code, out = f'no end after {a.timeout:.0f} s', f'{e.stdout or ""}{e.stderr or ""}'
        else: code, out = r.returncode, r.stdout + r.stderr
        line = f"{'FAIL' if code else 'ok  '} {time.time() - start:6.1f}s  {os.path.relpath(f, root)}"
        print(f'{line}  (exit {code})\n{out}' if code else line, flush=True)
        return not code
    with ThreadPoolExecutor(max(1, a.n)) as pool: results = list(pool.map(run, paths))
    print(f'{sum(results)} passed, {len(results) - sum(results)} failed', flush=True)
    sys.exit(not results or not all(results))

if __name__ == '__main__': main()
