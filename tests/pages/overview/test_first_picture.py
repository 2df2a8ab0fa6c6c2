"""The heat map of last time: what it is kept for, and when it is nobody's."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from backend.store.build import first, generations, importer
from pages.overview import first_picture, make_first_picture
from pages.shared.data import stored
from tests.pages import results

APP = Path(__file__).parents[3] / "app.py"
NOT_IMPORTED = "a page that no process has imported"


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, nothing_shipped: None) -> Path:
    folder = tmp_path / "cache"
    monkeypatch.setenv("FLIPSIDE_CACHE", str(folder))
    monkeypatch.setattr(first, "folder", lambda: tmp_path / "none")
    results.write(folder)
    return folder


def opened(**query: str) -> AppTest:
    at = AppTest.from_file(str(APP), default_timeout=120)
    for name, value in query.items():
        at.query_params[name] = value
    return at.run()


def kept(cache: Path) -> list[Path]:
    return sorted((cache / "db").glob(f"*{first_picture.SUFFIX}"))


def rates(picture: dict) -> list[str]:
    return [cell["value"] for row in picture["heat"]["rows"] for cell in row["cells"] if cell]


def test_a_plainly_opened_overview_is_kept_beside_its_generation(cache: Path) -> None:
    assert first_picture.found() is None
    at = opened()
    assert not at.exception
    generation = generations.current()
    assert generation is not None
    assert kept(cache) == [generation.with_suffix(first_picture.SUFFIX)]
    picture = first_picture.found()
    assert picture is not None
    assert len(rates(picture)) > 4
    assert set(picture["above"]) <= first_picture.ABOVE.keys()


@pytest.mark.parametrize("query", [{"by": "concept"}, {"benchmark": "small"}])
def test_an_address_that_asks_for_something_is_not_kept(cache: Path, query: dict[str, str]) -> None:
    assert not opened(**query).exception
    assert kept(cache) == []


def test_the_second_run_of_a_session_is_not_kept(cache: Path) -> None:
    at = opened()
    for path in kept(cache):
        path.unlink()
    assert not at.run().exception
    assert kept(cache) == []


def test_it_is_drawn_while_the_page_is_not_imported_and_goes_when_that_is_there(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened()
    drawn: list[dict] = []
    monkeypatch.setattr(first_picture, "PAGE", NOT_IMPORTED)
    monkeypatch.setattr(first_picture, "_draw", drawn.append)
    at = opened()
    assert not at.exception
    assert drawn == [first_picture.found()]
    assert opened(by="concept").exception == []
    assert len(drawn) == 1, "only of the plain address"
    monkeypatch.setattr(first_picture, "PAGE", "pages.overview.whole")
    opened()
    assert len(drawn) == 1, "not where the page comes as soon"


def test_what_it_draws_is_one_text_for_which_nothing_is_imported(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened()
    said: list[dict] = []
    monkeypatch.setattr(first_picture.heatmap, "_component", lambda **more: said.append(more))
    picture = first_picture.found()
    assert picture is not None
    first_picture._draw(picture)
    [drawn] = said
    assert list(drawn["data"]) == ["still"]
    assert json.loads(drawn["data"]["still"]) == picture["heat"] | {"order": ""}
    code = (
        "import sys\nfrom streamlit.components.v2.bidi_component.serialization import serialize_mixed_data\n"
        "from streamlit.proto.BidiComponent_pb2 import BidiComponent\n"
        "serialize_mixed_data({'still': '{}'}, BidiComponent())\nassert 'pandas' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize("harm", ["", "{", "[]", "null", json.dumps({"of": "x", "heat": {}}), "\ud800"])
def test_a_file_that_is_none_of_ours_is_no_picture(cache: Path, harm: str) -> None:
    opened()
    kept(cache)[0].write_bytes(harm.encode("utf-8", "surrogatepass"))
    assert first_picture.found() is None
    assert not opened().exception
    assert first_picture.found() is not None, "the next plain visit makes it anew"


def test_other_results_and_other_code_have_another_one(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened()
    old, before = kept(cache), stored.store().generation
    results.write_run(cache, results.world(), "7" * 16, ["itc"], model="fake:ok", name="small")
    assert importer.refresh(wait=True)
    session_state = st.session_state
    monkeypatch.setattr(st, "session_state", {first_picture._PLAIN: True})
    first_picture.keep(before, {"rows": []}, "", [])
    assert kept(cache) == old, "what was drawn of older results is not kept as of newer ones"
    now = generations.current()
    assert now is not None
    first_picture.keep(f"{now.stem}-build", {"rows": []}, "", [])
    assert kept(cache) == [now.with_suffix(first_picture.SUFFIX)] != old
    kept(cache)[0].unlink()
    monkeypatch.setattr(st, "session_state", session_state)
    opened()
    assert kept(cache) != old
    assert len(kept(cache)) == 1, "that of older results goes"
    assert first_picture.found() is not None
    code = cache / "code"
    code.mkdir()
    (code / "new.py").write_text("")
    monkeypatch.setattr(first, "CODE", code)
    assert first_picture.found() is None


def test_one_that_is_too_large_is_not_kept(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(first_picture, "MOST", 100)
    assert not opened().exception
    assert kept(cache) == []


def test_what_ships_has_one_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Set-up makes it, for the first start on an empty cache."""
    st.cache_resource.clear()
    st.cache_data.clear()
    folder = tmp_path / "share"
    monkeypatch.setattr(first, "folder", lambda: folder)
    monkeypatch.setenv("FLIPSIDE_CACHE", str(tmp_path / "unused"))
    assert make_first_picture.make() is None, "nothing is kept yet"
    from backend.store.build import make_first

    monkeypatch.setattr(first, "key", lambda: "0" * 16)
    make_first.make()
    target = make_first_picture.make()
    assert target is not None
    assert target.parent == folder
    monkeypatch.setenv("FLIPSIDE_CACHE", str(tmp_path / "empty"))
    picture = first_picture.found()
    assert picture is not None
    assert len(rates(picture)) > 50
