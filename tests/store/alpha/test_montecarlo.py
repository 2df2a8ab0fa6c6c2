"""Monte-Carlo errors of stored priors, against numpy on the same rows."""

import numpy as np
import pytest

from backend.store.alpha import montecarlo
from backend.store.scores.setting import Setting
from tests.store.conftest import ONE


def rows(asked, protocol):
    """{(item, text): (sums by sample, tokens)} of noise:3."""
    found = {}
    for no, text, _, value, tokens in asked.cursor().execute(
        """SELECT item_no, text_index, sample, value, n_tokens FROM scores JOIN items USING (item_no)
        WHERE run_id = ? AND part = 'prior@noise:3' AND protocol LIKE ? ORDER BY sample""", [ONE, protocol],
    ).fetchall():  # fmt: skip
        found.setdefault((no, text), ([], tokens))[0].append(value)
    return found


@pytest.mark.long
@pytest.mark.parametrize("norm", ["token", "sum", "paper-score"])
def test_the_summary(asked, norm):
    errors = []
    for sums, tokens in rows(asked, "%").values():
        w = np.exp(np.array(sums, float) / (tokens if norm == "paper-score" else 1))
        errors.append(w.std(ddof=1) / (np.sqrt(3) * w.mean()) / (tokens if norm == "token" else 1))
    found = montecarlo.prior_errors(asked, ONE, "noise:3", norm)
    assert found["n_samples"] == 3
    assert found["n_texts"] == len(errors)
    assert found["se"] == pytest.approx({"mean": np.mean(errors), "median": np.median(errors), "max": np.max(errors)})
    assert found["unit"] == ("nats" if norm == "sum" else "nats a token")
    assert 1 <= found["effective_samples"]["median"] <= 3


def test_a_blind_model_has_none(asked):
    found = montecarlo.prior_errors(asked, ONE, "lm:fake:blind")
    assert found["se"] is None
    assert "blind" in found["reason"]
    assert montecarlo.prior_errors(asked, ONE, "noise:99") is None
    frame = montecarlo.errors_of_items(asked, ONE, Setting("gen", 0.5, "lm:fake:blind"))
    assert frame["margin"].notna().all()
    assert frame["margin_error"].isna().all()
    rates = montecarlo.errors_of_rates(asked, ONE, Setting("gen", 0.5, "lm:fake:blind"), (0.5,))
    assert rates["accuracy"][0]["se"] is None
    assert rates["accuracy"][0]["n_within_2_se"] is None


def test_items_and_rates(asked):
    setting = Setting("gen", 0.7, "noise:3")
    frame = montecarlo.errors_of_items(asked, ONE, setting)
    assert set(frame["metric"]) == {"accuracy", "i2t_accuracy", "text_score"}
    line = frame[frame["metric"] == "i2t_accuracy"].iloc[0]
    prior = rows(asked, "triplet")
    moved = []
    for text in range(3):
        sums, tokens = prior[line["item_no"], text]
        w = np.exp(np.array(sums, float))
        moved.append((w / w.mean() - 1) / tokens)
    errors = [0.7 * np.std(moved[t] - moved[2], ddof=1) / np.sqrt(3) for t in (0, 1)]
    assert any(line["margin_error"] == pytest.approx(e) for e in errors)
    rates = montecarlo.errors_of_rates(asked, ONE, setting, (0.0, 0.7))
    at_0, at = rates["i2t_accuracy"]
    assert at_0["se"] == 0
    assert at["se"] > 0
    close = (frame["margin"].abs() <= 2 * frame["margin_error"]) & (frame["metric"] == "i2t_accuracy")
    assert at["n_within_2_se"] == close.sum()
    assert at["value"] == pytest.approx((frame["margin"][frame["metric"] == "i2t_accuracy"] > 0).mean())
    assert set(rates) == {"accuracy", "i2t_accuracy", "text_score", "group_score"}


def test_rates_without_the_count_of_near_items_are_the_same(asked):
    setting = Setting("gen", 0.5, "noise:3")
    full = montecarlo.errors_of_rates(asked, ONE, setting, (0.0, 0.7))
    short = montecarlo.errors_of_rates(asked, ONE, setting, (0.0, 0.7), near=False)
    assert any(line["n_within_2_se"] is not None for lines in full.values() for line in lines)
    for metric, lines in full.items():
        assert short[metric] == [line | {"n_within_2_se": None} for line in lines]
