"""Why a score is what it is, token by token, word by word, region by region: computed only when opened."""

from collections.abc import Sequence
from pathlib import Path

import streamlit as st

from backend.live.scoring import judging
from backend.live.scoring.scoring import ModelScores
from pages.shared.drawing import colours
from pages.shared.frame.header import chart_caption, section
from pages.shared.frame.style import sheet
from pages.try_it import tokens, words
from pages.try_it.state import Picture

CSS = Path(__file__).with_name("explain.css")
TOKENS = "Token by token: what the language prior decides"
WORDS = "Word by word: each word left out in turn"
#: Stands for no other caption.
NONE = -1
REGIONS = "Region by region: each part of the image covered in turn"


def first_pair(layout: str, image: int, n_texts: int) -> tuple[int, int]:
    """The captions to begin with: one that belongs to the image, and one that does not.

    >>> first_pair("quad", 1, 2), first_pair("triplet", 0, 3), first_pair("grid", 3, 5)
    ((1, 0), (0, 2), (0, 1))
    """
    true = [text for of, text in sorted(judging.truth(layout)) if of == image] or [0]
    false = [text for text in range(n_texts) if text not in true] or [
        text for text in range(n_texts) if text != true[0]
    ]
    return true[0], false[0] if false else true[0]


def style() -> None:
    """Load the stylesheet of the panels; called by the page, for a fragment's own could take another's place."""
    sheet(CSS)


@st.fragment
def draw(
    found: Sequence[ModelScores],
    layout: str,
    texts: Sequence[str],
    shown: Sequence[Picture],
    models: Sequence[str],
    prior: str,
    paint: dict[str, str],
    key: str = "try-why",
) -> None:
    """Three panels about one image and one caption, set against another one where one is chosen.

    found: what `scores.score_all` gave for the images `shown` and the captions `texts`; key: tells two uses apart.
    """
    able = [one for one in found if not one.problem and one.spec in models]
    if not able or not shown or not texts:
        return
    section("Why", "what each score rests on, for one image and one caption set against another")
    image, a, b = _chosen(layout, texts, len(shown), key)
    names = [f"“{text}”" if len(text) <= 48 else f"“{text[:47]}…”" for text in texts]
    speaking = [one for one in able if one.gen_tokens]
    if speaking:
        with st.expander(TOKENS, on_change="rerun", key=f"{key}-tokens", icon=":material/segment:") as panel:
            if panel.open:
                _tokens(speaking, layout, texts, image, a, b, paint, f"{key}-tok")
    with st.expander(WORDS, on_change="rerun", key=f"{key}-words", icon=":material/backspace:") as panel:
        if panel.open:
            other = texts[b] if b is not None else None
            picture = shown[image]
            specs = [one.spec for one in able]
            words.draw(specs, picture.image, picture.key, texts[a], other, prior, f"{key}-wrd", paint)
    with st.expander(REGIONS, on_change="rerun", key=f"{key}-regions", icon=":material/grid_on:") as panel:
        if panel.open:
            from pages.try_it import occlusion

            pair = [a] if b is None else [a, b]
            occlusion.draw(
                able,
                shown[image].image,
                shown[image].key,
                [texts[j] for j in pair],
                [names[j] for j in pair],
                f"{key}-occ",
            )


def _chosen(layout: str, texts: Sequence[str], n_images: int, key: str) -> tuple[int, int, int | None]:
    """Which image, which caption, and against which other one."""
    roles = judging.roles(layout, len(texts))
    numbered = [f"{role} · {text}" for role, text in zip(roles, texts, strict=True)]
    with st.container(horizontal=True, vertical_alignment="bottom"):
        image = 0
        if n_images > 1:
            image = st.selectbox(
                "Image",
                range(n_images),
                format_func=lambda i: f"image {i + 1}",
                key=f"{key}-image-{n_images}",
                width=150,
            )
        start, rival = first_pair(layout, image, len(texts))
        state = f"{layout}-{len(texts)}-{image}"
        a_key = f"{key}-a-{state}"
        a = st.selectbox(
            "Caption", range(len(texts)), index=_held(a_key, range(len(texts)), start),
            format_func=numbered.__getitem__, key=a_key,
        )  # fmt: skip
        others = [*(j for j in range(len(texts)) if j != a), NONE]
        b_key = f"{key}-b-{state}-{a}"
        b = st.selectbox(
            "Set against", others, index=_held(b_key, others, rival), key=b_key,
            format_func=lambda j: "no other caption" if j == NONE else numbered[j],
        )  # fmt: skip
    return image, a, None if b == NONE else b


def _held(key: str, options: Sequence[int], first: int) -> int:
    """The place of what a list of captions stands at. It is told anew: an edit words its options anew, and a browser
    goes on showing the words of before (see `address.anew`)."""
    if st.session_state.get(key) in options:
        st.session_state[key] = first = st.session_state[key]
    return options.index(first) if first in options else 0


def _tokens(
    speaking: Sequence[ModelScores], layout: str, texts: Sequence[str], image: int, a: int, b: int | None,
    paint: dict[str, str], key: str,
) -> None:  # fmt: skip
    labels, roles = colours.labels([one.spec for one in speaking]), judging.roles(layout, len(texts))
    roles = [f"caption {role}" if role.isdecimal() else role for role in roles]
    upto = 2.0 if st.session_state.get("try-wide") else 1.0
    for one in speaking:
        tokens.draw(one, labels[one.spec], paint[one.spec], image, roles, texts, a, b, upto, key)
    chart_caption(
        "Each token: log P(token | image) − α · log P(token) in nats (VisualGPTScore, Eq. 7, by the chain rule); brown "
        "above 0, blue below. At α = 0 the mean is the generation score above; at α = 1 a token's number is what the "
        "image adds to the prior (pointwise mutual information). ◆ marks the word at which the prior prefers one "
        "caption most: what α takes away. A token's number depends on the tokens before it, so a word can raise or "
        "lower those that follow; in captions of different length a shared word counts, too, because each caption is "
        "divided by its own token count."
    )
