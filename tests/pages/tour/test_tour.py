"""The guided first visit without a browser: where it leads on made-up results, and what its steps say."""

from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from backend.store.queries import Setting
from pages.shared.data import stored
from pages.tour import target as tour_target
from pages.tour.steps import LAST, steps
from tests.pages import results

Visit = Callable[..., AppTest]


@pytest.mark.long
@pytest.mark.usefixtures("small")
def test_it_leads_to_a_failure_that_the_prior_explains() -> None:
    target = tour_target.find()
    assert target is not None
    assert (target.model, target.kind, target.reason) == (results.SPEAKER, "gen", "")
    assert target.alpha is not None
    assert target.after > target.before == pytest.approx(target.rate)
    run, prior = stored.chosen()["small"].runs[target.model], stored.chosen()["small"].priors[target.model][0]
    for alpha, right in ((0.0, False), (target.alpha, True)):  # the item is one that α mends
        frame = stored.outcomes(run, Setting("gen", alpha, prior if alpha else None))
        frame = frame[(frame["item_id"] == target.item) & (frame["metric"] == target.metric)]
        assert frame["correct"].to_list() == [right]
    found = steps(target)
    assert [step.number for step in found] == [1, 2, 3, 4, 5, 6]
    assert [step.page for step in found] == ["overview", "failures", "item", "item", "debias", "debias"]
    assert found[1].address[target.by] == target.group
    said = f"{target.alpha:.3f}"  # three digits, as Debias writes it
    assert said in found[4].button
    assert found[5].text.startswith(f"At α = {said} ")
    assert found[5].address["alpha"] == said
    assert found[4].alpha == pytest.approx(target.alpha, abs=1e-3)


@pytest.mark.long
@pytest.mark.usefixtures("nothing_shipped")
def test_without_a_prior_it_takes_the_lowest_cell(flipside_cache: Path) -> None:
    results.write_run(
        flipside_cache, results.world(), "2" * 16, ["itc"], model=results.WEAK, skill=0.0, seed=2, name="a"
    )
    target = tour_target.find()
    assert target is not None
    assert target.alpha is None
    frame = stored.headlines(stored.chosen()["a"], "subset")
    assert target.rate == frame[frame["n"] >= tour_target.ENOUGH]["value"].min()
    assert [step.page for step in steps(target)] == ["overview", "failures", "item", "item", "item", "item"]
    assert len(steps(target)) == LAST + 1


@pytest.mark.usefixtures("nothing_shipped")
@pytest.mark.parametrize("step", ["1", "5", "77", "-1", "x"])
def test_with_nothing_to_show_the_page_says_so_itself(visit: Visit, step: str) -> None:
    page = visit("overview", tour=step)
    assert not page.exception
    assert any("Nothing has been computed yet" in element.proto.body for element in page.get("html"))
