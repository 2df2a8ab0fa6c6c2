"""From rates to the heat map; pure functions on frames. What a reader should notice in it: `notice.py`.

A frame of rates has the columns model, kind, group, metric, value, n, ties, low, high, chance (fractions).
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

import pandas as pd

from backend import taxonomy
from backend.items import Kind, Protocol
from backend.metrics.contests import MEAN_OF_ORDERS
from backend.metrics.core.registry import METRICS, by_name, headlines, judging
from backend.taxonomy import title
from pages.shared.data.best_kind import BEST, kind_of
from pages.shared.data.frames import lines_of
from pages.shared.data.protocol_names import PROTOCOLS as PROTOCOL_NAMES
from pages.shared.drawing import colours
from pages.shared.drawing.heatmap import Cell, Column, Row
from pages.shared.frame.tips import kind_name, metric_tip

QUAD_SCORES = judging(Protocol.QUAD)
EVERY = "every"
#: Rows of the table that are compared by eye in any order.
FEW = 16


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


def model_of(row: Row) -> str:
    """The model that a row is of."""
    return row.key.partition("\t")[0]


def with_pages(shown: Grid, href: Callable[[str], str], said: Mapping[str, str]) -> Grid:
    """The grid with its models' names as links. href: of a model's page; said: what each model is, in a line."""
    rows = [
        replace(row, href=href(model_of(row)), tip="\n".join(filter(None, (row.tip, said.get(model_of(row), "")))))
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
