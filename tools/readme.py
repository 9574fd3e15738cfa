"README.md from nbs/index.ipynb (`#| hide` respected), so that what it shows has run."
import posixpath, re
from pathlib import Path
from execnb.nbio import read_nb

def text_of(outputs):
    "What the outputs of a cell say in plain text"
    found = []
    for o in outputs:
        found.append(''.join(o.get('text', '') if o['output_type'] == 'stream' else o.get('data', {}).get('text/plain', '')))
    return ''.join(found).strip()

def from_the_top(text):
    "Links as seen from the project's folder rather than from nbs/"
    return re.sub(r'\]\((?!\w+:|#|/)([^)]+)\)', lambda m: f']({posixpath.normpath("nbs/" + m[1])})', text)

def readme(nb='nbs/index.ipynb', out='README.md'):
    parts = [f'<!-- Made from {nb} by tools/readme.py: edit the notebook -->']
    for c in read_nb(nb).cells:
        lines = c.source.splitlines()
        flags = [l for l in lines if l.startswith('#|')]
        if c.cell_type == 'raw' or any('hide' in f for f in flags): continue
        source = '\n'.join(l for l in lines if not l.startswith('#|')).strip()
        if c.cell_type == 'markdown': parts.append(from_the_top(source))
        elif source:
            parts.append(f'```python\n{source}\n```')
            if text := text_of(c.outputs): parts.append('\n'.join('    ' + l for l in text.splitlines()))
    Path(out).write_text('\n\n'.join(p for p in parts if p) + '\n', encoding='utf-8')

if __name__ == '__main__': readme()
