"""Pages over items of many images, of crops and of arrays: shown whole, named by their seconds."""

from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from backend.engine.runner import run
from backend.store import queries
from backend.store.build.reader import open_store
from pages.item import boundary
from pages.shared.drawing.thumbnails import data_uri
from tests.benchmarks.samples import aro, crepe, eqben, video_grounding

Visit = Callable[..., AppTest]


def html(page: AppTest) -> str:
    return "".join(element.proto.body for element in page.get("html"))


def made(folder: Path, cache: Path, name: str, sample: object, kinds: list[str]) -> None:
    folder.mkdir()
    sample.write(folder)  # type: ignore[attr-defined]
    run("fake:ok", name, kinds, data_dir=folder, root=cache)


@pytest.fixture
def clips(flipside_cache: Path, tmp_path: Path, nothing_shipped: None) -> Path:
    made(tmp_path / "data", flipside_cache, "video_grounding", video_grounding, ["itc", "gen"])
    return flipside_cache


def item_id(n: int) -> str:
    return f"test/{video_grounding.CLIP}_{n}A"


@pytest.mark.slow
@pytest.mark.usefixtures("clips")
def test_an_item_shows_its_frames_and_where_each_model_puts_the_boundary(visit: Visit) -> None:
    page = visit("item", benchmark="video_grounding", item=item_id(0))
    assert not page.exception
    text = html(page)
    assert "Where the boundary is" in text
    assert "0.5 s or 2 s" in text
    assert "<figcaption>2.2 s</figcaption>" in text
    assert text.count(" s</figcaption>") == 12
    assert "between " in text
    assert "Boundary found within 1 s" in text


@pytest.mark.slow
@pytest.mark.usefixtures("clips")
@pytest.mark.parametrize("name", ["overview", "failures", "debias", "equivariance", "runs"])
def test_no_page_breaks(visit: Visit, name: str) -> None:
    page = visit(name, benchmark="video_grounding")
    assert not page.exception


@pytest.mark.slow
@pytest.mark.usefixtures("clips")
def test_failures_and_overview_judge_by_one_second(visit: Visit) -> None:
    page = visit("failures", benchmark="video_grounding", model="fake:ok", kind="itc", show="all")
    page.session_state["export"] = True
    assert page.run().caption[0].value.startswith("3 rows")
    overview = visit("overview", benchmark="video_grounding", by="subset")
    overview.session_state["all-rates"] = True
    said = " ".join(map(str, overview.run().dataframe[0].value.to_numpy().ravel()))
    assert "1 s" in said


@pytest.mark.long
@pytest.mark.usefixtures("clips")
def test_a_card_shows_the_frames_around_the_boundary() -> None:
    store = open_store(follow=False)
    benchmark = str(queries.benchmarks(store)["hash"].iloc[0])
    shown = [list(boundary.on_card(queries.item(store, benchmark, item_id(n)))) for n in (0, 2)]
    assert shown == [[0, 1, 2, 3, 4, 5], [6, 7, 8, 9, 10, 11]]
    detail = queries.item(store, benchmark, item_id(0))
    assert boundary.names(detail)[:2] == ["0 s", "0.2 s"]
    assert len(boundary.said(detail)) == 2


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "sample", "item"),
    [
        ("aro", aro, "vg_relation/1"),
        ("crepe", crepe, "productivity/atom/complexity_4/1"),
        ("eqben", eqben, "eqbenyoucook2/3"),
    ],
)
def test_crops_and_arrays_are_seen(
    visit: Visit, flipside_cache: Path, tmp_path: Path, nothing_shipped: None, name: str, sample: object, item: str
) -> None:
    made(tmp_path / "data", flipside_cache, name, sample, ["itc"])
    page = visit("item", benchmark=name, item=item)
    assert not page.exception
    assert html(page).count('<img class="fs-picture"') >= 1
    assert "image missing" not in html(page)
    store = open_store(follow=False)
    benchmark = str(queries.benchmarks(store)["hash"].iloc[0])
    uris = queries.item(store, benchmark, item).image_uris
    assert all(uri.startswith(("crop:", "bgr:")) for uri in uris)
    assert all(data_uri(uri).startswith("data:image/jpeg") for uri in uris)
    assert not visit("failures", benchmark=name, show="all").exception
