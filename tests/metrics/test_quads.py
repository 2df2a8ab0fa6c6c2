"""Every quad of small whole numbers: Winoground's scores and EqSim's conditions straight from their definitions."""

import itertools

import numpy as np
import pytest
from scipy.special import expit, logsumexp

from backend.items import Kind, Protocol
from backend.metrics import eqsim
from backend.metrics.core.evaluate import outcomes

VALUES = (-2.0, -1.0, 0.0, 1.0, 2.0)
EVERY = np.array(list(itertools.product(VALUES, repeat=4))).reshape(-1, 2, 2)  # 625 quads, [image, text]


@pytest.mark.parametrize("kind", [Kind.ITC, Kind.ITM, Kind.GEN, Kind.VQA])
def test_scores_of_every_quad(kind):
    found = outcomes(Protocol.QUAD, kind, EVERY)
    for place, quad in enumerate(EVERY.tolist()):
        # Text: given each image, its own caption is picked. Image: given each caption, its own image is picked.
        text = all(quad[i][i] > quad[i][1 - i] for i in (0, 1))
        image = all(quad[i][i] > quad[1 - i][i] for i in (0, 1))
        for name, right in (("text_score", text), ("image_score", image), ("group_score", text and image)):
            assert found[name].correct[place] == right
        margin = min(quad[i][i] - quad[i][1 - i] for i in (0, 1))
        assert found["text_score"].margin[place] == margin
        assert found["text_score"].ties[place] == (margin == 0)
    chance = {name: v.correct.mean() for name, v in found.items()}
    assert chance["text_score"] == chance["image_score"] < 1 / 4  # ties fail
    shuffled = np.random.default_rng(0).permutation(len(EVERY))
    assert outcomes(Protocol.QUAD, kind, EVERY[shuffled])["group_score"].rate() == found["group_score"].rate()


def test_symmetries_of_every_quad():
    found, turned = (outcomes(Protocol.QUAD, Kind.ITC, s) for s in (EVERY, EVERY.transpose(0, 2, 1)))
    both = outcomes(Protocol.QUAD, Kind.ITC, EVERY[:, ::-1, ::-1])  # images and captions swapped alike
    for name in found:
        assert np.array_equal(found[name].correct, both[name].correct)
    assert np.array_equal(found["text_score"].correct, turned["image_score"].correct)
    wrong = outcomes(Protocol.QUAD, Kind.ITC, EVERY[:, :, ::-1])  # captions swapped alone: what was right is wrong
    assert not np.any(found["group_score"].correct & wrong["group_score"].correct)
    assert not np.any(found["text_score"].correct & wrong["text_score"].correct)


def test_deviations_of_every_quad():
    v1, text, image = eqsim.deviations(EVERY)
    for place, ((s11, s12), (s21, s22)) in enumerate(EVERY.tolist()):
        assert (v1[place] == 0) == (s12 == s21)
        # EqSim v2 in words: the same change of caption changes both images' scores alike, and the same for images.
        assert (text[place] == 0) == (s11 - s12 == s22 - s21)
        assert (image[place] == 0) == (s11 - s21 == s22 - s12)
        v2 = text[place] == 0 and image[place] == 0
        assert v2 == (s12 == s21 and s11 == s22)  # "v2 further requires s11 = s22" (section 3)


def test_normalised_deviations_of_every_quad():
    odds = eqsim.deviations(eqsim.normalise(EVERY, "itm"))
    share = eqsim.deviations(eqsim.normalise(EVERY, "itc", "softmax-cells", logit_scale=3.0))
    pool = eqsim.deviations(eqsim.normalise(EVERY, "itc", "softmax-pool", logit_scale=3.0))
    total = logsumexp(3.0 * EVERY)
    for place, quad in enumerate(EVERY):
        p = expit(quad)
        assert odds.v1[place] == pytest.approx(p[0, 1] - p[1, 0])
        cells = np.exp(3 * quad) / np.exp(3 * quad).sum()
        assert share.v2_text[place] == pytest.approx((cells[0, 0] - cells[0, 1]) - (cells[1, 1] - cells[1, 0]))
        over = np.exp(3 * quad - total)
        assert pool.v2_image[place] == pytest.approx((over[0, 0] - over[1, 0]) - (over[1, 1] - over[0, 1]), abs=1e-12)
    assert {np.sign(a) == np.sign(b) for a, b in zip(odds.v1, eqsim.deviations(EVERY).v1, strict=True)} == {True}
