"""Two benchmarks of one name: an address that was written while there was one of them opens the newer one, and says
so."""

from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from pages.shared.data import stored
from pages.shared.frame import namesakes
from tests.pages import results
from tests.pages.opening import opened
from tests.store.writer import write_run

Visit = Callable[..., AppTest]
BEFORE, AFTER = "2026-01-01T00:00:00+00:00", "2026-02-01T00:00:00+00:00"


@pytest.fixture
def editions(small: Path) -> tuple[str, str]:
    """(the older, the newer) of two editions of one name, in addresses."""
    sizes = {}
    for run, n, updated in (("7" * 16, 40, AFTER), ("8" * 16, 60, BEFORE)):
        model = {"model": results.STRONG, "skill": 1.0, "name": "small~nearby_key"}
        write_run(small, results.world(n), run, ["itc"], updated=updated, **model)
        sizes[n] = run
    stored.store().refresh()
    of = {next(iter(each.runs.values())): name for name, each in stored.chosen().items() if "~" in name}
    return of[sizes[60]], of[sizes[40]]


def texts(page: AppTest) -> str:
    return " ".join(str(each.value) for each in page.markdown)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["overview", "failures", "debias", "embeddings", "compare", "equivariance"])
def test_a_link_from_when_there_was_one_opens_the_newer(editions: tuple[str, str], visit: Visit, name: str) -> None:
    older, newer = editions
    page = visit(name, benchmark="small~nearby_key")
    assert not page.exception
    assert page.session_state["benchmark"] == newer
    assert "2 editions are called" in texts(page)
    assert newer.rpartition("@")[2] in texts(page).partition("This is")[2].partition("newest")[0]
    assert older.rpartition("@")[2] in texts(page).partition("newest")[2]
    assert "is not here" not in texts(page)
    page.selectbox(key="benchmark").set_value(older).run()
    assert "2 editions are called" not in texts(page)


@pytest.mark.slow
def test_what_was_chosen_before_another_one_came_stays_chosen(editions: tuple[str, str], visit: Visit) -> None:
    page = visit("failures", benchmark=editions[0])
    assert "2 editions are called" not in texts(page), "it was named"
    page = opened("failures")
    page.session_state["benchmark"] = "small~nearby_key"
    page.run()
    assert page.session_state["benchmark"] == editions[1]


def test_a_name_with_a_hash_means_the_same_when_it_stands_alone(editions: tuple[str, str]) -> None:
    known = {name: each.hash for name, each in stored.chosen().items()}
    alone = known["small"]
    assert namesakes.meant(f"small@{alone[:8]}", known) == ["small"]
    assert namesakes.meant("small@01234567", known) == []
    assert namesakes.meant("small~nearby_key", known) == [editions[1], editions[0]]
    assert namesakes.meant("nothing", known) == []


@pytest.mark.slow
def test_robustness_shows_the_origin_of_an_edition_and_compares_the_newer_set(
    editions: tuple[str, str], visit: Visit
) -> None:
    page = visit("robustness", benchmark="small~nearby_key", tab="granularity", set_a="small~nearby_key")
    assert not page.exception
    assert page.session_state["benchmark"] == "small"
    assert "is not here" not in texts(page)
    assert page.session_state["set_a"] == editions[1]
