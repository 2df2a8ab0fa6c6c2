"""What docs/scaling.md assumes and what was measured for it: a GPU, its cores, a cluster, and what goes wrong."""

from bench.scaling.machines import Chances
from bench.scaling.pool import Cell, Driver
from bench.scaling.subjects import EQBEN, MODELS, QUADS, SCORES, WINDOW
from bench.scaling.work import Inputs, Machine

#: An H100 SXM by NVIDIA's data sheet, 989 * 10^12 operations a second in bfloat16 without sparsity. That a tower
#: reaches 35 % of it, and 16 cores beside each GPU, is assumed; pictures a second and core are measured
#: (`bench.scaling.decoding`).
H100 = Machine(peak=989e12, reached=0.35, cores=16, decoded=96.0)
#: GPUs of a machine, which come and go together: assumed.
GPUS = 8
#: Seconds until a process and its libraries are there, and gigabytes of weights read a second: assumed.
START, READING = 30.0, 0.5
#: Measured (`bench.scaling.writer`): CPU seconds of the process that was started before a cell's windows are handed
#: out, for EqBen's quads; and of one score that it takes and commits.
DRIVER = Driver(before=30.0, row=1 / 40_600)
#: Assumed: a window's time spreads by 15 %, 3 % of the GPUs take half as long again, another machine stands in after 5
#: minutes.
USUAL = Chances(spread=0.15, slow=0.03, slowness=1.5, back=300.0)
HOUR = 3600.0
#: Measured on an H200 (docs/gpu.md, docs/performance.md): pictures a second of ViT-L/14's bare forward pass with two
#: captions each; those that 15 processes decode and prepare, at most and at least on four machines of one kind; and the
#: part of that which a `run` reaches.
BARE = 2155
DECODED = {1364: 1270 / 1364, 738: 1270 / 1364}
#: Measured on two cores (docs/performance.md): CPU seconds of ViT-B/32 on SugarCrepe's size.
CPU_SECONDS, SUGARCREPE = 517.0, Inputs(1560, 11_844, 0)


def cells(machine: Machine, *, decoded: bool = False) -> list[Cell]:
    """One for each of the fifty models."""
    windows = -(-QUADS // WINDOW)
    share = EQBEN.share(windows)
    found = []
    for n, subject in MODELS:
        seconds, load = machine.seconds(subject, share, decoded), START + subject.gigabytes / READING
        rows = WINDOW * SCORES[subject.kind]
        found += [Cell(f"{subject.name} {k + 1}", windows, seconds, load, rows) for k in range(n)]
    return found
