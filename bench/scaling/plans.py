"""The schedules that docs/scaling.md compares: how many studies side by side, on what, and what goes wrong."""

import statistics
from collections.abc import Sequence
from dataclasses import dataclass, replace

from bench.scaling.assumed import DECODED, DRIVER, GPUS, H100, HOUR, USUAL, cells
from bench.scaling.machines import Chances
from bench.scaling.pool import Outcome
from bench.scaling.schedule import divided, side_by_side
from bench.scaling.work import Machine
from scripts.markdown import table


@dataclass(frozen=True)
class Line:
    """A line of the schedule's table. parts: studies side by side, each on as many machines as the others, or on
    so many GPUs of one machine."""

    what: str
    parts: int
    chances: Chances
    machine: Machine = H100
    decoded: bool = False

    def outcome(self, gpus: int, seed: int) -> Outcome:
        """What comes of it on so many GPUs in all."""
        each = gpus // self.parts
        machines, on = (each // GPUS, GPUS) if each >= GPUS else (1, each)
        parts = divided(cells(self.machine, decoded=self.decoded), self.parts, each, DRIVER)
        return side_by_side(parts, machines, on, self.chances, seed, driver=DRIVER)


def lines(gpus: int, hourly: float) -> list[Line]:
    """Those of the page."""
    machines = gpus // GPUS
    usual, often = replace(USUAL, taken=hourly / 100), replace(USUAL, taken=hourly / 10)
    slower = replace(H100, reached=H100.reached / 3.5)
    seen = min(decoded * reached for decoded, reached in DECODED.items())
    fewest = replace(H100, decoded=seen / H100.cores)
    fewer = [n for n in (2, 4) if n < machines]
    return [
        Line("one study on all GPUs; nothing goes wrong", 1, Chances()),
        Line(f"… stragglers, {hourly:g} % preempted an hour", 1, usual),
        *(Line(f"{n} studies side by side; nothing goes wrong", n, Chances()) for n in fewer),
        Line(f"{machines} studies, each on a machine of {GPUS}; nothing goes wrong", machines, Chances()),
        Line("… stragglers", machines, USUAL),
        Line(f"… stragglers, {hourly:g} % preempted an hour", machines, usual),
        Line("… … pictures lie there decoded", machines, usual, decoded=True),
        Line(f"… … towers get at most {seen:,.0f} pictures a second, as seen", machines, usual, fewest),
        Line(f"… … towers reach {slower.reached:.0%} of the peak", machines, usual, slower),
        Line(f"… … {10 * hourly:g} % preempted an hour", machines, often),
        Line(f"each model on a GPU of its own; stragglers, {hourly:g} % preempted", gpus, usual),
    ]


def schedule_table(gpus: int, seeds: int, hourly: float) -> str:
    """The simulated schedules: means over seeds, and the worst end."""
    head = "schedule", "end, h", "worst", "GPU h", "scoring", "loading", "waiting", "lost", "idle", "loads", "preempted"
    return table(head, []) + "".join(f"{row(line, gpus, seeds)}\n" for line in lines(gpus, hourly))


def row(line: Line, gpus: int, seeds: int) -> str:
    """A line as the page has it."""
    n = seeds if line.chances.spread else 1  # else nothing is drawn
    cells = line.what, *_means([line.outcome(gpus, seed) for seed in range(n)])
    return f"| {' | '.join(cells)} |"


def _means(found: Sequence[Outcome]) -> tuple[str, ...]:
    def mean(name: str) -> float:
        return statistics.fmean(getattr(outcome, name) for outcome in found)

    held, parts = mean("held"), [mean(name) for name in ("busy", "loading", "waiting", "lost")]
    shares = [f"{part / held:.1%}" for part in (*parts, max(0.0, held - sum(parts)))]
    worst = max(outcome.end for outcome in found)
    ends = f"{mean('end') / HOUR:.2f}", f"{worst / HOUR:.2f}", f"{held / HOUR:.1f}"
    return *ends, *shares, f"{mean('loads'):,.0f}", f"{mean('taken'):.1f}"


def files_part(gpus: int) -> str:
    """Which models stand in which of the files, one a machine."""
    parts = gpus // GPUS
    found = divided(cells(H100), parts, GPUS, DRIVER)
    rows = []
    for number, mine in enumerate(found):
        names = [cell.name.rpartition(" ")[0] for cell in mine]
        said = ", ".join(
            f"{names.count(name)} × {name}" if names.count(name) > 1 else name for name in dict.fromkeys(names)
        )
        rows.append((str(number + 1), said, f"{side_by_side([mine], 1, GPUS, driver=DRIVER).end / HOUR:.2f}"))
    return table(("file", "models", "h"), rows)
