"""From rates to the heat map, and from the heat map to what a reader should notice; pure functions on frames.

A frame of rates has the columns model, kind, group, metric, value, n, ties, low, high, chance (fractions).
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd

from backend import enough, taxonomy, written
from backend.items import IMAGE_KINDS, Kind, Protocol
from backend.metrics import exact_binomial
from backend.metrics.contests import MEAN_OF_ORDERS
from backend.metrics.core.registry import METRICS, by_name, headlines, judging
from backend.metrics.paired.multiplicity import holm
from backend.metrics.statistics import wilson
from backend.store.catalog.public import ALL_COUNT, Apart
from backend.taxonomy import title
from pages.shared.data.best_kind import BEST, kind_of
from pages.shared.data.frames import lines_of
from pages.shared.data.protocol_names import PROTOCOLS as PROTOCOL_NAMES
from pages.shared.data.stands_out import Ends, not_told_from
from pages.shared.drawing import colours, signs
from pages.shared.drawing.heatmap import Cell, Column, Row, mark
from pages.shared.drawing.numbers import listing
from pages.shared.frame.tips import kind_name, metric_tip

QUAD_SCORES = judging(Protocol.QUAD)
EVERY = "every"
#: Rows of the table that are compared by eye in any order.
FEW = 16
#: Holm's p at which a rate is said to be below chance.
LEVEL = 0.05
#: Models that a sentence names one by one; of more, the first few.
NAMED = 6


@dataclass(frozen=True, slots=True)
class Grid:
    """The heat map: rows, columns and cells, and which kind, metric and group stand behind a cell."""

    rows: list[Row]
    columns: list[Column]
    cells: dict[tuple[str, str], Cell]
    kinds: dict[tuple[str, str], str]


def headline(rates: pd.DataFrame, quad: str = QUAD_SCORES[0]) -> pd.DataFrame:
    """Only the rows of headline metrics, in the order of their groups."""
    wanted = {quad, *headlines()} - ({*QUAD_SCORES} - {quad})
    return rates[rates["metric"].isin(wanted)]


def grid(
    rates: pd.DataFrame, groups: Sequence[str], wanted: str = BEST, families: bool = False,
    best: Mapping[str, str] = MappingProxyType({}),
) -> Grid:  # fmt: skip
    """Rows of models, columns of (group, metric). Text-to-text columns always show the kind t2t of the row's model.
    families: whether columns of one family of the taxonomy stand together under its name. best: model -> the kind of
    `best_kinds`, of which a model's row is where none is wanted; by these very rates where it names none."""
    names, dots = colours.labels(rates["model"]), colours.of_models(rates["model"])
    rows: list[Row] = []
    cells: dict[tuple[str, str], Cell] = {}
    kinds: dict[tuple[str, str], str] = {}
    for model in colours.order(rates["model"]):
        own = rates[rates["model"] == model]
        if wanted == EVERY:
            shown = [k for k in dict.fromkeys(own["kind"]) if k != Kind.T2T] or [str(Kind.T2T)]
        else:
            found = kind_of(own, best.get(str(model), BEST) if wanted == BEST else wanted)
            shown = [found] if found else []
        for kind in shown:
            key = f"{model}\t{kind}"
            with_texts = own[(own["kind"] == kind) | (own["kind"] == Kind.T2T)]
            if not with_texts["value"].notna().any():
                continue
            rows.append(Row(key, names[model], kind_name(kind), dots[model], f"{model} · {kind_name(kind)} ({kind})"))
            for line in lines_of(with_texts):
                place = (key, f"{line.group}\t{line.metric}")
                ci95 = (float(line.low), float(line.high)) if pd.notna(line.low) and pd.notna(line.high) else None
                value = float(line.value) if pd.notna(line.value) else None
                cells[place] = Cell(value, int(line.n), ci95, int(line.ties), **beside_ties(line))
                kinds[place] = str(line.kind)
    return Grid(rows, _columns(rates, groups, cells, families), cells, kinds)


def beside_ties(line: Any) -> dict[str, Any]:
    """What a row of rates says beside its ties: what batching could turn over, and what the orders disagree about."""
    found: dict[str, Any] = {}
    if pd.notna(getattr(line, "within_noise", None)):
        found["within"] = (int(line.within_noise), float(line.lowest), float(line.highest))
    if pd.notna(getattr(line, "disagreements", None)):
        found |= {"disagreements": int(line.disagreements), "neither": int(line.neither)}
    if pd.notna(getattr(line, "of", None)):
        found["of"] = int(line.of)
    return found


def with_pages(shown: Grid, href: Callable[[str], str], said: Mapping[str, str]) -> Grid:
    """The grid with its models' names as links. href: of a model's page; said: what each model is, in a line."""
    rows = [
        replace(row, href=href(_model(row)), tip="\n".join(filter(None, (row.tip, said.get(_model(row), "")))))
        for row in shown.rows
    ]
    return replace(shown, rows=rows)


def _columns(
    rates: pd.DataFrame, groups: Sequence[str], cells: Mapping[tuple[str, str], Cell], families: bool
) -> list[Column]:
    filled = {column for (_, column), cell in cells.items() if cell.value is not None}
    found = []
    order = {metric.name: k for k, metric in enumerate(METRICS)}
    protocols = list(PROTOCOL_NAMES)
    pairs = rates.drop_duplicates(["group", "metric"])
    rank = {group: k for k, group in enumerate(groups)}
    family = {group: taxonomy.family(group) if families else "" for group in map(str, pairs["group"])}
    first: dict[str, int] = {}
    for group in groups:
        first.setdefault(family.get(group, ""), rank[group])
    chances = {
        (str(line.group), str(line.metric)): float(line.chance)
        for line in lines_of(rates[rates["chance"].notna()].drop_duplicates(["group", "metric"]))
    }
    sizes = Counter((by_name(str(line.metric)).protocol, family[str(line.group)]) for line in lines_of(pairs))
    for line in sorted(
        lines_of(pairs),
        key=lambda p: (
            protocols.index(by_name(str(p.metric)).protocol),
            str(p.metric) == MEAN_OF_ORDERS,  # beside each other, not each subset's two columns, half of them empty
            first.get(family[str(p.group)], len(rank)),
            rank.get(str(p.group), len(rank)),
            order[str(p.metric)],
        ),
    ):
        key = f"{line.group}\t{line.metric}"
        if key not in filled:
            continue
        chance = chances.get((str(line.group), str(line.metric)))
        protocol = PROTOCOL_NAMES[by_name(str(line.metric)).protocol]
        if family[str(line.group)] and sizes[by_name(str(line.metric)).protocol, family[str(line.group)]] > 1:
            protocol = f"{protocol} · {title(family[str(line.group)])}"
        name, part = split_part(str(line.group))
        metric = by_name(str(line.metric))
        sub = ", ".join(word for word in (metric.label, part, "" if metric.share else metric.unit) if word)
        unit = None if metric.share else metric.unit
        tip = metric_tip(metric.name)
        found.append(Column(key, title(name), sub, tip, chance, protocol, unit, metric.direction))
    return found


def split_part(group: str) -> tuple[str, str]:
    """A pool of which only a part was scored carries that part's size in its name.

    >>> split_part("retrieval (100 images x 300 texts)"), split_part("relation")
    (('retrieval', '100 × 300 only'), ('relation', ''))
    """
    name, found, size = group.rstrip(")").partition(" (")
    numbers = [word for word in size.split() if word.isdecimal()]
    return (name, f"{' × '.join(numbers)} only") if found and len(numbers) == 2 else (group, "")


def usual_order(shown: Grid) -> str:
    """How the table is sorted before anybody sorts it (see `heatmap.draw`): by the models' own order, which families
    keep together; where there are too many rows to compare by eye, best first by the first column."""
    if len(shown.rows) <= FEW or not shown.columns:
        return ""
    return f"-{shown.columns[0].key}"


def order_here(order: str, shown: Grid, usual: str) -> str:
    """An order that was chosen, by the columns that there are now: an order by one metric of a group is that by the
    metric which has taken its place, and an order by a column that is gone is the usual one.

    >>> column = Column("test\\ttext_score", "test", "text score", "", None, "quads")
    >>> order_here("-test\\tgroup_score", Grid([], [column], {}, {}), "")
    '-test\\ttext_score'
    """
    wanted = order.removeprefix("-")
    keys = [column.key for column in shown.columns]
    if not order or wanted in keys:
        return order
    group, _, metric = wanted.partition("\t")
    if metric in QUAD_SCORES:
        taken = next((f"{group}\t{name}" for name in QUAD_SCORES if f"{group}\t{name}" in keys), None)
        if taken:
            return order[: -len(wanted)] + taken
    return usual


def notice(shown: Grid, apart: Apart = ALL_COUNT, first: tuple[str, str] | None = None) -> list[tuple[str, str]]:
    """Facts that the numbers themselves show, as (headline, sentence); the most telling ones first, at most six.

    Models that see no image are no match for those that do: they are spoken of only where nothing else was judged.
    People are no model, and a repeat counts once. Rates of few items say nothing of a model. first: a fact to begin
    with.
    """
    columns = {
        column.key: column
        for column in shown.columns
        if not split_part(column.key.split("\t")[0])[1] and column.unit is None and column.direction == "higher"
    }
    seeing = [row for row in shown.rows if row.key.rpartition("\t")[2] in IMAGE_KINDS]
    own = set(apart.counted(_model(row) for row in shown.rows))
    rows = {row.key: row for row in seeing or shown.rows if _model(row) in own}
    by_column: dict[str, list[tuple[str, Cell]]] = {}
    for (row, column), cell in shown.cells.items():
        if column in columns and row in rows and cell.value is not None and cell.n >= enough.ITEMS and not cell.of:
            by_column.setdefault(column, []).append((row, cell))
    # Texts alone are compared where nothing else is; a column of theirs beside the images' would win by being another
    # question.
    judged = {key: cells for key, cells in by_column.items() if not key.endswith("\tt2t_accuracy")} or by_column
    said = [_contrast(judged, rows, columns), _floor(judged, rows, columns, apart, _left_out(shown, apart))]
    said += [fact(judged, rows, columns) for fact in (_hardest, _solved)]
    said.append(_sides(by_column, rows, columns))
    return [fact for fact in (first, *said) if fact is not None]


Cells = dict[str, list[tuple[str, Cell]]]


def _value(cell: Cell) -> float:
    return cell.value if cell.value is not None else 0.0


def above_chance(value: float, chance: float | None) -> float:
    """How much of what lies above chance is reached: 1 where all is right, 0 at chance, less below it. Without a chance
    level the rate itself.

    >>> above_chance(1.0, 0.25), above_chance(0.25, 0.25), above_chance(0.8, None)
    (1.0, 0.0, 0.8)
    """
    return value if chance is None or chance >= 1 else (value - chance) / (1 - chance)


def _ends(cell: Cell, chance: float | None) -> Ends | None:
    """The rate and its interval by what is reached of what lies above chance; None without an interval."""
    if cell.ci95 is None:
        return None
    value, low, high = (above_chance(end, chance) for end in (_value(cell), *cell.ci95))
    return value, low, high


def _name(row: Row) -> str:
    return row.label


def _model(row: Row) -> str:
    return row.key.partition("\t")[0]


def _left_out(shown: Grid, apart: Apart) -> str:
    return apart.left_out([_model(row) for row in shown.rows])


def _called(column: Column) -> str:
    """Its name; in quotation marks where it is more than a word, because it stands inside a sentence."""
    return f"“{column.label}”" if " " in column.label else column.label


def _what(column: Column) -> str:
    return f"{_called(column)} ({column.sub})"


def _subsets(found: Cells) -> set[str]:
    """The groups that the columns are of: with one alone nothing can be said of it beside others."""
    return {column.split("\t")[0] for column in found}


def _widest(found: Cells) -> str | None:
    """The column on which the best and the worst model are furthest apart."""
    gaps = {column: np.ptp([_value(cell) for _, cell in cells]) for column, cells in found.items()}
    return max(gaps, key=lambda column: gaps[column]) if gaps else None


def _contrast(found: Cells, rows: dict[str, Row], columns: dict[str, Column]) -> tuple[str, str] | None:
    """The widest gap between two models on one column; of one group alone it says nothing."""
    column = _widest(found)
    if column is None or len(_subsets(found)) < 2:
        return None
    low_row, low = min(found[column], key=lambda c: _value(c[1]))
    high_row, high = max(found[column], key=lambda c: _value(c[1]))
    if _value(high) - _value(low) < 0.05:
        return None
    return (
        f"{_called(columns[column])} separates the models most",
        f"{_name(rows[high_row])} is right on {_pct(high)} of {_what(columns[column])}, {_name(rows[low_row])} on "
        f"{_pct(low)}.",
    )


def below_chance(found: Cells, columns: Mapping[str, Column]) -> tuple[set[tuple[str, str]], int]:
    """The (column, row) whose rate is below chance by Holm's p <= .05 of exact binomial tests, and of how many tests.

    All cells with a chance level are one family, since the reader is told of the column that has most of them. Items
    that share images are no independent draws: they count as so many as an interval of the cell's width would take.
    """
    tested, p = [], []
    for column, cells in found.items():
        chance = columns[column].chance
        for row, cell in cells if chance is not None else ():
            tested.append((column, row))
            if chance is None or mark(cell, chance) != signs.DOWN:
                p.append(1.0)  # its own interval holds chance
                continue
            n = _independent(cell)
            p.append(exact_binomial.two_sided(round(_value(cell) * n), n, chance))
    return {at for at, adjusted in zip(tested, holm(p), strict=True) if adjusted <= LEVEL}, len(tested)


def _independent(cell: Cell) -> int:
    """As many independent items as give an interval of this width: n where it is Wilson's.

    >>> _independent(Cell(0.08, 400, (0.0572, 0.1107))), _independent(Cell(0.08, 400, (0.05, 0.13)))
    (400, 179)
    """
    plain = wilson(_value(cell) * cell.n, cell.n)
    if plain is None or cell.ci95 is None or cell.ci95[1] <= cell.ci95[0]:
        return cell.n
    # Ends of a frame are rounded here and there: what differs by less than a hundredth is Wilson's own.
    times = ((plain[1] - plain[0]) / (cell.ci95[1] - cell.ci95[0])) ** 2
    return cell.n if times > 0.99 else max(1, round(cell.n * times))


def _floor(
    found: Cells, rows: dict[str, Row], columns: dict[str, Column], apart: Apart, left_out: str
) -> tuple[str, str] | None:
    """The column on which most models are below chance, beyond what so many tests find by luck."""
    all_below, tests = below_chance(found, columns)
    counted = {column: [row for row, _ in cells if (column, row) in all_below] for column, cells in found.items()}
    column = max(counted, key=lambda each: len(counted[each]), default="")
    below = counted.get(column, [])
    if not below:
        return None
    chance = columns[column].chance or 0.0
    names = list(dict.fromkeys(_name(rows[row]) for row in below))
    first = ""
    if len(names) > NAMED:
        values = {row: _value(cell) for row, cell in found[column]}
        names = list(dict.fromkeys(_name(rows[row]) for row in sorted(below, key=lambda row: values[row])))
        first = ", the lowest first"
    models = [_model(rows[row]) for row, _ in found[column]]
    noun = "rows" if len(set(models)) < len(models) else apart.noun(models)  # several kinds of a model, a row each
    how = f"exact binomial tests, Holm over {tests}" if tests > 1 else "exact binomial test"
    more = f", not counting {left_out}" if left_out else ""
    return (
        f"{_how_many(below, models, noun, names)} below chance on {_called(columns[column])}",
        f"{listing(names, NAMED)}{first}: right less often than the {written.percent(chance)} that random scores "
        f"would reach ({how}{more}). The rate does not say why: open the cell, or Equivariance.",
    )


def _how_many(below: Sequence[str], models: Sequence[str], noun: str, names: Sequence[str]) -> str:
    """Who falls, with the verb.

    >>> _how_many("a", "a", "models", ["clip"]), _how_many("a", "abc", "models", ["clip"])
    ('clip falls', '1 of 3 models falls')
    >>> _how_many("ab", "abc", "rows", ["clip"]), _how_many("abc", "abc", "models", [])
    ('2 of 3 rows fall', 'All 3 models fall')
    """
    if len(below) == len(models):
        if len(models) == 1:
            return f"{names[0]} falls"
        return f"{'Both' if len(models) == 2 else f'All {len(models)}'} {noun} fall"
    return f"{len(below)} of {len(models)} {noun} fall{'s' if len(below) == 1 else ''}"


def _hardest(found: Cells, rows: dict[str, Row], columns: dict[str, Column]) -> tuple[str, str] | None:
    """The column whose best model is the weakest. Choices that were asked in several orders have a column of their own
    beside those that were asked once: the best of both counts."""
    groups: dict[str, list[tuple[str, tuple[str, Cell]]]] = {}
    for column, cells in found.items():
        groups.setdefault(column.replace(MEAN_OF_ORDERS, "accuracy"), []).extend((column, cell) for cell in cells)
    best = {name: max(of, key=lambda c: _value(c[1][1])) for name, of in groups.items() if len(of) > 1}
    if len(best) < 2:
        return None
    column, (row, cell) = min(best.values(), key=lambda c: _value(c[1][1]))
    return (
        f"Hardest for all: {_called(columns[column])}",
        f"Even the best model, {_name(rows[row])}, is right on only {_pct(cell)} of {_what(columns[column])}.",
    )


def _solved(found: Cells, rows: dict[str, Row], columns: dict[str, Column]) -> tuple[str, str] | None:
    """The best cell of all, but of the column that `_contrast` speaks of; of one group alone only if it is solved. That
    a model does best there is only said where the rate is told from every other one of its own (`stands_out`)."""
    alone = len(_subsets(found)) < 2
    said = None if alone else _widest(found)
    cells = [(column, row, cell) for column, of in found.items() if column != said for row, cell in of]
    if not cells:
        return None
    column, row, cell = max(cells, key=lambda entry: above_chance(_value(entry[2]), columns[entry[0]].chance))
    if _value(cell) < (0.95 if alone else 0.8):
        return None
    reached = above_chance(_value(cell), columns[column].chance)
    near = [(of, own) for of in found if of != column for at, own in found[of] if at == row]
    better = any(above_chance(_value(own), columns[of].chance) > reached for of, own in near)
    ends = [_ends(each, columns[of].chance) for of, each in ((column, cell), *near)]
    best = not better and None not in ends and not not_told_from([each for each in ends if each])
    head = "nearly solves" if _value(cell) >= 0.95 else "does best at" if best else "does well at"
    return (
        f"{_name(rows[row])} {head} {_called(columns[column])}",
        f"It reaches {_pct(cell)} of {_what(columns[column])}, where chance is {_level(columns[column])}.",
    )


def _sides(found: Cells, rows: dict[str, Row], columns: dict[str, Column]) -> tuple[str, str] | None:
    """A model that tells texts apart but not from the image, or the reverse."""
    widest: tuple[float, str, str] | None = None
    for group in {column.label for column in columns.values()}:
        seen, read = dict(found.get(f"{group}\ti2t_accuracy", [])), dict(found.get(f"{group}\tt2t_accuracy", []))
        for row in seen.keys() & read.keys():
            gap = _value(seen[row]) - _value(read[row])
            if widest is None or abs(gap) > abs(widest[0]):
                widest = (gap, group, row)
    if widest is None or abs(widest[0]) < 0.1:
        return None
    gap, group, row = widest
    with_image = dict(found[f"{group}\ti2t_accuracy"])[row]
    alone = dict(found[f"{group}\tt2t_accuracy"])[row]
    says = (
        "its text encoder already confuses the captions"
        if gap > 0
        else "its text encoder keeps the captions apart, the failure is cross-modal"
    )
    return (
        f"{_name(rows[row])}: the two sides of a triplet disagree",
        f"With the image it is right on {_pct(with_image)} of “{group}”, with texts alone on {_pct(alone)}: {says}.",
    )


def _level(column: Column) -> str:
    return written.percent(column.chance) if column.chance is not None else "not defined"


def _pct(cell: Cell) -> str:
    return written.percent(_value(cell))
