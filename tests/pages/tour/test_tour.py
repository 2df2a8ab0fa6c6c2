"""The guided first visit without a browser: where it leads on made-up results, and what its steps say."""

import re
from collections.abc import Callable
from dataclasses import replace
from urllib.parse import parse_qs

import pytest
from streamlit.testing.v1 import AppTest

from backend.store.queries import Setting
from pages.shared.data import stored
from pages.shared.drawing.numbers import score
from pages.tour import own, steps
from pages.tour import target as tour_target

Visit = Callable[..., AppTest]


@pytest.mark.long
@pytest.mark.usefixtures("small")
def test_it_leads_to_the_cell_furthest_below_chance_and_to_a_failure_there() -> None:
    target = tour_target.find()
    assert target is not None
    assert target.benchmark == "small"
    frame = stored.headlines(stored.chosen()["small"], "subset")
    mine = frame[(frame["model"] == target.model) & (frame["kind"] == target.kind) & (frame["group"] == target.group)]
    (line,) = mine[mine["metric"] == target.metric].to_dict("records")
    assert (target.rate, target.chance, target.n) == (line["value"], line["chance"], line["n"])
    assert target.failures == round(target.n * (1 - target.rate))
    outcomes = stored.outcomes(stored.chosen()["small"].runs[target.model], Setting(target.kind))
    own = outcomes[(outcomes["item_id"] == target.item) & (outcomes["metric"] == target.metric)]
    assert own["correct"].to_list() == [False]


def target(**more: object) -> tour_target.Target:
    found = tour_target.Target(
        "small", "fake:weak", "weak", "itc", False, "image_score", "count", 0.125, 0.25, 40, 35, "count/1", "uncertain"
    )
    return replace(found, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize("reason", ["", "uncertain"])
def test_a_failure_with_a_certified_reason_is_taken_first(reason: str) -> None:
    """A finding that ends in "uncertain" teaches a visitor nothing."""
    assert not target(reason=reason).certified
    assert target(reason="no_binding").certified


def test_the_first_step_says_the_cells_own_numbers() -> None:
    """And the benchmark, which may be another one than was shown where the visit was offered."""
    first, none = target(), target(rate=0.0, chance=float("nan"))
    of = f"On {first.benchmark} weak"
    assert steps.cell(first).text.startswith(f"{of} is right on only 12.5 % of “count”, where chance is 25.0 %:")
    assert steps.cell(none).text.startswith(f"{of} gets none right of “count”: the")


def test_a_step_without_a_choice_of_ones_own_has_an_address_all_the_same() -> None:
    found = [steps.where(target(), number) for number in range(1, steps.LAST + 1)]
    assert found[0] == {"benchmark": "small", "by": "subset", "quads": "image_score", "score": "every"}
    assert found[1]["subset"] == "count"
    assert found[2] == found[3] == {"benchmark": "small", "item": "count/1", "model": "fake:weak", "kind": "itc"}
    assert steps.CLICKS == 1 + steps.LAST == 5  # the offer's click, then one a step


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("model", ["strong", "weak"])
def test_the_finding_is_of_the_chosen_item_and_model_with_its_numbers_and_link(model: str) -> None:
    said, about, link = own.finding(own.Own("small", "count/1", f"fake:{model}", "itc"))
    outcomes = stored.outcomes(stored.chosen()["small"].runs[f"fake:{model}"], Setting("itc"))
    lines = outcomes[(outcomes["item_id"] == "count/1") & (outcomes["metric"] == "group_score")]
    (margin,) = lines["margin"].to_list()
    assert re.match(rf"On item count/1 (fake:)?{model} is {'right' if margin > 0 else 'wrong'}, ", said)
    assert f"margin {score(margin, signed=True)}" in said
    texts = stored.item(stored.chosen()["small"].hash, "count/1").texts
    assert about.startswith("The item: 2 pictures and the captions ")
    assert all(f"“{text}”" in about for text in texts)
    named = parse_qs(link.partition("?")[2])
    assert named == {"benchmark": ["small"], "item": ["count/1"], "model": [f"fake:{model}"], "kind": ["itc"]}


@pytest.mark.usefixtures("small")
def test_a_step_of_an_item_opens_by_its_address(visit: Visit) -> None:
    page = visit("item", benchmark="small", item="count/1", model="fake:strong", kind="itc", tour="4")
    assert not page.exception
    assert page.query_params["tour"] in ("4", ["4"])


@pytest.mark.usefixtures("small")
def test_whose_verdict_it_may_be_about_is_said_with_the_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(own.st, "session_state", {})
    known = stored.chosen()["small"]
    mine = own.of_card(f"{known.hash} count/1")
    assert mine == own.Own("small", "count/1", "", "")
    found = own.choices(replace(mine, model="fake:weak", kind="itc"))
    assert found[0]["id"] == "fake:weak\titc"
    for each in found:
        model, _, kind = each["id"].partition("\t")
        outcomes = stored.outcomes(known.runs[model], Setting(kind))
        verdicts = outcomes[(outcomes["item_id"] == "count/1") & (outcomes["metric"] == "group_score")]["correct"]
        assert each["mark"] == ("✓" if verdicts.iloc[0] else "✗"), each


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("said", ["", "nothing", "0000 count/1", "<script> x"])
def test_a_card_that_is_not_here_is_no_item(said: str) -> None:
    assert own.of_card(said) is None


@pytest.mark.usefixtures("nothing_shipped")
@pytest.mark.parametrize("step", ["1", "5", "77", "-1", "x"])
def test_with_nothing_to_show_the_page_says_so_itself(visit: Visit, step: str) -> None:
    page = visit("overview", tour=step)
    assert not page.exception
    assert any("Nothing has been computed yet" in element.proto.body for element in page.get("html"))
