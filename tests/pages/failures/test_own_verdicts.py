"""Verdicts of one's own on Failures: on cards, in the table, as a filter, in files, and what they say of a rate."""

import json
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from backend.errors import FlipsideError
from backend.store.failures import own_verdicts
from backend.store.queries import FailurePage
from pages.failures import judged
from pages.shared.data.stored import chosen as stored_chosen

Visit = Callable[..., AppTest]


def html(page: AppTest) -> str:
    return "".join(element.proto.body for element in page.get("html"))


def page_of(human: dict[str, tuple[int, int, int]]) -> FailurePage:
    n = sum(each[1] for each in human.values())
    return FailurePage(pd.DataFrame(), 0, n, {}, human=human)


def test_the_rate_without_wrong_labels_is_said_only_where_there_are_some() -> None:
    assert judged.share(page_of({"": (0, 10, 5), "ambiguous": (2, 2, 0)}), "clip") == ""
    said = judged.share(page_of({"": (0, 6, 4), "model_wrong": (2, 2, 0), "label_wrong": (1, 2, 0)}), "<clip>")
    assert said.striptags() == (
        "You call 1 of 3 judged items label wrong: of all 10 verdicts under no filter, without it <clip> is right on "
        "50.0 %, with it on 40.0 %."
    )
    assert "4 of 8 verdicts" in said
    assert "4 of 10 verdicts" in said
    assert "<clip>" not in said


@pytest.mark.slow
def test_a_key_on_a_card_judges_its_item_and_nothing_else(small: Path, visit: Visit) -> None:
    benchmark = stored_chosen()["small"]
    judged.by_key(benchmark, f"{benchmark.hash} relation/1", 2)
    judged.by_key(benchmark, "0000 relation/2", 2)
    judged.by_key(benchmark, f"{benchmark.hash} <b>", 1)
    found = own_verdicts.of([benchmark.hash])
    assert {item: each.verdict for (_, item), each in found.items()} == {
        "relation/1": "label_wrong",
        "<b>": "model_wrong",
    }
    judged.by_key(benchmark, f"{benchmark.hash} <b>", 1)
    assert len(own_verdicts.of([benchmark.hash])) == 1


@pytest.mark.slow
def test_a_full_disk_is_said_and_the_page_stands(small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    benchmark, said = stored_chosen()["small"], []

    def full(*_words: str) -> str:
        raise FlipsideError("No space is left in *cache*.")

    monkeypatch.setattr(own_verdicts, "switch", full)
    monkeypatch.setattr("pages.shared.frame.toasts.say", lambda text, _icon: said.append(text))
    judged.by_key(benchmark, f"{benchmark.hash} relation/1", 2)
    assert said == [r"No space is left in \*cache\*\."]


@pytest.mark.slow
def test_they_are_a_filter_a_column_and_a_label(small: Path, visit: Visit) -> None:
    benchmark = stored_chosen()["small"]
    page = visit("failures", benchmark="small", model="fake:weak", show="all", view="table")
    assert "human_verdict" not in page.dataframe[0].value
    assert "Your verdict" not in [each.label for each in page.multiselect]
    own_verdicts.give(benchmark.hash, "relation/1", "label_wrong")
    own_verdicts.give(benchmark.hash, "relation/2", "ambiguous")
    page = visit("failures", benchmark="small", model="fake:weak", show="all", view="table", human="label_wrong")
    assert not page.exception
    table = page.dataframe[0].value
    assert table[["item_id", "human_verdict"]].to_numpy().tolist() == [["relation/1", "label wrong"]]
    assert "You call 1 of 2 judged items" in html(page)
    offered = next(each for each in page.multiselect if each.label == "Your verdict").options
    assert offered[:2] == ["label wrong · 1", "ambiguous · 1"]
    assert offered[2].startswith("not judged · ")
    assert page.query_params["human"] in ("label_wrong", ["label_wrong"])


@pytest.mark.slow
def test_a_link_to_an_item_that_is_not_here_is_one_sentence(small: Path, visit: Visit) -> None:
    page = visit("failures", benchmark="small", model="fake:weak", item="<b>*no*")
    assert not page.exception
    assert "which is not in small" in page.error[0].value
    assert "item" not in page.query_params
    opened = visit("failures", benchmark="small", model="fake:weak", item="relation/1")
    assert not opened.exception
    assert opened.query_params["item"] in ("relation/1", ["relation/1"])
    assert any("relation/1" in body for body in html(opened).split("fs-card-head"))


@pytest.mark.slow
def test_options_that_would_leave_nothing_are_not_offered(small: Path, visit: Visit) -> None:
    page = visit("failures", benchmark="small", model="fake:weak", subset="relation")
    concept = next(each for each in page.multiselect if each.label == "Concept")
    assert all(not option.endswith(" · 0") for option in concept.options)
    assert [option.split(" · ")[0] for option in concept.options] == ["relation"]
    subsets = next(each for each in page.multiselect if each.label == "Subset").options
    assert len(subsets) > 3  # what the other filters leave, whatever is chosen here


def test_the_set_is_json_lines(flipside_cache: Path) -> None:
    from backend.store.failures import files

    own_verdicts.give("b", "a/1", "ambiguous")
    (line,) = files.jsonl(own_verdicts.as_set(["b"])).splitlines()
    assert json.loads(line)["human_verdict"] == "ambiguous"
