"""How many items of each subset are in each cell, model by model, and why there are no cells where there are none."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import isnan, nan
from typing import Any

from backend.kinds import Kind
from backend.metrics.reasons.names import CELLS
from backend.protocols import Protocol
from backend.store.queries import Setting
from backend.store.rates import covered
from backend.store.reasons import bars as stored_bars
from backend.store.reasons import not_measured, uncertified
from backend.store.reasons.uncertified import Certified
from pages.shared.data import stored


@dataclass(frozen=True)
class Bar:
    """One model's items of one subset (or of one benchmark, where several stand side by side).

    counts: cell -> (items in it, decoys in it), in the order of `CELLS`. n: items; share, low, high: at least so many
    of them bind, or have evidence from their image, with the interval's ends; None where undefined. certified: cell ->
    how many of its items have that reason; notes: why single items have none though the share is beyond luck. of: how
    many items there are, where the model has judged fewer; else None.
    """

    protocol: Protocol
    model: str
    kind: str
    group: str
    counts: dict[str, tuple[int, int]]
    n: int
    share: float | None
    low: float | None
    high: float | None
    scale: str
    certified: Mapping[str, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    of: int | None = None

    @property
    def items(self) -> int:
        """How many items are in its cells; n counts those whose evidence has a size."""
        return sum(items for items, _ in self.counts.values())


@dataclass(frozen=True)
class Missing:
    """A model whose items of a protocol have no cells. why: half a sentence; command: what brings them, "" if nothing
    does."""

    protocol: Protocol
    model: str
    kind: str
    why: str
    command: str


@stored.kept()
def of_benchmark(
    benchmark: stored.StoredBenchmark, rows: tuple[tuple[str, str], ...]
) -> tuple[list[Bar], list[Missing]]:
    """The bars of (model, kind) under each kind's default setting, and what is missing; several benchmarks: one bar
    each, over all its subsets."""
    bars: list[Bar] = []
    missing: list[Missing] = []
    for part in benchmark.parts or (benchmark,):
        known = defaultdict(list)
        certified = uncertified.of_runs(stored.store(), part.runs.values())
        for row in stored_bars.of_runs(stored.store(), part.runs.values()).to_dict("records"):
            known[row["run_id"], row["kind"]].append(row)
        for model, kind in rows:
            if model not in part.runs or kind not in part.kinds[model]:
                continue
            run = part.runs[model]
            of = {key[2:]: found for key, found in certified.items() if key[:2] == (run, kind)}
            own = _bars(model, kind, known[run, kind], list(part.subsets), part.name if benchmark.parts else "", of)
            bars += _of_parts(part, run, own, bool(benchmark.parts))
            missing += _missing(run, model, kind, set(part.protocols.values()) if not benchmark.parts else set())
    return bars, missing


@stored.kept()
def of_model(benchmark: stored.StoredBenchmark, model: str, setting: Setting) -> tuple[list[Bar], list[Missing]]:
    """The bars of one model under a setting, and what is missing."""
    run = benchmark.runs[model]
    rows = stored_bars.of_run(stored.store(), run, setting).to_dict("records")
    lacking = _missing(run, model, setting.kind, set(benchmark.protocols.values()))
    certified = {key[2:]: found for key, found in uncertified.of_run(stored.store(), run, setting).items()}
    return _of_parts(benchmark, run, _bars(model, setting.kind, rows, list(benchmark.subsets), "", certified)), lacking


def _of_parts(part: stored.StoredBenchmark, run: str, bars: list[Bar], whole: bool = False) -> list[Bar]:
    """Bars of one run, each with how many items there are where the run has judged fewer. whole: whether a bar is of
    all subsets of the benchmark."""
    if not bars or not (known := covered.judged(stored.store(), run, bars[0].kind)):
        return bars
    items = covered.totals(stored.store(), part.hash, "all" if whole else "subset")
    every = [items.get((str(bar.protocol), "all" if whole else bar.group), 0) for bar in bars]
    return [
        replace(bar, of=n) if str(bar.protocol) in known and bar.items < n else bar
        for bar, n in zip(bars, every, strict=True)
    ]


def _bars(
    model: str, kind: str, rows: Sequence[Mapping[Any, Any]], order: list[str], whole: str,
    certified: Mapping[tuple[str, str], Certified],
) -> list[Bar]:  # fmt: skip
    """A bar for each subset, in their order. rows: of `bars.of_run`. whole: the name of all subsets together, which are
    then one bar a protocol; else "". certified: (protocol, subset) -> which items have a reason."""
    groups = defaultdict(list)
    for row in rows:
        groups[str(row["protocol"]), whole or str(row["subset"])].append(row)
    found = [_bar(Protocol(of), model, kind, name, own, certified) for (of, name), own in groups.items()]
    rank = {name: place for place, name in enumerate(order)}
    return sorted(found, key=lambda bar: rank.get(bar.group, len(rank)))


def _bar(
    protocol: Protocol, model: str, kind: str, group: str, rows: Sequence[Mapping[Any, Any]],
    certified: Mapping[tuple[str, str], Certified],
) -> Bar:  # fmt: skip
    """The rows of one or several subsets as one bar.

    The ends of several are the weighted sums of theirs: at least as wide as an interval of the whole.
    """
    each = list({row["subset"]: row for row in rows}.values())
    total = sum(int(row["n"]) for row in each)
    cells = {
        cell: (sum(int(row["items"]) for row in rows if row["cell"] == cell),
               sum(int(row["mirrored"]) for row in rows if row["cell"] == cell))
        for cell in CELLS[protocol]
    }  # fmt: skip
    ends = [sum(row["n"] * row[name] for row in each) / total if total else nan for name in ("low", "high")]
    low, high = (None if isnan(end) else float(end) for end in ends)
    share = sum(int(row["plus"]) - int(row["minus"]) for row in each) / total if total else None
    scale = " / ".join(dict.fromkeys(str(row["scale"]) for row in each))
    reasons = [certified[key] for row in each if (key := (str(protocol), str(row["subset"]))) in certified]
    counts = {cell: sum(found.counts.get(cell, 0) for found in reasons) for cell in cells}
    notes = reasons[0].why if len(each) == 1 and reasons and low is not None and low > 0 else ()
    return Bar(protocol, model, kind, group, cells, total, share, low, high, scale, counts, notes)


def _missing(run: str, model: str, kind: str, protocols: set[str]) -> list[Missing]:
    """The protocols of some that could have cells and have none."""
    if kind in (Kind.T2T, Kind.PRIOR):
        return []
    lacking = not_measured.of_run(stored.store(), run, kind)
    wanted = [of for of in CELLS if str(of) in protocols and str(of) in lacking]
    return [Missing(of, model, kind, lacking[str(of)].said, lacking[str(of)].command) for of in wanted]
