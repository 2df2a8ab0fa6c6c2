"""The comparisons by CPU seconds: what their figures mean, and what they are made of. `make bench` runs them."""

import json
from pathlib import Path

import pytest

from bench.paired import __main__ as command
from bench.paired import made, measuring
from bench.paired.cases import CASES
from bench.paired.measuring import Measured


def measured(**more):
    given = {
        "name": "itc", "what": "w", "steps": 100, "part": 10, "loop": 610.0, "loop_work": 600.0, "bound": 105.0,
        "bound_work": 100.0, "bound_least": 20.0, "whole": 0.0, "run": 108.0, "run_least": 28.0, "apart": 0.0,
        "wanted": 6.0,
    }  # fmt: skip
    return Measured(**{**given, **more})


def test_work_is_compared_without_what_starts_a_process():
    found = measured()
    assert (found.ratio, found.share, found.short()) == (6.0, 1.0, [])


def test_what_is_below_its_limit_is_named():
    assert measured(run=128.0).short() == [
        "itc: 4.8 times the loop, expected at least 6",
        "itc: 0.80 of the bound, expected at least 0.95",
    ]
    assert measured(run=128.0, wanted=None).short() == ["itc: 0.80 of the bound, expected at least 0.95"]


def test_the_issues_limits_stand():
    """itc and gen at least 6 times the loop, pools 10 times."""
    assert {name: case.ratio for name, case in CASES.items()} == {
        "itc": 6, "gen": 6, "pool-40": 10, "pool-itm": 10, "pool-gen": 10, "t2t": None, "counterfactual": None,
    }  # fmt: skip
    assert [CASES[name].full for name in ("itc", "gen", "pool-40", "pool-itm", "pool-gen")] == [
        (1560, 7511), (60, 16), (40, 200), (50, 250), (50, 250)
    ]  # fmt: skip


def test_an_unknown_comparison_is_refused():
    with pytest.raises(SystemExit, match="--only x: expected some of itc, gen, pool-40"):
        command.chosen("itc,x")
    assert [case.name for case in command.chosen("gen,itc")] == ["gen", "itc"]


def test_a_score_that_differs_ends_the_comparison():
    items = [made.Asked("a", ("t", "u")), made.Asked("b", ("v", "w"))]
    scores = {(0, 0): 1.0, (0, 1): 2.0, (1, 0): 3.0, (1, 1): 4.0}
    case = CASES["itc"]
    assert measuring._apart(case, items, [1.0, 2.00005], scores) == pytest.approx(5e-5)
    with pytest.raises(SystemExit, match=r"a score of run differs by 0\.01 "):
        measuring._apart(case, items, [1.0, 2.0, 3.01], scores)


def test_sugarcrepe_is_made_in_its_own_proportions(tmp_path):
    items = made.sugarcrepe(tmp_path, 13, 63, (32, 24))
    assert len(items) == 63
    assert len({item.image for item in items}) == 13
    counts = {name: len(json.loads((tmp_path / f"{name}.json").read_text())) for name in made.FILES}
    assert sum(counts.values()) == 63
    assert max(counts, key=counts.get) == "add_obj"
    texts = {text for item in items for text in item.texts}
    assert len(texts) == 63 + round(63 * 4345 / 7511)
    again = made.sugarcrepe(tmp_path / "again", 13, 63, (32, 24))
    assert [item.texts for item in items] == [item.texts for item in again]
    assert Path(items[5].image).read_bytes() == Path(again[5].image).read_bytes()


def test_captions_are_as_long_as_sugarcrepes():
    lengths = [len(text.split()) for text in made.captions(2000, 1)]
    assert sum(lengths) / 2000 == pytest.approx(made.MEAN, abs=0.3)
    assert min(lengths) >= made.FEWEST


def test_other_pictures_are_others():
    items = [made.Asked(f"{n}.jpg", (f"a{n}", f"b{n}")) for n in range(6)]
    pairs = list(made.others(items, 3))
    assert len(pairs) == 6 * 4 * 2
    for number in range(6):
        seen = [image for k, image, _ in pairs if k == number]
        assert seen[:2] == [f"{number}.jpg"] * 2
        assert len(set(seen)) == 4
