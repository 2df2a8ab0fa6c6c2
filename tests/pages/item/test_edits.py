"""Edited captions before and after."""

import json

import pandas as pd
import pytest

from backend.store.queries import ItemDetail
from pages.item import edits

EMPTY = pd.DataFrame()


def detail(texts, changes=(), outcomes=(), evidence=EMPTY):
    tags = {"origin": ["c/1"], "edit": ["character_swap"], "change": [json.dumps(change) for change in changes]}
    return ItemDetail(
        "b", 0, "c/1", "c", "choice", list(texts), ["k"], [""], [(0, 0)], tags if changes else {}, "", EMPTY, EMPTY,
        pd.DataFrame(outcomes, columns=["model", "run_id", "kind", "metric", "query", "correct", "margin", "ties"]),
        evidence,
    )  # fmt: skip


def test_before_and_after_with_whole_words_set_off():
    changes = [
        {"text": 0, "spans": [[5, 7]], "was": ["ro"], "what": "brown → borwn"},
        {"text": 1, "spans": [[7, 22]], "was": [""], "what": "added <at> the end"},
    ]
    html = edits.html(detail(["a <b>or</b> dog", "a cat, and so on it goes"], changes))
    mark = '<mark class="fs-diff">'
    assert f"a &lt;b&gt;{mark}or</mark>&lt;/b&gt; dog" in html
    assert f"a {mark}&lt;b&gt;ro" not in html.split("→")[1]
    assert "<b>true</b>" in html
    assert "<b>foil</b>" in html
    assert "added &lt;at&gt; the end" in html
    assert edits.title(detail(["x"], changes)) == "Edited: character swap, from c/1"


@pytest.mark.parametrize(
    ("new", "spans", "was", "marked"),
    [
        ("a borwn dog", [[3, 5]], ["ro"], ["a <mark>brown</mark> dog", "a <mark>borwn</mark> dog"]),
        ("a bown dog", [[3, 3]], ["r"], ["a <mark>brown</mark> dog", "a <mark>bown</mark> dog"]),
        ("two big dogs", [[0, 3], [8, 12]], ["a", "dog"],
         ["<mark>a</mark> big <mark>dog</mark>", "<mark>two</mark> big <mark>dogs</mark>"]),
        ("a blue, really, dog", [[6, 15]], [""], ["a blue dog", "a blue<mark>, really,</mark> dog"]),
        ("a dogs", [[5, 6]], [""], ["a <mark>dog</mark>", "a <mark>dogs</mark>"]),
        ("a red, dog", [[2, 5]], ["blue"], ["a <mark>blue</mark>, dog", "a <mark>red</mark>, dog"]),
        ("b a", [[0, 1], [2, 3]], ["a", "b"], ["<mark>a</mark> <mark>b</mark>", "<mark>b</mark> <mark>a</mark>"]),
    ],
)  # fmt: skip
def test_both_sides(new, spans, was, marked):
    html = edits.html(detail([new], [{"text": 0, "spans": spans, "was": was, "what": "w"}]))
    before, after = html.replace(' class="fs-diff"', "").partition("</b> ")[2].split(" <span>")[0].split(" → ")
    assert [before, after] == marked


def test_an_item_without_edits_has_no_such_part():
    assert edits.html(detail(["a", "b"])) == ""


@pytest.mark.slow
def test_the_pages_show_an_edition(flipside, visit, nothing_shipped):
    made = flipside("perturb", "--benchmark", "world", "--subset", "choice", "--limit", 6, "--kinds", "character_swap",
                    "--seeds", 8)  # fmt: skip
    assert made.code == 0, made.err
    for name in ("world", "world~character_swap*"):
        more = ("--subset", "choice", "--limit", 6) if name == "world" else ()
        assert flipside("run", "--model", "fake:ok", "--benchmark", name, "--kinds", "itc", *more).code == 0
    page = visit("item", benchmark="world~character_swap@2", item="choice/1")
    assert not page.exception
    said = "".join(element.proto.body for element in page.get("html"))
    assert "Edited: character swap, from choice/1" in said
    assert '"spans"' not in said
    listed = visit("failures", benchmark="world", model="fake:ok", kind="itc", show="all", diagnosis="brittle")
    assert not listed.exception
    (told,) = [info.value for info in listed.info]
    assert "the earlier label “brittle”" in told
    assert "stands on Robustness" in told
    assert "<b>6</b> of " in "".join(element.proto.body for element in listed.get("html"))
    assert not visit("overview", benchmark="world~character_swap").exception
