"""The two cloud notebooks, all cells, headless, with the smoke preset; and the Kaggle metadata as Kaggle's client reads it.

python tools/cloud_check.py              both notebooks and the metadata
python tools/cloud_check.py metadata     the metadata only (the client itself is asked where `kaggle` is installed)
python tools/cloud_check.py colab|kaggle one notebook

PLATO_SOURCE says where the set-up cell gets the package from; the default is this checkout."""
import contextlib, io, json, os, sys, tempfile, time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
KNOWN = {'id', 'id_no', 'title', 'code_file', 'language', 'kernel_type', 'is_private', 'enable_gpu', 'enable_tpu', 'enable_internet',
         'machine_shape', 'keywords', 'dataset_sources', 'competition_sources', 'kernel_sources', 'model_sources', 'docker_image',
         'docker_image_pinning_type'}   # what the client reads; it is silent about any other
MACHINES = {'NvidiaTeslaT4', 'NvidiaTeslaT4Highmem', 'NvidiaL4', 'NvidiaL4X1', 'NvidiaTeslaA100', 'NvidiaH100', 'NvidiaRtxPro6000',
            'TpuV5E8', 'TpuV6E8'}      # from Kaggle's documentation, without those that its client calls retired

def run(path, runs, **env):
    "Run a notebook to its end; the text and the pictures that it put out"
    import nbformat
    from nbclient import NotebookClient
    nb, start = nbformat.read(path, 4), time.time()
    settings = dict(PLATO_PRESET='smoke', PLATO_SOURCE=os.environ.get('PLATO_SOURCE', str(ROOT)), PLATO_RUNS=str(runs),
                    PLATO_DEVICE=os.environ.get('PLATO_DEVICE', 'cpu'), OMP_NUM_THREADS='1',
                    MPLBACKEND='module://matplotlib_inline.backend_inline')
    before = dict(os.environ)
    os.environ.update(settings | env)
    try:
        with tempfile.TemporaryDirectory() as elsewhere:
            NotebookClient(nb, timeout=900, kernel_name='python3', resources=dict(metadata=dict(path=elsewhere))).execute()
    finally:
        os.environ.clear()
        os.environ.update(before)
    outputs = [o for c in nb.cells if c.cell_type == 'code' for o in c.outputs]
    text = '\n'.join(str(o.get('text') or o.get('data', {}).get('text/plain', '')) for o in outputs)
    pictures = sum('image/png' in o.get('data', {}) for o in outputs)
    for part in ('preset smoke', "'advice'", 'held-out encounters', 'Fare well.'):
        if part.lower() not in text.lower(): sys.exit(f'{path.name} never said {part!r}:\n{text}')
    if not pictures: sys.exit(f'{path.name} drew nothing')
    cells = sum(c.cell_type == 'code' for c in nb.cells)
    print(f'ok   {path.name}: {cells} cells, {pictures} pictures, {time.time() - start:.0f} s', flush=True)
    return text

def colab(folder):
    run(ROOT/'colab_round.ipynb', folder/'colab')
    if not (folder/'colab/keeper/result.json').exists(): sys.exit('the round in Colab left no result')

def kaggle(folder):
    "A first version; then a second one that has the first's output as its input"
    first, second = folder/'kaggle', folder/'second'
    run(ROOT/'kaggle/plato_round.ipynb', first, KAGGLE_KERNEL_RUN_TYPE='Batch')
    text = run(ROOT/'kaggle/plato_round.ipynb', second, KAGGLE_KERNEL_RUN_TYPE='Batch', PLATO_INPUTS=str(first))
    if 'keeper is taken up from' not in text: sys.exit('the second version did not take up what the first one left')
    results = [json.loads((d/'keeper/result.json').read_text())['stages'] for d in (first, second)]
    if results[0] != results[1]: sys.exit('the second version did finished stages again')

def metadata(folder=None):
    "The known fields, the known machines, and the validation of the client with its network call replaced"
    at = ROOT/'kaggle/kernel-metadata.json'
    d = json.loads(at.read_text())
    if unknown := set(d) - KNOWN: sys.exit(f'{at.name}: unknown fields {sorted(unknown)}')
    if d['machine_shape'] not in MACHINES: sys.exit(f"{at.name}: no machine {d['machine_shape']!r}; there is {sorted(MACHINES)}")
    slug = '-'.join(d['title'].lower().split())
    if d['id'].split('/')[1] != slug: sys.exit(f"{at.name}: the title says {slug!r}, the id {d['id']!r}")
    if not (at.parent/d['code_file']).exists(): sys.exit(f"{at.name}: there is no {d['code_file']}")
    if not (d['is_private'] and d['enable_internet'] and d['enable_gpu']): sys.exit(f'{at.name}: private, with internet and a card')
    os.environ.update(KAGGLE_USERNAME='YOUR_NAME', KAGGLE_KEY='none')   # importing the client asks for them; nothing is sent
    try: from kaggle.api.kaggle_api_extended import KaggleApi
    except ImportError:
        print('ok   kernel-metadata.json, against the list of fields (the package kaggle is not installed)')
        return
    sent = []
    class Answer:
        error, url, version_number, invalid_tags = '', 'nowhere', 1, []
        def __getattr__(self, name): return []
    class Offline(KaggleApi):
        @contextlib.contextmanager
        def build_kaggle_client(self):
            class Client:
                class kernels:
                    class kernels_api_client:
                        save_kernel = staticmethod(lambda request: sent.append(request) or Answer())
            yield Client
    api = Offline()
    with contextlib.redirect_stdout(io.StringIO()) as told: api.kernels_push(str(at.parent))
    if 'arning' in told.getvalue(): sys.exit(f'{at.name}: {told.getvalue()}')
    request = sent[0]
    found = dict(slug=request.slug, machine=request.machine_shape, private=request.is_private, internet=request.enable_internet)
    wanted = dict(slug=d['id'], machine='NvidiaTeslaT4', private=True, internet=True)
    if found != wanted: sys.exit(f'the client would send {found}, not {wanted}')
    cells = json.loads(request.text)['cells']
    print(f'ok   kernel-metadata.json, by the client itself: {found}, {len(cells)} cells')

def main():
    parts = dict(metadata=metadata, colab=colab, kaggle=kaggle)
    if unknown := set(sys.argv[1:]) - set(parts): sys.exit(f'{unknown}\n{__doc__}')
    with tempfile.TemporaryDirectory() as folder:
        for name in sys.argv[1:] or parts: parts[name](Path(folder))

if __name__ == '__main__': main()
