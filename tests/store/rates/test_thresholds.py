"""VALSE's threshold from stored log-odds: moved, named, and refused where scores are no probabilities."""

import numpy as np
import pytest
from scipy.special import expit

from backend.store.rates import thresholds
from tests.store.conftest import MODEL, ONE

ARGS = ("report", "--model", MODEL, "--benchmark", "toy", "--subset", "choice")


def probabilities(asked):
    rows = asked.cursor().execute(
        """SELECT text_index, value FROM scores JOIN items USING (item_no)
        WHERE run_id = ? AND part = 'itm' AND protocol = 'choice'""", [ONE]).fetchall()  # fmt: skip
    truths = expit(np.array([value for text, value in rows if text == 0]))
    return truths, expit(np.array([value for text, value in rows if text > 0]))


@pytest.mark.usefixtures("ready")
@pytest.mark.parametrize("at", [None, 0.0, 0.31, 0.8, 1.0])
def test_report_at_a_threshold(flipside, asked, at):
    more = () if at is None else ("--threshold", str(at))
    found = flipside(*ARGS, "--kind", "itm", *more, "--json").json
    truths, foils = probabilities(asked)
    line = 0.5 if at is None else at
    assert found["setting"]["threshold"] == line
    metrics = found["metrics"]
    pc, pf = np.mean(truths > line), np.mean(foils <= line)
    assert metrics["pc"]["value"] == pytest.approx(pc)
    assert metrics["pf"]["value"] == pytest.approx(pf)
    assert metrics["threshold_accuracy"]["value"] == pytest.approx((pc + pf) / 2)
    assert metrics["min_pc_pf"]["value"] == pytest.approx(min(pc, pf))
    area = np.mean(truths[:, None] > foils[None, :])
    assert metrics["auroc"]["value"] == pytest.approx(area)
    assert metrics["auroc"]["ci95"][0] <= area <= metrics["auroc"]["ci95"][1]
    assert "undefined" not in found


@pytest.mark.long
@pytest.mark.usefixtures("ready")
@pytest.mark.parametrize("kind", ["itc", "gen"])
def test_other_kinds_say_why_not(flipside, kind):
    found = flipside(*ARGS, "--kind", kind, "--json").json
    assert found["metrics"]["auroc"]["value"] is None
    assert "means yes" in found["undefined"]["auroc"]
    assert set(found["undefined"]) == {"pc", "pf", "threshold_accuracy", "min_pc_pf", "auroc"}
    answer = flipside(*ARGS, "--kind", kind, "--threshold", "0.4")
    assert answer.code == 2
    assert f"not to {kind}" in answer.err
    assert "undefined for" in flipside(*ARGS, "--kind", kind).out


@pytest.mark.usefixtures("ready")
@pytest.mark.parametrize("at", ["2", "-0.1", "nan"])
def test_no_probability(flipside, at):
    answer = flipside(*ARGS, "--kind", "itm", "--threshold", at)
    assert answer.code == 2
    assert "0 to 1" in answer.err


def test_the_curve(asked):
    curve = thresholds.curve(asked, ONE, "itm")
    truths, foils = probabilities(asked)
    assert set(curve.at) == {0.0, 1.0, *truths, *foils}
    for at, pc, pf in zip(curve.at, curve.pc, curve.pf, strict=True):
        assert (pc, pf) == (pytest.approx(np.mean(truths > at)), pytest.approx(np.mean(foils <= at)))
    assert thresholds.curve(asked, ONE, "itc") is None
    assert thresholds.curve(asked, ONE, "itm", "relation") is None


def test_rates_at_a_threshold_are_those_of_the_curve(asked):
    truths, foils = probabilities(asked)
    found = thresholds.rates_at(asked, ONE, "itm", 0.4)
    assert found["pc"].value == pytest.approx(np.mean(truths > 0.4))
    assert found["pf"].value == pytest.approx(np.mean(foils <= 0.4))
    assert found["pc"].ci95 is not None
    assert thresholds.rates_at(asked, ONE, "itc", 0.4) == {}
