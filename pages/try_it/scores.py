"""Live scores for the Try-it page: the models on offer, and a cache of what has been scored."""

import re
from collections.abc import Sequence
from typing import Any

import streamlit as st
from PIL import Image

from backend.errors import FlipsideError
from backend.items import Kind
from backend.kinds import PAIR_KINDS
from backend.live.remote import here
from backend.live.scoring import libraries, pool, priors
from backend.live.scoring.captions import duplicates
from backend.live.scoring.judging import GRID, truth
from backend.live.scoring.scoring import ModelScores, score
from backend.live.uploads import model_folders
from backend.prior_names import prior_name, prior_option
from backend.world.language.words import VOCABULARY
from pages.shared.drawing import colours
from pages.shared.frame.fold import more
from pages.shared.frame.header import trouble
from pages.shared.frame.plain import plain
from pages.shared.frame.tips import kind_name, kinds_help
from pages.try_it import live_backend
from pages.try_it.state import Picture

#: So long after a view the browser asks for scripts of what it shows (seconds): libraries that are imported then would
#: keep it waiting for them.
STILL_LOADING = 0.7
#: What the sampled images are here.
WORLD = "8 scenes of the world"


def sidebar() -> tuple[list[str], list[str], str]:
    """Models, score kinds and the source of the language prior, chosen in the sidebar."""
    with st.sidebar:
        own = st.session_state.get("try_own", [])
        offered = colours.order([*pool.offered(), *own])
        names, first = colours.labels(offered), at_first(offered, own)
        key = f"try-models-{len(offered)}"
        n = len(st.session_state.get(key, first))
        with st.popover(f"Models · {n} of {len(offered)}", icon=":material/model_training:", key="try-models-box",
                        width="stretch"):  # fmt: skip
            chosen = st.multiselect(
                "Models",
                offered,
                default=first,
                format_func=names.__getitem__,
                key=key,
                help="All models that are bundled, those that Teach has trained, and those you add below. A bundled "
                "one knows only the drawn world.",
            )
            st.markdown("**Add a model of your own**")
            add_own("models")
        live_backend.draw()
        with more(key="try-more-scores"):
            given = {kind for spec in offered for kind in kinds_of(spec)}
            listed = [kind for kind in map(str, Kind) if kind in given and kind not in (Kind.PRIOR, Kind.VERDICT)]
            kinds = st.pills(
                "Score kinds",
                listed,
                selection_mode="multi",
                default=listed,
                format_func=kind_name,
                key=f"try-kinds-{len(listed)}",  # a model that gives another kind brings it in, chosen
                help=kinds_help(Kind),
            )
            blind = [spec for spec in offered if Kind.PRIOR in kinds_of(spec) and Kind.GEN not in kinds_of(spec)]
            prior = st.selectbox(
                "Language prior P(t) from",
                priors.sources(blind),
                format_func=lambda source: WORLD if source == priors.WORLD_IMAGES else prior_option(source),
                key="try-prior",
                help="log P(t) from a language model that sees nothing, or as the mean of P(t | image) over sampled or "
                "null images (VisualGPTScore, Eq. 13). First stands what every page takes where none is named: a blind "
                "language model, else sampled images, noise last.",
            )
    return chosen, list(kinds), prior


def at_first(offered: Sequence[str], own: Sequence[str] = ()) -> list[str]:
    """The models that are chosen where nobody chose: of the bundled ones those that see images, without those that
    were taught from them; and all others but the ones that Teach trained, unless they were added."""
    taught = set(model_folders.taught()) - set(own)
    return [
        spec for spec in offered
        if spec not in taught and (not spec.startswith("bundled:") or (spec in colours.ORDER and _sees(spec)))
    ]  # fmt: skip


def _sees(spec: str) -> bool:
    return bool(kinds_of(spec) & set(PAIR_KINDS))


def add_own(where: str) -> None:
    """A field for the spec of a model that is not listed. where: tells two places of it apart."""
    offered = colours.order([*pool.offered(), *st.session_state.get("try_own", [])])
    st.caption(
        "`hf:openai/clip-vit-base-patch32`, `openclip:ViT-B-32/laion2b_s34b_b79k`, "
        "`hf:llava-hf/llava-1.5-7b-hf`, `st:` for a text encoder, `lm:` for a blind language model, "
        "`endpoint:https://host/v1#model` for a server; or a prefix before the path of a folder "
        "below `$FLIPSIDE_MODELS` (`models` in the cache)."
    )
    with st.form(f"try-own-form-{where}", clear_on_submit=True, border=False):
        typed = st.text_input("Model spec", key="try-spec" if where == "models" else f"try-spec-{where}",
                              placeholder="hf:owner/name")  # fmt: skip
        added = st.form_submit_button("Add", width="stretch")
    spec = (typed or "").strip()
    if not added or not spec:
        return
    if spec in offered:
        trouble(f"{spec} is already in the list.")
        return
    try:
        with st.spinner("Reading its configuration …", show_time=True):
            pool.kinds(spec)
    except FlipsideError as error:
        trouble(str(error))
        return
    state = st.session_state
    before = state.get(f"try-models-{len(offered)}", at_first(offered, state.get("try_own", [])))
    state.try_own = [*state.get("try_own", []), spec]
    state[f"try-models-{len(offered) + 1}"] = [*before, spec]
    st.rerun()


def loaded(specs: Sequence[str], prior: str) -> bool:
    """Whether all models that would be asked are in memory, so that asking them takes no wait."""
    blind = prior.removeprefix("lm:") if prior.startswith("lm:") else ""
    asked = {*specs, blind} if blind and any(Kind.GEN in kinds_of(spec) for spec in specs) else set(specs)
    return bool(specs) and asked <= set(pool.shared().loaded())


def remarks(
    shown: Sequence[Picture], texts: Sequence[str], models: Sequence[str], prior: str = "", layout: str = GRID
) -> list[str]:
    """What a reader must know before believing the numbers. prior: the source of the language prior; layout: of the
    captions, a free grid has no verdicts."""
    same = duplicates(texts, truth(layout))
    said = [same] if same else []
    weighed = prior.removeprefix("lm:").startswith("bundled:") and any(Kind.GEN in kinds_of(spec) for spec in models)
    if not weighed and not any(spec.startswith("bundled:") for spec in models):
        return said
    unknown = sorted({word for text in texts for word in re.findall(r"[\w']+", text.lower())} - set(VOCABULARY))
    photographs = any(not picture.key.startswith("world:") for picture in shown)
    if photographs or unknown:
        what = "images of your own" if photographs else "these captions"
        words = (
            f" They have never seen the word{'s' if len(unknown) > 1 else ''} {_listed(unknown)}." if unknown else ""
        )
        said.append(
            f"The bundled models know only the drawn world of coloured shapes: on {what} their scores mean little."
            f"{words} Add a model to judge photographs"
            + (", and choose a language prior that is not bundled." if weighed else ".")
        )
    return said


def _listed(words: Sequence[str]) -> str:
    shown = [f"“{word[:24]}”" for word in words[:5]]
    return ", ".join(shown) + (f" and {len(words) - 5} more" if len(words) > 5 else "")


def bring_libraries(specs: Sequence[str], prior: str) -> None:
    """Import what these models need while their user still reads; nothing where models are asked elsewhere."""
    if not here.is_set():
        blind = prior.removeprefix("lm:") if prior.startswith("lm:") else ""
        libraries.bring([spec for spec in (*specs, blind) if spec and kinds_of(spec)], STILL_LOADING)


def score_all(
    specs: Sequence[str], images: Sequence[Image.Image], keys: Sequence[str], texts: Sequence[str], prior: str,
    place: Any = None,
) -> list[ModelScores]:  # fmt: skip
    """Scores of every model, in the order of all lists. place: an `st.empty` that shows how far they are while models
    are loaded; none is needed where all of them are."""
    done: list[ModelScores] = []
    place = None if loaded(specs, prior) else place
    for k, spec in enumerate(colours.order(specs)):
        first = " (the first one also starts PyTorch, a few seconds)" if not pool.shared().loaded() else ""
        if place:
            place.progress(
                k / len(specs), f"Scoring with {plain(colours.label(spec))}, {k + 1} of {len(specs)}{first} …"
            )
        try:
            done.append(_score(spec, tuple(keys), tuple(texts), prior, images))
        except _ScoringFailed as failure:
            done.append(failure.scores)
    if place:
        place.empty()
    return done


class _ScoringFailed(Exception):  # noqa: N818 - it carries what failed past the cache
    """Raised through the cache, so that a failure is tried again and only answers are kept."""

    def __init__(self, scores: ModelScores) -> None:
        super().__init__(scores.problem)
        self.scores = scores


@st.cache_data(max_entries=200, show_spinner=False)
def _score(
    spec: str,
    keys: tuple[str, ...],
    texts: tuple[str, ...],
    prior: str,
    _images: Sequence[Image.Image],
) -> ModelScores:
    scores = score(pool.shared(), spec, _images, texts, prior, keys)
    if scores.problem:
        raise _ScoringFailed(scores)
    return scores


def kinds_of(spec: str) -> frozenset[str]:
    """What a model gives; nothing where it cannot be told now."""
    try:
        return _kinds(spec)
    except FlipsideError:
        return frozenset()


@st.cache_data(max_entries=200, show_spinner=False)
def _kinds(spec: str) -> frozenset[str]:
    return pool.kinds(spec)  # what it raises is not kept


def source_name(source: str) -> str:
    """A prior source of this page in words; `priors.sources` gives them."""
    return WORLD if source == priors.WORLD_IMAGES else prior_name(source)
