"""Choosing a model that has not seen some items: offered ones first, or a spec that is typed."""

from collections.abc import Collection

import streamlit as st

from backend.errors import FlipsideError
from backend.live.scoring import pool
from pages.shared.drawing import colours
from pages.shared.frame.header import trouble

_HELP = (
    "A bundled model, or type the spec of your own: `hf:openai/clip-vit-base-patch32`, "
    "`openclip:ViT-B-32/laion2b_s34b_b79k`, `endpoint:https://host/v1#model`, or a prefix before a folder "
    "below `$FLIPSIDE_MODELS`."
)


def choose(seen: Collection[str], key: str) -> tuple[str, frozenset[str]]:
    """(spec, the kinds that it gives); ("", nothing) after saying what is wrong. seen: models that have scores here
    already; they stand last, for asking again is allowed."""
    listed = colours.order(pool.available())
    listed = [spec for spec in listed if spec not in seen] + [spec for spec in listed if spec in seen]
    names = colours.labels(listed)
    spec = st.selectbox(
        "Model", listed, key=key, accept_new_options=True, help=_HELP,
        format_func=lambda s: f"{names.get(s, s)}{' · has a run here' if s in seen else ''}",
    )  # fmt: skip
    spec = (spec or "").strip()
    if not spec:
        return "", frozenset()
    try:
        return spec, pool.kinds(spec)
    except FlipsideError as error:
        trouble(str(error))
        return "", frozenset()
