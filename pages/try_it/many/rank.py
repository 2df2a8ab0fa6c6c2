"""Try it, rank images: one prompt, many images, and each model's order of them."""

from collections.abc import Sequence

import streamlit as st

from backend.errors import FlipsideError
from backend.kinds import PAIR_KINDS
from backend.live.scoring import captions, pool
from backend.live.scoring.ranking import Ranked, rank
from pages.shared.drawing import colours
from pages.shared.frame.header import chart_caption, empty, section, trouble
from pages.shared.frame.plain import plain
from pages.try_it import state as try_state
from pages.try_it.many import rank_images, rank_view

PROMPTS = ("a red circle and a blue star", "a star to the left of a heart", "three hearts", "a striped square")


def draw(models: Sequence[str], kinds: Sequence[str]) -> None:
    """The whole of this way of trying."""
    state = st.session_state
    prompt = _prompt()
    images = rank_images.choose()
    try_state.put({"mode": "rank", "q": prompt, **rank_images.address()})
    if not images:
        empty("No image yet", "Drop images, or choose a source above.")
        return
    try:
        (text,) = captions.check([prompt])
    except FlipsideError as error:
        trouble(str(error))
        return
    asked = [kind for kind in kinds if kind in PAIR_KINDS]
    if not models or not asked:
        empty("Nothing to rank by", "Choose at least one model, and a score kind that looks at images, in the sidebar.")
        return
    if st.button(
        f"Rank {len(images)} images", type="primary", icon=":material/sort:", key="try-rank", shortcut="Mod+Enter"
    ):
        state.try_ranked = True
    if not state.get("try_ranked"):
        empty("Ready to rank", "Press Rank (Ctrl + Enter); every later change of the prompt is answered at once.")
        return
    found = _rank_all(models, images, text, asked)
    section("Best first", f"“{text}”: {len(images)} images, each with its score; the number names the image")
    rank_view.strips(found, images)
    chart_caption(
        "Similarity is a cosine; matching and question are log-odds; generation is the mean log-probability a token. "
        "Compare orders between models, scores only within one."
    )
    rank_view.agreements(found)
    rank_view.table(found, images, text)


def _prompt() -> str:
    state = st.session_state
    key = f"try-prompt-{state.try_link}-{state.setdefault('try_prompted', 0)}"
    if "try_prompt" not in state:
        state.try_prompt = st.query_params.get("q", PROMPTS[0])
    state.try_prompt = st.text_input("Prompt", state.get(key, state.try_prompt), key=key, max_chars=500) or ""
    with st.container(horizontal=True, gap="small"):
        for n, example in enumerate(PROMPTS):
            st.button(example, key=f"try-prompt-example-{n}", on_click=_ask, args=(example,), type="tertiary")
    return str(state.try_prompt)


def _ask(prompt: str) -> None:
    """An example's callback."""
    st.session_state.try_prompt = prompt
    st.session_state.try_prompted += 1


def _rank_all(
    models: Sequence[str], images: Sequence[rank_images.RankImage], text: str, kinds: Sequence[str]
) -> list[Ranked]:
    """Every model's scores; progress is shown while they come."""
    done, place, keys = [], st.empty(), [image.key for image in images]
    total = len(models) * len(images)
    for n, spec in enumerate(colours.order(models)):
        before = n * len(images)

        def told(k: int, before: int = before, spec: str = spec) -> None:
            place.progress((before + k) / total, f"{plain(colours.label(spec))}: {k} of {len(images)} images …")

        place.progress(before / total, f"Scoring with {plain(colours.label(spec))} …")
        done.append(rank(pool.shared(), spec, [image.image for image in images], keys, text, kinds, told))
    place.empty()
    return done
