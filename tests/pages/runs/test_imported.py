"""Pages with a run that came in a bundle, and with one that cannot be drawn: named, shown, deletable."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from backend.live.uploads import trash
from backend.store.build.reader import open_store
from backend.store.catalog import catalog
from backend.store.exchange.bundle import read_bundle
from backend.store.exchange.write import write_bundle
from tests.store import writer

Visit = Callable[..., AppTest]


@pytest.fixture
def cache(flipside_cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, nothing_shipped: None) -> Path:
    """A run computed here, one imported from gpu.zip, and one whose record no page can read."""
    del nothing_shipped
    root, items = tmp_path / "elsewhere", writer.items(4)
    folder = writer.write_run(root, items, "", ["itc", "t2t"], model="fake:gpu")
    with monkeypatch.context() as patch:
        patch.setenv("FLIPSIDE_CACHE", str(root))
        write_bundle(folder.name, next((root / "benchmarks").iterdir()).name, tmp_path / "gpu.zip")
    writer.write_run(flipside_cache, items, "", ["itc"], model="fake:own")
    bad = writer.write_run(flipside_cache, items, "", ["itc"], model="fake:bad")
    record = json.loads((bad / "run.json").read_text())
    (bad / "run.json").write_text(json.dumps(record | {"priors": 7}))
    read_bundle(tmp_path / "gpu.zip")
    return flipside_cache


def said(page: AppTest) -> str:
    return " ".join(str(element.value) for kind in ("caption", "markdown") for element in page.get(kind))


@pytest.mark.parametrize("stamp", ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00", "10000-01-01", "x"])
def test_a_moment_that_utc_does_not_have_is_drawn_as_none(cache: Path, visit: Visit, stamp: str) -> None:
    """Of a run that an earlier version took over."""
    for path in cache.glob("imported/runs/*/run.json"):
        path.write_text(json.dumps(json.loads(path.read_text()) | {"updated": stamp, "created": stamp}))
    page = visit("runs", tab="computed")
    assert not page.exception
    (listed,) = [text for e in page.get("bidi_component") if "runs-list" in (text := str(e.proto.json))]
    assert "imported: gpu.zip" in listed


@pytest.mark.slow
@pytest.mark.usefixtures("cache")
def test_a_run_that_cannot_be_drawn_is_named_and_can_be_deleted(visit: Visit) -> None:
    """Once: the page raised, and with the list went the button that could have mended it."""
    page = visit("runs", tab="computed")
    assert not page.exception
    (listed,) = [text for e in page.get("bidi_component") if "runs-list" in (text := str(e.proto.json))]
    assert {"computed here", "imported: gpu.zip"} <= set(re.findall(r"<td>([^<]*)</td></tr>", listed))
    assert "priors" in said(page)
    (button,) = [each for each in page.button if str(each.key).startswith("problem-delete-")]
    button.click()
    page.run()
    assert not page.exception
    assert len(catalog.problems(open_store())) == 0
    assert [entry.what for entry in trash.listing()] == ["run"]


@pytest.mark.slow
@pytest.mark.usefixtures("cache")
@pytest.mark.parametrize("name", ["overview", "failures", "compare", "equivariance", "embeddings"])
def test_every_page_says_which_models_were_imported(visit: Visit, name: str) -> None:
    page = visit(name)
    assert not page.exception
    assert "Imported, not computed here" in " ".join(str(element.value) for element in page.sidebar.caption)


@pytest.mark.slow
def test_an_imported_run_is_deleted_by_itself(cache: Path) -> None:
    st.cache_resource.clear()
    store = open_store()
    frame = catalog.runs(store).set_index("origin")
    trash.discard_run(str(frame.loc["imported", "run_id"]), "imported")
    assert not any((cache / "imported" / "runs").iterdir())
    assert set(catalog.runs(open_store())["origin"]) == {"computed"}
