"""The plane of reasons: where a model's points on quads are lost, in one sentence and one picture."""

from collections.abc import Callable, Sequence

import pandas as pd
import streamlit as st
from markupsafe import Markup

from backend import written
from backend.kinds import SPOKEN
from backend.metrics.reasons.names import NAMES
from backend.store.reasons import bars
from backend.store.reasons.plane import Lost
from pages.equivariance import figures, judged, knows, parts
from pages.equivariance.options import ALL, CONCEPT, Options
from pages.equivariance.pick import picked_ids
from pages.equivariance.reasons_view import places, shown
from pages.equivariance.view import DRAWN
from pages.shared.data import findings, handing_on, stored
from pages.shared.drawing import colours, component, finding, signs
from pages.shared.drawing.facts import facts
from pages.shared.drawing.numbers import count
from pages.shared.drawing.plane import canvas
from pages.shared.frame import address, model_link
from pages.shared.frame.header import chart_caption, empty
from pages.shared.frame.next_step import next_step
from pages.shared.frame.style import show
from pages.shared.frame.tips import kind_name

#: How each cell but the first is named as a loss.
_LOST = {
    "outvoted_by_caption": "to the caption",
    "outvoted_by_image": "to the image",
    "outvoted_by_both": "to both biases",
    "no_binding": "for want of binding",
}
#: The plane's name among the sources of a selection; no model and kind is called so.
SOURCE = ("", "reasons")


def of(benchmark: stored.StoredBenchmark, model: str, kind: str, category: str) -> pd.DataFrame:
    """The quads of a model in a category with binding, biases and cells; empty where it has none."""
    return parts.reasons_of(benchmark.runs[model], kind, category)


def sentence(name: str, found: Lost) -> str:
    """How much binds, beyond luck, and where the points are lost.

    >>> from backend.metrics.reasons.mirror import Share
    >>> cells = {"right": (30, 5), "outvoted_by_image": (50, 10), "no_binding": (20, 85)}
    >>> print(sentence("m", Lost(100, Share(100, 80, 20, 0.6, (0.42, 0.73)), cells, 40)))
    m: at least 42.0 % of 100 quads bind (60.0 % [42.0, 73.0] beyond luck), 30.0 % are right; by the scores alone lost \
are 50.0 % to the image (luck alone: 10.0 %), 20.0 % for want of binding.
    """
    right = written.percent(found.cells["right"][0] / found.n, found.n)
    gone = {cell: count for cell, (count, _) in found.cells.items() if cell != "right" and count}
    order = sorted(gone, key=lambda cell: -gone[cell])
    lost = ", ".join(_gone(found, cell) for cell in order)
    return f"{_bound(name, found)}, {right} are right; " + (
        f"by the scores alone lost are {lost}." if lost else "none is lost."
    )


def _gone(found: Lost, cell: str) -> str:
    """How many are lost so, and how many of them luck alone would put there; without binding this is no luck."""
    own, luck = (written.percent(count / found.n, found.n) for count in found.cells[cell])
    return f"{own} {_LOST[cell]}" + (f" (luck alone: {luck})" if cell != "no_binding" else "")


def _bound(name: str, found: Lost) -> str:
    share, ends = found.share.value, found.share.ci95
    told = f"{written.percent(share)} {written.ends(ends)}".strip()
    return {
        "bound": f"{name}: at least {ends and bars.least(ends)} of {count(found.n, 'quad')} bind ({told} beyond luck)",
        "reversed": f"{name} reads more quads the other way round than luck would: {told} of {found.n:,} beyond it",
        "uncertain": f"Whether {name} {'binds' if (share or 0) > 0 else 'turns more quads round than it binds'} is "
        f"uncertain: {told} of {count(found.n, 'quad')} beyond luck ({_many(found)})",
        "not seen": f"{name} is not seen to bind: {told} of {count(found.n, 'quad')} beyond luck",
    }[_state(found)]


def _many(found: Lost) -> str:
    """The interval that makes a share uncertain; "" of others."""
    share, ends = found.share.value, found.share.ci95
    return bars.as_one_of_many(share, ends) if _state(found) == "uncertain" and share and ends else ""


def _state(found: Lost) -> str:
    share, ends = found.share.value, found.share.ci95
    return "not seen" if share is None or ends is None else bars.state(share, ends)


def bound(found: Lost) -> Markup:
    """How much binds, beyond luck, as part of a sentence on a model.

    >>> from backend.metrics.reasons.mirror import Share
    >>> print(bound(Lost(100, Share(100, 80, 20, 0.6, (0.42, 0.73)), {}, 0)).striptags())
    at least 42.0 % bind
    """
    share, ends = found.share.value, found.share.ci95
    low, high = ends or (float("nan"),) * 2
    shown = {
        "bound": f"at least {ends and bars.least(ends)} bind",
        "reversed": "it reads more of them the other way round than luck would",
        "uncertain": f"whether it {'binds' if (share or 0) > 0 else 'turns more round than it binds'} is uncertain",
        "not seen": "it is not seen to bind any",
    }[_state(found)]
    beyond = f"{written.percent(share)} beyond luck" if share is not None else ""
    beyond = ", ".join(filter(None, [beyond, _many(found)]))
    return facts(shown, n=found.n, low=100 * low, high=100 * high, note=beyond)


def draw(
    benchmark: stored.StoredBenchmark, options: Options, ringed: Sequence[str], on_select: Callable[[], None],
    *, held: bool,
) -> str | None:  # fmt: skip
    """The line, the plane, and beside it what the model knows and what it loses; the quad that was just clicked.
    on_select: called when something is picked; held: whether what is picked was picked here."""
    names = colours.labels(benchmark.models)
    model, kind = options.model, options.kind
    frame = of(benchmark, model, kind, options.category)
    if frame.empty:
        empty(
            f"{names[model]} has no quads here that are scored by {kind_name(kind)}",
            "Choose another model in focus, score kind, subset or concept in the sidebar; its planes and rates below "
            "are of the models that have such scores.",
        )
        return None
    found, known = knows.counted(benchmark.runs[model], kind, options.category)
    show(
        Markup('<p class="fs-seen fs-bound">{}{}</p>').format(
            colours.dot(model),
            knows.seen(
                model_link.named(model, benchmark.name, names[model]),
                found,
                known,
                bound(found),
                "" if options.category == ALL else options.where,
                judged.of_how_many(benchmark, model, kind, options.category, found.n),
            ),
        )
    )
    with st.container(key="fs-reasons-plane"):
        left, right = st.columns([8, 4], gap="medium", vertical_alignment="top")
    with left:
        opened = canvas.draw(
            figures.of_reasons(benchmark, model, kind, options.category, st.context.theme.type == "dark", ringed),
            key(options),
            f"{sentence(names[model], found)} Binding across, the larger bias up (caption) or down (image)",
            on_select,
            held=held,
        )
        chart_caption(_caption(len(frame), held or bool(ringed)))
    with right:
        show(knows.table(found, known))
        chart_caption(
            "Chance: of four random scores. Luck alone: of this model's own quads with their binding turned round and "
            "their biases kept, under which few are right."
        )
        with st.container(horizontal=True, vertical_alignment="center", key="equivariance-next"):
            _next_steps(benchmark, options, found)
            of_which = judged.quads(benchmark, options, model, kind, found.n)
            said = findings.plane(names[model], found, kind, of_which, benchmark.name)
            chart, note = handing_on.picture(component.known_by(key(options)), [benchmark.runs[model]])
            finding.draw(
                said, key(options), chart, f"flipside-{benchmark.name}-reasons", note=note,
                link=address.named("benchmark", "kind", "category", "model"),
            )  # fmt: skip
    return opened


def _next_steps(benchmark: stored.StoredBenchmark, options: Options, found: Lost) -> None:
    """The quads of the largest loss, in Failures."""
    gone = {cell: count for cell, (count, _) in found.cells.items() if cell != "right" and count}
    most = max(gone, key=lambda cell: gone[cell], default="")
    if not most:
        return
    concept = options.category.removeprefix(CONCEPT) if options.category.startswith(CONCEPT) else ""
    subset = "" if concept or options.category == ALL else options.category
    next_step(
        f"Open the {gone[most]:,} with {NAMES[most]}" if most == "no_binding" else f"Open the {gone[most]:,} "
        f"{NAMES[most]}", "failures", benchmark=benchmark.name, model=options.model, kind=options.kind,
        metric="group_score", cell=[most], subset=[subset] if subset else (), concept=[concept] if concept else (),
    )  # fmt: skip


def how(found: Lost, scale: str, kind: str) -> str:
    """How the plane is made and read, in full. scale: of the scores."""
    prior = " The caption bias holds the language prior: Debias says how far α takes it away." * (kind in SPOKEN)
    return (
        "Points left of the middle do not bind; points above or below the green wedge bind, but a bias is larger: up, "
        "one caption gets more under both images; down, one image gets more with both captions. Grey: the same quads "
        "mirrored, what luck alone would give. Unit: standard deviations of all scores the model gave to the subset’s "
        f"quads ({scale}). On {written.percent(found.nested / found.n, found.n)} the order of the four scores alone "
        f"does not decide whether it binds.{prior} {signs.OPEN}: the 95 % interval holds chance; {signs.DOWN}: it lies "
        "below. Luck alone: the quads whose mirrored twin lies in the cell. A small loss of a model at chance is no "
        "merit: it has nothing to lose."
    )


def key(options: Options) -> str:
    """Of the plane's widget."""
    return f"plane-of-reasons-{options.model}-{options.kind}-{options.category}"


def selected(benchmark: stored.StoredBenchmark, options: Options) -> list[str]:
    """Item ids of what is selected in the plane: all quads inside its lassos and boxes, drawn or not."""
    frame = of(benchmark, options.model, options.kind, options.category)
    if frame.empty:
        return []
    return picked_ids(
        frame["item_id"].to_numpy(),
        shown(frame, of(benchmark, options.model, options.kind, ALL)),
        canvas.selection(key(options)),
    )


def _caption(n: int, marked: bool) -> str:
    sampled = f" Of {n:,} quads {DRAWN:,} are drawn; a lasso takes all." if n > DRAWN else ""
    faint = " Faint in its colour: what is not picked." if marked else ""
    return f"Grey: mirrored, what luck alone would give.{faint} Click a point for its item, or draw a lasso.{sampled}"


__all__ = ["SOURCE", "bound", "draw", "how", "key", "of", "places", "selected", "sentence"]
