"""Try it, rank images: one prompt, many images, and each model's order of them."""

from collections.abc import Sequence
from typing import Any

import streamlit as st

from backend.errors import FlipsideError
from backend.kinds import PAIR_KINDS
from backend.live.scoring import captions, pool
from backend.live.scoring.ranking import Ranked, rank
from pages.shared.drawing import colours
from pages.shared.drawing.numbers import count
from pages.shared.frame.fold import fold
from pages.shared.frame.header import chart_caption, empty, seen, trouble
from pages.shared.frame.plain import plain
from pages.try_it import state as try_state
from pages.try_it.many import rank_images, rank_view

PROMPTS = ("a red circle and a blue star", "a star to the left of a heart", "three hearts", "a striped square")


def draw(models: Sequence[str], kinds: Sequence[str]) -> None:
    """The whole of this way of trying."""
    state = st.session_state
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        prompt = _prompt()
        rank_images.source()
        button = st.empty()
    _examples()
    images = rank_images.images()
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
    answered = bool(state.get("try_ranked"))
    if button.button(
        f"Rank {count(len(images), 'image')}", type="secondary" if answered else "primary", icon=":material/sort:",
        key="try-rank", shortcut="Mod+Enter",
    ):  # fmt: skip
        state.try_ranked = True
    if not state.get("try_ranked"):
        empty("Ready to rank", "Press Rank (Ctrl + Enter); every later change of the prompt is answered at once.")
        return
    with st.container(key="fs-rank-head"):  # progress, then what is seen, in one place: nothing jumps
        place = st.empty()
    found = _rank_all(models, images, text, asked, place)
    with place:
        seen(rank_view.sentence(found, [each.name for each in images] if state.try_from == rank_images.FILES else ()))
    rank_view.strips(found, images)
    chart_caption(
        "Best first; below each picture its rank, its score and the number that names it. Similarity is a cosine; "
        "matching and question are log-odds; generation is the mean log-probability a token. Compare orders between "
        "models, scores only within one."
    )
    with fold("Do they agree on the order?", "try-rank-agree", ":material/compare_arrows:") as box:
        if box.open:
            rank_view.agreements(found)
    with fold("All ranks and scores as a table", "try-rank-table", ":material/table_rows:") as box:
        if box.open:
            rank_view.table(found, images, text)


def _prompt() -> str:
    state = st.session_state
    key = f"try-prompt-{state.try_link}-{state.setdefault('try_prompted', 0)}"
    if "try_prompt" not in state:
        state.try_prompt = st.query_params.get("q", PROMPTS[0])
    state.try_prompt = st.text_input("Prompt", state.get(key, state.try_prompt), key=key, max_chars=500) or ""
    return str(state.try_prompt)


def _examples() -> None:
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.caption("Or one of these:", width="content")
        for n, example in enumerate(PROMPTS):
            st.button(example, key=f"try-prompt-example-{n}", on_click=_ask, args=(example,), type="tertiary")


def _ask(prompt: str) -> None:
    """An example's callback."""
    st.session_state.try_prompt = prompt
    st.session_state.try_prompted += 1


def _rank_all(
    models: Sequence[str], images: Sequence[rank_images.RankImage], text: str, kinds: Sequence[str],
    place: Any,
) -> list[Ranked]:  # fmt: skip
    """Every model's scores; progress is shown in `place`, an `st.empty`, while they come."""
    done, keys = [], [image.key for image in images]
    total = len(models) * len(images)
    for n, spec in enumerate(colours.order(models)):
        before = n * len(images)

        def told(k: int, before: int = before, spec: str = spec) -> None:
            place.progress((before + k) / total, f"{plain(colours.label(spec))}: {k} of {len(images)} images …")

        place.progress(before / total, f"Scoring with {plain(colours.label(spec))} …")
        done.append(rank(pool.shared(), spec, [image.image for image in images], keys, text, kinds, told))
    return done
