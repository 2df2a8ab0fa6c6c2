"""What is still to be computed for a map: when it begins, how far it is, and what is said where it cannot begin."""

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from backend.live.maps import maps
from backend.live.maps.layouts import Layout
from pages.embeddings import data as embeddings_data
from pages.embeddings import work
from pages.embeddings.data import Space
from tests.pages.embeddings.test_embeddings import points


def test_below_a_map_that_ships_a_model_begins_with_captions_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[maps.Wanted] = []
    offered: list[maps.Wanted] = []
    asked = maps.Wanted("r", "m", "", "", ("u", "v"), ("one", "two"))
    monkeypatch.setattr(embeddings_data, "wanted", lambda *_: asked)
    monkeypatch.setattr(work, "_begin", lambda _work, _n, _layout, wanted, _said: begun.append(wanted))
    monkeypatch.setattr(work, "_offer", lambda *args: offered.append(args[-1]))
    monkeypatch.setattr(work, "chart_caption", lambda _: None)
    monkeypatch.setattr(maps, "state", lambda _: maps.State(False))
    work.below(None, "bundled:m", "s", for_the_line=True)
    assert (begun, offered) == ([replace(asked, uris=())], [])
    work.below(None, "bundled:m", "s", for_the_line=False)  # of a second map no line is told
    work.below(None, "other", "s", for_the_line=True)
    assert (len(begun), offered) == (1, [asked, asked])


def begun_by_itself() -> None:
    """A page that embeds by itself; how often it is run is counted."""
    import streamlit as st

    from pages.embeddings import work as page_work

    st.session_state["runs"] = st.session_state.get("runs", 0) + 1
    page_work._begin("w", 1, None, None, "m embeds 1 image.")


def test_a_request_that_begins_by_itself_runs_the_page_again_only_at_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """Failed before: it ran as a whole when it began, too, in the middle of whatever was chosen next."""
    begun: list[str] = []
    state = maps.State(True, "Embedding 0 of 1 images", 0.25, 1.0)
    monkeypatch.setattr(maps, "start", lambda *_, in_passing: begun.append("passing" if in_passing else "asked"))
    monkeypatch.setattr(maps, "look", lambda _: state)
    page = AppTest.from_function(begun_by_itself).run()
    assert (begun, page.session_state["runs"]) == ([], 1)
    page.run()
    assert (begun, page.session_state["runs"]) == (["passing"], 2)
    assert page.button[0].label == "Stop"
    page.run()
    assert (begun, page.session_state["runs"]) == (["passing"], 3)
    monkeypatch.setattr(work.st, "rerun", lambda: begun.append("rerun"))
    state = maps.State(False)
    page.run()
    assert begun == ["passing", "rerun"]


def test_what_is_left_of_a_request_is_told_from_what_its_stage_took(monkeypatch: pytest.MonkeyPatch) -> None:
    """Failed before: “about 62 s left” stood there 11 s before the end, for waiting and loading counted, too."""
    state = maps.State(True, "Embedding 256 of 768 captions", 1 / 3, 31.0, of_stage=4.0)
    monkeypatch.setattr(maps, "look", lambda _: state)
    monkeypatch.setattr(work.st, "progress", lambda *_: None)
    said: list[str] = []

    class Bar:
        """Where the progress is drawn."""

        def progress(self, _: float, text: str) -> None:
            said.append(text)

        def button(self, *_: object, **__: object) -> bool:
            return False

    monkeypatch.setattr(work.st, "columns", lambda *_, **__: (Bar(), Bar()))
    work._tell("w", "")
    state = maps.State(True, "Loading m", None, 31.0)
    work._tell("w", "")
    assert said == ["Embedding 256 of 768 captions, about 8 s left of these · 31 s", "Loading m · 31 s"]


def offers() -> None:
    """The same, and what the page offers once it does not begin by itself."""
    from pages.embeddings import work as page_work

    if not page_work._goes_on("w", 1, None, None, "m embeds 1 image.", at_once=True):
        page_work._offer("Embed them with m", "w", None, 1, None, None)


def test_a_request_that_cannot_begin_says_why_and_is_tried_again_when_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Failed before: on a full disk a page tried every 0.7 s, a process each time, below a map that seemed to come."""
    tried: list[bool] = []

    def start(*_: object, in_passing: bool) -> None:
        tried.append(in_passing)
        if len(tried) < 3:
            raise OSError(28, "No space left on device", "/there/process.json")

    monkeypatch.setattr(maps, "start", start)
    monkeypatch.setattr(maps, "look", lambda _: maps.State(len(tried) == 3, "Starting"))
    monkeypatch.setattr(maps, "state", lambda _: maps.State(False))
    begin = work._begin

    def second_look(name: str, *more: Any) -> None:  # a browser asks for it by itself
        work.st.session_state[work._of_begin(name)] = False
        begin(name, *more)

    monkeypatch.setattr(work, "_begin", second_look)
    page = AppTest.from_function(offers).run()
    page.run()
    assert tried == [True], "not by itself again"
    assert "no space is left" in page.error[0].value
    page.button[0].click().run()
    assert tried == [True, False]
    assert page.button[0].label == "Embed them with m"
    page.button[0].click().run()
    assert tried == [True, False, False]
    assert page.button[0].label == "Stop"


def test_a_request_that_was_given_up_begins_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody looked, so its process ended; who comes back sees it begin, not a page that runs again and again."""
    asked = maps.Wanted("r", "m", "", "", ("u",), ())
    looks: list[bool] = []
    monkeypatch.setattr(maps, "look", lambda _: maps.State(False))
    monkeypatch.setattr(work, "_begin", lambda name, *_: looks.append(work._of_begin(name) in work.st.session_state))
    work.st.session_state[work._of_begin("w")] = True
    assert work._goes_on("w", 1, None, asked, "m embeds.", at_once=True)
    assert looks == [False]


def test_too_few_dots_are_no_map_to_wait_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """Failed before: a button was offered whose work could only end in a refusal."""
    said: list[str] = []
    monkeypatch.setattr(work, "chart_caption", said.append)
    monkeypatch.setattr(work, "_offer", lambda *_: pytest.fail("offered"))
    of = points()
    work.lay_out(Space("m", "r", of, np.eye(5, dtype=np.float32), False, 0), Layout(), "m")
    assert said == ["5 dots are too few for UMAP, which needs 12: shown is PCA."]


def test_few_dots_take_what_umap_takes_to_compile(monkeypatch: pytest.MonkeyPatch) -> None:
    """Failed before: twelve dots were told half a minute, as many as 1,800 take (20 and 26 s of one core, measured)."""
    said: list[str] = []
    monkeypatch.setattr("os.getloadavg", lambda: (0.0, 0.0, 0.0))
    monkeypatch.setattr(work.st, "html", lambda text, **_: said.append(text))
    monkeypatch.setattr(work, "_offer", lambda *_: None)
    monkeypatch.setattr(maps, "state", lambda _: maps.State(False))
    for n in (12, 1_800):
        of = replace(points(), contents=pd.DataFrame({"modality": ["text"] * n}))
        work.lay_out(Space("m", "r", of, np.eye(n, 4, dtype=np.float32), False, 0), Layout(), "m")
    assert [text.rpartition("about ")[2] for text in said] == ["25 s.</p>", "30 s.</p>"]
