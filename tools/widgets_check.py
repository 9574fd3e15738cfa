"""Press the widgets in a real browser: `widgets_check.py RUN OUT [--python PYTHON]`.

RUN is the folder of a finished round; OUT gets the screenshots, which are there to be looked at. The last line is
'N passed, N failed'. Wanted here: playwright, voila and a chromium (`apt-get install chromium`); PYTHON (default: this
one) has plato_torch, ipykernel and ipywidgets."""
import argparse, json, os, shutil, socket, subprocess, sys, tempfile, time
from pathlib import Path
from playwright.sync_api import Error, expect, sync_playwright

CELLS = dict(room='''
import tempfile
from plato_torch.presets import ReinforceRoom
from plato_torch.presets.room_view import *
room = ReinforceRoom('weather', buffer_dir=tempfile.mkdtemp(), ensign_dir=tempfile.mkdtemp())
days = [('cold rain', 'umbrella', 1.0), ('hot sun', 'hat', 1.0), ('grey rain', 'hat', -1.0)]
for state, action, reward in 40 * days: room.observe(state, action, reward=reward)
room.train(40)
RoomView(room)''', counter='''
from plato_torch.npc.counter import *
NPCChat(RUN)''', round='''
from plato_torch.npc.views import *
RoundView(RUN)''', forge='''
ForgeBoard(RUN)''')

def page_notebook(run):
    "One notebook with all four views"
    cell = lambda name, code: dict(id=name, cell_type='code', execution_count=None, metadata={}, outputs=[],
                                   source=code.strip())
    kernel = dict(name='plato-check', display_name='plato-check', language='python')
    return dict(cells=[cell(name, code.replace('RUN', repr(str(run)))) for name, code in CELLS.items()],
                metadata=dict(kernelspec=kernel), nbformat=4, nbformat_minor=5)

def serve(place, run, python):
    "A page of Voila, and the process behind it"
    spec = place/'kernels'/'plato-check'
    spec.mkdir(parents=True)
    argv = [python, '-m', 'ipykernel_launcher', '-f', '{connection_file}']
    (spec/'kernel.json').write_text(json.dumps(dict(argv=argv, display_name='plato-check', language='python')))
    (place/'views.ipynb').write_text(json.dumps(page_notebook(run)))
    with socket.socket() as s:
        s.bind(('127.0.0.1', 0))
        port = s.getsockname()[1]
    env = dict(os.environ, JUPYTER_PATH=str(place), PLATO_PROGRESS='0', OMP_NUM_THREADS='1')
    env.pop('IN_TEST', None)
    command = [sys.executable, '-m', 'voila', str(place/'views.ipynb'), '--no-browser', f'--port={port}',
               '--Voila.ip=127.0.0.1', '--show_tracebacks=True']
    server = subprocess.Popen(command, env=env, cwd=place)
    return server, f'http://127.0.0.1:{port}/'

def ready(url, seconds=60):
    "Wait until somebody answers; a socket first, for the page itself runs the notebook"
    host, port = url.split('/')[2].split(':')
    for _ in range(seconds * 5):
        try: return socket.create_connection((host, int(port)), 1).close()
        except OSError: time.sleep(0.2)
    sys.exit(f'nobody answers at {url}')

def ask_room(page):
    page.get_by_placeholder('Ask the room').fill('cold rain')
    page.get_by_placeholder('Ask the room').press('Enter')
    expect(page.locator('td', has_text='umbrella').first).to_be_visible()
    expect(page.locator('body')).to_contain_text('%')

def trade(page):
    box = page.get_by_placeholder('Say something')
    item = page.locator('p:has-text(" sells") + table td').first.inner_text()   # the first thing on the shelf
    for said in ('Good morning. What do you sell?', f"I'll take the {item}."):
        box.fill(said)
        box.press('Enter')
        expect(page.locator('b', has_text='Player').locator('xpath=..').last).to_contain_text(said)
        expect(page.get_by_role('button', name='say', exact=True)).to_be_enabled()
        expect(box).to_have_value('')
    print(page.locator('p:has-text("Purses") + table').inner_text())

def other_replies(page):
    words = page.locator('pre', has_text='holdout_eval').first
    before = words.inner_text()
    page.get_by_role('button', name='other replies').click()
    for _ in range(100):
        if words.inner_text() != before: return
        time.sleep(0.1)
    raise AssertionError('the replies stayed the same')

def read_failures(page):
    page.locator('button:enabled', has_text=' of ').first.click()
    expect(page.locator('pre', has_text='wrong:').last).to_be_visible()
    expect(page.get_by_role('button', name='next')).to_be_visible()

CHECKS = dict(room=ask_room, counter=trade, round=other_replies, forge=read_failures)

def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument('run', type=Path)
    p.add_argument('out', type=Path)
    p.add_argument('--python', default=sys.executable)
    p.add_argument('--chromium', default=shutil.which('chromium') or shutil.which('chromium-browser'))
    p.add_argument('--dark', action='store_true', help='the dark theme')
    a, passed = p.parse_args(), 0
    a.out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as place:
        server, url = serve(Path(place), a.run.resolve(), a.python)
        try:
            ready(url)
            with sync_playwright() as play:
                browser = play.chromium.launch(executable_path=a.chromium, args=['--no-sandbox', '--disable-gpu'])
                page = browser.new_page(viewport=dict(width=1100, height=2600))
                page.set_default_timeout(120_000)
                expect.set_options(timeout=60_000)
                page.goto(url + ('?theme=dark' if a.dark else ''), timeout=240_000)
                page.get_by_placeholder('Say something').wait_for()
                page.screenshot(path=a.out/'0_before.png')
                for n, (name, check) in enumerate(CHECKS.items(), 1):
                    try: check(page)
                    except (AssertionError, Error) as e: print(f'FAIL {name}: {e}')
                    else: passed += 1
                    page.screenshot(path=a.out/f'{n}_{name}.png')
                browser.close()
        finally:
            server.terminate()
            server.wait()
    print(f'{passed} passed, {len(CHECKS) - passed} failed')
    return passed < len(CHECKS)

if __name__ == '__main__': sys.exit(main())
