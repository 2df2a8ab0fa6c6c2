"""The table of a paper: models by benchmarks, each rate with its interval, chance, and printed numbers beside.

A value is marked as the best of its column only where it is better than every other beyond chance: by the paired test
over images of `flipside compare`, Holm-adjusted over all rivals in the column, at most LEVEL (bold.py).
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import pandas as pd

from backend import published, written
from backend.errors import FlipsideError
from backend.items import Kind
from backend.metrics.contests import MEAN_OF_ORDERS
from backend.metrics.core import registry
from backend.protocols import Protocol
from backend.store.build.store import Store
from backend.store.catalog import catalog, not_scored, public
from backend.store.catalog.default_run import ChosenRun, choose_run, choose_setting
from backend.store.official import printed_keys
from backend.store.rates import asking_orders
from backend.store.rates.both_paraphrases import bounded
from backend.store.rates.rates import headlines, rates
from backend.store.report import bold
from backend.store.scores.setting import Setting

#: The scores of a quad in the order in which papers print them.
OF_QUADS = ("text_score", "image_score", "group_score")


@dataclass(frozen=True)
class Row:
    """A model; kind: of all its cells, "" where each benchmark is shown by the model's default kind there."""

    model: str
    name: str
    kind: str = ""


@dataclass(frozen=True)
class Column:
    """A metric on a benchmark (or one of its subsets). hash: of its items, for names may stand for several versions.

    subset: "" for all; with the size of a pool's labelled part where a recall is about that alone.
    metric: "" where nothing of the benchmark is there: its column has dashes alone, and no hash.
    share: whether values are fractions, shown in per cent; unit: of those that are none. chance: None where unknown.
    """

    benchmark: str
    hash: str
    metric: str
    subset: str
    share: bool
    unit: str
    higher: bool
    chance: float | None


@dataclass(frozen=True)
class Cell:
    """A rate. printed: (value, paper, table, the model's name there) of what papers print of the same; best: beyond
    chance the best of its column; chance: of this run, another than its neighbours' where it was asked in several
    orders; rule: by which it then has one verdict an item, in words, "" where the value is the mean over the orders, or
    it was asked once. bound: whether the value is a lower bound, which has no chance level and compares with no other.
    left_out: sentences on items of the run that have no scores, and so are not among the n."""

    run_id: str
    setting: Setting
    value: float | None
    n: int
    ties: int
    ci95: tuple[float, float] | None
    printed: tuple[tuple[float, str, str, str], ...] = ()
    best: bool = False
    chance: float | None = None
    bound: bool = False
    left_out: tuple[str, ...] = ()
    rule: str = ""


@dataclass(frozen=True)
class Table:
    """cells: by (row, column) positions. missing: (row position, benchmark) -> why there is nothing. notes: what a
    reader should know of the runs that were taken. apart: row position -> why it competes with no other for bold:
    "people", "repeat" or "trained" (bold.py). tests: what decides on bold."""

    rows: tuple[Row, ...]
    columns: tuple[Column, ...]
    cells: dict[tuple[int, int], Cell]
    missing: dict[tuple[int, str], str]
    notes: tuple[str, ...]
    apart: Mapping[int, str] = field(default_factory=dict)
    tests: tuple[bold.Tested, ...] = ()


def table(
    store: Store,
    models: Sequence[str],
    benchmarks: Sequence[str],
    *,
    kinds: Sequence[str] = (),
    metrics: Sequence[str] = (),
    subset: str | None = None,
    by_subset: bool = False,
    runs: Mapping[tuple[str, str], str] | None = None,
    names: Mapping[str, str] | None = None,
    titles: Mapping[str, str] | None = None,
    specs: Mapping[str, str] | None = None,
    why: Mapping[tuple[str, str], str] | None = None,
) -> Table:
    """models: specs or names (`run --name`). kinds: a row for each that a model has; none takes its default kind.
    metrics: these; none takes each protocol's headline, and all three scores of quads. subset: only these (commas).
    by_subset: a column a subset. runs: (model, benchmark) -> the run to take; without it the usual one, with it a cell
    that has none there is missing, for the reason that `why` gives. names: what of `benchmarks` is the title of a part
    -> the benchmark's own name. titles: model -> what it is called here, instead of what pages call it. specs: model ->
    its spec, where `models` names rows of a study, in which one spec may stand in two dtypes.
    """
    for name in metrics:
        registry.by_name(name)
    called = catalog.shown(store) | dict(titles or {})
    own = dict(titles or {})
    found: dict[tuple[Row, Column], Cell] = {}
    missing: dict[tuple[Row, str], str] = {}
    notes: dict[str, dict[str, None]] = {}
    order: dict[Row, None] = {}
    columns: dict[Column, None] = {}
    versions = {} if runs is not None else _versions(store, benchmarks)
    benchmarks = [each for name in benchmarks for each in versions.get(name, (name,))]
    for model in models:
        for kind in kinds or ("",):
            for benchmark in benchmarks:
                run = None if runs is None else runs.get((model, benchmark))
                try:
                    if runs is not None and run is None:
                        said = (why or {}).get((model, benchmark)) or "it has not been scored yet"
                        raise FlipsideError(said)  # noqa: TRY301 - said as the others are
                    name = (names or {}).get(benchmark, benchmark)
                    chosen = choose_run(store, (specs or {}).get(model, model), name, kind or None, subset, run, "run")
                    setting, _ = choose_setting(store, chosen, kind or None)
                except FlipsideError as error:
                    spec = (specs or {}).get(model) or next((k for k, v in called.items() if v == model), model)
                    row = Row(spec, own.get(model) or called.get(spec, ""), kind)
                    missing[row, benchmark] = str(error)
                    order[row] = None
                    continue
                row = Row(chosen.model, own.get(model) or called.get(chosen.model, ""), kind)
                order[row] = None
                for said in [*_notes(store, chosen), *not_scored.said(store, chosen.run_id, setting.kind)]:
                    notes.setdefault(f"on {benchmark}: {said}", {})[row.name or row.model] = None
                title = benchmark if names else chosen.benchmark
                cells = _cells(store, chosen, setting, metrics, subset, by_subset, title)
                for column, cell in cells:
                    known = next((each for each in columns if _same(each, column)), column)
                    columns[known] = None
                    found[row, known] = cell
                if not cells:
                    missing[row, benchmark] = _no_verdict(store, chosen, setting, metrics, subset)
    there = {name for column in columns for name in (column.benchmark, column.hash, column.benchmark.partition(":")[0])}
    beside = {each for listed in versions.values() if there & {*listed} for each in listed}
    for benchmark in dict.fromkeys(benchmarks):
        if benchmark not in there | beside:  # it keeps its place
            columns[Column(benchmark, "", "", "", share=True, unit="", higher=True, chance=None)] = None
    rows, listed = tuple(order), _ordered(columns, benchmarks, metrics)
    numbered = {(rows.index(row), listed.index(column)): cell for (row, column), cell in found.items()}
    gone = {(rows.index(row), name): why for (row, name), why in missing.items()}
    apart = bold.out_of_competition(store, numbered)
    cells_, tests = bold.with_best(store, listed, numbered, apart)
    lines = [f"{written.some(who)} {said}" for said, who in notes.items()]
    return Table(rows, listed, cells_, gone, (*lines, *_fewer(rows, listed, numbered)), apart, tuple(tests))


def _versions(store: Store, benchmarks: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """The hashes of each benchmark that runs are here on in several versions: a column each, for which the latest run
    on that version is taken. A model's latest run of all may be on another version than its rival's."""
    known = catalog.runs(store)
    found = {name: tuple(dict.fromkeys(known.loc[known["benchmark_name"] == name, "benchmark"])) for name in benchmarks}
    return {name: hashes for name, hashes in found.items() if len(hashes) > 1}


def _notes(store: Store, chosen: ChosenRun) -> list[str]:
    """What is known of a run's choice; of fetched scores what all of one source share, for `report` says the rest."""
    record = store.run(chosen.run_id).record
    said = public.public(record)
    if said is None:
        return chosen.notes
    own = set(public.notes(record, chosen.benchmark_hash))
    kept = [line for line in chosen.notes if line not in own]
    shown_on = [public.COMPLETED] if public.COMPLETED in own else []
    return [*kept, f"public scores ({said.source}), of which `flipside report` says more.", *shown_on]


def _no_verdict(store: Store, chosen: ChosenRun, setting: Setting, metrics: Sequence[str], subset: str | None) -> str:
    """Why a run has no cell: none of the metrics that are asked for, or no verdict at all."""
    known = rates(store, chosen.run_id, setting, None, subset)
    there = list(dict.fromkeys(known.loc[known["value"].notna(), "metric"].map(str)))
    if not metrics or not there:
        return f"run {chosen.run_id} has no verdict under {setting.describe()}"
    return (
        f"run {chosen.run_id} has no {' or '.join(metrics)} under {setting.describe()}; it has {', '.join(there[:12])}"
    )


def _same(a: Column, b: Column) -> bool:
    return (a.benchmark, a.hash, a.metric, a.subset) == (b.benchmark, b.hash, b.metric, b.subset)


def _fewer(rows: Sequence[Row], columns: Sequence[Column], cells: Mapping[tuple[int, int], Cell]) -> list[str]:
    """Which models were judged on fewer items than another one of their column, a sentence for each such number."""
    found: dict[str, dict[str, None]] = {}
    judged, parts = bold.most_judged(cells), bold.of_a_part(cells)
    for at, column in enumerate(columns):
        most = judged.get(at, 0)
        where = " ".join(filter(None, (column.benchmark, column.subset)))
        for (row, of), cell in cells.items():
            if of == at and cell.n < most:
                never = ", so never bold" if (row, at) in parts else ""
                said = f"on {where}: judged on {cell.n:,} only, where others have {most:,}{never}."
                found.setdefault(said, {})[rows[row].name or rows[row].model] = None
    return [f"{written.some(who)} {said}" for said, who in found.items()]


def _ordered(columns: Iterable[Column], benchmarks: Sequence[str], metrics: Sequence[str]) -> tuple[Column, ...]:
    """As the benchmarks were named; of one its metrics as they were named, else as the registry has them, text before
    image before group."""
    names = [metric.name for metric in registry.METRICS if metric.name not in OF_QUADS]
    order = list(metrics) or [*OF_QUADS, *names]
    place = {name: k for k, name in reversed([*enumerate(benchmarks)])}

    def key(numbered: tuple[int, Column]) -> tuple[int, str, int, int]:
        position, column = numbered
        where = place.get(column.benchmark, place.get(column.benchmark.partition(":")[0], len(place)))
        return where, column.hash, order.index(column.metric) if column.metric in order else len(order), position

    return tuple(column for _, column in sorted(enumerate(columns), key=key))


def _shown(setting: Setting) -> set[str]:
    """The metrics that a table has of a setting where nobody names any."""
    measured = set(registry.headlines()) - set(registry.headlines(judged=True))
    names = {*headlines(setting.kind), *measured}
    return {*names, *OF_QUADS} if setting.kind not in (Kind.VERDICT,) else names


def _cells(
    store: Store,
    chosen: ChosenRun,
    setting: Setting,
    metrics: Sequence[str],
    subset: str | None,
    by_subset: bool,
    title: str,
) -> list[tuple[Column, Cell]]:
    frame = _rates(store, chosen, setting, subset, by_subset)
    frame = frame[frame["metric"].isin(list(metrics) or _shown(setting)) & frame["value"].notna()]
    table_of = catalog.benchmarks(store).set_index("hash")
    subsets = dict(table_of["subsets"][chosen.benchmark_hash]) if chosen.benchmark_hash in table_of.index else {}
    scored = catalog.names((store.run(chosen.run_id).record.get("selection") or {}).get("subset"))
    asked = [
        name for name in subsets if (not scored or name in scored) and (not subset or name in catalog.names(subset))
    ]
    unscored = tuple(not_scored.said(store, chosen.run_id, setting.kind))
    rule = asking_orders.strict(store, chosen.run_id, setting.kind)
    found = []
    for line in frame.to_dict("records"):
        metric = registry.by_name(str(line["metric"]))
        group = "" if line["group"] == "all" else str(line["group"]).removeprefix("all ")
        column = Column(
            title, chosen.benchmark_hash, metric.name, group, metric.share, metric.counted_in,
            metric.direction == "higher", None if pd.isna(line["chance"]) else float(line["chance"]),
        )  # fmt: skip
        ours = printed_keys.of_run(store, chosen, setting, [group] if by_subset else asked)
        value = float(line["value"])
        part_of_pool = "(" in group  # no paper prints it
        said = [] if part_of_pool else [match.beside(value) for match in published.matches(ours, metric.name)]
        printed = tuple((float(e["value"]), str(e["paper"]), str(e["table"]), str(e["model"])) for e in said)
        ends = None if pd.isna(line["lo"]) or pd.isna(line["hi"]) else (float(line["lo"]), float(line["hi"]))
        n, ties = int(line["n"]), int(line["ties"])
        bound = bool(bounded(store, chosen.run_id, setting.kind, [metric.name], (by_subset and group) or subset))
        cell = Cell(
            chosen.run_id, setting, value, n, ties, ends, printed, chance=column.chance, bound=bound,
            left_out=unscored, rule="" if metric.name == MEAN_OF_ORDERS else rule,
        )  # fmt: skip
        found.append((column, cell))
    return found


def _rates(store: Store, chosen: ChosenRun, setting: Setting, subset: str | None, by_subset: bool) -> pd.DataFrame:
    """`rates` by subset or in all; there a recall on a labelled part of a pool stays by itself, for it compares with no
    other."""
    if by_subset:
        return rates(store, chosen.run_id, setting, "subset", subset)
    whole = rates(store, chosen.run_id, setting, None, subset)
    pooled = [metric.name for metric in registry.METRICS if metric.protocol == Protocol.RETRIEVAL and metric.judge]
    if not whole["metric"].isin(pooled).any():
        return whole
    parts = rates(store, chosen.run_id, setting, "all", subset)
    return pd.concat([whole[~whole["metric"].isin(pooled)], parts[parts["metric"].isin(pooled)]], ignore_index=True)
