"Package metadata comes from settings.ini; only the extras are listed here."
from configparser import ConfigParser
from pathlib import Path
from setuptools import find_packages, setup

here = Path(__file__).parent
parser = ConfigParser(delimiters=['='])
parser.read(here/'settings.ini', encoding='utf-8')
cfg = parser['DEFAULT']

extras = dict(
    torch=['torch>=2.8', 'safetensors>=0.4'],
    gym=['gymnasium>=1.0'],
    zoo=['gymnasium>=1.0', 'pettingzoo>=1.24'],
    tables=['pandas>=2.0', 'pyarrow>=14'],
    notebooks=['matplotlib>=3.7', 'ipywidgets>=8.0', 'tqdm>=4.65'])
extras['rooms'] = ['cma>=3.3']
extras['flower'] = ['flwr>=1.26']                     # over gRPC until 1.26, over HTTP in 1.42: both were run
extras['fleet'] = ['fsspec>=2024.2']
extras['npc'] = extras['torch'] + ['tokenizers>=0.20', 'gguf>=0.18', 'tqdm>=4.65']
extras['data'] = extras['npc'] + ['kagglehub>=0.3', 'huggingface-hub>=0.30']
extras['export'] = extras['npc'] + ['gguf>=0.18']
extras['dev'] = sorted({p for name, ps in extras.items() for p in ps if name != 'flower'}) + [
    'nbdev==2.4.14', 'execnb==0.1.18', 'fastcore==1.14.5', 'ghapi==1.1.1', 'fastgit==0.0.6',
    'hypothesis>=6.100', 'scikit-learn>=1.4', 'emoji==2.16.0', 'nbclient>=0.10', 'ipykernel>=6.29']
extras['ray'] = ['ray>=2.30']
extras['docs'] = ['mkdocs==1.6.1', 'mkdocs-material==9.8.2', 'mkdocs-jupyter==0.26.3']   # of the site, see tools/docs.py
extras['peer'] = extras['flower'] + [                   # other people's programs that test cells run
    'crowd-kit>=1.4', 'transformers>=5.24', 'xllamacpp>=2026.10', 'datasketch>=1.6']

setup(
    name=cfg['lib_name'], version=cfg['version'], description=cfg['description'], keywords=cfg['keywords'],
    author=cfg['author'], author_email=cfg['author_email'], url=cfg['git_url'], license='MIT',
    long_description=(here/'README.md').read_text(encoding='utf-8'), long_description_content_type='text/markdown',
    packages=find_packages(include=[cfg['lib_path'], cfg['lib_path'] + '.*']), include_package_data=True,
    package_data={cfg['lib_path']: ['npc/data/*.json']},
    python_requires='>=' + cfg['min_python'], install_requires=cfg['requirements'].split(), extras_require=extras,
    entry_points=dict(console_scripts=cfg['console_scripts'].split(),
                      nbdev=[f"{cfg['lib_path']}={cfg['lib_path']}._modidx:d"]),
    classifiers=['Development Status :: 3 - Alpha', 'Intended Audience :: Developers', 'Programming Language :: Python :: 3']
                + [f'Programming Language :: Python :: 3.{v}' for v in range(10, 14)],
    zip_safe=False)
