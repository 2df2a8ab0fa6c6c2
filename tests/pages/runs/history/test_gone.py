"""A run that a link names and that is gone: it is said, no other run takes its place, and it can be put back."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from backend.live.uploads import trash
from backend.store.build.reader import open_store

Visit = Callable[..., AppTest]
KEPT, GONE = "1" * 16, "2" * 16


def said(page: AppTest) -> str:
    return " ".join(element.proto.body for element in page.get("html"))


def deleting(page: AppTest) -> list[str]:
    return [button.label for button in page.button if str(button.key).startswith("run-delete-")]


@pytest.mark.slow
@pytest.mark.usefixtures("small")
def test_a_link_to_a_deleted_run_opens_no_other_and_offers_it_back(visit: Visit) -> None:
    """The newest run stood there without a word, and “Delete this run” deleted that one."""
    trash.discard_run(GONE, "fake:weak on small")
    open_store().refresh()
    page = visit("runs", run=GONE)
    assert not page.exception
    assert "fake:weak on small: deleted" in said(page)
    assert deleting(page) == []
    assert page.query_params["run"] in (GONE, [GONE])  # a reload says the same
    (back,) = [button for button in page.button if str(button.key).startswith("gone-undo-")]
    back.click().run()
    assert not page.exception
    assert deleting(page) == [f"Delete run {GONE[:8]}: fake\\:weak on small"]


@pytest.mark.slow
@pytest.mark.usefixtures("small")
def test_the_button_names_its_run_and_leaves_no_other_in_its_place(visit: Visit) -> None:
    """A second press, in the same place, would have been for the next run."""
    page = visit("runs", run=KEPT)
    assert deleting(page) == [f"Delete run {KEPT[:8]}: fake\\:strong on small"]
    next(button for button in page.button if button.key == f"run-delete-{KEPT}").click().run()
    assert not page.exception
    assert deleting(page) == []
    assert "fake:strong on small: deleted" in said(page)
    trash.restore(trash.listing()[0].key)


@pytest.mark.slow
@pytest.mark.parametrize("run", ["0123456789abcdef", "../../etc", "<b>no</b>"])
def test_a_link_to_a_run_that_never_was(small: Path, visit: Visit, run: str) -> None:
    del small
    page = visit("runs", run=run)
    assert not page.exception
    assert "This run is not here" in said(page)
    assert "<b>no" not in said(page)
    assert deleting(page) == []


@pytest.mark.slow
@pytest.mark.usefixtures("nothing_shipped")
def test_with_no_run_at_all(flipside_cache: Path, visit: Visit) -> None:
    shutil.rmtree(flipside_cache / "runs", ignore_errors=True)
    page = visit("runs", run=GONE)
    assert not page.exception
    assert "This run is not here" in said(page)
    assert "Nothing has been computed yet" in said(page)
