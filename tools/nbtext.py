"""Text with percent markers to notebook and back: `nbtext.py dump nb.ipynb > nb.txt`, `nbtext.py build nb.txt nb.ipynb`.

Building keeps the ids of cells that stayed or were edited and the outputs of cells that stayed; a new cell's id is a
hash of its text. Headers that `heads.py` manages are left out of the text. A cell may hold no line starting `# %%`."""
import hashlib, re, sys
from difflib import SequenceMatcher
from pathlib import Path
from execnb.nbio import mk_cell, new_nb, read_nb, write_nb

KERNEL = dict(kernelspec=dict(display_name='python3', language='python', name='python3'))
MARK = re.compile(r'^# %%(?: \[(markdown|raw)\])?[ ]*\n', re.M)
HEADS = {'badge', 'install'}   # the ids of the cells that heads.py writes

def parse(text):
    "The (cell_type, source) pairs of percent text; markdown bodies are plain text, not commented"
    before, *parts = MARK.split(text)
    if stray := before.strip() or '\n'.join(re.findall(r'^# %%.*', MARK.sub('', text), re.M)):
        sys.exit(f'text before the first marker, or a line that is no marker: {stray[:200]}')
    return [(kind or 'code', source.strip('\n')) for kind, source in zip(parts[::2], parts[1::2])]

def build(text, path):
    path, new = Path(path), parse(text)
    nb = read_nb(path) if path.exists() else new_nb([], KERNEL)
    heads, olds = [c for c in nb.cells if c.id in HEADS], [c for c in nb.cells if c.id not in HEADS]
    old = [(c.cell_type, c.source) for c in olds]
    cells = [mk_cell(source, kind, id=None) for kind, source in new]
    for op, a0, a1, b0, b1 in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        for a, b in zip(range(a0, a1), range(b0, b1)):
            if old[a][0] != new[b][0]: continue
            cells[b]['id'], cells[b]['metadata'] = olds[a]['id'], olds[a]['metadata']
            if op == 'equal' and new[b][0] == 'code': cells[b]['outputs'] = olds[a]['outputs']
    used = {c['id'] for c in cells} | HEADS
    for c in cells:
        n = 0
        while not c['id']:
            h = hashlib.sha1(f'{path.stem}{c.cell_type}{c.source}{n or ""}'.encode()).hexdigest()[:8]
            n += 1
            if h not in used: c['id'] = h; used.add(h)
    for c in cells:
        if c.cell_type == 'code': c['execution_count'] = None
    path.parent.mkdir(parents=True, exist_ok=True)
    write_nb(new_nb(heads + cells, dict(nb.metadata)), path)

def dump(path):
    marks = {'code': '', 'markdown': ' [markdown]', 'raw': ' [raw]'}
    return '\n'.join(f'# %%{marks[c.cell_type]}\n{c.source}\n' for c in read_nb(path).cells if c.id not in HEADS)

if __name__ == '__main__':
    if sys.argv[1:2] == ['build'] and len(sys.argv) == 4: build(Path(sys.argv[2]).read_text(encoding='utf-8'), sys.argv[3])
    elif sys.argv[1:2] == ['dump'] and len(sys.argv) == 3: print(dump(sys.argv[2]), end='')
    else: sys.exit(__doc__)
