"""An item that many models have judged: grouped by verdict and reason, one model in full, the others on demand."""

import re

import pandas as pd
import pytest

from backend.store.catalog.public import Apart
from backend.store.queries import ItemDetail
from pages.item import grouped
from pages.shared.data import stored
from tests.pages import results

METRIC = "group_score"
#: model -> its verdict, cell and reason.
JUDGED = {
    "m:a": (True, "right", "right"),
    "m:b": (False, "outvoted_by_image", "uncertain"),
    "m:c": (False, "no_binding", "no_binding"),
    "m:d": (False, "no_binding", "no_binding"),
    "m:e": (True, "right", "uncertain"),
    "m:f": (None, "", ""),
}


def quad():
    """A quad that the models of JUDGED have judged."""
    outcomes = [
        (model, model, "itc", METRIC, -1, said, 0.1 if said else -0.25, False) for model, (said, *_) in JUDGED.items()
    ]
    evidence = [(model, model, "itc", *words) for model, (_, *words) in JUDGED.items()]
    empty = pd.DataFrame()
    return ItemDetail(
        "b", 0, "q/1", "q", "quad", ["a dog", "a cat"], ["k", "l"], ["", ""], [(0, 0), (1, 1)], {}, "", empty, empty,
        pd.DataFrame(outcomes, columns=["model", "run_id", "kind", "metric", "query", "correct", "margin", "ties"]),
        pd.DataFrame(evidence, columns=["model", "run_id", "kind", "cell", "reason"]),
    )  # fmt: skip


def plain(html):
    return " ".join(re.sub("<[^>]+>", " ", html).split())


def test_right_ones_come_first_and_then_the_larger_group():
    found = grouped.groups(quad(), METRIC, list(JUDGED))
    assert [(each.verdict, each.reason, [one.model for one in each.who]) for each in found] == [
        ("right", "right", ["m:a"]),
        ("right", "uncertain", ["m:e"]),
        ("wrong", "no_binding", ["m:c", "m:d"]),
        ("wrong", "uncertain", ["m:b"]),
        ("none", "", ["m:f"]),
    ]


def test_the_table_names_each_model_once_with_its_margin():
    said = plain(grouped.table(quad(), METRIC, list(JUDGED)))
    assert said.startswith("All 6 rows · Group score ✓ right 1 m:a +0.100")
    assert "✗ wrong no binding beyond luck 2 m:c −0.250 m:d −0.250" in said
    assert all(said.count(f"{model} ") == 1 for model in list(JUDGED)[:-1])
    assert grouped.table(quad(), "accuracy", list(JUDGED)) == "", "nobody has a verdict on it"


def test_the_first_line_counts_the_right_ones_and_says_what_the_others_have():
    said = plain(grouped.summary(quad(), list(JUDGED), Apart()))
    assert said == (
        "Group score: 2 of 6 models are right . The largest group of the others, 2: no binding beyond luck."
    )


def test_people_are_no_model_and_a_repeat_counts_once():
    """Of 58 models 25 were called right: people among them, and a head as often as its file stood there."""
    apart = Apart(people=frozenset({"m:a"}), repeats=frozenset({"m:c"}), heads=frozenset({"m:b", "m:d"}))
    said = plain(grouped.summary(quad(), list(JUDGED), apart))
    assert said.startswith("Group score: 1 of 4 systems is right . The largest group of the others, 1: ")
    assert said.endswith(" People are right. Not counted: 1 repeat.")
    assert grouped.count(quad(), list(JUDGED), apart) == "1 of 4 systems is right"


def test_up_to_eight_models_are_shown_one_by_one():
    assert not grouped.fits(["m"] * 8)
    assert grouped.fits(["m"] * 9)


@pytest.mark.long
@pytest.mark.usefixtures("small")
def test_of_many_models_one_is_in_full_and_the_others_on_demand(monkeypatch, visit):
    monkeypatch.setattr(grouped, "FEW", 1)
    stored.chosen()
    name = next(item.item_id for item in results.world() if item.protocol == "quad")

    def html(page):
        assert not page.exception, page.exception
        return "".join(each.proto.body for each in page.get("html") if "<style" not in each.proto.body)

    page = visit("item", benchmark="small", item=name, model=results.STRONG, kind="itc")
    said = html(page)
    assert said.count("fs-why-lead") == 1
    assert said.count('class="fs-by"') == 1
    assert "fs-why-other" not in said, "sentences of others wait in a closed expander"
    assert said.count('<div class="fs-panel">') == 1, "and so do their scores"
    choice = next(each for each in page.selectbox if each.key == "item-lead")
    assert re.fullmatch("[✓✗] fake:strong · similarity", next(each for each in choice.options if "strong" in each))
    weak = next(k for k, each in enumerate(choice.options) if "weak" in each)
    page = choice.select_index(weak).run()
    who = re.search(r'fs-why-lead"><p class="fs-why-who">(.*?)</p>', html(page))
    assert "weak" in who[1]
    assert page.query_params["model"] == results.WEAK
    page.session_state["item-sentences"] = page.session_state["item-scores"] = True
    said = html(page.run())
    assert "fs-why-other" in said
    assert said.count('<div class="fs-panel">') > 2
