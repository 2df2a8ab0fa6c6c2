"""What a reader should notice in the heat map: facts that its numbers themselves show; pure functions on a grid."""

from collections.abc import Mapping, Sequence

import numpy as np

from backend import enough, written
from backend.items import IMAGE_KINDS
from backend.metrics import exact_binomial
from backend.metrics.paired.multiplicity import holm
from backend.metrics.statistics import wilson
from backend.store.catalog.public import ALL_COUNT, Apart
from pages.overview.view import Grid, model_of, split_part
from pages.shared.data.stands_out import Ends, not_told_from
from pages.shared.drawing import signs
from pages.shared.drawing.heatmap import Cell, Column, Row, mark
from pages.shared.drawing.numbers import listing
from pages.shared.frame.tips import in_sentence, metric_title

#: Holm's p at which a rate is said to be below chance.
LEVEL = 0.05
#: Models that a sentence names one by one; of more, the first few.
NAMED = 6


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
    own = set(apart.counted(model_of(row) for row in shown.rows))
    rows = {row.key: row for row in seeing or shown.rows if model_of(row) in own}
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


def _left_out(shown: Grid, apart: Apart) -> str:
    return apart.left_out([model_of(row) for row in shown.rows])


def _called(column: Column) -> str:
    """Its name; in quotation marks where it is more than a word, because it stands inside a sentence."""
    return f"“{column.label}”" if " " in column.label else column.label


def _what(column: Column) -> str:
    return f"{_called(column)} ({column.sub})"


def _apart(column: Column, columns: Mapping[str, Column]) -> str:
    """Its name, with its metric where another column has the same name: a benchmark as a whole is judged by several."""
    alike = [each for each in columns.values() if each.label == column.label]
    return _what(column) if len(alike) > 1 else _called(column)


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
    models = [model_of(rows[row]) for row, _ in found[column]]
    noun = "rows" if len(set(models)) < len(models) else apart.noun(models)  # several kinds of a model, a row each
    how = f"exact binomial tests, Holm over {tests}" if tests > 1 else "exact binomial test"
    more = f", not counting {left_out}" if left_out else ""
    return (
        f"{_how_many(below, models, noun, names)} below chance on {_apart(columns[column], columns)}",
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
    """The column whose best model is the weakest, which need not be any model's own worst. Of one metric, by which most
    models were judged, for rates by others do not compare; and of its columns that all of these have."""
    by_metric: dict[str, Cells] = {}
    for column, cells in found.items():
        by_metric.setdefault(column.rpartition("\t")[2], {})[column] = cells
    known = {metric: _judged_by_all(of) for metric, of in by_metric.items()}
    known = {metric: of for metric, of in known.items() if len(of) > 1 and len(next(iter(of.values()))) > 1}
    if not known:
        return None
    metric, of = max(known.items(), key=lambda each: (len(next(iter(each[1].values()))), len(each[1])))
    best = {column: max(cells, key=lambda c: _value(c[1])) for column, cells in of.items()}
    column, (row, cell) = min(best.items(), key=lambda c: _value(c[1][1]))
    by = in_sentence(metric_title(metric))
    return (
        f"Where even the best does worst: {_called(columns[column])}",
        f"Of {len(of):,} parts judged by {by} it is the one on which the best rate is lowest: {_name(rows[row])} is "
        f"right on {_pct(cell)}.",
    )


def _judged_by_all(found: Cells) -> Cells:
    """The columns that have most rows, where they have the same ones."""
    most = max(found.values(), key=len)
    names = {row for row, _ in most}
    return {column: cells for column, cells in found.items() if {row for row, _ in cells} == names}


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
