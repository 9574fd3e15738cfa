"""Run notebooks as tests, each in a process of its own; the last line is 'N passed, N failed'.

python tools/test_nbs.py [PATH ...] [--flags 'slow peer'] [--save] [-n 2] [--timeout 900]

`--save` keeps what the cells print and draw (cells that are skipped keep what they had), then cleans the notebook."""
import argparse, base64, io, os, signal, subprocess, sys, tempfile, time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from nbdev.config import get_config
from nbdev.doclinks import nbglob

PASSED = 77   # what a process says when its notebook ran to the end: one that calls `os._exit(0)` has not

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
    "Run the notebook at `path` in this process; True when every cell passed and there was one"
    from execnb.nbio import read_nb, write_nb
    from nbdev import clean, test
    ran = {}
    class Shell(test.CaptureShell):
        def __init__(self, path): super().__init__(path, mpl_format='png')
        def cell(self, cell, **kwargs):
            if cell.cell_type != 'code': return
            cell['outputs'], ran[cell.id] = [], cell   # what it said in an earlier run does not count
            super().cell(cell, **kwargs)
    test.CaptureShell = Shell
    passed, _ = test.test_nb(path, skip_flags=skip, force_flags=force, basepath=root)
    if not ran: print('no cell was run', file=sys.stderr)
    elif passed and save:
        nb = read_nb(path)
        for c in nb.cells:
            if c.id in ran: c['outputs'] = shrink(ran[c.id].outputs)
        write_nb(nb, path)
        clean.nbdev_clean(str(path))
    return passed and bool(ran)

def end(process):
    "Kill a notebook's process and what it started"
    try: os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError: pass
    process.wait()

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
    if unknown := set(a.flags.split()) - set(skip): p.error(f'no flag {", ".join(sorted(unknown))}; there is: {", ".join(skip)}')
    if a.one:
        passed = run_one(Path(a.paths[0]), skip, a.flags.split(), root, a.save)
        sys.stdout.flush(); sys.stderr.flush()
        os._exit(PASSED if passed else 1)   # no waiting for threads that a notebook left behind
    named = [Path(f) for f in a.paths or [cfg.nbs_path]]
    if gone := [str(f) for f in named if not f.exists()]: sys.exit(f'no such notebook or folder: {", ".join(gone)}')
    paths = sorted({Path(f).resolve() for d in named for f in ([d] if d.is_file() else nbglob(d))})
    env = {'OMP_NUM_THREADS': '1', 'MPLBACKEND': 'agg', 'PLATO_PROGRESS': '0', 'PYDEVD_DISABLE_FILE_VALIDATION': '1', **os.environ}
    options, running = ['--one', '--flags', a.flags] + ['--save'] * a.save, set()
    def run(f):
        start = time.time()
        with tempfile.TemporaryFile() as log:
            process = subprocess.Popen([sys.executable, __file__, str(f), *options], stdin=subprocess.DEVNULL, stdout=log,
                                       stderr=log, env=env, cwd=root, start_new_session=True)
            running.add(process)
            try: code = process.wait(a.timeout)
            except subprocess.TimeoutExpired: code = f'no end after {a.timeout:.0f} s'
            end(process)
            running.discard(process)
            log.seek(0)
            out = '' if code == PASSED else f'  (exit {code})\n{log.read().decode(errors="replace")[-20_000:]}'
        print(f"{'FAIL' if out else 'ok  '} {time.time() - start:6.1f}s  {os.path.relpath(f, root)}{out}", flush=True)
        return not out
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    pool = ThreadPoolExecutor(max(1, a.n))
    try: results = list(pool.map(run, paths))
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
        for process in list(running): end(process)
    print(f'{sum(results)} passed, {len(results) - sum(results)} failed', flush=True)
    sys.exit(not results or not all(results))

if __name__ == '__main__': main()
