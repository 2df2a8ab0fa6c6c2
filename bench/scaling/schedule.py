"""A simulation of `study --ray` (backend/study/running.py, backend/engine/cluster/): stragglers, preemption, models
that are loaded, and the one process that plans and commits.

A study fills one cell after the other on a Ray cluster of its own. For each cell, as the product does it:

1. the model is loaded on one GPU to see what it is, and the cell is planned by the process that was started (the
   *driver*), while all other GPUs wait;
2. a process is started on each GPU, no more than there are windows, and each loads the model anew;
3. each of them holds `AHEAD` windows, the one that it scores and the next one, which nobody else can take any more;
4. the driver takes the windows that come back one after the other, and commits them when the ledger's pace says so.
   The cell ends when the last one is committed.

A machine that is taken away loses the windows that its processes hold; they go to others. It comes back with nothing
loaded, and its processes load again and go on. When the driver's machine (a cluster's first one) is taken, the study
stops; what was committed stays, and the same command is given again when the machine is back.

Several studies side by side, each with part of the models, on a cluster of its own: `side_by_side`. Time in seconds.
"""

import random
from collections.abc import Sequence

from bench.scaling.machines import Chances, Machines, Taking, by_chance
from bench.scaling.pool import Cell, Driver, Outcome, Pool


def study(
    cells: Sequence[Cell],
    machines: int,
    gpus: int,
    chances: Chances | None = None,
    seed: int = 0,
    *,
    driver: Driver | None = None,
    taking: Taking | None = None,
) -> Outcome:
    """One `study --ray` of all cells, on a cluster of so many machines with so many GPUs each. taking: when each
    machine is taken away, instead of by chance."""
    chances, driver = chances or Chances(), driver or Driver()
    draw = random.Random(seed)  # noqa: S311 - a seeded draw keeps no secret
    slowness = [chances.slowness if draw.random() < chances.slow else 1.0 for _ in range(machines * gpus)]
    there, out = Machines(machines, gpus, chances, taking or by_chance(chances, seed)), Outcome()
    now = 0.0
    for cell in cells:
        left = cell.windows
        while left:  # once, and again whenever the driver's machine is taken
            now, committed = Pool(cell, left, there, out, driver, chances, slowness, draw).run(now)
            left -= committed
            out.done[cell.name] = out.done.get(cell.name, 0) + committed
    out.end, out.held = now, there.ended(now)
    return out


def side_by_side(
    parts: Sequence[Sequence[Cell]],
    machines: int,
    gpus: int,
    chances: Chances | None = None,
    seed: int = 0,
    *,
    driver: Driver | None = None,
) -> Outcome:
    """One study for each part, all begun at once, each on a cluster of its own."""
    found = Outcome()
    for number, cells in enumerate(parts):
        found = found.with_(study(cells, machines, gpus, chances, 1000 * seed + number, driver=driver))
    return found


def alone(cell: Cell, gpus: int, driver: Driver) -> float:
    """About the seconds of a cell on a cluster of so many GPUs, where nothing goes wrong."""
    n = min(gpus, cell.windows)
    scoring = max(cell.windows * cell.seconds / n, cell.windows * cell.rows * driver.row)
    return 2 * cell.load + driver.before + scoring


def divided(cells: Sequence[Cell], parts: int, gpus: int, driver: Driver) -> list[list[Cell]]:
    """The cells of each part: the longest first, each to the part that has least so far."""
    found: list[list[Cell]] = [[] for _ in range(parts)]
    took = [0.0] * parts
    for cell in sorted(cells, key=lambda cell: -alone(cell, gpus, driver)):
        least = took.index(min(took))
        found[least].append(cell)
        took[least] += alone(cell, gpus, driver)
    return found
