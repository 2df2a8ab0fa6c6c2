"""`flipside granularity`: the features of exactly those captions that were asked for."""

import pytest

from backend.benchmarks import load_benchmark
from backend.perturb.granularity import FEATURES, compare, measure


def captions(subset, which):
    """Distinct captions the slow way."""
    found = []
    for item in load_benchmark("world"):
        if item.subset != subset:
            continue
        true = {t for _, t in item.truth}
        for position, text in enumerate(item.texts):
            if (which == "all" or (position in true) == (which == "truth")) and text not in found:
                found.append(text)
    return found


@pytest.mark.parametrize("which", ["truth", "foils", "all"])
def test_the_captions_that_count(flipside, which):
    told = flipside("granularity", "world", "--subset", "triplet", "--texts", which, "--json").json["sets"][0]
    expected = measure(captions("triplet", which))
    assert told["captions"] == expected.captions
    assert told["vocabulary"] == expected.vocabulary
    for feature in FEATURES:
        assert told["features"][feature.name]["mean"] == expected.features[feature.name].mean
        assert told["features"][feature.name]["n"] == expected.features[feature.name].n


@pytest.mark.slow
def test_two_sets_side_by_side(flipside):
    assert flipside("perturb", "--benchmark", "world", "--subset", "count", "--kinds", "distraction").code == 0
    told = flipside("granularity", "world", "--against", "world~distraction", "--json").json
    (beside,) = told["comparisons"]
    assert (beside["a"], beside["b"]) == ("world", "world~distraction")
    one = measure(dict.fromkeys(t for item in load_benchmark("world") for _, k in item.truth for t in [item.texts[k]]))
    items = load_benchmark("world~distraction")
    other = measure(dict.fromkeys(t for item in items for _, k in item.truth for t in [item.texts[k]]))
    for row in compare(one, other):
        shown = beside["features"][row.feature.name]
        assert shown["difference"] == pytest.approx(row.difference)
        assert shown["clear"] == row.clear
    assert beside["features"]["words"]["clear"] is True
    printed = flipside("granularity", "world", "--against", "world~distraction").out
    assert "world~distraction − world" in printed
    assert "Concept depth" in printed


def test_wrong_use(flipside):
    assert flipside("granularity", "wrld").code == 2
    assert "Did you mean triplet" in flipside("granularity", "world", "--subset", "tripplet").err
    assert "--texts x" in flipside("granularity", "world", "--texts", "x").err
    none = flipside("granularity", "world", "--subset", "retrieval", "--texts", "foils")
    assert none.code == 1
    assert "no such captions" in none.err
