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
                gguf='gguf', xllamacpp='xllamacpp')   # module -> what pip calls it; torch is never installed from a notebook

INSTALL = '''#| hide
#| eval: false
import importlib.util, os, subprocess, sys
if 'google.colab' in sys.modules or 'KAGGLE_KERNEL_RUN_TYPE' in os.environ:
    source = os.environ.get('PLATO_SOURCE', '{source}')
    wanted = {wanted}
    missing = [name for module, name in wanted.items() if not importlib.util.find_spec(module)]
    pip = [sys.executable, '-m', 'pip', 'install', '-q']
    if missing: subprocess.run(pip + missing, check=True)
    if not importlib.util.find_spec('plato_torch'): subprocess.run(pip + ['--no-deps', source], check=True)
    importlib.invalidate_caches()'''

def heads(nb, path, cfg):
    "The two cells that belong at the head of the notebook at `path` (relative to the project)"
    code = '\n'.join(c.source for c in nb.cells if c.cell_type == 'code' and c.id != 'install')
    imported = set(re.findall(r'^\s*(?:import|from)\s+(\w+)', code, re.M))
    if 'core.show' in code or 'plot_' in code: imported.add('matplotlib')
    if "'pandas'" in code or '.DataFrame(' in code: imported.add('pandas')
    wanted = {m: p for m, p in PACKAGES.items() if m in imported | {'numpy', 'fastcore'}}
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
