"""What stands below the bench, folded: every score, what the language prior decides, and what a score rests on."""

from collections.abc import Sequence

import streamlit as st

from pages.shared.drawing import colours
from pages.shared.drawing.thumbnails import encode
from pages.shared.frame.fold import fold
from pages.try_it import explain, results, scores
from pages.try_it.state import Picture


def draw(
    models: Sequence[str], kinds: Sequence[str], prior: str, shown: Sequence[Picture], texts: Sequence[str], layout: str
) -> None:
    """The folds; nothing before the models are asked. All of it is about the experiment as it is without edits."""
    if not (models and shown and len(texts) > 1 and st.session_state.get("try_live")):
        return
    found = scores.score_all(models, [p.image for p in shown], [p.key for p in shown], texts, prior, st.empty())
    paint = colours.of_models(models)
    thumbs = [encode(each.image, 320) for each in shown]
    with fold("Every score, side by side", "try-every-score", ":material/grid_view:") as box:
        if box.open:
            results.answer(found, layout, kinds, paint)
            results.cards(found, layout, kinds, texts, thumbs, paint)
    if "gen" in kinds and any(one.gen_tokens and one.prior is not None for one in found):
        with fold("What the language prior decides", "try-prior-decides", ":material/tune:") as box:
            if box.open:
                results.prior_section(found, layout, texts, thumbs, paint)
    explain.style()
    explain.draw(found, layout, texts, shown, models, prior, paint)
