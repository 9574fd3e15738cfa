"""Write the *Open in Colab* badge and the install cell at the head of every notebook, from settings.ini.

A fork changes `user` and `repo` there and runs `python tools/heads.py`; `--check` only says which notebooks differ."""
import re, sys
from pathlib import Path
from execnb.nbio import mk_cell, nb2str, read_nb, write_nb
from nbdev.config import get_config
from nbdev.doclinks import nbglob

PACKAGES = dict(numpy='numpy', fastcore='fastcore', matplotlib='matplotlib', sklearn='scikit-learn', pandas='pandas',
                gymnasium='gymnasium', safetensors='safetensors', hypothesis='hypothesis', emoji='emoji', pyarrow='pyarrow',
                tqdm='tqdm', tokenizers='tokenizers', transformers='transformers',
                gguf='gguf', xllamacpp='xllamacpp', datasketch='datasketch',
                kagglehub='kagglehub', huggingface_hub='huggingface-hub')   # module -> what pip calls it; torch is never installed from a notebook

ALSO = {r'\bplot_|core\.show': ['matplotlib'], r'learner=[\'"]net|NetLearner|Ensign': ['safetensors'], r'\bDataFrame\b': ['pandas'],
        r'parquet': ['pyarrow'], r'(train|load|save)_tokenizer\b': ['tokenizers'],
        r'\b(run_round|round_within)\b': ['matplotlib', 'safetensors', 'tokenizers']}

INSTALL = '''#| hide
#| eval: false
import importlib.metadata, importlib.util, os, shutil, subprocess, sys, tempfile
if 'google.colab' in sys.modules or 'KAGGLE_KERNEL_RUN_TYPE' in os.environ:
    source, folder = os.environ.get('PLATO_SOURCE', '{source}'), tempfile.mkdtemp()
    wanted = {wanted}
    missing = [name for module, name in wanted.items() if not importlib.util.find_spec(module)]
    pip = [sys.executable, '-m', 'pip', 'install', '-q']
    if missing:   # and what is there stays as it is
        with open(folder + '/keep.txt', 'w') as f:
            for d in importlib.metadata.distributions():
                if d.metadata['Name'] in ('numpy', 'torch', 'fastcore'): print(d.metadata['Name'], d.version, sep='==', file=f)
        subprocess.run([*pip, '-c', f.name, *missing], check=True)
    if not importlib.util.find_spec('plato_torch'):
        if os.path.isdir(source):   # a data set's folder cannot be written
            source = shutil.copytree(source, folder + '/source', ignore=shutil.ignore_patterns('.*', 'build'))
        offline = subprocess.run([*pip, '--no-deps', '--no-build-isolation', source], capture_output=True)
        if offline.returncode: subprocess.run([*pip, '--no-deps', source], check=True)
    importlib.invalidate_caches()
    import fastcore.test
    if not hasattr(fastcore.test, 'expect_fail'):   # a fastcore older than this name keeps its place and gets the name
        class expect_fail:
            def __init__(self, error=Exception, contains=''): self.error, self.contains = error, contains
            def __enter__(self): return self
            def __exit__(self, kind, error, trace):
                assert kind and issubclass(kind, self.error) and self.contains in str(error), f'expected {{self.error.__name__}}'
                return True
        fastcore.test.expect_fail = expect_fail
        fastcore.test.__all__.append('expect_fail')'''

def heads(nb, path, cfg):
    "The two cells that belong at the head of the notebook at `path` (relative to the project)"
    code = '\n'.join(c.source for c in nb.cells if c.cell_type == 'code' and c.id != 'install')
    used = set(re.findall(r'\w+', code)) | {m for pattern, ms in ALSO.items() if re.search(pattern, code) for m in ms} | {'numpy', 'fastcore'}
    wanted = {m: p for m, p in PACKAGES.items() if m in used}
    url = f'https://colab.research.google.com/github/{cfg.user}/{cfg.repo}/blob/{cfg.branch}/{path.as_posix()}'
    badge = f'[![Open in Colab](https://colab.research.google.com/assets/colab-badge.svg)]({url})'
    install = INSTALL.format(source=f'git+{cfg.git_url}@{cfg.branch}', wanted=wanted)
    cells = [mk_cell(badge, 'markdown', id='badge'), mk_cell(install, id='install')]
    cells[1]['execution_count'] = None
    return cells

def main(check=False):
    cfg = get_config()
    root, stale = Path(cfg.config_path), []
    paths = [Path(p).resolve() for p in nbglob(cfg.nbs_path)]
    paths += [p for p in [root/'colab_round.ipynb', *root.glob('kaggle/*.ipynb')] if p.exists()]
    for p in sorted(paths):
        nb = read_nb(p)
        before = nb2str(nb)
        nb.cells = heads(nb, p.relative_to(root), cfg) + [c for c in nb.cells if c.id not in ('badge', 'install')]
        if nb2str(nb) == before: continue
        stale.append(p.relative_to(root).as_posix())
        if not check: write_nb(nb, p)
    print('\n'.join(stale) or 'every head is in order')
    return bool(check and stale)

if __name__ == '__main__': sys.exit(main('--check' in sys.argv))
