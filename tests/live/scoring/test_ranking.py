"""Images ranked for a prompt: the model's own scores, in order."""

import numpy as np
import pytest
from PIL import Image
from scipy.special import expit

from backend.kinds import PAIR_KINDS
from backend.live.scoring.pool import Pool
from backend.live.scoring.ranking import Ranked, agreement, rank
from backend.live.scoring.scoring import score

PROMPT = "a red star"


def pictures(n: int) -> list[Image.Image]:
    return [Image.new("RGB", (8, 8), (5 * k, 90, 255 - 5 * k)) for k in range(n)]


@pytest.mark.parametrize("spec", ["fake:ok", "fake:pairwise"])
def test_ranks_are_by_the_scores_that_a_grid_shows(spec: str) -> None:
    images, told = pictures(40), []
    found = rank(Pool(), spec, images, [str(k) for k in range(40)], PROMPT, PAIR_KINDS, told.append)
    grid = score(Pool(), spec, images, [PROMPT], "noise:3")
    assert set(found.scores) == set(grid.matrices)
    for kind, values in found.scores.items():
        shown = expit(values) if kind in ("itm", "vqa") else values
        assert shown == pytest.approx(grid.matrices[kind][:, 0], abs=1e-6)
        ordered = values[found.order(kind)]
        assert (np.diff(ordered) <= 0).all()
    assert told == [32, 40]


def test_another_prompt_encodes_no_image_again() -> None:
    pool, images, keys = Pool(), pictures(3), ["a", "b", "c"]
    rank(pool, "fake:ok/itc", images, keys, PROMPT, ["itc"])
    with pool.use("fake:ok/itc") as model:
        model.encode_images = None  # type: ignore[assignment, method-assign]
    again = rank(pool, "fake:ok/itc", images, keys, "another", ["itc"])
    assert not again.problem
    assert again.scores["itc"].shape == (3,)


def test_a_failing_model_says_why_and_a_kind_that_it_lacks_is_left_out() -> None:
    assert "fails on purpose" in rank(Pool(), "fake:raise", pictures(2), ["a", "b"], PROMPT, ["itc"]).problem
    assert rank(Pool(), "fake:ok/itc", pictures(2), ["a", "b"], PROMPT, ["gen"]).scores == {}


def test_ties_share_ranks_and_undefined_scores_come_last() -> None:
    found = Ranked("m", {"itc": np.array([0.2, 0.9, 0.2, np.nan])})
    assert found.order("itc") == [1, 0, 2, 3]
    assert found.ranks("itc")[:3].tolist() == [2.5, 1.0, 2.5]


def test_agreement_is_spearmans_rank_correlation() -> None:
    one, other = np.array([3.0, 1.0, 2.0, 9.0]), np.array([1.0, 3.0, 2.0, 4.0])
    d = np.array([3, 1, 2, 4]) - np.array([1, 3, 2, 4])
    assert agreement(one, other) == pytest.approx(1 - 6 * (d**2).sum() / (4 * 15))
    assert agreement(one[:2], other[:2]) is None
    assert agreement(one, np.ones(4)) is None
