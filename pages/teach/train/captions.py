"""Generated captions, before anything trains with them: made, looked through, ticked away, taken along."""

from typing import Any

import pandas as pd
import streamlit as st

from backend.errors import FlipsideError
from backend.live.teaching import asking
from backend.live.teaching.captions import FILE, Captions, kept, read, written
from backend.live.teaching.words import Wish
from backend.teach.training.recipes import RECIPES
from pages.shared.data.frames import lines_of
from pages.shared.drawing.numbers import count
from pages.shared.frame import news
from pages.shared.frame.header import chart_caption, trouble
from pages.teach.train import session

#: Rows of the table, the first of those that are looked at.
SHOWN = 500
#: Seconds between two looks.
LOOK = 1.0
_STATE, _WANTED = "_teach_captions", "_teach_captions_wanted"


def may_help(recipe: str) -> bool:
    """Whether a recipe has a use for generated captions."""
    return bool(RECIPES[recipe].negatives or RECIPES[recipe].analogies)


def draw(wish: Wish) -> bytes:
    """The step between data and training; the file that is trained with, b"" for none."""
    words = ["--generate", f"{asking.OUTPUT}{FILE}", *wish.material(), "--json"]
    key = " ".join(words)
    held: tuple[str, Captions] | None = st.session_state.get(_STATE)
    if held is None or held[0] != key:
        _make(words, key, wish.recipe)
        return b""
    return _looked_through(key, held[1])


def _make(words: list[str], key: str, recipe: str) -> None:
    needs = "needs captions that say the same in other words" if RECIPES[recipe].analogies else "can take more captions"
    with st.container(border=True):
        left, right = st.columns([3, 1], vertical_alignment="center")
        with left:
            chart_caption(
                f"The recipe {recipe} {needs}. They are made from the data’s own by the paper’s rules (colour, "
                "material, size, state, action, place) and by synonyms, to be looked through before anything trains."
            )
        pressed = right.button(
            "Generate captions", key="teach-generate", icon=":material/edit_note:", width="stretch",
            disabled=st.session_state.get(_WANTED) == key,
        )  # fmt: skip
        if pressed:
            st.session_state[_WANTED] = key
            asking.shared().again()
        if st.session_state.get(_WANTED) == key:
            _wait(words, key)


def _wait(words: list[str], key: str) -> None:
    first = asking.shared().look(words, f"captions {session.key()}")

    @st.fragment(run_every=LOOK)
    def waiting() -> None:
        answer = asking.shared().follow(words) or first
        if not answer.is_over:
            st.caption(f":material/hourglass_top: Generating … {answer.seconds:.0f} s")
            return
        if answer.problem:
            trouble(answer.problem)
            st.session_state.pop(_WANTED, None)
            return
        try:
            st.session_state[_STATE] = (key, read(answer.written[FILE]))
        except FlipsideError as error:
            trouble(str(error))
            return
        st.session_state.pop(_WANTED, None)
        news.draw_anew()

    waiting()


def _looked_through(key: str, made: Captions) -> bytes:
    summary = made.summary()
    if not summary:
        st.warning("No rule applies to these captions, so there is nothing to train with.", icon=":material/info:")
        return b""
    ways = [row["how"] for row in summary]
    of = {row["how"]: row for row in summary}
    with st.expander(f"Generated captions: {len(made.rows):,}", icon=":material/edit_note:", expanded=True):
        taken = st.pills(
            "Ways that are taken", ways, default=ways, selection_mode="multi", key=f"teach-ways-{hash(key)}",
            format_func=lambda how: f"{how.removeprefix('negative_')} · {of[how]['effect']} · {of[how]['n']:,}",
            help="A negative is no longer true of the image, a positive still is. Nobody has checked each one.",
        )  # fmt: skip
        with st.container(horizontal=True, vertical_alignment="bottom"):
            shown = st.selectbox(
                "Look through", ["all ways", *taken], key=f"teach-shown-{hash(key)}", width=260,
                help="The captions that one way made; untick those that are not what they should be.",
            )  # fmt: skip
            find = st.text_input("that say", key=f"teach-find-{hash(key)}", placeholder="a word", width=220)
        left = ticked(key, made, taken, None if shown in (None, "all ways") else shown, find.strip().casefold())
        result = written(left)
        n = sum(row.keep for row in left.rows)
        with st.container(horizontal=True, vertical_alignment="center"):
            st.download_button(
                "Download as JSON Lines", result, FILE, "application/json", icon=":material/download:",
                on_click="ignore", key="teach-captions-file",
                help="Change it by hand and train with it in a terminal: flipside teach … --captions FILE",
            )  # fmt: skip
            chart_caption(f"{n:,} of {count(len(left.rows), 'caption')} are trained with.")
    return result if n else b""


def ticked(key: str, made: Captions, taken: list[str], way: str | None, words: str) -> Captions:
    """The captions with what is ticked away left out: whole ways, and single rows of the table."""
    rows = [(n, row) for n, row in enumerate(made.rows) if row.how in taken and way in (None, row.how)]
    rows = [(n, row) for n, row in rows if words in row.text.casefold() or words in row.caption.casefold()]
    off: set[int] = st.session_state.setdefault(f"_teach_off_{key}", set())
    frame = pd.DataFrame(
        {
            "n": [n for n, _ in rows[:SHOWN]], "keep": [n not in off for n, _ in rows[:SHOWN]],
            "caption": [row.caption for _, row in rows[:SHOWN]], "generated": [row.text for _, row in rows[:SHOWN]],
            "edit": [row.what for _, row in rows[:SHOWN]], "is": [row.effect for _, row in rows[:SHOWN]],
            "way": [row.how for _, row in rows[:SHOWN]],
        }
    )  # fmt: skip
    edited: Any = st.data_editor(
        frame, hide_index=True, height=250, key=f"teach-rows-{hash((key, way, words, tuple(taken)))}",
        column_order=["keep", "caption", "generated", "edit", "is", "way"],
        disabled=["caption", "generated", "edit", "is", "way"],
        column_config={"keep": st.column_config.CheckboxColumn("keep", width="small")},
    )  # fmt: skip
    if len(rows) > SHOWN:
        chart_caption(f"The first {SHOWN:,} of {len(rows):,}; look for a word to see others.")
    for line in lines_of(edited):
        (off.discard if line.keep else off.add)(int(line.n))
    return kept(made, lambda n, row: row.how in taken and n not in off)
