"""One item in full, in a dialog or on a page of its own, with ← and → to its neighbours."""

import shlex
from collections.abc import Callable, Collection, Sequence

import streamlit as st
from markupsafe import Markup

from backend import written
from backend.errors import FlipsideError, UsageError
from backend.items import Kind, Protocol
from backend.store.catalog import public
from backend.store.queries import ItemDetail
from pages.item import (
    answers,
    evidence,
    grouped,
    neighbours,
    notes,
    own_verdict,
    quad_picture,
    score,
    swipe,
    under_alpha,
    view,
    why,
)
from pages.item import boundary as item_boundary
from pages.item import edits as item_edits
from pages.item import place as item_place
from pages.item import priors as item_priors
from pages.item.place import Place
from pages.shared.data import apart as apart_
from pages.shared.data import commands, handing_on, stored
from pages.shared.drawing import colours, finding
from pages.shared.drawing.cards import captions_list
from pages.shared.drawing.matrix import LEGEND
from pages.shared.drawing.thumbnails import picture, source
from pages.shared.drawing.verdicts import chips
from pages.shared.frame import toasts
from pages.shared.frame.header import chart_caption, trouble
from pages.shared.frame.next_step import next_step
from pages.shared.frame.style import show
from pages.shared.frame.tips import metric_title

_AT, _KEY, _APART = "item_at", "item_ids", "item_apart"


def open_dialog(
    benchmark: stored.StoredBenchmark, ids: Sequence[str], item_id: str, model: str = "", kind: str = "", *,
    place: Place | None = None,
) -> None:  # fmt: skip
    """Show an item over the page; the ids are what ← and → walk along. model, kind: whose sentence leads, where the
    page has no such choice of its own; place: where the page's address names the item, None where it does not."""
    why.lead_with(model, kind)
    item_place.hold(place)
    st.session_state[_KEY] = list(ids) if item_id in ids else [item_id, *ids]
    st.session_state[_AT] = ids.index(item_id) if item_id in ids else 0
    st.session_state[_APART] = "" if item_id in ids else item_id
    _dialog(benchmark)


@st.dialog("One item", width="large", on_dismiss=item_place.closed)
def _dialog(benchmark: stored.StoredBenchmark) -> None:
    toasts.draw()
    ids: list[str] = st.session_state[_KEY]
    at = min(st.session_state.get(_AT, 0), len(ids) - 1)
    with st.container(horizontal=True, vertical_alignment="bottom", key="fs-item-head"):
        st.button(
            "Previous", icon=":material/arrow_back:", shortcut="Left", disabled=at == 0, on_click=_walk, args=(at - 1,),
            key="item-previous",
        )  # fmt: skip
        st.button(
            "Next", icon=":material/arrow_forward:", shortcut="Right", disabled=at >= len(ids) - 1, on_click=_walk,
            args=(at + 1,), key="item-next",
        )  # fmt: skip
        st.caption(f"{at + 1:,} of {len(ids):,}")
        own_verdict.draw(benchmark.hash, ids[at])
        next_step(
            "Why? The item in full", "item", ":material/open_in_full:", benchmark=benchmark.name, item=ids[at],
            **why.chosen(),
        )  # fmt: skip
    if ids[at] == st.session_state.get(_APART) and len(ids) > 1:
        chart_caption(f"The filters leave {len(ids) - 1:,} others and not this item; Next goes to the first of them.")
    item_place.moved(ids[at])
    item_place.draw(ids[at])
    full(benchmark, ids[at], _visit, in_dialog=True)


def _walk(to: int) -> None:
    st.session_state[_AT] = to


def _visit(item_id: str) -> None:
    """Another item in the same dialog: where it stands in the list, else put in behind the present one."""
    ids: list[str] = st.session_state[_KEY]
    if item_id not in ids:
        ids.insert(st.session_state[_AT] + 1, item_id)
    st.session_state[_AT] = ids.index(item_id)
    st.rerun(scope="fragment")


def full(
    benchmark: stored.StoredBenchmark, item_id: str, visit: Callable[[str], None],
    lead: Callable[[str, str], None] | None = None, *, in_dialog: bool = False,
) -> None:  # fmt: skip
    """Everything that is known about an item: itself with the models' verdicts, why, what one writes about it, then the
    rest. visit: shows another item, such as a neighbour; lead: takes the model and the kind whose sentence is to lead
    (see `why.draw`); in_dialog: whether a page stands behind it, whose address a finding names where it names the item,
    and whose own head has the buttons of `own_verdict`."""
    try:
        detail = stored.item(benchmark.hash, item_id)
    except UsageError:
        _missing(benchmark, item_id)
        return
    except FlipsideError as error:
        trouble(str(error))
        return
    models = [model for model in benchmark.models if model in set(detail.outcomes["model"])]
    many = grouped.fits(models)
    apart = apart_.of(benchmark)
    first = next(iter(view.headlines(detail)), "")
    verdicts = (
        chips(view.chips_in_full(detail, first, view.first_kind(first), models)) if first and not many else Markup()
    )
    debiased = under_alpha.html(benchmark, detail, first, models) if first else Markup()
    verdicts = verdicts + debiased if verdicts else debiased
    if not in_dialog:
        own_verdict.draw(benchmark.hash, item_id)
    why.draw(detail, models, lambda: _item(detail, metric_title(first) if verdicts else "", verdicts), lead, apart)
    for line, without in detail.left_out:
        names = colours.labels(without)
        chart_caption(f"{written.some(names[model] for model in without)}: {line}")
    notes.draw(benchmark.hash, item_id)
    said, link, run = why.to_copy(detail, models, benchmark.name, apart)
    chart, note = handing_on.picture(why.SHOWN, [run] if run else [])
    place = item_place.held() if in_dialog else None
    if place and link:
        link = {**link, place.key: place.before + item_id}
    with st.container(horizontal=True, vertical_alignment="center"):
        finding.draw(
            said, "item", chart, f"flipside-{benchmark.name}-item", link=link, page="" if place else why.PAGE, note=note
        )  # fmt: skip
        _to_losses(benchmark, detail, models)
    if edits := item_edits.html(detail):
        show(
            Markup('<p class="fs-card-head" style="margin-top:.7rem">{}</p>{}').format(item_edits.title(detail), edits)
        )
    for metric in view.headlines(detail)[0 if many else 1 :]:
        if many:
            show(grouped.table(detail, metric, models))
            continue
        found = view.model_chips(detail, metric, view.first_kind(metric), models)
        show(
            Markup('<p class="fs-card-head" style="margin-top:.7rem">{}</p>{}').format(
                metric_title(metric), chips(found)
            )
        )
    if many:
        chart_caption(grouped.CAPTION)
        why.draw_others(detail, models)
        leading, kind = why.leading(detail, models)
        own = detail.evidence  # without a cell there is no picture
        pictured = len(own) and ((own["model"] == leading) & (own["kind"] == kind) & (own["cell"] != "")).any()
        drawn = (leading, kind) if pictured and quad_picture.shows_scores(detail.protocol, kind) else ("", "")
        _scores(detail, colours.labels(models).get(leading, ""), {leading}, drawn)
        with st.expander(f"Scores of all {len(models)} models", icon=":material/grid_on:", key="item-scores",
                         on_change="rerun") as box:  # fmt: skip
            if box.open:
                _boundary(detail)
                _scores(detail)
    else:
        _boundary(detail)
        _scores(detail)
    neighbours.draw(benchmark, item_id, models, visit)
    score.draw(detail, models)


def _to_losses(benchmark: stored.StoredBenchmark, detail: ItemDetail, models: Sequence[str]) -> None:
    """On a quad with scores that teaching works on, the way to what each loss would ask of them."""
    model, kind = why.leading(detail, models)
    if detail.protocol != Protocol.QUAD or kind not in (Kind.ITC, Kind.ITM):
        return
    st.page_link(
        "pages/teach/page.py", label="What would each loss of teaching ask of these scores?", icon=":material/school:",
        query_params={
            "benchmark": benchmark.name, "view": "what-if", "item": detail.item_id, "model": model, "kind": kind,
        },
    )  # fmt: skip


def _boundary(detail: ItemDetail) -> None:
    if boundary := item_boundary.html(detail):
        show(Markup('<p class="fs-card-head" style="margin-top:.8rem">Where the boundary is</p>{}').format(boundary))
        chart_caption(item_boundary.CAPTION)


def _scores(
    detail: ItemDetail, of: str = "", only: Collection[str] | None = None, drawn: tuple[str, str] = ("", "")
) -> None:
    """Score matrices, priors and tokens. only: those of these models, which are called `of`; drawn: see
    `view.matrix_panels`."""
    if detail.scores.empty and detail.left_out:
        return  # why stands above
    if detail.scores.empty:
        chart_caption("No model has scored this item yet. Ask one below; a run on Runs scores the whole benchmark.")
        return
    if told := answers.html(detail, only):
        show(Markup('<p class="fs-card-head" style="margin-top:.8rem">{}</p>{}').format(answers.HEAD, told))
        chart_caption(answers.CAPTION)
    if detail.protocol != "retrieval":
        head = f"{'Further' if any(drawn) else 'All'} scores of {of}" if of else "All scores"
        if panels := view.matrix_panels(detail, only, drawn):
            show(Markup('<p class="fs-card-head" style="margin-top:.8rem">{}</p>{}').format(head, panels))
            chart_caption(f"{LEGEND} Captions are named by their role; hold the pointer on a column for its text.")
    else:
        chart_caption(
            "A retrieval item is judged against its whole pool, so it has no matrix of its own: its margin is its best "
            "own candidate's score minus the best score of the others."
        )
    if priors := item_priors.html(detail, only):
        show(
            Markup('<p class="fs-card-head" style="margin-top:.8rem">How likely without the image</p>{}').format(priors)
        )
        chart_caption(item_priors.CAPTION)
    _tokens(detail, only)


def is_there(benchmark: stored.StoredBenchmark, item_id: str) -> bool:
    """Whether a benchmark has an item of this name."""
    try:
        stored.item(benchmark.hash, item_id)
    except UsageError:
        return False
    except FlipsideError:  # it is there, and `full` says what is wrong with it
        return True
    return True


def _missing(benchmark: stored.StoredBenchmark, item_id: str) -> None:
    """That there is no such item, and where those that there are can be found."""
    trouble(
        f"There is no item “{item_id}” in {benchmark.name}. Choose the benchmark that it is of in the sidebar, or open "
        "an item of this one from Failures."
    )
    next_step(f"Look at the items of {benchmark.name}", "failures", ":material/list:", benchmark=benchmark.name)


def origin(source: str) -> str:
    """Where an item is from, for readers: what made it may be stored as a module's name.

    >>> origin("backend.world, seed 0"), origin("Visual Genome")
    ('the bundled world, seed 0', 'Visual Genome')
    """
    return source.replace("backend.world,", "the bundled world,", 1) if source.startswith("backend.world,") else source


def _item(detail: ItemDetail, metric: str = "", verdicts: Markup | str = "") -> None:
    """The item itself: its images and captions with the models' verdicts, and a quad's images over each other. metric:
    by which they are."""
    tags = evidence.tags_html(detail.tags)
    if verdicts:
        tags = Markup('<p class="fs-card-head" style="margin-top:.6rem">{}</p>{}').format(metric, verdicts) + tags
    n = len(detail.image_uris)
    width = 300 if n == 1 else 216 if n == 2 else 176 if n <= 6 else 88  # a clip's frames
    head = (detail.item_id, str(detail.protocol), origin(detail.source))
    if detail.is_number_alone:
        show(Markup('<p class="fs-card-head">{}</p>{}').format(" · ".join(filter(None, head)), tags))
        chart_caption(public.NUMBERS_ALONE)
        return
    images = Markup().join(
        Markup("<figure>{}<figcaption>{}</figcaption></figure>").format(
            picture(source(uri, 512), f"image {k + 1} of {detail.item_id}", width), name
        )
        for k, (uri, name) in enumerate(zip(detail.image_uris, item_boundary.names(detail), strict=True))
    )
    short = view.roles(detail.protocol, len(detail.texts), len(detail.truth))
    big = Markup(
        '<p class="fs-card-head">{}</p><div class="fs-big"><div class="fs-frames">{}</div><div>{}{}</div></div>'
    ).format(" · ".join(filter(None, head)), images, captions_list(detail.texts, short), tags)
    if swipe.fits(detail):
        left, right = st.columns([5, 2], gap="medium")
        with left:
            show(big)
        with right:
            swipe.draw(detail)
    else:
        show(big)
    if detail.hidden:
        what = "classes" if detail.protocol == "classify" else "texts"
        chart_caption(
            f"And {detail.hidden:,} more {what}: shown are the true ones and those that the models score highest "
            f"beside them. All: {_exported(detail)}"
        )


def _exported(detail: ItemDetail) -> str:
    """The command that writes every score of the benchmark by the first model here that has some."""
    model = str(detail.scores["model"].iloc[0]) if len(detail.scores) else commands.ANY_MODEL
    words = ["flipside", "export", "--model", model, "--benchmark", detail.benchmark, "--what", "scores", "--out"]
    return shlex.join([*words, "scores.csv"])


def _tokens(detail: ItemDetail, only: Collection[str] | None = None) -> None:
    every = view.token_models(detail)
    speakers = [model for model in every if only is None or model in only]
    if not speakers:
        return
    names = colours.labels(every)
    for model in speakers:
        for image in range(min(2, max(1, len(detail.image_uris)))):
            strips = view.token_strips(detail, model, image)
            if strips:
                show(
                    Markup(
                        '<p class="fs-card-head" style="margin-top:.8rem">Token by token · {} · image {}</p>{}'
                    ).format(names[model], image + 1, strips)
                )
    chart_caption(
        "The number under a token: what the image adds to its log-probability, or the log-probability itself where no "
        "prior is stored by token. The bar: its probability with the image."
    )
