"""The strong picture: a line a concept, its rate with its interval on a scale from none right to all right, and chance.

The same component draws what taking the prior away does: there each line goes from one rate to another.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from backend import written
from pages.overview.notice import above_chance, below_chance
from pages.overview.view import Grid
from pages.shared.data import stands_out
from pages.shared.drawing import component, signs
from pages.shared.drawing.facts import told
from pages.shared.drawing.heatmap import Cell, Column, mark
from pages.shared.drawing.numbers import listing

#: Behind the share of a line's items that the model has judged.
OF_ITEMS = "of its items"
#: What a line is, in a sentence.
NOUNS = {"subset": "subset", "concept": "concept", "perturbation": "kind of change"}
#: Lines that are named which the highest is not told from.
NEAR = 3
HERE = Path(__file__).parent
_component = component.load("flipside_model_lines", HERE / "lines.js", html='<div id="lines"></div>')


@dataclass(frozen=True)
class Line:
    """One line. key: what a click on it gives; label, sub: its name and what judges it; group: under which it stands;
    value, low, high, chance: fractions, None where undefined; before: where the line begins, None for a rate alone;
    text: the number beside it where that is not the rate; tip: its facts in words; sign: ▼, ○ or "" as on Overview;
    pool: the part of a pool that was scored, "" for all of it (`view.split_part`), or the share of the items."""

    key: str
    label: str
    sub: str
    group: str
    value: float
    low: float | None
    high: float | None
    chance: float | None
    n: int
    tip: str
    sign: str = ""
    before: float | None = None
    text: str = ""
    pool: str = ""

    @property
    def in_part(self) -> bool:
        """Whether it is of some of its items only."""
        return self.pool.endswith(OF_ITEMS)

    @property
    def named(self) -> str:
        """What it is of, in a sentence: a part of a pool is no match for another model's whole pool.

        >>> Line("k", "retrieval", "R@1", "", 0.8, None, None, 0.01, 100, "", pool="100 × 300 only").named
        'retrieval, 100 × 300 only'
        """
        return f"{self.label}, {self.pool}" if self.pool else self.label


def of_grid(shown: Grid) -> list[Line]:
    """The lines of the only row of a grid that are shares of items, in the order of its columns."""
    found = []
    for column in shown.columns:
        if column.unit is not None or column.direction != "higher":
            continue
        for row in shown.rows:
            cell = shown.cells.get((row.key, column.key))
            if cell is not None and cell.value is not None:
                found.append(_line(row.key, column, cell))
    return found


def _line(row: str, column: Column, cell: Cell) -> Line:
    low, high = cell.ci95 or (None, None)
    which = mark(cell, column.chance)
    says = {signs.DOWN: "below chance", signs.OPEN: "not to be told from chance"}.get(which, "")
    level = "no chance level is defined" if column.chance is None else f"chance {column.level}"
    note = ", ".join(filter(None, (level, says)))
    facts = told(n=cell.n, low=_percent(low), high=_percent(high), ties=cell.ties, note=note)
    value = cell.value if cell.value is not None else 0.0
    pool = next((word for word in column.sub.split(", ") if word.endswith(" only") and "×" in word), "")
    pool = pool or (f"{cell.in_part} {OF_ITEMS}" if cell.of else "")
    # The size of the pool, or the share of the items, first: a name that the line has no room for loses its end.
    sub = ", ".join([pool, *(word for word in column.sub.split(", ") if word != pool)]) if pool else column.sub
    of = f" of the {cell.of:,} there are" if cell.of else ""
    tip = f"{column.label}, {column.sub}: {written.percent(value, cell.n)} · {facts}{of}. Open its failures."
    return Line(
        f"{row}\n{column.key}", column.label, sub, column.group, value, low, high, column.chance, cell.n, tip,
        which, pool=pool,
    )  # fmt: skip


def _percent(end: float | None) -> float | None:
    return None if end is None else 100 * end


def seen(name: str, shown: Grid, lines: Sequence[Line], whole: str = "", by: str = "subset") -> str:
    """What is seen, in words: where the model stands highest above chance (`best_of`), and where it is right less often
    than random scores would be (`notice.below_chance`, Holm over the lines); "" where no line has a chance level.

    A line is only named where its whole interval lies above chance, and only said to be what the model does best on
    where it is told from every other one (`rivals`). whole: what the only line is called, where the model has one
    alone: the benchmark. by: what a line is (`data.GROUPINGS`).
    """
    known = [line for line in lines if line.chance is not None]
    if not known:
        return ""
    if len(known) == 1 and whole:
        (line,) = known
        says = {signs.DOWN: "below", signs.OPEN: "not to be told from"}.get(line.sign, "above")
        level = written.percent(line.chance)
        few = written.counted(line.value, line.n)
        rate = f"{few} items" if few else written.percent(line.value)
        of = line.label if line.in_part else whole  # of a part nothing is said of the benchmark
        return f"{name} is right on {rate} of {of} ({line.sub}), {says} chance ({level})."
    columns = {column.key: column for column in shown.columns}
    cells: dict[str, list[tuple[str, Cell]]] = {}
    for (row, column), cell in shown.cells.items():
        if cell.value is not None and columns[column].unit is None and columns[column].direction == "higher":
            cells.setdefault(column, []).append((row, cell))
    under = {column for column, _ in below_chance(cells, columns)[0]}
    worst = list(dict.fromkeys(line.label for line in known if line.key.partition("\n")[2] in under))
    best = best_of(known)
    first = f"{name} is nowhere seen to be right more often than chance"
    if best is not None:
        rate = f"({written.percent(best.value, best.n)}, chance {written.percent(best.chance)})"
        first = f"{name} does best on {best.named} {rate}"
        if near := rivals(known):
            others = listing([_called(line, known) for line in near], NEAR)
            first = (
                f"No {NOUNS[by]} stands out as what {name} does best on: the highest above chance, "
                f"{_called(best, known)} {rate}, is not told from {others}"
            )
    if worst:
        return f"{first}. On {listing(worst, 4)} {name} is right less often than chance."
    return f"{first}; on nothing is it right less often than chance."


def _called(line: Line, lines: Sequence[Line]) -> str:
    """What a line is of, with what judges it where another one is of the same."""
    return line.named if sum(each.named == line.named for each in lines) == 1 else f"{line.named} by {line.sub}"


def rivals(lines: Sequence[Line]) -> list[Line]:
    """The lines that the one a model does best on (`best_of`) is not told from, by what is reached of what lies above
    chance (`stands_out`); none where it stands out, and where there is no such line."""
    best = best_of(lines)
    if best is None:
        return []
    others = [line for line in lines if line is not best and line.low is not None and line.high is not None]
    ends = [
        tuple(above_chance(end, line.chance) for end in (line.value, line.low or 0.0, line.high or 0.0))
        for line in (best, *others)
    ]
    return [others[k - 1] for k in stands_out.not_told_from([(a, b, c) for a, b, c in ends]) if k]


def best_of(lines: Sequence[Line]) -> Line | None:
    """The line that a model is highest on: of those whose whole interval lies above chance that with the most of what
    is above chance; None where there is none. Overview's "does best" means the same (`notice.above_chance`)."""
    above = [line for line in lines if line.low is not None and line.chance is not None and line.low > line.chance]
    return max(above, key=lambda line: above_chance(line.value, line.chance), default=None)


def _drawn(line: Line) -> str:
    """What stands beside a line's name, which has little room: the share of its items by the sign of Overview's cells;
    its tip has the numbers."""
    return f"{signs.PART} {line.sub.replace(f' {OF_ITEMS}', '', 1)}" if line.in_part else line.sub


def view(lines: Sequence[Line], caption: str) -> dict[str, Any]:
    """What the component draws. caption: for a screen reader."""
    return {
        "caption": caption,
        "lines": [
            {
                "key": line.key, "label": line.label, "sub": _drawn(line), "group": line.group, "tip": line.tip,
                "value": 100 * line.value, "low": _percent(line.low), "high": _percent(line.high),
                "chance": _percent(line.chance), "before": _percent(line.before), "sign": line.sign,
                "text": line.text or written.cell(line.value, line.n, None)[0],
                "colour": signs.STRENGTH[0][2] if line.chance is None
                else signs.QUIET if line.sign == signs.OPEN
                else signs.balance(signs.around(line.value, line.chance))[0],
            }
            for line in lines
        ],
    }  # fmt: skip


def draw(spec: dict[str, Any], key: str) -> str:
    """The picture; returns the key of the line that was just clicked, "" for none."""
    result: Any = _component(data=spec, key=key, on_opened_change=lambda: None)
    return str((result.opened if result is not None else None) or "")
