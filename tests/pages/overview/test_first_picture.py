"""The heat map of last time: what it is kept for, and when it is nobody's."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from backend.errors import UsageError
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


def rates(picture: first_picture.Picture) -> list[str]:
    return [cell["value"] for row in json.loads(picture.heat)["rows"] for cell in row["cells"] if cell]


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
    assert set(picture.above) <= {*first_picture.ABOVE}


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
    drawn: list[first_picture.Picture] = []
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
    assert drawn["data"]["still"] == picture.heat
    assert json.loads(picture.heat)["order"] == ""
    code = (
        "import sys\nfrom streamlit.components.v2.bidi_component.serialization import serialize_mixed_data\n"
        "from streamlit.proto.BidiComponent_pb2 import BidiComponent\n"
        "serialize_mixed_data({'still': '{}'}, BidiComponent())\nassert 'pandas' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize(
    "harm",
    [
        "",
        "{",
        "[]",
        "null",
        "[" * 200_000,
        "\ud800",
        json.dumps({"of": "x", "heat": {}}),
        "more than a picture " * 100_000,
    ],
    ids=["empty", "cut", "list", "null", "deep", "no text", "foreign", "long"],
)
def test_a_file_that_is_none_of_ours_is_no_picture(cache: Path, harm: str) -> None:
    opened()
    kept(cache)[0].write_bytes(harm.encode("utf-8", "surrogatepass"))
    assert first_picture.found() is None
    assert not opened().exception
    assert first_picture.found() is not None, "the next plain visit makes it anew"


@pytest.mark.parametrize(
    "change", [{"above": 5}, {"above": None}, {"heat": "{}"}, {"heat": None}, {"benchmark": "another"}, {"of": ""}]
)
def test_one_of_ours_with_a_part_of_another_is_no_picture(cache: Path, change: dict) -> None:
    opened()
    [path] = kept(cache)
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    assert first_picture.found() is None


def test_what_lies_in_its_place_or_beside_it_hurts_nothing(cache: Path) -> None:
    opened()
    [path] = kept(cache)
    path.unlink()
    os.mkfifo(path)
    assert first_picture.found() is None
    path.unlink()
    path.with_name(f"flipside-0{first_picture.SUFFIX}").mkdir()
    assert not opened().exception
    assert first_picture.found() is not None


def test_a_cache_in_which_runs_lie_that_were_never_shown_has_no_picture(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(first, "found", lambda: cache / "first-0.duckdb")
    assert first_picture._place() is None
    assert (cache / "runs").is_dir()


def test_where_the_page_fails_the_picture_does_not_hide_it(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Failed before: the error stood under the picture, which stayed."""
    opened()
    monkeypatch.setattr(first_picture, "PAGE", NOT_IMPORTED)
    monkeypatch.setattr("pages.overview.whole.draw", lambda: 1 / 0)
    at = opened()
    assert at.exception
    assert not [each for each in at.main.markdown if "as they were drawn last" in each.value]
    assert "ov-coming" not in str(at.main)


def test_a_page_under_which_the_results_moved_on_runs_again(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Failed before: "there is no run … here", of a run that had been removed while the page was drawn."""
    from pages.overview import whole

    before, asked = whole.draw, []

    def draw() -> None:
        asked.append(1)
        if len(asked) == 1:
            importer.rebuild()
            stored.store().refresh()
            raise UsageError("there is no run here")
        before()

    opened()
    monkeypatch.setattr(whole, "draw", draw)
    at = opened()
    assert not at.exception
    assert len(asked) == 2
    monkeypatch.setattr(whole, "draw", lambda: (_ for _ in ()).throw(UsageError("still none")))
    assert opened().exception, "what is wrong of itself is said"


def test_other_results_and_other_code_have_another_one(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened()
    old, before = kept(cache), stored.store().generation
    results.write_run(cache, results.world(), "7" * 16, ["itc"], model="fake:ok", name="small")
    assert importer.refresh(wait=True)
    session_state = st.session_state
    monkeypatch.setattr(st, "session_state", {first_picture._PLAIN: True})
    nothing = first_picture.Picture.of("small", {"rows": []}, "", [])
    first_picture.keep(before, nothing)
    assert kept(cache) == old, "what was drawn of older results is not kept as of newer ones"
    now = generations.current()
    assert now is not None
    first_picture.keep(f"{now.stem}-build", nothing)
    assert kept(cache) == [now.with_suffix(first_picture.SUFFIX)] != old
    kept(cache)[0].unlink()
    monkeypatch.setattr(st, "session_state", session_state)
    opened()
    assert kept(cache) != old
    assert len(kept(cache)) == 1, "that of older results goes"
    assert first_picture.found() is not None
    monkeypatch.setattr(first_picture, "_code", lambda: "other code")
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
