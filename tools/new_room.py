"""A new room from nbs/presets/99_template.ipynb: `python tools/new_room.py NAME NN [--to FOLDER]`.

NAME is the preset (small letters, digits, underscores), NN two digits, its place among the rooms."""
import argparse, keyword, re, sys
from pathlib import Path
from nbtext import build, dump

ROOT = Path(__file__).resolve().parent.parent

def renamed(text, name):
    "The template's text for the room `name`, with its exported cells marked"
    camel = ''.join(part.capitalize() for part in name.split('_'))
    head, rest = text.split('# %%\n', 1)                         # the title and the words about the tool
    words = re.sub('^`python tools/new_room.py.*?Here it is ', 'What problem, what idea, which paper. Here: ', head,
                   flags=re.M | re.S)
    words = words.replace('# A room to start from', '# ' + name.replace('_', ' ').capitalize())
    words = re.sub('^> .*', '> One line that a newcomer understands.', words, count=1, flags=re.M)
    foot = rest.index('# %%\n#| hide\n# what the tool makes')    # its test of this tool stays behind
    rest = rest[:foot] + rest[rest.index('# %%\n#| hide\nfolder.cleanup'):]
    body = (words + '# %%\n' + rest).replace('# exported in the copy', '#| export')
    body = body.replace('import re, subprocess, sys, tempfile\nfrom pathlib import Path\n', 'import tempfile\n')
    return f'# %%\n#| default_exp presets.{name}\n\n' + body.replace('Template', camel).replace('template', name)

def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument('name')
    p.add_argument('number')
    p.add_argument('--to', type=Path, default=ROOT/'nbs/presets', help='the folder')
    a = p.parse_args()
    if not re.fullmatch('[a-z][a-z0-9_]*[a-z0-9]', a.name) or keyword.iskeyword(a.name):
        sys.exit(f'a name is small letters, digits and underscores, and no word of Python; got {a.name!r}')
    if not re.fullmatch('[0-9]{2}', a.number): sys.exit(f'its number is two digits, such as 21; got {a.number!r}')
    if taken := [f for d in {ROOT/'nbs/presets', a.to} for f in d.glob(f'[0-9]*_{a.name}.ipynb')]:
        sys.exit(f'there is a room {a.name!r} already: {taken[0].name}')
    path = a.to/f'{a.number}_{a.name}.ipynb'
    build(renamed(dump(ROOT/'nbs/presets/99_template.ipynb'), a.name), path)
    print(f'{path.name} is made; next: python tools/heads.py, exchange the method, add it to 90_registry.ipynb')

if __name__ == '__main__': main()
