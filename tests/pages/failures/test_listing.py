"""What the middle of Failures says and shows: how many, which models, and items of which only the number is here."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from backend.benchmarks import winoground_stub
from backend.store.queries import FailureFilter, FailurePage, ItemDetail, Setting
from pages.failures import data, listing
from pages.failures.filters import Filters
from pages.item import view
from pages.shared.data.stored import StoredBenchmark

Visit = Callable[..., AppTest]


def html(page: AppTest) -> str:
    return "".join(element.proto.body for element in page.get("html"))


def a_stub() -> ItemDetail:
    item = next(iter(winoground_stub.stub()))
    empty = pd.DataFrame(columns=["model", "run_id", "kind", "metric", "query", "correct", "margin", "ties"])
    return ItemDetail(
        "b", 0, item.item_id, item.subset, "quad", list(item.texts), ["k", "l"], ["", ""], list(item.truth),
        {}, "", empty, empty, empty, empty,
    )  # fmt: skip


def test_of_an_item_that_is_a_number_alone_no_empty_pictures_and_no_differing_words_are_shown() -> None:
    stub = a_stub()
    card = str(view.card(stub, "group_score", "itc", []))
    assert stub.item_id in card
    assert "fs-picture" not in card
    assert "fs-diff" not in card
    assert "gated" not in card
    own = str(view.card(replace(stub, texts=["a dog", "a cat"]), "group_score", "itc", []))
    assert own.count("image missing") == 2
    assert own.count("fs-diff") == 2


def chosen(model: str, other: str = "") -> Filters:
    wanted = FailureFilter("r", Setting("itc"))
    return Filters(wanted, model, other, FailurePage(pd.DataFrame(), 0, 0, {}))


def test_of_many_models_a_card_shows_those_that_are_right_most_often(monkeypatch: pytest.MonkeyPatch) -> None:
    models = [f"m:{k:02}" for k in range(20)]
    few = {"subsets": {}, "protocols": {}, "kinds": {}, "priors": {}}
    many = StoredBenchmark("b", "h", runs=dict.fromkeys(models, "r"), **few)
    monkeypatch.setattr(data, "best_first", lambda *_: tuple(reversed(models)))
    shown = listing.chips_of(many, chosen("m:05", "m:01"), "group_score")
    assert shown == ["m:05", "m:01", *reversed(models[10:])]
    some = StoredBenchmark("b", "h", runs=dict.fromkeys(models[:4], "r"), **few)
    assert listing.chips_of(some, chosen("m:02"), "group_score") == ["m:02", "m:00", "m:01", "m:03"]


def test_how_many_models_are_right_is_said_where_several_have_judged() -> None:
    line = SimpleNamespace(models_right=0, models_judging=54, people_right=True)
    assert listing.right_said(line) == "0 of 54 models right, people right"
    assert listing.right_said(SimpleNamespace(models_right=2, models_judging=5, people_right=None)) == (
        "2 of 5 models right"
    )
    assert listing.right_said(SimpleNamespace(models_right=1, models_judging=1, people_right=None)) == ""
    assert listing.right_said(SimpleNamespace(models_right=pd.NA, models_judging=pd.NA, people_right=None)) == ""


@pytest.mark.long
@pytest.mark.usefixtures("small")
def test_another_model_is_not_filtered_by_the_margins_of_the_one_before(visit: Visit) -> None:
    def count(page: AppTest) -> str:
        assert not page.exception
        return html(page).split('class="fs-count"')[-1].split("<span>")[0].split("<b>")[1]

    models = ("fake:weak", "fake:strong")
    alone = {model: count(visit("failures", benchmark="small", model=model, kind="itc")) for model in models}
    assert len(set(alone.values())) == 2
    page = visit("failures", benchmark="small", model="fake:weak", kind="itc")
    for model in ("fake:strong", "fake:weak", "fake:strong"):
        page.selectbox(key="model").select(model).run()
        assert count(page) == alone[model]
        assert "margin" not in page.query_params


@pytest.mark.long
@pytest.mark.usefixtures("small")
def test_an_item_is_found_by_its_number_and_the_list_can_begin_with_what_no_model_solves(
    visit: Visit, small: Path
) -> None:
    page = visit(
        "failures",
        benchmark="small",
        show="all",
        model="fake:strong",
        kind="itc",
        text="relation/3",
        sort="fewest",
        view="table",
    )
    assert "<b>1</b> of " in html(page)
    assert "The only row. Select it to open the item." in html(page)
    assert any(" of 160 items: none of " in each.value for each in page.sidebar.caption)


@pytest.mark.long
@pytest.mark.usefixtures("small")
def test_the_order_of_the_list_is_said_above_it(visit: Visit) -> None:
    """Nothing said in which order the items stood but a field folded under More."""
    of = {"benchmark": "small", "model": "fake:weak", "kind": "itc"}
    assert '<p class="fs-caption">Worst margin first.</p>' in html(visit("failures", **of))
    assert '<p class="fs-caption">Best margin first.</p>' in html(visit("failures", **of, sort="-margin", view="table"))
