"""The engine on XLA's CPU backend: graphs compiled, losses and samples against plain torch. An optional lane.

Needs a Python with torch 2.9 and torch_xla 2.9 (no TPU): `python tools/xla_check.py`, and with 8 virtual chips
`CPU_NUM_DEVICES=8 python tools/xla_check.py`. The last line is 'XLA: all as it should be'."""
import os, sys
from pathlib import Path
os.environ.setdefault('PJRT_DEVICE', 'CPU')
os.environ.setdefault('XLA_FLAGS', '--xla_backend_optimization_level=0')   # compiles in a fifth of the time
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import torch
from torch.nn import functional as F
from plato_torch.npc.device import *
from plato_torch.npc.generation import *
from plato_torch.npc.lm_learner import *
from plato_torch.npc.model import *
from plato_torch.npc.packing import *
from plato_torch.npc.sft import *

CHIPS = int(os.environ.get('CPU_NUM_DEVICES', 1))
CONFIG = Config(vocab_size=512, d_model=32, n_layers=2, n_heads=2, ffn_hidden=24, ple_dim=16, seq_len=64)

def graphs():
    "How many graphs were compiled so far"
    import torch_xla.debug.metrics as metrics
    return metrics.counter_value('UncachedCompile') or 0

def train(device, steps=20):
    "Losses of some AdamW steps on packed rows"
    model = move(TinyLM(CONFIG), device)
    optimizer = prepare(torch.optim.AdamW(model.parameters(), lr=1e-3))
    ids = torch.randint(0, 512, (8, 33), generator=torch.Generator().manual_seed(0)).to(device.device)
    documents = (torch.arange(32) // 12).expand(8, -1).contiguous().to(device.device)
    ids, documents = spread(ids, device), spread(documents, device)
    device.sync()
    before, losses = graphs() if device.kind == 'xla' else 0, []
    for _ in range(steps):
        loss = F.cross_entropy(model(ids[:, :-1], documents).flatten(0, 1), ids[:, 1:].flatten())
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        losses.append(loss.detach())
        device.sync()
    new = graphs() - before if device.kind == 'xla' else 0
    return [x.item() for x in losses], new

def sample(device):
    "Graphs compiled by each of three calls, and whether the ids equal the processor's"
    model = TinyLM(CONFIG, seed=1).requires_grad_(False)
    for p in model.parameters(): p += torch.empty(p.shape).normal_(0, 0.2, generator=torch.Generator().manual_seed(p.numel()))
    prompts = [[[1, 2, 3], [4, 5, 6, 7, 8]], [[9, 8, 7, 3], [2]], [[1] * 20, [3] * 18]]   # buckets of 16, 16 and 32
    s = Sampling(max_tokens=8, temperature=0.8, top_k=40)
    want = [[[r.ids for r in row] for row in Sampler(model).generate(p, 2, s)] for p in prompts]
    sampler, new, got = Sampler(move(model, device), device=device), [], []
    device.sync()
    for p in prompts:
        before = graphs()
        got.append([[r.ids for r in row] for row in sampler.generate(p, 2, s)])
        new.append(graphs() - before)
    return new, got == want

def trainer(device, steps=20):
    "Losses of the real trainer on packed talks of many lengths, and the graphs it compiled"
    draw = torch.Generator().manual_seed(0)
    sizes = torch.randint(10, 60, (200,), generator=draw).tolist()
    rows = [(torch.randint(0, 512, (n,), generator=draw).tolist(), [0] * (n // 2) + [1] * (n - n // 2)) for n in sizes]
    run = Trainer(TinyLM(CONFIG), Packed(from_rows(rows), 8, 64), plan=Plan(steps=steps), device=device)
    before = graphs() if device.kind == 'xla' else 0
    losses = [run.step()[0].item() for _ in range(steps)]
    return losses, graphs() - before if device.kind == 'xla' else 0

def learner(steps=10):
    "Graphs compiled by each step of an `LMLearner` and by scoring, and how far it is from the processor's"
    on, off = (LMLearner(CONFIG, device=name) for name in ('xla', 'cpu'))
    prompts, replies = zip(*[(f'ask {i}', 'yes ' * (1 + i % 3)) for i in range(8)])
    new, apart = [], 0
    for n in range(steps):
        before, weights = graphs(), [0.1 * i - 0.2 for i in range(8)]
        apart = max(apart, abs(on.step(prompts, replies, weights) - off.step(prompts, replies, weights)))
        new.append(graphs() - before)
    for some in prompts, [p + '!' for p in prompts], [p + ' and more' for p in prompts]:
        before = graphs()
        apart = max(apart, abs(on.score(some, replies) - off.score(some, replies)).max())
        new.append(graphs() - before)
    return new, apart

if __name__ == '__main__':
    xla = pick('xla', all_chips=CHIPS > 1)
    plain, _ = train(pick('cpu'))
    losses, new = train(xla)
    apart = max(abs(a - b) for a, b in zip(plain, losses))
    print(f'{CHIPS} chips: training compiled {new} graphs, losses {apart:.1e} apart from the processor\'s')
    assert new <= 2 and apart < 1e-3
    if CHIPS == 1:
        (losses, new), (plain, _) = trainer(xla), trainer(pick('cpu'))
        apart = max(abs(a - b) for a, b in zip(plain, losses))
        print(f'the trainer compiled {new} graphs, losses {apart:.1e} apart')
        assert new <= 2 and apart < 1e-3
        new, apart = learner()
        print(f'the learner compiled {new} graphs in ten steps and three scorings, {apart:.1e} apart')
        assert sum(new[:10]) <= 2 and new[10:] == [1, 0, 0] and apart < 1e-3
        new, equal = sample(xla)
        print(f'sampling compiled {new} graphs in three calls, ids equal: {equal}')
        assert new == [2, 0, 1] and equal
    print('XLA: all as it should be')
