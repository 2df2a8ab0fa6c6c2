"""What stands below the bench, folded: every score, what the language prior decides, and what a score rests on.

It is about what the bench shows: after an edit about the captions and pictures as they are then, judged only where the
truth is still what the layout says.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import streamlit as st

from backend.live.playing.play import Play
from backend.live.scoring import judging
from pages.shared.drawing import colours
from pages.shared.drawing.thumbnails import encode
from pages.shared.frame.fold import fold
from pages.shared.frame.header import chart_caption
from pages.try_it import explain, results, scores
from pages.try_it.bench import rows
from pages.try_it.state import Picture

#: What is said first where anything is edited, and where nothing below can be right or wrong.
EDITED = "Below: the captions and pictures as edited above."
NO_VERDICT = "Without verdicts, since their truth is not what the layout says, or is not known."


def draw(
    models: Sequence[str], kinds: Sequence[str], prior: str, pictures: Sequence[Picture], texts: Sequence[str],
    layout: str, play: Play,
) -> None:  # fmt: skip
    """The folds; nothing before the models are asked. pictures, texts: of the experiment; play: as they are now."""
    if not (models and pictures and len(texts) > 1 and st.session_state.get("try_live")):
        return
    shown, judged = as_now(pictures, texts, layout, play)
    with st.container():  # there is always such a place, so that what stands below stays the same elements
        if play.changed(texts):
            chart_caption(f"{EDITED} {NO_VERDICT}" if judged != layout else EDITED)
    texts, layout = play.texts, judged
    found = scores.score_all(models, [p.image for p in shown], [p.key for p in shown], texts, prior, st.empty())
    paint = colours.of_models(models)
    thumbs = partial(_thumbs, shown)
    with fold("Every score, side by side", "try-every-score", ":material/grid_view:") as box:
        if box.open:
            results.answer(found, layout, kinds, paint)
            results.cards(found, layout, kinds, texts, thumbs(), paint)
    if "gen" in kinds and any(one.gen_tokens and one.prior is not None for one in found):
        with fold("What the language prior decides", "try-prior-decides", ":material/tune:") as box:
            if box.open:
                results.prior_section(found, layout, texts, thumbs(), paint)
    explain.draw(found, layout, texts, shown, models, prior, paint)


def as_now(pictures: Sequence[Picture], texts: Sequence[str], layout: str, play: Play) -> tuple[list[Picture], str]:
    """The pictures as they are covered now, and the layout as which the captions of `play` can be judged: a free grid
    where the drawn world, or an edit, makes their truth another one than the layout's."""
    marks = rows.marks([each.key for each in pictures], texts, play, layout)
    images, keys = play.pictures([each.image for each in pictures], [each.key for each in pictures])
    shown = [replace(each, image=image, key=key) for each, image, key in zip(pictures, images, keys, strict=True)]
    return shown, layout if rows.stands(marks, layout) else judging.GRID


def _thumbs(shown: Sequence[Picture]) -> list[str]:
    return [encode(each.image, 320) for each in shown]
