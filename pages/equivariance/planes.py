"""The planes of Equivariance side by side, what is picked in them, and the quads that are listed beside."""

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import pandas as pd
import streamlit as st
from markupsafe import Markup

from backend.errors import FlipsideError
from backend.store.failures import selections
from pages.equivariance import judged, parts, reasons, to_copy
from pages.equivariance.figures import figure
from pages.equivariance.options import ALL, Options, Plane
from pages.equivariance.parts import WORST, worst
from pages.equivariance.pick import PARTS, in_part, selected
from pages.equivariance.view import DRAWN
from pages.item import opened, view
from pages.shared.data import handing_on, picked_set, stored
from pages.shared.drawing import colours, component, finding, gallery
from pages.shared.drawing.gallery import Card
from pages.shared.drawing.numbers import count, score
from pages.shared.drawing.plane import canvas
from pages.shared.frame import address, to_failures
from pages.shared.frame.fold import fold
from pages.shared.frame.header import chart_caption, empty, trouble
from pages.shared.frame.style import show
from pages.shared.frame.tips import kind_name

SHOWN = 8
_FROM = "_equivariance_from"


def name_of(plane: Plane, names: dict[str, str]) -> str:
    """A plane in words."""
    return f"{names[plane[0]]} · {kind_name(plane[1])} ({plane[1]})"


@st.fragment
def draw(benchmark: stored.StoredBenchmark, options: Options) -> None:
    """The plane of reasons and what is picked in it; EqSim's planes and the worst quads folded. A lasso reruns this
    alone."""
    names = colours.labels(benchmark.models)

    @cache  # of this run: what is folded reads no quads of further models
    def frames() -> dict[Plane, pd.DataFrame]:
        found = {plane: parts.own(benchmark, *plane, options.scale, options.category) for plane in options.planes}
        return {plane: frame for plane, frame in found.items() if len(frame)}

    picked, source = _picked(benchmark, frames, names, options)
    ringed = () if source == reasons.SOURCE else picked[:DRAWN]
    clicked = reasons.draw(benchmark, options, ringed, _note(reasons.SOURCE), held=is_held(reasons.SOURCE))
    from_plane: Plane = (options.model, options.kind)
    if not _any_quads(benchmark, options):
        return
    listed: tuple[str | None, list[str]] = (None, [])
    # Both places are there always: a plane that moves on the page is drawn anew, without its lasso.
    above, in_margins = st.container(), source not in (None, reasons.SOURCE)
    if picked and not in_margins:
        with above:
            listed = _list(benchmark, frames(), picked, options, names)
    with fold(
        "Text margins of both images, EqSim’s planes, by score kind", "equivariance-planes", ":material/scatter_plot:",
        first="planes" in st.query_params,
    ) as box:  # fmt: skip
        if box.open:
            found = _planes(benchmark, frames(), picked, source, options, names)
            if found:
                from_plane, clicked = found
    below = st.container()
    if picked and in_margins:  # under the planes, which so stay where the hand is
        with below:
            listed = _list(benchmark, frames(), picked, options, names)
    if not picked:
        with fold(
            "The quads one by one, the worst first", "equivariance-quads", ":material/grid_view:",
            first="worst" in st.query_params,
        ) as box:  # fmt: skip
            if box.open:
                listed = _list(benchmark, frames(), picked, options, names)
    from_list, order = listed
    item = opened.now(clicked or from_list)
    address.end()
    if item:
        opened.show(benchmark, order, item, *(from_plane if clicked or not from_list else next(iter(frames()))))


def _any_quads(benchmark: stored.StoredBenchmark, options: Options) -> bool:
    """Whether any of the planes has quads here."""
    return any(len(parts.own(benchmark, *plane, options.scale, options.category)) for plane in options.planes)


def _planes(
    benchmark: stored.StoredBenchmark, frames: dict[Plane, pd.DataFrame], picked: Sequence[str], source: Plane | None,
    options: Options, names: dict[str, str],
) -> tuple[Plane, str] | None:  # fmt: skip
    """Side by side, each with its finding; the plane in which a quad was just clicked, and that quad."""
    dark = st.context.theme.type == "dark"
    clicked: tuple[Plane, str] | None = None
    grid = st.grid(min(3, len(frames)), min_column_width=290, gap="small")
    for plane in frames:
        with grid.cell():
            show(Markup('<p class="fs-model">{}<b>{}</b></p>').format(colours.dot(plane[0]), name_of(plane, names)))
            drawn = figure(
                benchmark, plane, options.scale, options.category, options.unit_of(plane[1], plane[0]), dark,
                () if plane == source else picked[:DRAWN],
            )  # fmt: skip
            hit = canvas.draw(
                drawn,
                _key(plane, options),
                f"Quads of {name_of(plane, names)}: the text margin of image 2 across, of image 1 upwards",
                _note(plane),
                held=is_held(plane),
            )
            clicked = (plane, hit) if hit else clicked
            _to_copy(benchmark, plane, frames[plane], options, names)
    large = max(len(frame) for frame in frames.values())
    sampled = (
        f" Of {large:,} quads {DRAWN:,} are drawn, chosen at random; a lasso takes all inside it, drawn or not."
        if large > DRAWN
        else ""
    )
    chart_caption(
        "Read in the same way for every score kind. Upper right: both images prefer their own caption. Upper left or "
        "lower right: one caption wins for both images. Lower left: both are swapped. On the dotted diagonal: "
        "equivariant on the text side; off it, one swap counts for more than the other. At the origin: collapsed, the "
        "captions are not told apart. Points beyond the frame stand on its border. Ringed, or alone in full "
        f"colour: what was picked in another plane.{sampled}"
        + (
            ""
            if options.category == ALL
            else " The axes are those of all the model's quads; the other quads are faint."
        )
    )
    return clicked


def _to_copy(
    benchmark: stored.StoredBenchmark, plane: Plane, frame: pd.DataFrame, options: Options, names: dict[str, str]
) -> None:
    """A plane's finding; its link opens this plane alone."""
    setting = (kind_name(plane[1]), *options.rescaled(plane[1]), benchmark.name)
    chart, note = handing_on.picture(component.known_by(_key(plane, options)), [benchmark.runs[plane[0]]])
    n = int(frame["s11"].notna().sum())
    finding.draw(
        to_copy.plane(names[plane[0]], frame, judged.quads(benchmark, options, *plane, n), setting),
        _key(plane, options), chart, f"flipside-{benchmark.name}-plane", note=note,
        link=address.named("benchmark", "category", "scale") | {"model": [plane[0]], "kind": [plane[1]],
                                                                 "planes": ["|".join(plane)]},
    )  # fmt: skip


def _key(plane: Plane, options: Options) -> str:
    return f"plane-{plane[0]}-{plane[1]}-{options.category}-{options.scale}"


def is_held(plane: Plane) -> bool:
    """Whether what is picked now was picked in this plane."""
    state = st.session_state
    return bool(state.get("picked")) and state.get("_picked_in") in (None, plane)


def _note(plane: Plane) -> Callable[[], None]:
    def noted() -> None:
        st.session_state[_FROM] = plane

    return noted


def _picked(
    benchmark: stored.StoredBenchmark, frames: Callable[[], dict[Plane, pd.DataFrame]], names: dict[str, str],
    options: Options,
) -> tuple[list[str], Plane | None]:  # fmt: skip
    """The picked items, and the plane in which they were picked just now: a new selection is kept under a short name
    in the address, so that a link reopens it."""
    source: Plane | None = st.session_state.pop(_FROM, None)
    try:
        if source is not None and (source == reasons.SOURCE or source in frames()):
            if source == reasons.SOURCE:
                ids = reasons.selected(benchmark, options)
                where = f"the plane of reasons of {name_of((options.model, options.kind), names)}"
            else:
                whole = parts.own(benchmark, *source, options.scale, ALL)
                ids = selected(frames()[source], canvas.selection(_key(source, options)), whole)
                where = f"the plane of {name_of(source, names)}"
            title = f"Equivariance: picked in {where}, {options.where}"
            st.session_state["picked"] = selections.keep(benchmark.hash, ids, title).key if ids else ""
            st.session_state["_picked_in"] = source
        key = str(st.session_state["picked"])
        kept = selections.find(key) if key else None
    except FlipsideError as error:
        trouble(str(error))
        return [], source
    if kept is None or kept.benchmark != benchmark.hash:
        if key:
            st.session_state["picked"] = ""
            address.unused(picked_set.gone(key, kept is not None, benchmark.name))
        st.session_state.pop("_picked_in", None)  # Forward may bring it back, and then it is ringed in every plane
        return [], source
    own = reasons.of(benchmark, options.model, options.kind, options.category)
    there = set().union(*(frame["item_id"] for frame in [*frames().values(), own] if len(frame)))
    return [i for i in kept.item_ids if i in there], source or st.session_state.get("_picked_in")


def _title() -> str:
    """Where the picked quads were picked, which after another choice is another plane than those that are drawn."""
    kept = selections.find(str(st.session_state["picked"]))
    return kept.title if kept is not None else "Equivariance: picked in a plane"


def _list(
    benchmark: stored.StoredBenchmark, frames: dict[Plane, pd.DataFrame], picked: Sequence[str], options: Options,
    names: dict[str, str],
) -> tuple[str | None, list[str]]:  # fmt: skip
    """The picked quads, or the worst ones of the plane in focus; (the opened item, the ids to walk along)."""
    focus = next(iter(frames))
    frame = frames[focus]
    with st.container(horizontal=True, vertical_alignment="bottom"):
        if picked:
            order, title = list(picked), _title()
            show(Markup('<p class="fs-count"><b>{:,}</b> <span>selected in the plane</span></p>').format(len(order)))
            st.button("Let go", icon=":material/close:", key="let-go", on_click=_let_go, type="tertiary",
                      help="Show the worst quads again, and take the lasso off its plane.")  # fmt: skip
        else:
            by = st.selectbox(
                "Quads of the model in focus", [*WORST, *PARTS], key="worst", width=360,
                format_func=(WORST | {k: f"in the plane: {v}" for k, v in PARTS.items()}).__getitem__,
                help="By margin, by the size of a deviation (EqSim), or by where they lie in the plane.",
            ) or "v2_text"  # fmt: skip
            if by in PARTS:
                order, title = [str(i) for i in in_part(frame, by)["item_id"]], f"Equivariance: {PARTS[by]}"
            else:
                order, title = worst(frame, by), f"Equivariance: {WORST[by]}"
        if not picked:
            title += f", {name_of(focus, names)}, {options.where}"
        to_failures.button(
            benchmark, order[: selections.MOST], title, "to-failures-quads", model=focus[0], kind=focus[1],
            metric="group_score",
        )  # fmt: skip
    if not order:
        empty("No quad lies there", "Choose another region of the plane, or draw a lasso.")
        return None, []
    index = frame.set_index("item_id")
    models = list(dict.fromkeys((focus[0], *(plane[0] for plane in frames))))  # whose reason leads stands first
    cards = []
    for item_id in order[:SHOWN]:
        head = item_id
        if item_id in index.index:
            line: Any = index.loc[item_id]
            head += f" · v1 {score(line.v1, signed=True)} · v2 text {score(line.v2_text, signed=True)}"
            head += f" · image {score(line.v2_image, signed=True)}"
        detail = stored.item(benchmark.hash, item_id)
        html = view.card(detail, "group_score", focus[1], models, heading=head, width=66)
        cards.append(Card(item_id, html, f"item {item_id}"))
    pressed = gallery.draw(cards, "quads", compact=True)
    if len(order) > SHOWN:
        chart_caption(
            f"… and {count(len(order) - SHOWN, 'more quad')}; open one and walk on with →. Deviations on the cards: "
            f"{name_of(focus, names)}; the chips are each model's group score by {focus[1]}, or by its own first kind."
        )
    return pressed, order


def _let_go() -> None:
    st.session_state["picked"] = ""
