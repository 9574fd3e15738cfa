"""The documentation as a site: `python tools/docs.py` builds it in _docs/ and checks every link inside it.

Needs the extra `docs` (mkdocs-material, mkdocs-jupyter) and nothing else: the notebooks are shown as they were saved, nothing is run.
`--serve` shows the site at http://127.0.0.1:8000 after building, `--out FOLDER` puts it elsewhere."""
import argparse, ast, configparser, difflib, functools, hashlib, http.server, json, os, re, shutil, subprocess, sys, tempfile, time
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

ROOT = Path(__file__).resolve().parents[1]
PAGES = {'README.md': 'index.md', 'CHANGELOG.md': 'changelog.md', 'AGENTS.md': 'agents.md', 'docs/levers.md': 'levers.md',
         'kaggle/README.md': 'kaggle.md'}
HIDDEN = re.compile(r'^#\| *(hide|hide_input)\b', re.M)
FOLDERS = dict(core='Foundations', presets='The rooms', npc='The pipeline', fleet='The fleet', essays='Essays')

def title_of(nb):
    "Title and the one line beneath it"
    for c in nb['cells']:
        found = c['cell_type'] == 'markdown' and re.search(r'^# (.+?)\n+(?:> (.+))?', ''.join(c['source']) + '\n', re.M)
        if found: return found[1], found[2] or ''
    return '', ''

def links(text, page):
    "Links of a page at `page` (its path in the site), as they are called in the site"
    def change(found):
        target, *anchor = found[1].split('#')
        if not target or urlsplit(target).scheme: return found[0]
        at = os.path.normpath(os.path.join(os.path.dirname(ORIGIN.get(page, page)), target))
        if at in PAGES: to = PAGES[at]
        else: to = re.sub(r'^nbs/', '', at)
        if to in FOLDERS: to = f'{to}/index.md'
        if to == 'index.ipynb': to = 'index.md'
        to = os.path.relpath(to, os.path.dirname(page) or '.')
        if page.endswith('.ipynb'): to = re.sub(r'\.(ipynb|md)$', '.html', to)   # mkdocs itself does it in pages of text
        return f'](' + '#'.join([to, *anchor]) + ')'
    return re.sub(r'\]\(([^)\s]+)\)', change, text)

ORIGIN = {site: at for at, site in PAGES.items()}   # path in the site -> path in the project

def notebook(path, page, to):
    "Put a notebook into the site: hidden cells, the set-up cell and directives are left out; title and line come back"
    nb = json.loads(path.read_text(encoding='utf-8'))
    cells, ORIGIN[page] = [], path.relative_to(ROOT).as_posix()
    for c in nb['cells']:
        source = ''.join(c['source'])
        if c['cell_type'] == 'code':
            if HIDDEN.search(source) or re.match(r'#\| *default_exp', source): continue
            source = re.sub(r'^#\|.*\n?', '', source, flags=re.M)
        else: source = links(source, page)
        cells.append(dict(c, source=source))
    to = to/page
    to.parent.mkdir(parents=True, exist_ok=True)
    to.write_text(json.dumps(dict(nb, cells=cells)), encoding='utf-8')
    return title_of(nb)

def rooms():
    "Name of a room's notebook -> (name, family), from its `@preset`"
    found = {}
    for file in sorted((ROOT/'plato_torch/presets').glob('*.py')):
        for node in ast.parse(file.read_text(encoding='utf-8')).body:
            for d in getattr(node, 'decorator_list', ()) if isinstance(node, ast.ClassDef) else ():
                if not (isinstance(d, ast.Call) and getattr(d.func, 'id', '') == 'preset'): continue
                family = next((ast.literal_eval(k.value) for k in d.keywords if k.arg == 'family'), '')
                found[file.stem] = ast.literal_eval(d.args[0]), family
    return found

def gather(to):
    "All pages, and the navigation"
    nav, room, told = [], rooms(), {}
    for at, page in PAGES.items():
        text = re.sub(r'\A<!--.*?-->\s*', '', (ROOT/at).read_text(encoding='utf-8'), flags=re.S)
        (to/page).write_text(links(text, page), encoding='utf-8')
    for at in (ROOT/'docs').glob('*.json'): (to/'docs').mkdir(exist_ok=True); shutil.copy(at, to/'docs')
    for folder in FOLDERS:
        for path in sorted((ROOT/'nbs'/folder).glob('*.ipynb')):
            told[f'{folder}/{path.name}'] = notebook(path, f'{folder}/{path.name}', to)
    for name in ('map.ipynb',): told[name] = notebook(ROOT/'nbs'/name, name, to)
    told['colab_round.ipynb'] = notebook(ROOT/'colab_round.ipynb', 'colab_round.ipynb', to)
    told['kaggle/plato_round.ipynb'] = notebook(ROOT/'kaggle/plato_round.ipynb', 'kaggle/plato_round.ipynb', to)
    entries = {f: [{told[p][0]: p} for p in told if p.startswith(f + '/')] for f in FOLDERS}
    for folder, name in FOLDERS.items():
        if not entries[folder]: continue
        lines = [f'# {name}', '']
        if folder == 'presets':
            lines += ['## Choose a room', '', '| room | family | what it does |', '|---|---|---|']
            for p in [p for p in told if p.startswith('presets/')]:
                stem = re.sub(r'^\d+_', '', Path(p).stem)
                if stem in room: lines.append(f'| [{room[stem][0]}]({Path(p).name}) | {room[stem][1]} | {told[p][1]} |')
            lines += ['', '## All notebooks, in order', '']
        lines += [f'1. [{told[p][0]}]({Path(p).name}): {told[p][1]}' for p in told if p.startswith(folder + '/')]
        (to/folder/'index.md').write_text('\n'.join(lines) + '\n', encoding='utf-8')
        nav.append({name: [f'{folder}/index.md', *entries[folder]]})
    if len(room) != 21: sys.exit(f'there should be 21 rooms; found {len(room)}: {sorted(room)}')
    cloud = {'In the cloud': [{'Colab': 'colab_round.ipynb'}, {'Kaggle': 'kaggle.md'},
                              {'The Kaggle notebook': 'kaggle/plato_round.ipynb'}]}
    order = {k: v for n in nav for k, v in n.items()}
    names = [FOLDERS[f] for f in ('presets', 'npc', 'core', 'fleet', 'essays')]
    first = [{'Home': 'index.md'}, {'Map': 'map.ipynb'}, *({k: order[k]} for k in names if k in order)]
    return first + [cloud, {'Levers': 'levers.md'}, {'Changelog': 'changelog.md'}, {'Working on it': 'agents.md'}]

def build(out, work):
    "The site in `out`"
    cfg = configparser.ConfigParser(interpolation=None)
    cfg.read(ROOT/'settings.ini', encoding='utf-8')
    cfg = cfg['DEFAULT']
    (work/'docs').mkdir()
    shade = lambda scheme, other, icon: dict(scheme=scheme, primary='teal', toggle=dict(icon=f'material/{icon}', name=f'Switch to {other}'),
                                             media=f"(prefers-color-scheme: {'dark' if scheme == 'slate' else 'light'})")
    config = dict(site_name=cfg['lib_name'], site_description=cfg['description'], docs_dir=str(work/'docs'), site_dir=str(out),
                  site_url=f"https://{cfg['user']}.github.io/{cfg['repo']}/", repo_url=f"https://github.com/{cfg['user']}/{cfg['repo']}",
                  use_directory_urls=False, nav=gather(work/'docs'),
                  theme=dict(name='material', font=False,
                             features=['navigation.tabs', 'navigation.indexes', 'navigation.top', 'navigation.footer', 'content.code.copy'],
                             palette=[shade('default', 'dark', 'weather-night'), shade('slate', 'light', 'weather-sunny')]),
                  plugins=['search', {'mkdocs-jupyter': dict(execute=False, ignore_h1_titles=True, include_requirejs=False)}],
                  markdown_extensions=['tables', 'fenced_code', 'toc', 'pymdownx.highlight', 'pymdownx.superfences'])
    (work/'mkdocs.yml').write_text(json.dumps(config, indent=1))   # JSON is YAML
    env = dict(os.environ, PYDEVD_DISABLE_FILE_VALIDATION='1', NO_MKDOCS_2_WARNING='1')
    subprocess.run([sys.executable, '-m', 'mkdocs', 'build', '-q', '-f', str(work/'mkdocs.yml')], check=True, env=env)
    polish(out)

class Reader(HTMLParser):
    "Anchors of a page, and where its links lead"
    def __init__(self):
        super().__init__()
        self.ids, self.links = set(), []
    def handle_starttag(self, tag, attrs):
        a = dict(attrs)
        self.ids |= {v for v in (a.get('id'), a.get('name')) if v}
        if tag == 'a' and a.get('href'): self.links.append(a['href'])
        if tag in ('img', 'script') and a.get('src'): self.links.append(a['src'])
        if tag == 'link' and a.get('href') and a.get('rel') == 'stylesheet': self.links.append(a['href'])

def polish(out):
    "Alt texts, one file for the styles that every notebook's page repeats, anchors in tables of contents that miss their heading"
    for page in out.rglob('*.html'):
        text, up = page.read_text(encoding='utf-8'), '../' * (len(page.relative_to(out).parts) - 1)
        def style(found):
            name = f'assets/notebook-{hashlib.sha1(found[1].encode()).hexdigest()[:8]}.css'
            if not (out/name).exists(): (out/name).write_text(found[1], encoding='utf-8')
            return f'<link rel="stylesheet" href="{up}{name}">'
        new = re.sub(r'<style[^>]*>([^<]{5000,})</style>', style, text)
        heading = re.search(r'<title>(.*?)( - [^<]*)?</title>', text)
        new = new.replace('alt="No description has been provided for this image"',
                          f'alt="Picture from the notebook {heading[1] if heading else page.stem}"')
        new = re.sub(r'<img (?![^>]*\balt=)', '<img alt="" ', new)
        reader = Reader()
        reader.feed(new)
        for link in {l for l in reader.links if l.startswith('#')}:
            near = difflib.get_close_matches(unquote(link[1:]).lower(), [i.lower() for i in reader.ids], 1, 0.6)
            if link[1:] and unquote(link[1:]) not in reader.ids and near:
                to = next(i for i in reader.ids if i.lower() == near[0])
                new = new.replace(f'href="{link}"', f'href="#{to}"')
        if new != text: page.write_text(new, encoding='utf-8')

def check(out):
    "Links inside the site that lead nowhere"
    pages, broken, count = {}, [], 0
    for p in out.rglob('*.html'):
        pages[p.resolve()] = r = Reader()
        r.feed(p.read_text(encoding='utf-8'))
    for p, r in pages.items():
        if p.name == '404.html': continue
        for link in r.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc or link.startswith('data:'): continue
            count += 1
            target = (p.parent/unquote(parts.path)).resolve() if parts.path else p
            if target.is_dir(): target = target/'index.html'
            known = pages.get(target)
            if not target.exists() or (parts.fragment and known and unquote(parts.fragment) not in known.ids):
                broken.append(f'{p.relative_to(out.resolve())}: {link}')
    return broken, count, len(pages)

def main():
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument('--out', type=Path, default=ROOT/'_docs')
    a.add_argument('--serve', action='store_true')
    a, start = a.parse_args(), time.time()
    shutil.rmtree(a.out, ignore_errors=True)
    with tempfile.TemporaryDirectory() as work: build(a.out.resolve(), Path(work))
    broken, count, pages = check(a.out)
    size = sum(f.stat().st_size for f in a.out.rglob('*') if f.is_file()) / 1e6
    print(*sorted(set(broken)), sep='\n')
    print(f'{pages} pages, {size:.0f} MB, {count} links inside, {len(broken)} broken, {time.time() - start:.0f} s')
    if broken: sys.exit(1)
    if a.serve: http.server.test(functools.partial(http.server.SimpleHTTPRequestHandler, directory=a.out), port=8000)

if __name__ == '__main__': main()
