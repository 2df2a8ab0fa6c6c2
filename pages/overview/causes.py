"""Overview's first picture: the cells of all models, subset by subset."""

from pages.overview.view import Grid
from pages.shared.data import apart, cell_bars, findings, stored
from pages.shared.drawing import cells, finding
from pages.shared.frame import address
from pages.shared.frame.header import chart_caption, section


def draw(benchmark: stored.StoredBenchmark, shown: Grid, key: str) -> dict[str, str | list[str]] | None:
    """The bars of the heat map's rows; the address of the failures behind the part that was clicked. key: of the
    component."""
    rows = []
    for row in shown.rows:
        model, _, kind = row.key.partition("\t")
        rows.append((model, kind))
    bars, missing = cell_bars.of_benchmark(benchmark, tuple(rows))
    if not bars and not missing:
        return None
    section(cells.TITLE, "each model that sees images, subset by subset")
    if benchmark.parts and not bars:
        return None
    picked = cells.draw(cells.view(bars, missing), key)
    if bars:
        chart_caption(cells.caption(len(bars)))
    own = apart.of(benchmark)
    finding.draw(
        findings.hero(bars, benchmark.name, own.people | own.repeats, len(benchmark.subsets) == 1),
        key,
        key,
        f"flipside-{benchmark.name}-cells",
        link=address.named("benchmark", "score"),
    )
    if picked is None:
        return None
    model, kind, group, cell = picked
    wanted: dict[str, str | list[str]] = {"model": model, "kind": kind, "cell": cell, "show": "all"}
    if benchmark.parts:
        return wanted | {"benchmark": group}
    return wanted | {"benchmark": benchmark.name, "subset": group}
