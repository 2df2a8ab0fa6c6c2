"""What `report` prints of gains for people: of which items samples are counted, and none claimed of too few."""

import pytest

from backend.verbs.shared import report_sections


def star(samples, protocol=None):
    """A metric's line of `alpha_star`; samples: the effective ones, median over its items, None for a blind model."""
    size = {"n": 20, "median": samples, "min": samples, "enough": samples is None or samples >= 5}
    return {
        "prior": "images:20", "norm": "token", "protocol": protocol, "reason": "none is printed", "dev_test": None,
        "all": {"alpha": 0.5, "interval": (0.4, 0.6), "value": 0.5, "at_0": 0.4, "at_1": 0.3, "n": 450},
        "uncertainty": {
            "gain": {"value": 0.017, "won": 112, "lost": 74, "p": 0.007}, "bootstrap": None, "effective_samples": size,
        },
    }  # fmt: skip


def printed(capsys, **stars):
    report_sections._alpha_star(stars)
    return capsys.readouterr().out.splitlines()


def test_gains_of_too_few_effective_samples_are_not_claimed(capsys):
    lines = printed(capsys, text_score=star(1.94), accuracy=star(7.25))
    few, enough = (next(line for line in lines if line.startswith(f"{name} ") and "112" in line) for name in
                   ("text_score", "accuracy"))  # fmt: skip
    assert "1.9 of 20" in few
    assert "+1.7 points, not claimed" in few
    assert "7.3 of 20" in enough
    assert "not claimed" not in enough
    (said,) = (line for line in lines if line.startswith("Not claimed"))
    assert "the gains of text_score. P(t) rests there on fewer than 5 effective samples" in said
    assert "effective samples" not in lines[1], "one metric's number over the table of all"


def test_a_blind_model_samples_nothing(capsys):
    assert "claimed" not in "\n".join(printed(capsys, accuracy=star(None)))


@pytest.mark.parametrize("few", [0, 4146])
def test_each_number_of_samples_says_what_it_is_the_median_of(capsys, few):
    part = {"effective_median": 1.25, "below_5": few, "n_items": 4430}
    report_sections._prior_samples("images:20", {"n": 20, **part, "by_subset": {}, "own": ""})
    size = {"median": 2.25, "min": 1.0}
    report_sections._monte_carlo({
        "prior": "images:20", "norm": "token", "se": {"mean": 0.1, "median": 0.1, "max": 0.3}, "unit": "nats a token",
        "effective_samples": size, "n_samples": 20, "n_texts": 12080, "rates": {},
    })  # fmt: skip
    said = capsys.readouterr().out
    assert "weigh like 1.3 (median over all 4430 items of the text that has fewest)" in said
    assert "weigh like 2.3 (median over all 12080 texts, not of each item's least)" in said
    assert ("nothing debiased is claimed: 4146 of 4430" in said) == bool(few)
