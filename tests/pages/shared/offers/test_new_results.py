"""An open page offers what has come since it was drawn, and nothing else of it is touched."""

import os
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
from streamlit.testing.v1 import AppTest

from backend.errors import FlipsideError
from backend.store.build import generations
from backend.store.build.reader import open_store
from backend.store.build.store import Store
from pages.shared.data import stored
from pages.shared.offers import new_results
from tests.store import writer


@pytest.fixture
def store(flipside_cache: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    monkeypatch.setattr("backend.store.build.sources.bundled_runs_dir", lambda: flipside_cache / "none")
    writer.write_run(flipside_cache, writer.items(2), "1" * 16, ["itc"])
    opened = open_store(wait=True)
    yield opened
    opened.close()


def test_a_store_says_what_lies_ahead_and_stays_where_it_is(flipside_cache: Path, store: Store) -> None:
    assert store.ahead() == ""
    before, file = store.reading, generations.current()
    writer.write_run(flipside_cache, writer.items(2), "2" * 16, ["itc"], model="fake:other")
    first = store.ahead()
    assert first
    assert first == store.ahead(), "nothing was written in between"
    writer.write_run(flipside_cache, writer.items(2), "3" * 16, ["itc"], model="fake:third")
    assert store.ahead() not in ("", first), "more is being written"
    assert (store.reading, generations.current()) == (before, file), "looking imports nothing"
    store.refresh()
    assert store.ahead() == ""
    assert store.reading != before
    runs, benchmarks = store.held()
    assert {model for model, _, _, _ in runs.values()} >= {"fake:other", "fake:third"}
    assert {of for _, _, of, _ in runs.values()} == set(benchmarks)
    assert [n for _, n in benchmarks.values()] == [len(writer.items(2))]


def test_looking_for_what_is_new_moves_nobody_on(
    flipside_cache: Path, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Failed at first: to ask pages for their store imported what was new, as each click does."""
    monkeypatch.setattr(stored, "_asked", [store])
    monkeypatch.setattr("backend.store.build.store.LOOK", 0.0)
    monkeypatch.setattr("backend.store.build.store.LOOK_FOR_SHARDS", 0.0)
    before = stored.reading()
    writer.write_run(flipside_cache, writer.items(2), "2" * 16, ["itc"], model="fake:other")
    assert new_results.beyond(before)
    assert store._importing is None
    assert stored.reading() == before


def test_items_alone_are_told_from_results(flipside_cache: Path, store: Store) -> None:
    """The offer spoke of results for an edition that nobody has scored."""
    now = time.time()
    for manifest in flipside_cache.glob("runs/*/manifest.json"):
        os.utime(manifest, (now - 3600, now - 3600))
    store.refresh()
    assert not store.ahead_are_items(), "nothing is ahead"
    folder = flipside_cache / "benchmarks"
    (known,) = folder.iterdir()
    shutil.copytree(known, folder / "0123456789abcdef")
    assert store.ahead()
    assert store.ahead_are_items()
    manifest = next(flipside_cache.glob("runs/*/manifest.json"))
    os.utime(manifest)  # scores may have come
    assert not store.ahead_are_items()
    os.utime(manifest, (now - 3600, now - 3600))
    writer.write_run(flipside_cache, writer.items(2), "2" * 16, ["itc"], model="fake:other")
    assert not store.ahead_are_items()
    shutil.rmtree(flipside_cache / "runs" / ("2" * 16))
    assert store.ahead_are_items()
    shutil.rmtree(known)
    assert not store.ahead_are_items(), "something is gone"


def _page() -> None:
    import streamlit as st

    from pages.shared.offers import new_results

    with new_results.watched():
        st.text_input("what", key="what")
        if st.session_state.get("stopping"):
            st.stop()


def _look() -> None:
    from pages.shared.offers import new_results

    new_results._look()


class Fake:
    """A store that has imported `here`, of what lies in the roots, `there`."""

    def __init__(self) -> None:
        self.here = self.there = "one"
        self.refuses, self.refreshed = False, 0
        self.items = False
        self.runs = {"r": ("fake:ok", "world", "w", "1")}
        self.benchmarks = {"w": ("world", 9)}

    def held(self) -> tuple[dict[str, tuple[str, str, str, str]], dict[str, tuple[str, int]]]:
        return dict(self.runs), dict(self.benchmarks)

    def ahead(self) -> str:
        return "" if self.here == self.there else self.there

    def ahead_are_items(self) -> bool:
        return self.items

    def refresh(self) -> None:
        if self.refuses:
            raise FlipsideError("the disk is full")
        self.refreshed, self.here = self.refreshed + 1, self.there


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> Fake:
    found = Fake()
    monkeypatch.setattr(stored, "reading", lambda: found.here)
    monkeypatch.setattr(stored, "asked", lambda: found)
    return found


@pytest.fixture
def timer(fake: Fake, monkeypatch: pytest.MonkeyPatch) -> AppTest:
    """The fragment alone, as its timer runs it, on a page that was drawn of the first generation."""
    monkeypatch.setattr(new_results, "get_script_run_ctx", lambda: SimpleNamespace(fragment_ids_this_run=["its own"]))
    app = AppTest.from_function(_look)
    app.session_state["_new_results"] = new_results.Notes(drawn=fake.here)
    return app


def test_what_has_come_is_offered_once_it_is_whole_and_shown_when_asked_for(fake: Fake, timer: AppTest) -> None:
    assert not timer.run().button, "nothing has come"
    fake.there = "two"
    assert not timer.run().button, "it may still be written"
    fake.there = "three"
    assert not timer.run().button, "it was"
    (offer,) = timer.run().button
    assert offer.label == "New results or items are here: show them"
    assert fake.refreshed == 0, "looking imports nothing"
    fake.there = "four"  # a press counts all the same
    offer.click().run()
    assert (fake.refreshed, fake.here) == (1, "four")
    assert not timer.exception


def test_another_session_s_click_is_offered_too(fake: Fake, timer: AppTest) -> None:
    fake.here = fake.there = "two"
    timer.run()
    assert len(timer.run().button) == 1


def test_what_is_offered_stays_so_whatever_becomes_of_it(fake: Fake, timer: AppTest) -> None:
    """Failed before: where another session had it imported, it was another thing, and the offer went for a look."""
    fake.there, fake.items = "two", True
    timer.run()
    (offer,) = timer.run().button
    assert offer.label == new_results.ITEMS
    fake.there, fake.items = "three", False  # scores come, too
    (offer,) = timer.run().button
    assert offer.label == new_results.OFFER
    fake.here = "three"  # another session's click
    (offer,) = timer.run().button
    assert offer.label == new_results.OFFER
    fake.here = fake.there = "one"
    assert not timer.run().button, "the page shows all there is"


def test_what_cannot_be_imported_is_said_once(fake: Fake, timer: AppTest) -> None:
    fake.there, fake.refuses = "two", True
    timer.run()
    timer.run().button[0].click().run()
    assert [toast.value for toast in timer.toast] == ["the disk is full"]
    assert not timer.run().button
    fake.there = "three"
    timer.run()
    assert len(timer.run().button) == 1, "this is something else"


def _choosing() -> None:
    import streamlit as st

    from pages.shared.data import stored
    from pages.shared.frame import address
    from pages.shared.offers import new_results

    with new_results.watched():
        address.begin(("part", "map"))
        subsets = st.session_state["subsets"][stored.reading()]
        st.selectbox("Subset", subsets, key=address.option("part", subsets, subsets[0]), index=address.index("part"))
        address.end()


def _shown(app: AppTest, fake: Fake) -> None:
    """The offer, taken: as the fragment does it, whose timer a test has not."""
    notes = app.session_state["_new_results"]
    notes.held = new_results.Held(*fake.held())
    notes.left = (notes.held, ("part", "map"), {"part": app.selectbox[0].value})
    fake.here = fake.there = "two"


@pytest.mark.parametrize(
    ("there", "shows", "said"),
    [
        (["count", "relation"], "relation", ""),  # another default: what was shown stays
        (["count", "size"], "count", " With them this page shows another subset: count instead of relation."),
    ],
)
def test_what_came_is_said_and_what_the_page_shows_instead(fake: Fake, there: list[str], shows: str, said: str) -> None:
    """60 new items changed nothing of the page that was open, and nothing said so; a subset changed without a word."""
    app = AppTest.from_function(_choosing)
    app.session_state["subsets"] = {"one": ["relation", "count"], "two": there}
    app.run()
    assert (app.selectbox[0].value, list(app.toast)) == ("relation", [])
    _shown(app, fake)
    fake.benchmarks["m"] = ("mine", 60)
    app.run()
    assert not app.exception
    assert app.selectbox[0].value == shows
    (toast,) = app.toast
    items = (
        "Here now: 60 items of mine, not scored yet; Failures and Runs show them, other pages once a model is scored."
    )
    assert toast.value.replace("\\", "") == items + said
    app.run()
    assert not app.toast, "it is said once"


def test_a_look_notes_what_the_page_was_drawn_of(fake: Fake, timer: AppTest) -> None:
    timer.run()
    assert timer.session_state["_new_results"].held == new_results.Held(*fake.held())
    fake.here = fake.there = "two"  # another session had it imported: what was before stays known
    fake.runs["n"] = ("fake:two", "world", "w", "2")
    timer.run()
    assert "n" not in timer.session_state["_new_results"].held.runs


@pytest.mark.parametrize("stops", [False, True])
def test_a_page_notes_what_it_was_drawn_of_and_offers_nothing_itself(fake: Fake, stops: bool) -> None:
    app = AppTest.from_function(_page)
    app.session_state["stopping"] = stops
    fake.there = "two"
    for _ in range(3):
        app.run()
        assert app.session_state["_new_results"].drawn == "one"
        assert not app.button
