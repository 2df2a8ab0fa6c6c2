"""Where the model stands among all published CLIPs, where it is one of them and the Atlas' file has been fetched."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from markupsafe import Markup

from backend import written
from backend.errors import FlipsideError
from backend.live import real_results
from backend.published.atlas import models
from backend.published.atlas.measures import Measure, benchmarks
from backend.published.atlas.reading import Atlas
from backend.store.catalog import public
from pages.atlas import data
from pages.shared.data import stored
from pages.shared.drawing import component
from pages.shared.frame.header import chart_caption, section
from pages.shared.frame.next_step import next_step
from pages.shared.frame.style import checked

#: Width and height of a strip, in its own units.
WIDTH, HEIGHT = 300, 16
_component = component.load(
    "flipside_model_place", component.DRAWN, html='<div data-drawn></div>',
    style=Path(__file__).with_name("atlas_place.css"),
)  # fmt: skip


@dataclass(frozen=True)
class Place:
    """One measure. rate: per cent; rank of n models, equal ones share the better place; others: (n,) all rates."""

    measure: Measure
    rate: float
    rank: int
    others: "np.ndarray[tuple[int, ...], np.dtype[np.float64]]"


def row_of(model: str, system: str, atlas: Atlas) -> int | None:
    """The Atlas' row of the same weights: by spec, or by the name of a fetched system; None where it has none."""
    wanted = models.SYSTEMS.get(system)
    for row, entry in enumerate(atlas.entries):
        if model in models.same_specs(entry):
            return row
    return None if wanted is None else atlas.find(*wanted)


def places(atlas: Atlas, row: int) -> list[Place]:
    """The model on every benchmark of the Atlas."""
    found = []
    for measure in benchmarks():
        values = measure.of(atlas)
        found.append(Place(measure, float(values[row]), int(data.ranks(measure, atlas)[row]), values))
    return found


def draw(benchmark: stored.StoredBenchmark, model: str) -> bool:
    """The section; False, and nothing, where the model is not in the Atlas or the Atlas is not here."""
    there = real_results.atlas_file()
    said = public.public(stored.store().run(benchmark.runs[model]).record)
    try:
        atlas = None if there is None else data.atlas(*there)
    except FlipsideError:
        return False  # the Atlas itself says what is wrong with its file
    row = None if atlas is None else row_of(model, said.system if said else "", atlas)
    if atlas is None or row is None:
        return False
    entry = atlas.entries[row]
    section("Its place in the Atlas", f"{entry.name}, among {len(atlas.entries)} published CLIPs")
    _component(data={"html": checked(html(places(atlas, row)))}, key=f"model-place-{model}")
    chart_caption("Each tick is a published model, the dot this one; rates as published by Oh et al. 2024.")
    next_step("Open it in the Atlas", "atlas", entry=entry.key)
    return True


def html(found: list[Place]) -> Markup:
    """A strip a benchmark: all models as ticks from the lowest to the highest, this one as a dot, and its rank."""
    rows = Markup()
    for each in found:
        low, high = float(each.others.min()), float(each.others.max())
        span = (high - low) or 1.0
        at = [(value - low) / span * (WIDTH - 8) + 4 for value in each.others]
        path = "".join(f"M{x:.1f} 3V{HEIGHT - 3}" for x in at)
        own = (each.rate - low) / span * (WIDTH - 8) + 4
        said = (
            f"{each.measure.name}: {written.number(each.rate)} %, {each.rank} of {len(each.others)} models; the lowest "
            f"has {written.number(low)} %, the highest {written.number(high)} %"
        )
        rows += Markup(
            '<div class="row" tabindex="0" title="{said}" role="img" aria-label="{said}"><span>{name}</span>'
            '<span class="strip"><svg viewBox="0 0 {width} {height}" preserveAspectRatio="none" aria-hidden="true">'
            '<path d="{path}"/></svg><i style="left:{share}%"></i></span><b>{rate} %</b><small>{rank} of {n}</small>'
            "</div>"
        ).format(
            said=said, name=each.measure.name, width=WIDTH, height=HEIGHT, path=path, share=f"{100 * own / WIDTH:.2f}",
            rate=written.number(each.rate), rank=each.rank, n=len(each.others),
        )  # fmt: skip
    return Markup('<div class="places">{}</div>').format(rows)
