"""The first line of a card says why, on every list of cards, and never of a verdict that has no reason."""

import doctest
import re
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from backend.store.queries import Setting
from pages.item import card_line
from tests.pages import results
from tests.pages.opening import unfolded
from tests.store import edited_runs, writer

Visit = Callable[..., AppTest]
NUMBERS = {"gamma": 0.02, "c": 0.0, "r": 0.05, "nested": False, "saturated": 0, "cell": "outvoted_by_image",
           "mirrored": "no_binding", "reason": "outvoted_by_image", "q": 0.01, "scale": "cosine"}  # fmt: skip


def plain(html):
    return " ".join(re.sub("<[^>]+>", " ", html).split())


def found(reason="outvoted_by_image", metric="group_score"):
    """A quad that clip has judged by similarity alone."""
    evidence = pd.DataFrame([{"model": "bundled:clip", "run_id": "r", "kind": "itc", **NUMBERS, "reason": reason}])
    outcomes = pd.DataFrame([{"model": "bundled:clip", "run_id": "r", "kind": "itc", "metric": metric}])
    return SimpleNamespace(protocol="quad", texts=["a", "b"], evidence=evidence, outcomes=outcomes)


def test_examples():
    assert doctest.testmod(card_line).failed == 0


def test_it_is_the_chosen_models_on_the_verdict_that_is_shown():
    line = card_line.of_model(found(), "bundled:clip", "group_score", "itc")
    assert plain(line) == "clip outvoted by the image: bias 0.0500 over binding 0.0200"
    assert "clip · similarity" in card_line.of_model(found(), "bundled:clip", "group_score", "itm")
    assert "clip, before" in card_line.of_model(found(), "bundled:clip", "group_score", "itc", note=", before")
    assert card_line.of_model(found(), "bundled:lm", "group_score", "itc") == ""
    assert card_line.of_model(found(metric="x"), "bundled:clip", "x", "itc") == "", "its verdict has no reason"
    assert card_line.of_setting(found(), "r", "group_score", Setting("itc"), "", "A").endswith("0.0200</span></p>")
    assert card_line.of_setting(found(), "other", "group_score", Setting("itc"), "", "A") == ""


def test_what_is_uncertain_names_its_cell():
    line = card_line.of_model(found("uncertain"), "bundled:clip", "group_score", "itc")
    assert plain(line) == "clip uncertain (scores alone: outvoted by the image): binding +0.0200"


@pytest.fixture
def drawn(monkeypatch):
    """Every card that a page draws: key -> its HTML."""
    cards: dict[str, str] = {}

    def draw(made, key, compact=False, **more):
        del compact, more
        cards.update({f"{key} {card.item_id}": str(card.html) for card in made})

    monkeypatch.setattr("pages.shared.drawing.gallery.draw", draw)
    return cards


LISTS = {
    "failures": {"model": results.STRONG, "kind": "itc", "subset": "relation"},
    "compare": {"a": f"itc {results.WEAK}", "b": f"itc {results.STRONG}", "metric": "group_score"},
    "equivariance": {"model": results.STRONG, "kind": "itc"},
    "debias": {"model": results.SPEAKER, "subset": "relation", "alpha": "0.9"},
}


#: The folds that lists of cards stand in.
FOLDS = ("compare-wins", "equivariance-quads", "debias-flips", "debias-ranges")


@pytest.mark.slow
@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("name", LISTS)
def test_every_list_of_cards_says_why_first(visit: Visit, drawn: dict[str, str], name: str) -> None:
    page = unfolded(visit(name, **LISTS[name]), *FOLDS)
    assert not page.exception
    assert drawn
    for key, html in drawn.items():
        line, head = html.find("fs-why-line"), max(html.find("fs-card-head"), html.find("fs-range-id"))
        assert 0 <= line < head, f"{key}: {plain(html)}"
        assert not re.search(r"uncertain(?! \(scores alone: )", plain(html)), plain(html)


@pytest.mark.slow
def test_a_side_at_another_alpha_says_why_at_that_alpha(small: Path, visit: Visit, drawn: dict[str, str]) -> None:
    del small
    sides = {"a": f"gen {results.SPEAKER}", "b": f"gen-alpha {results.SPEAKER}", "alpha": "0.9"}
    page = unfolded(visit("compare", **sides, metric="text_score"), *FOLDS)
    assert not page.exception
    assert drawn
    for html in drawn.values():
        assert re.findall(r"<i>([^<]+)</i>", html) == [
            f"{results.SPEAKER} · gen, α = 0", f"{results.SPEAKER} · gen, α = 0.9",
        ]  # fmt: skip


@pytest.mark.slow
def test_flips_under_an_edit_say_why_before_and_after(
    flipside_cache: Path, nothing_shipped: None, visit: Visit, drawn: dict[str, str]
) -> None:
    del nothing_shipped
    items = results.world()
    writer.write_run(flipside_cache, items, "1" * 16, ["itc"], model=results.STRONG, skill=2.5, name="small")
    edited = [{"model": results.STRONG, "parts": ["itc"], "skill": 0.5}]
    edited_runs.write(flipside_cache, items, [("character_swap", 0)], edited)
    page = visit("robustness", benchmark="small", judged="group_score")
    assert not page.exception
    assert drawn
    for html in drawn.values():
        assert re.findall(r"<i>([^<]+)</i>", html) == [f"{results.STRONG}, before", f"{results.STRONG}, after"]


@pytest.mark.slow
@pytest.mark.usefixtures("small")
def test_a_list_of_what_has_no_reason_says_so_once(visit: Visit, drawn: dict[str, str]) -> None:
    page = visit("failures", model=results.STRONG, kind="itc", subset="retrieval")
    assert not page.exception
    assert drawn
    assert not any("fs-why-line" in html for html in drawn.values())
    said = " ".join(caption.value for caption in page.caption) + "".join(str(h.proto.body) for h in page.get("html"))
    assert said.count("No reason exists for verdicts on retrieval") == 1
