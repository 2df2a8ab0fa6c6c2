"""A benchmark without a run: its items can be looked at, and every other page says what is lacking."""

from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from pages.shared.data import stored
from pages.shared.frame import absent
from tests.store.writer import items, write_benchmark

Visit = Callable[..., AppTest]


@pytest.fixture
def bare(small: Path) -> Path:
    """The small results, and beside them a benchmark that nobody has scored."""
    write_benchmark(small, items(20), "visla")
    stored.store().refresh()
    return small


def texts(page: AppTest) -> str:
    said = "".join(element.proto.body for element in page.get("html"))
    return said + " ".join(str(each.value) for each in [*page.markdown, *page.caption])


@pytest.mark.slow
def test_items_without_a_run_are_listed_filtered_and_linked(bare: Path, visit: Visit) -> None:
    page = visit("failures", benchmark="visla")
    assert not page.exception
    assert "No model has a run on visla yet" in texts(page)
    assert "--benchmark visla" in texts(page)
    assert "<b>100</b> of 100 items" in texts(page)
    page.selectbox(key="subset").set_value("triplet").run()
    assert "<b>20</b> of 100 items" in texts(page)
    page.text_input(key="text").set_value("star 13").run()
    assert "<b>1</b> of 100 items" in texts(page)
    assert {key: page.query_params[key] for key in ("benchmark", "subset", "text")} in (
        {"benchmark": "visla", "subset": "triplet", "text": "star 13"},
        {"benchmark": ["visla"], "subset": ["triplet"], "text": ["star 13"]},
    )
    page.text_input(key="text").set_value("nowhere").run()
    assert "No item is left" in texts(page)
    page.selectbox(key="benchmark").set_value("small").run()  # its subsets are several, visla's is one
    assert not page.exception
    assert "No model has a run" not in texts(page)


@pytest.mark.slow
def test_an_item_that_nobody_scored_has_a_page(bare: Path, visit: Visit) -> None:
    page = visit("item", benchmark="visla", item="triplet/3")
    assert not page.exception
    assert not page.error
    assert "triplet/3 · triplet" in texts(page)
    assert "No model has scored this item yet" in texts(page)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["overview", "compare", "equivariance"])
def test_other_pages_say_that_it_has_no_run(bare: Path, visit: Visit, name: str) -> None:
    page = visit(name, benchmark="visla")
    assert not page.exception
    assert "visla is here, but no model has a run on it**, so this page shows small" in texts(page)
    page.run()
    assert "visla is here" in texts(page)  # for as long as the other one is shown


@pytest.mark.slow
def test_a_benchmark_that_is_not_here_is_said_in_the_page(bare: Path, visit: Visit) -> None:
    page = visit("overview", benchmark="winoground")
    assert "The benchmark “winoground” is not here" in texts(page)
    assert "fetch results --only winoground" in texts(page)
    assert not page.toast
    assert "is not here" not in texts(visit("overview", benchmark="small"))
    assert "is not here" not in texts(visit("overview"))


def test_what_brings_a_benchmark_depends_on_what_it_is(bare: Path) -> None:
    assert "fetch results --only gpt-4v" in absent.said("sugarcrepe", "small")
    assert "import aro --data DIR" in absent.said("aro", "small")
    assert "import eqben --data DIR" in absent.said("eqben@01234567", "small")
    strange = absent.said("<b>[x](http://y)" + "z" * 100, "small")
    assert "No benchmark of that name is known" in strange
    assert "](http" not in strange
    assert "z" * 60 not in strange


def test_editions_of_one_name_are_told_apart_and_the_stub_is_none(bare: Path) -> None:
    write_benchmark(bare, items(3), "visla")
    stored.store().refresh()
    found = stored.unscored()
    assert sorted(name.partition("@")[0] for name in found) == ["visla", "visla"]
    assert all("@" in name for name in found)
    assert all(not each.runs for each in found.values())
    assert "small" not in found
