"""Word by word: what every score loses when one word of the caption is left out."""

from collections.abc import Sequence
from math import isfinite

import numpy as np
import pandas as pd
import streamlit as st
from markupsafe import Markup
from PIL import Image

from backend.errors import FlipsideError
from backend.live.scoring import pool
from backend.live.scoring.word_left_out import Effect, WordsOut, leave_one_out, words
from pages.shared.drawing import colours
from pages.shared.drawing.colours import DIVERGING, along, ink_on
from pages.shared.drawing.numbers import score
from pages.shared.frame.downloads import csv
from pages.shared.frame.header import chart_caption, trouble
from pages.shared.frame.plain import plain
from pages.shared.frame.style import show
from pages.shared.frame.tips import kind_name, margin_unit

SCORE, HERE, BOTH = "score", "here", "both"
MODES = {
    SCORE: "the score",
    HERE: "the margin, word out of this caption",
    BOTH: "the margin, word out of both",
}
LIMITS = (
    "A shortened caption is another sentence, often an odd one: the number says how the score moves when the word is "
    "not there, not that the model understood it. Punctuation, articles and the other words stay as they are. "
    "Text–text is the cosine with the other caption, prior the likelihood without the image; prior and generation are "
    "those of the shortened caption, with its own token count."
)


def after(effect: Effect, mode: str) -> np.ndarray:
    """What the score or margin is without each word, (words,)."""
    return {SCORE: effect.without, HERE: effect.margin_here, BOTH: effect.margin_both}[mode]


def before(effect: Effect, mode: str) -> float:
    """The score or margin of the whole caption."""
    return effect.full if mode == SCORE else effect.margin


def table(found: Sequence[WordsOut], names: dict[str, str], paint: dict[str, str], mode: str) -> Markup:
    """Words down, the scores of all models across: bold what the word is worth, below it what is left without it.

    Colours diverge around 0, full at the column's own largest effect. ⇄ marks a margin that changes its sign.
    """
    columns = [(one, effect) for one in found for effect in one.effects if np.isfinite(after(effect, mode)).any()]
    heads, kinds, firsts, lasts = Markup(), Markup(), Markup(), Markup()
    for one in found:
        own = [effect for of, effect in columns if of is one]
        if own:
            dot = colours.dot(one.spec, paint[one.spec])
            heads += Markup('<th scope="colgroup" colspan="{}">{} {}</th>').format(len(own), dot, names[one.spec])
    bodies = [Markup()] * (len(found[0].words) if found else 0)
    for _, effect in columns:
        left, full = after(effect, mode), before(effect, mode)
        worth = full - left
        reach = float(np.nanmax(np.abs(worth))) or 1.0
        kinds += Markup('<th scope="col">{}<small>{}</small></th>').format(
            kind_name(effect.kind), margin_unit(effect.kind)
        )
        firsts += Markup("<td>{}</td>").format(score(full, signed=mode != SCORE))
        lasts += Markup('<td title="{}">± {}</td>').format(margin_unit(effect.kind), score(reach))
        for k in range(len(bodies)):
            bodies[k] += _cell(float(worth[k]), float(left[k]), full, reach, mode)
    rows = Markup().join(
        Markup('<tr><th scope="row">{}</th>{}</tr>').format(word.text, cells)
        for word, cells in zip(found[0].words if found else (), bodies, strict=True)
    )
    what = "score" if mode == SCORE else "margin"
    return Markup(
        '<div class="fs-scroll" tabindex="0" role="region" aria-label="Words left out"><table class="fs-wordsout">'
        "<caption>What each word is worth to {mode}"
        "</caption><thead><tr><td></td>{heads}</tr>"
        '<tr><td></td>{kinds}</tr><tr class="fs-whole"><th scope="row">whole caption: {what}</th>{firsts}</tr></thead>'
        '<tbody>{rows}</tbody><tfoot><tr><th scope="row">full colour</th>{lasts}</tr></tfoot></table></div>'
    ).format(mode=MODES[mode], heads=heads, kinds=kinds, what=what, firsts=firsts, rows=rows, lasts=lasts)


def _cell(worth: float, left: float, full: float, reach: float, mode: str) -> Markup:
    if not isfinite(worth):
        return Markup('<td class="fs-undefined">–</td>')
    colour = along(DIVERGING, 0.5 + worth / (2 * reach))
    turned = mode != SCORE and (left > 0) != (full > 0)
    tip = f"worth {score(worth, signed=True)}; without the word {score(left)}" + (
        ", which turns the order round" if turned else ""
    )
    return Markup(
        '<td style="background:{colour};color:{ink}" title="{tip}"><b>{worth}</b><small>{turned}{left}</small></td>'
    ).format(
        colour=colour,
        ink=ink_on(colour),
        tip=tip,
        worth=score(worth, signed=True),
        turned="⇄ " if turned else "",
        left=score(left),
    )


def frame(found: Sequence[WordsOut]) -> pd.DataFrame:
    """Every number, a line a model, kind and word, for a file."""
    rows = [
        {
            "model": one.spec, "kind": effect.kind, "unit": margin_unit(effect.kind), "position": k + 1,
            "word": word.text, "shortened": word.rest, "full": effect.full, "without": effect.without[k],
            "drop": effect.drop[k], "margin": effect.margin, "margin_word_out_here": effect.margin_here[k],
            "margin_word_out_of_both": effect.margin_both[k],
        }
        for one in found for effect in one.effects for k, word in enumerate(one.words)
    ]  # fmt: skip
    return pd.DataFrame(rows)


def draw(
    specs: Sequence[str], image: Image.Image, image_key: str, text: str, other: str | None, prior: str, key: str,
    paint: dict[str, str],
) -> None:  # fmt: skip
    """The whole panel: scores what is not cached yet, model by model, and draws the table."""
    found, place = [], st.empty()
    for k, spec in enumerate(specs):
        place.progress(
            k / len(specs), f"Leaving words out with {plain(colours.label(spec))}, {k + 1} of {len(specs)} …"
        )
        try:
            found.append(_left_out(spec, image_key, text, other, prior, image))
        except FlipsideError as error:
            place.empty()
            trouble(str(error))
            if not words(text) or len(words(text)) > 24:
                return
    place.empty()
    if not found:
        return
    modes = list(MODES) if other is not None else [SCORE]
    mode = st.segmented_control(
        "What each word is worth to", modes, default=modes[0], format_func=MODES.__getitem__,
        key=f"{key}-mode-{len(modes)}", required=True,
        help="Margin: the caption's score minus that of the caption it is set against. “Out of both” takes out words "
        "that both captions have in the same place.",
    )  # fmt: skip
    show(table(found, colours.labels([one.spec for one in found]), paint, mode or SCORE))
    what = "score" if mode == SCORE else "margin"
    chart_caption(
        f"Bold: the {what} of the whole caption minus the {what} without the word; above 0 (brown) the word speaks for "
        f"the caption, below 0 (blue) against it. Small: the {what} that is left"
        + ("; ⇄ where that turns the order of the two captions round. " if mode != SCORE else ". ")
        + LIMITS
    )
    st.download_button(
        "All numbers as CSV", csv(frame(found)), "words-left-out.csv", "text/csv", icon=":material/download:",
        key=f"{key}-csv", on_click="ignore",
    )  # fmt: skip


@st.cache_data(max_entries=200, show_spinner=False)
def _left_out(
    spec: str,
    image_key: str,  # noqa: ARG001 - stands for the image in the cache's key
    text: str,
    other: str | None,
    prior: str,
    _image: Image.Image,
) -> WordsOut:
    found = leave_one_out(pool.shared(), spec, _image, text, other, prior)
    if found.problem:
        raise FlipsideError(found.problem)
    return found
