"""What stands first on an item: each model's sentence, its picture, and what is not measured."""

import doctest
import re
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from backend.store.reasons.facts import Said
from backend.store.reasons.of_item import Explanation
from pages.item import choice_picture, quad_picture, strip, why
from pages.shared.data import stored
from pages.shared.drawing import colours
from tests.engine.samples import mixed
from tests.pages import results
from tests.pages.item.test_edits import detail


def explained(model, kind, reason="", command=""):
    row = {"cell": reason, "reason": reason} if reason else {}
    return Explanation(model, "r", kind, Said(f"{model} {kind}.", (), "short", command=command), row)


def plain(html):
    return " ".join(re.sub("<[^>]+>", " ", html).split())


def test_examples():
    assert doctest.testmod(strip).failed == 0


def test_whose_sentence_leads():
    one, two, three = explained("a", "t2t"), explained("b", "itc", "right"), explained("b", "itm", "right")
    found = [one, two, three]
    assert why._first(found, "", "") is two, "the first that is measured"
    assert why._first(found, "b", "itm") is three
    assert why._first(found, "b", "gen") is two
    assert why._first(found, "a", "itc") is one, "the chosen model's, though it is not measured"
    assert why._first([one], "", "") is one


def test_what_is_not_measured_is_said_once_a_cause_with_its_commands():
    same = "Reason not measured: no scores."
    found = [
        Explanation(model, "r", "itc", Said(same, (), "short", command=f"flipside run --model {model}"), {})
        for model in ("a", "b")
    ]
    parts = why._lacking(found, {"a": "A", "b": "B"})
    assert len(parts) == 1
    assert plain(parts[0]).startswith("A (similarity), B (similarity): reason not measured: no scores.")
    assert parts[0].count("<code>") == 2
    assert "run --model b</code>" in parts[0]


def test_a_verdict_that_no_reason_is_known_for_stands_aside():
    """Text-text verdicts of a triplet are left out beside the model's own under its image; without one they stay."""
    rows = [("m", "r", "t2t"), ("m", "r", "itc"), ("s", "q", "t2t")]
    outcomes = [(*row, "i2t_accuracy", -1, True, 0.1, False) for row in rows]
    found = SimpleNamespace(protocol="triplet", outcomes=detail(["a"], outcomes=outcomes).outcomes)
    assert why.verdicts(found, ["s", "m"]) == (("s", "q", "t2t"), ("m", "r", "itc"))


def test_arrows_point_at_the_larger_score_and_say_what_belongs_together():
    html = quad_picture.arrows(np.array([[0.5, 0.6], [0.3, 0.6]]), "cosine")
    across = re.findall(r'fs-two-(right|wrong)"><i>(.)</i>([\d.]+) (.)', html)
    assert across == [
        ("wrong", "→", "0.100", "✗"),  # image 1: caption 2 has more
        ("right", "↑", "0.200", "✓"),  # caption 1: image 1 has more
        ("wrong", "=", "0.00", "✗"),  # caption 2: equal scores decide nothing
        ("right", "→", "0.300", "✓"),  # image 2: caption 2 has more
    ]
    assert (
        "image 1 with caption 1 0.500, with caption 2 0.600; image 2 with caption 1 0.300, with caption 2 0.600" in html
    )


def test_bars_stand_on_one_axis_and_name_what_is_needed():
    table = pd.DataFrame({"gamma": [0.1, -0.1], "c": [0.05, -0.2], "r": [0.0, 0.1], "item_id": ["c/1", "c/2"]})
    row = {"gamma": 0.1, "c": 0.05, "r": -0.2, "scale": "cosine", "cell": "outvoted_by_image"}
    html = quad_picture.bars(row, table)
    left, width = map(float, re.findall(r'fs-strip-bar" style="left:([\d.]+)%;width:([\d.]+)%', html)[0])
    assert left == 50.0
    r_left, r_width = map(float, re.findall(r'fs-strip-bar" style="left:([\d.]+)%;width:([\d.]+)%', html)[2])
    assert r_left + r_width == pytest.approx(50.0, abs=0.02), "below zero it ends there"
    assert r_width == pytest.approx(2 * width, abs=0.05), "the same axis for all three"
    needed = float(re.search(r'fs-strip-needed" style="left:([\d.]+)%', html)[1])
    assert needed == pytest.approx(50 + r_width, abs=0.02), "γ has to pass the larger bias"
    assert "binding has to be above 0.200 to be right" in html
    each = Explanation("m", "r", "itc", Said("", (), ""), row, table)
    said = quad_picture.deviations(SimpleNamespace(subset="c", item_id="c/1"), each)
    assert "v1 −0.100 (further from 0 than 0 % of the subset), v2 text side +0.200 (further from 0 than 0 %" in said


def test_the_own_image_stands_among_the_others():
    row = {"m": 0.5, "b": 0.0, "n_other": 40, "same": 12, "others": [-0.5, 0.0, 0.5], "scale": "cosine"}
    html = choice_picture.html(SimpleNamespace(protocol="choice"), Explanation("m", "r", "itc", Said("", (), ""), row))
    place = [float(each) for each in re.findall(r'fs-strip-dot" style="left:([\d.]+)%', html)]
    own = float(re.search(r'fs-strip-own" style="left:([\d.]+)%', html)[1])
    mean = float(re.search(r'fs-strip-mean" style="left:([\d.]+)%', html)[1])
    assert place[0] < place[1] == mean == 50.0 < place[2] == own
    assert "under 12 of 40 of them the verdict is the same" in html
    assert "3 of 40 other images, evenly spaced by rank" in html


@pytest.mark.long
def test_items_of_every_protocol_say_why_first(flipside_cache, tmp_path, nothing_shipped, visit):
    from backend.engine.runner import run

    benchmark = mixed(tmp_path / "p", 24)
    run("fake:ok", benchmark, ["itc", "t2t"], counterfactual=18, root=flipside_cache)
    run("fake:ok/itm", benchmark, ["itm"], root=flipside_cache)
    for item, picture in (
        ("quad/1", "fs-two-grid"),
        ("choice/1", "fs-strip-own"),
        ("tri/1", "fs-strip-own"),
        ("pool/1", ""),
    ):
        page = visit("item", benchmark="mixed", item=item, model="fake:ok")
        assert not page.exception
        bodies = [element.proto.body for element in page.get("html")]
        first = next(body for body in bodies if "fs-why" in body and "<style" not in body)
        assert bodies.index(first) == next(k for k, body in enumerate(bodies) if "fs-big" in body) + 1, (
            "right below the item itself"
        )
        if picture:
            assert picture in first
            assert "The numbers behind it" in first
        assert not re.search(r"\b\w+_\w+\b", plain(first)), plain(first)
    assert "this kind of verdict has none, for a retrieval item is judged against its whole pool" in plain(first)
    page = visit("item", benchmark="mixed", item="choice/1", model="fake:ok/itm")
    said = plain("".join(element.proto.body for element in page.get("html")))
    assert "run --model fake:ok/itm --benchmark mixed --kinds itm --counterfactual 18" in said


@pytest.mark.long
@pytest.mark.usefixtures("small")
def test_a_finding_links_to_the_item_s_own_page(monkeypatch):
    benchmark = stored.chosen()["small"]
    name = next(item.item_id for item in results.world() if item.protocol == "quad")
    detail = stored.item(benchmark.hash, name)
    monkeypatch.setattr(why, "chosen", lambda: {"model": results.WEAK, "kind": "itc"})
    said, link, _ = why.to_copy(detail, benchmark.models, benchmark.name)
    assert said.startswith(f"On item {name} ")
    assert link == {"benchmark": "small", "item": name, "model": results.WEAK, "kind": "itc"}
    monkeypatch.setattr(why, "chosen", dict)
    said, link, _ = why.to_copy(detail, benchmark.models, benchmark.name)
    assert link["model"] in benchmark.models  # whose sentence leads, though nobody chose it
    assert f"On item {name} {colours.label(link['model'])} " in said


@pytest.mark.long
@pytest.mark.usefixtures("small")
def test_a_finding_holds_no_score_where_verdicts_alone_may_be_handed_on(monkeypatch):
    """Neither the margin nor the claim, whose numbers are made of scores; the cell and its reason stand for it."""
    benchmark = stored.chosen()["small"]
    name = next(item.item_id for item in results.world() if item.protocol == "quad")
    monkeypatch.setattr(why, "chosen", lambda: {"model": results.WEAK, "kind": "itc"})
    monkeypatch.setattr(why.handing_on, "verdicts_only", lambda runs: True)
    said, _, run = why.to_copy(stored.item(benchmark.hash, name), benchmark.models, benchmark.name)
    assert run == benchmark.runs[results.WEAK]
    assert "margin" not in said
    assert "; why: " in said
    assert said.endswith("; small).")
