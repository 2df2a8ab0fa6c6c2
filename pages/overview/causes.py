"""Overview's bars: what would have to change for a model to be right, a line a model and a bar a subset."""

from pages.overview.view import Grid
from pages.shared.data import apart, cell_bars, findings, stored, under
from pages.shared.drawing import cells, finding
from pages.shared.drawing.heatmap import Row
from pages.shared.frame import address, alpha
from pages.shared.frame.header import chart_caption, section

Address = dict[str, str | list[str]]


def found(benchmark: stored.StoredBenchmark, shown: Grid) -> tuple[list[cell_bars.Bar], list[cell_bars.Missing]]:
    """The bars of the heat map's rows, and what is missing."""
    pairs = (row.key.partition("\t") for row in shown.rows)
    return under.bars(benchmark, tuple((model, kind) for model, _, kind in pairs), alpha.judged(benchmark))


def draw(benchmark: stored.StoredBenchmark, shown: Grid, key: str, order: str) -> tuple[Address | None, str]:
    """The bars of the heat map's rows. Returns the address of the failures behind the part that was clicked, and the
    line whose model's name was; each None or "" for nothing. key: of the component; order: of the heat map."""
    bars, missing = found(benchmark, shown)
    if not bars and (benchmark.parts or not missing):
        return None, ""
    told = {}
    for row in in_order(shown, order):
        model, _, kind = row.key.partition("\t")
        told[model, kind] = (row.href, row.tip)
    section(cells.TITLE, "hatched: as much as luck alone would give")
    picked = cells.draw(cells.matrix(bars, missing, told) if bars else cells.view(bars, missing), key)
    if bars:
        chart_caption(
            "≥: at least so many bind, or use their image, beyond luck (the lower end of the 95 % interval). "
            f"{cells.uncertain(bars)}Click a part for its items."
        )
    own = apart.of(benchmark)
    finding.draw(
        findings.hero(
            bars, benchmark.name, own.people | own.repeats, len(benchmark.subsets) == 1, dict(alpha.judged(benchmark))
        ),
        key,
        key,
        f"flipside-{benchmark.name}-cells",
        link=address.named("benchmark", "score"),
    )
    if picked is None:
        return None, cells.named(key)
    model, kind, group, cell = picked
    wanted: Address = {"model": model, "kind": kind, "cell": cell, "show": "all"}
    if benchmark.parts:
        return wanted | {"benchmark": group}, ""
    return wanted | {"benchmark": benchmark.name, "subset": group}, ""


def in_order(shown: Grid, order: str) -> list[Row]:
    """The rows as the heat map has them: sorted by a column (after a minus: best first), or in their own order."""
    column = order.removeprefix("-")
    direction = next((each.direction for each in shown.columns if each.key == column), "")
    if not direction:
        return shown.rows

    def rank(row: Row) -> tuple[bool, float]:
        cell = shown.cells.get((row.key, column))
        if cell is None or cell.value is None:
            return True, 0.0
        value = {"higher": cell.value, "lower": -cell.value}.get(direction, -abs(cell.value))
        return False, -value if order.startswith("-") else value

    return sorted(shown.rows, key=rank)
