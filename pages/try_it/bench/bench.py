"""The bench: a picture at the left, at the right all models' margins; a change of a word or a cover moves them at once.

All of it is one fragment, so that a click asks for nothing but this, and what stands below the bench, folded, which is
about what the bench shows.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from backend.errors import FlipsideError
from backend.live.playing import play as played
from backend.live.playing import recipes
from backend.live.playing.others import Under
from backend.live.playing.play import Play
from backend.live.scoring import captions, shipped
from backend.live.scoring.scoring import ModelScores
from pages.shared.frame.header import chart_caption, empty, seen, trouble
from pages.shared.frame.plain import plain
from pages.try_it import below, inputs, scores
from pages.try_it import state as try_state
from pages.try_it.bench import hand, matrix, notices, picture, reasons, view
from pages.try_it.bench import rows as rows_of
from pages.try_it.bench import why as why_words
from pages.try_it.bench.hand import Base
from pages.try_it.state import Picture


@st.fragment
def draw(models: Sequence[str], kinds: Sequence[str], prior: str) -> None:
    """The whole experiment: inputs, pictures and matrix."""
    state = st.session_state
    if state.pop("try_again", False):
        st.rerun()
    whole_page = state.pop("try_whole", False)
    left, right = st.columns([5, 7], gap="medium")
    with left:
        shown = try_state.pictures()
        place = st.container()
        if not shown:  # one's own begin with a picture
            inputs.uploader()
        lines = inputs.captions()
        layout = inputs.layout(len(shown), lines)
        inputs.tools(shown, lines, layout, answered=_shipped(models, shown, lines, layout) is not None)
        if shown:
            inputs.uploader()
    sizes = [each.image.size for each in shown]
    try:
        texts = captions.check(lines)
    except FlipsideError as error:  # the pictures stand as they are; no click on them reaches a caption
        state.try_base = (tuple(each.entry for each in shown), (), layout)
        with place:
            picture.draw(shown, Play((), hand.covered(sizes)[0]), _did)
        with right:
            trouble(str(error))
        return
    base: Base = (tuple(each.entry for each in shown), texts, layout)
    play = hand.play(texts, sizes)
    state.try_base = base
    live = is_live(models, prior)
    follows = not whole_page and state.get("try_below") != (base, live)
    state.try_below = (base, live)
    try_state.write_address(shown, texts, layout)
    with place:
        picture.draw(shown, play, _did)
        if more := state.get("try_left_out"):
            st.info(
                f"The link names {try_state.MAX_IMAGES + more} images; this page takes {try_state.MAX_IMAGES}, so the "
                f"last {f'{more} are' if more > 1 else 'one is'} left out.",
                icon=":material/info:",
            )
        if odd := hand.left_out():
            st.info(plain(f"Left out of the link: {'; '.join(odd)}."), icon=":material/info:")
    with right:
        _right(models, kinds, prior, shown, base, play, follows=follows)
    if follows:  # with what takes longer
        st.rerun(scope="fragment")
    below.draw(models, kinds, prior, shown, texts, layout, play)


def is_live(models: Sequence[str], prior: str) -> bool:
    """Whether the models are asked at once: after Score, or where all of them are in memory anyway."""
    state = st.session_state
    state.try_live = bool(state.get("try_live")) or scores.loaded(models, prior)
    return bool(state.try_live)


def _did() -> None:
    """The callback of both components: whatever one of them sent is done before the fragment runs again."""
    state = st.session_state
    for key in (matrix.KEY, picture.KEY):
        sent = (state.get(key) or {}).get("did")
        if not isinstance(sent, Mapping) or "try_base" not in state or sent.get("id") == state.get("try_done"):
            continue  # a run that is cut short may call this again for the same click
        state.try_done = sent.get("id")
        if sent.get("do") == "remove":
            _remove(sent.get("image"))
        elif retyped := hand.did(sent, state.try_base):
            try_state.retype(retyped.texts, retyped.layout)
            state.try_again = True


def _remove(image: Any) -> None:
    entries = st.session_state.try_base[0]
    if isinstance(image, int) and 0 <= image < len(entries):
        try_state.remove(entries[image])
        hand.forget()
        st.session_state.try_again = True


def _right(
    models: Sequence[str], kinds: Sequence[str], prior: str, shown: Sequence[Picture], base: Base, play: Play,
    *, follows: bool,
) -> None:  # fmt: skip
    """What is seen, then captions and matrix; or what is lacking for it. follows: another run comes at once, so scores
    are shown now and reasons, for which 16 other pictures are asked about, then."""
    _, texts, layout = base
    if not shown:
        empty("No image yet", "Choose an example above, or drop, or paste, images on the left.")
        return
    if not texts:
        empty("No caption yet", "Type what the picture shows; false captions are proposed to set against it.")
        return
    if not models:
        empty("No model chosen", "Choose at least one model under Models, in the sidebar.")
        return
    head, progress = st.container(), st.empty()
    ready = None if st.session_state.try_live else _shipped(models, shown, texts, layout)
    if ready and not play.changed(texts):
        under, own = ready
        rows = rows_of.rows(own, own, layout, kinds)
        why = reasons.of_rows(rows, shown, texts, layout, under)
        known = rows_of.Seen(
            rows_of.marks([each.key for each in shown], texts, play, layout), notices.tied(own, texts),
            rows_of.taken([each.key for each in shown], texts, layout),
        )  # fmt: skip
        with head:
            seen(view.sentence(rows, play, texts, "", known))
            matrix.draw(matrix.data(shown, base, play, rows, known, why, hand.recipes(base)), _did)
            about = why_words.ONE_ITEM if any(each.uncertain for each in why.values()) else ""
            shipped_ = "These scores ship with Flipside; the first change loads the models, which takes seconds."
            chart_caption(f"{about} {shipped_}".strip())
        return
    found = _asked(models, prior, shown, base, play, progress)
    if found is None:
        with head:
            seen(_asks(base, is_changed=bool(play.changed(texts))))
            unscored = rows_of.Seen(rows_of.marks([each.key for each in shown], texts, play, layout))
            matrix.draw(matrix.data(shown, base, play, [], unscored, {}, {}), _did)
        if len(texts) == 1:
            empty(*_one_alone(base))
        else:
            empty(
                "Ready to score",
                "Press Score (Ctrl + Enter): the models are loaded now and answer every later change at once.",
            )
        notices.draw(shown, play.texts, models, prior, layout)
        return
    before, now = found
    rows = rows_of.rows(before, now, layout, kinds)
    kept = hand.recipes(base)
    sizes = [each.image.size for each in shown]
    for row in rows:
        recipes.keep(kept, row.who, recipes.made(texts, play, sizes, *row.answers))
    known = rows_of.Seen(
        rows_of.marks([each.key for each in shown], texts, play, layout), notices.tied(now, play.texts),
        rows_of.taken([each.key for each in shown], texts, layout),
    )  # fmt: skip
    # Of captions that are no truth and foil there is no verdict, and so no reason for one.
    unasked = follows or play.changed(texts) or rows_of.contradiction(known.marks, layout)
    why = {} if unasked else reasons.of_rows(rows, shown, texts, layout)
    with head:
        seen(view.sentence(rows, play, texts, played.told(texts, play, sizes), known))
        matrix.draw(matrix.data(shown, base, play, rows, known, why, kept, follows=follows), _did)
        if any(each.uncertain for each in why.values()):
            chart_caption(why_words.ONE_ITEM)
    notices.silent(now, kinds)
    notices.draw(shown, play.texts, models, prior, layout)


def _asked(
    models: Sequence[str], prior: str, shown: Sequence[Picture], base: Base, play: Play, progress: Any
) -> tuple[list[ModelScores], list[ModelScores]] | None:
    """What the models said before and say now; None where they are not asked yet, or there is nothing to choose."""
    images, keys = [each.image for each in shown], [each.key for each in shown]
    texts = base[1]
    if len(texts) < 2:
        return None
    if not st.session_state.try_live:
        return None
    before = scores.score_all(models, images, keys, texts, prior, progress)
    if not play.changed(texts):
        return before, before
    return before, scores.score_all(models, *play.pictures(images, keys), play.texts, prior, progress)


def _shipped(
    models: Sequence[str], shown: Sequence[Picture], texts: Sequence[str], layout: str
) -> tuple[dict[tuple[str, str], Under], list[ModelScores]] | None:
    """What ships of an unchanged example, under other scenes and its own, where it does for all of the models."""
    example = shipped.example_of([each.key for each in shown], texts, layout)
    found = shipped.scores(models, example) if example and models else None
    return (shipped.under(models, example), found) if example and found else None


def _one_alone(base: Base) -> tuple[str, str]:
    """What is missing where there is one caption, and where to get it."""
    above = "Press one of the false captions proposed above" if matrix.proposed(base[1], base[2], len(base[0])) else ""
    typed = "type one on a second line of “Captions”, at the left"
    return (
        "Not scored: one caption alone",
        "A model is right or wrong only between captions, so a second one is needed. "
        + (f"{above}, or {typed}." if above else f"{typed[0].upper()}{typed[1:]}."),
    )


def _asks(base: Base, *, is_changed: bool) -> str:
    """What stands above the captions before anything is scored. is_changed: they are edited, and what an example asks
    is of its own words."""
    if len(base[1]) < 2:
        if len(base[0]) > 1:
            return "Which caption would each model give to which picture? Pick a second one, or type it."
        return "Which false caption would a model believe instead?"
    example = None if is_changed else shipped.example_of(*base)
    return example.asks.partition(":")[0].rstrip(".") + "." if example else "Which caption does each model believe?"
