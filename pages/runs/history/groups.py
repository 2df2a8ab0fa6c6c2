"""Runs, History: near-identical runs as one group, and groups as cells of models by benchmarks. Nothing is drawn.

Near-identical are runs of one model by the same kinds that differ by nothing but the edit of one benchmark, the seed
(of an edit or of a sample of the same size), the prior's source or the date. What differs in the items that are asked
for, in where the scores are from, or in the benchmark itself, stands apart.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from backend.benchmarks.items_folder.kept import EDITED
from pages.shared.drawing.numbers import count


@dataclass(frozen=True)
class Run:
    """What grouping asks of a run: a row of `queries.runs`. stamp: when it was last written, UTC, ISO 8601; picks: what
    was asked for of the benchmark (limit, size of a sample, subset, split, picked set), seeds left out."""

    run_id: str
    model: str
    benchmark: str
    name: str
    edition_of: str
    kinds: tuple[str, ...]
    priors: tuple[str, ...]
    origin: tuple[str, str]
    picks: tuple[str, ...]
    n_items: int
    complete: bool
    stamp: str

    @property
    def is_edit(self) -> bool:
        """Whether it is of a perturbed edition whose parent is known."""
        return bool(self.edition_of)

    @property
    def column(self) -> tuple[str, bool]:
        """(hash of the benchmark, or of the one that it is an edit of; whether it is an edit): a column."""
        return (self.edition_of or self.benchmark, self.is_edit)


@dataclass(frozen=True)
class Group:
    """Near-identical runs, the latest first."""

    runs: tuple[Run, ...]

    @property
    def model(self) -> str:
        return self.runs[0].model

    @property
    def kinds(self) -> tuple[str, ...]:
        return self.runs[0].kinds

    @property
    def column(self) -> tuple[str, bool]:
        return self.runs[0].column

    @property
    def key(self) -> str:
        """What the group is known by as long as its latest run stays."""
        return self.runs[0].run_id

    @property
    def in_part(self) -> int:
        """How many of the runs were stopped, or lack a kind that failed."""
        return sum(not run.complete for run in self.runs)

    def title(self, parents: Mapping[str, str]) -> str:
        """On what the group is. parents: benchmark hash -> its name."""
        if self.edits < 2:
            return self.runs[0].name
        return f"{count(self.edits, 'edit')} of {parent_name(self.runs[0], parents)}"

    @property
    def edits(self) -> int:
        """Of how many edits the runs are; 0 where they are of no edit."""
        return edits_in(self.runs)

    def items(self) -> str:
        """How many items the runs have: one number, or the smallest and the largest."""
        numbers = [run.n_items for run in self.runs]
        low, high = min(numbers), max(numbers)
        return f"{low:,}" if low == high else f"{low:,} to {high:,}"


def edits_in(runs: Iterable[Run]) -> int:
    """How many edits runs are of: sets of edited items. One that was made again, of other items or with another seed,
    is another edit, whatever it is called; two runs on one are one edit. The same count wherever the page says one."""
    return len({run.benchmark for run in runs if run.is_edit})


def parent_name(run: Run, parents: Mapping[str, str]) -> str:
    """The name of the benchmark that an edition was made from: as it is here, else the one that its own name begins
    with."""
    return parents.get(run.edition_of) or run.name.partition(EDITED)[0]


def runs_of(lines: Iterable[Any], priors: Mapping[str, Sequence[str]]) -> list[Run]:
    """Rows of `queries.runs` as `Run`s. priors: run id -> the sources that were asked for."""
    return [
        Run(
            str(line.run_id), str(line.model), str(line.benchmark), str(line.benchmark_name),
            str(line.edition_of or ""), tuple(map(str, line.kinds)), tuple(priors.get(str(line.run_id), ())),
            (str(line.origin), str(line.imported_from) if line.origin == "imported" else ""), _picks(line),
            int(line.n_items), bool(line.complete), str(line.updated or ""),
        )
        for line in lines
    ]  # fmt: skip


def _picks(line: Any) -> tuple[str, ...]:
    said = (line.limit, line.sample, line.subset, line.split, line.picked)
    return tuple("" if each is None or pd.isna(each) else str(each) for each in said)


def key_of(run: Run) -> tuple[Any, ...]:
    """What near-identical runs have in common."""
    return (run.model, run.column, run.kinds, run.origin, run.picks)


def grouped(runs: Iterable[Run]) -> list[Group]:
    """All runs in groups, each in one: the group with the latest run first, and the latest run first in each."""
    found: dict[tuple[Any, ...], list[Run]] = {}
    for run in sorted(runs, key=lambda run: (run.stamp, run.run_id), reverse=True):
        found.setdefault(key_of(run), []).append(run)
    return [Group(tuple(each)) for each in found.values()]


@dataclass(frozen=True)
class Column:
    """A column of the matrix: a benchmark, or all edits of one. key: its name between page and browser; names: of the
    benchmarks in it; edits: how many there are in it with a run, 0 where it is a benchmark."""

    key: str
    label: str
    is_edits: bool
    names: tuple[str, ...]
    edits: int = 0


def columns(runs: Sequence[Run], parents: Mapping[str, str]) -> list[Column]:
    """The columns, those with the most models first, the edits of a benchmark right behind it."""
    found: dict[tuple[str, bool], list[Run]] = {}
    for run in runs:
        found.setdefault(run.column, []).append(run)
    models = {of: len({run.model for run in each}) for of, each in found.items()}
    most = {of: max(models.get((of, False), 0), models.get((of, True), 0)) for of, _ in found}
    made = []
    for of in sorted(found, key=lambda of: (-most[of[0]], _label(found[of][0], parents), of[1], of[0])):
        names = tuple(sorted({run.name for run in found[of]}))
        made.append(Column(key(of), _label(found[of][0], parents), of[1], names, edits_in(found[of])))
    return made


def key(column: tuple[str, bool]) -> str:
    """A column's name between page and browser."""
    return f"{'~' if column[1] else ''}{column[0]}"


def _label(run: Run, parents: Mapping[str, str]) -> str:
    return f"{parent_name(run, parents)}, edited" if run.is_edit else run.name


def cells(runs: Iterable[Run]) -> dict[tuple[str, str], list[Run]]:
    """(model, column's key) -> its runs, the latest first."""
    found: dict[tuple[str, str], list[Run]] = {}
    for run in sorted(runs, key=lambda run: (run.stamp, run.run_id), reverse=True):
        found.setdefault((run.model, key(run.column)), []).append(run)
    return found


def _edits_of(runs: Sequence[Run], names: Mapping[str, str]) -> str:
    """Of which of the benchmarks the edits are. names: benchmark hash -> name, of those that are no edits."""
    edited = {run.edition_of: parent_name(run, names) for run in runs if run.is_edit}
    if set(edited) == set(names):
        return " of it" if len(names) == 1 else " of them"
    return f" of {next(iter(edited.values())) if len(edited) == 1 else f'{len(edited)} benchmarks'}"


def seen(runs: Sequence[Run], at_work: int = 0, unfinished: int = 0) -> str:
    """What is there, in one line. at_work: jobs that work or wait; unfinished: those that the page tells of as stopped,
    failed or lost, which need not have left a run.

    >>> seen([]), seen([], 1)
    ('Nothing has been computed yet', 'Nothing has been computed yet; 1 job is not over')
    """
    going = f"{count(at_work, 'job')} {'is' if at_work == 1 else 'are'} not over" if at_work else ""
    ended = f"{count(unfinished, 'job')} ended unfinished" if unfinished else ""
    if not runs:
        return "; ".join(filter(None, ["Nothing has been computed yet", going, ended]))
    models = count(len({run.model for run in runs}), "model")
    names = {run.benchmark: run.name for run in runs if not run.is_edit}
    whole, edits = len(names), edits_in(runs)
    on = [count(whole, "benchmark")] if whole else []
    of = _edits_of(runs, names) if whole else ""
    on += [count(edits, f"edit{of}", f"edits{of}")] if edits else []
    part = sum(not run.complete for run in runs)
    rest = ", ".join(filter(None, [f"{part:,} in part" if part else "", going, ended])) or "all complete"
    return f"{count(len(runs), 'run')}: {models} on {' and '.join(on)}; {rest}"
