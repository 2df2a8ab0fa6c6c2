"""Verdicts as scores: the protocols' own rules give what the contests say, and nothing else."""

from itertools import product

import numpy as np
import pytest

from backend.items import Kind, Protocol
from backend.metrics.contests import as_scores
from backend.metrics.core.evaluate import outcomes

SHARES = (0.0, 0.5, 1.0)


def test_triplets_are_right_where_both_paraphrases_win_in_both_orders() -> None:
    cases = np.array(list(product(SHARES, repeat=2)))
    first = np.array([k % 2 == 0 for k in range(len(cases))])
    found = outcomes(Protocol.TRIPLET, Kind.VERDICT, as_scores(Protocol.TRIPLET, cases), p1_first=first)
    assert set(found) == {"i2t_accuracy", "i2t_p1_n_accuracy", "i2t_p2_n_accuracy"}
    for k, (a, b) in enumerate(cases):
        assert found["i2t_accuracy"].correct[k] == (a == 1 and b == 1)
        assert found["i2t_accuracy"].margin[k] == 2 * min(a, b) - 1
        assert found["i2t_accuracy"].ties[k] == (min(a, b) == 0.5)
        p1, p2 = (a, b) if first[k] else (b, a)
        assert found["i2t_p1_n_accuracy"].correct[k] == (p1 == 1)
        assert found["i2t_p2_n_accuracy"].correct[k] == (p2 == 1)


@pytest.mark.parametrize("k", [1, 2, 3])
def test_choices_are_right_where_the_truth_beats_every_foil_in_both_orders(k: int) -> None:
    cases = np.array(list(product(SHARES, repeat=k)))
    (name, found), = outcomes(Protocol.CHOICE, Kind.VERDICT, as_scores(Protocol.CHOICE, cases)).items()  # fmt: skip
    assert name == "accuracy"
    for row, shares in enumerate(cases):
        assert found.correct[row] == all(shares == 1)
        assert found.ties[row] == (shares.min() == 0.5)


def test_quads_have_a_text_score_and_no_other() -> None:
    cases = np.array(list(product(SHARES, repeat=2)))
    found = outcomes(Protocol.QUAD, Kind.VERDICT, as_scores(Protocol.QUAD, cases))
    assert list(found) == ["text_score"]
    for row, (first, second) in enumerate(cases):  # of text 1 over text 2, for each image
        assert found["text_score"].correct[row] == (first == 1 and second == 0)
        assert found["text_score"].margin[row] == min(2 * first - 1, 1 - 2 * second)


def test_what_was_not_asked_is_undefined_where_it_is_needed() -> None:
    scores = as_scores(Protocol.CHOICE, [[1.0, np.nan], [1.0, 1.0]])
    found = outcomes(Protocol.CHOICE, Kind.VERDICT, scores, n_texts=[3, 3])["accuracy"]
    assert found.defined.tolist() == [False, True]
    padded = outcomes(Protocol.CHOICE, Kind.VERDICT, scores, n_texts=[2, 3])["accuracy"]
    assert padded.correct.tolist() == [True, True]
    assert as_scores(Protocol.TRIPLET, np.zeros((0, 2))).shape == (0, 3)


def test_other_protocols_have_no_contests() -> None:
    for protocol in (Protocol.CLASSIFY, Protocol.RETRIEVAL, Protocol.GROUNDING):
        with pytest.raises(ValueError, match="no contests of two texts"):
            as_scores(protocol, [[1.0]])
        with pytest.raises(ValueError, match="no per-item verdict from verdict scores"):
            outcomes(protocol, Kind.VERDICT, [[1.0, 0.0]])


def test_a_random_letter_for_every_question_is_far_below_the_printed_chance() -> None:
    """docs/methods.md: 1/4 of two-way choices, half of them ties; random but steady tastes reach the printed level."""
    rng = np.random.default_rng(0)
    letters = rng.integers(0, 2, (20_000, 2))  # the truth was named, in each order
    found = outcomes(Protocol.CHOICE, Kind.VERDICT, as_scores(Protocol.CHOICE, letters.mean(axis=1)[:, None]))
    assert found["accuracy"].correct.mean() == pytest.approx(1 / 4, abs=0.01)
    assert found["accuracy"].ties.mean() == pytest.approx(1 / 2, abs=0.01)
    liked = rng.random((20_000, 3))
    wins = (liked[:, :1] > liked[:, 1:]).astype(float)
    found = outcomes(Protocol.CHOICE, Kind.VERDICT, as_scores(Protocol.CHOICE, wins))
    assert found["accuracy"].correct.mean() == pytest.approx(1 / 3, abs=0.01)
