import numpy as np
import pytest

from backend.metrics.reasons.language_prior import language_prior
from backend.metrics.reasons.priors import fewest_samples
from backend.protocols import Protocol
from scripts.planted_worlds import spoken


def summed(prior, seeds=8):
    """(true positives, labelled, planted) of the label and of its candidates, over seeds."""
    found = np.zeros((2, 3), int)
    for seed in range(seeds):
        gen, samples, planted = spoken(seed, prior)
        answer = language_prior(gen, samples, np.full(gen.shape, 10))
        for row, label in enumerate((answer.label, answer.candidates)):
            found[row] += [int((label & planted).sum()), int(label.sum()), int(planted.sum())]
    return found


def test_a_planted_prior_is_found_and_what_is_luck_is_not():
    (hits, labelled, planted), (_, candidates, _) = summed(4.0)
    assert hits / labelled >= 0.9
    assert hits / planted >= 0.6
    assert hits / candidates < 0.7  # the rule of the errors alone
    (_, labelled, _), _ = summed(0.0)
    assert labelled == 0


def test_other_items_priors_win_items_back_too():
    gen, samples, _ = spoken(1, 0.0)  # no prior at all
    found = language_prior(gen, samples, np.full(gen.shape, 10))
    mean, least, most = found.exchanged
    assert least <= mean <= most
    assert abs(found.won_back.only_b - mean) < 6
    gen, samples, _ = spoken(1, 4.0)
    found = language_prior(gen, samples, np.full(gen.shape, 10))
    assert found.won_back.only_b > found.exchanged[2]
    assert found.won_back.only_b - found.won_back.only_a > 30


def test_nothing_is_said_below_five_effective_samples():
    gen, samples, _ = spoken(2, 4.0)
    samples[0] += 20.0  # one image decides
    found = language_prior(gen, samples, np.full(gen.shape, 10))
    assert not found.known.any()
    assert not found.label.any()
    assert language_prior(gen, samples[:1], np.full(gen.shape, 10)).known.all()  # a blind language model is exact


def test_a_blind_model_that_prefers_the_truth_speaks_against_it():
    gen, samples, _ = spoken(3, 4.0)
    tokens = np.full(gen.shape, 10)
    with_prior = language_prior(gen, samples, tokens)
    against = language_prior(gen, samples, tokens, blind=[[0.0, -1.0]] * len(gen))
    assert with_prior.candidates.any()
    assert not against.candidates.any()


def test_padding_and_shapes():
    gen = [[-4.0, -3.0, np.nan], [-4.0, -3.0, -5.0]]
    samples = [[[-6.0, -1.0, np.nan], [-6.0, -1.0, -4.0]]]
    found = language_prior(gen, samples, [[2, 2, 0], [2, 2, 2]])
    assert found.candidates.tolist() == [True, True]
    with pytest.raises(ValueError, match="samples must have shape"):
        language_prior(gen, samples[0], [[2, 2, 0], [2, 2, 2]])


def test_a_margin_within_two_errors_of_sampling_says_nothing():
    samples = np.zeros((8, 2, 2))
    samples[:, :, 1] = np.linspace(-1, 1, 8)[:, None]  # the foil is likelier, by an amount that sampling leaves open
    gen = [[0.0, 0.05], [5.0, 5.05]]
    found = language_prior(gen, samples, [[1, 1]] * 2)
    assert found.known.all()
    assert not found.candidates.any()
    sure = samples.copy()
    sure[:, :, 1] = 2.0
    assert language_prior(gen, sure, [[1, 1]] * 2).candidates.all()


@pytest.mark.parametrize("protocol", [Protocol.TRIPLET, Protocol.QUAD])
def test_triplets_and_the_text_score_of_quads(protocol):
    """Precise where planted, silent without a prior; won and lost are those of the verdicts."""
    hits = labelled = 0
    for seed in range(6):
        gen, samples, planted = spoken(seed, 4.0, protocol=protocol)
        tokens = np.full(samples.shape[1:], 10)
        found = language_prior(gen, samples, tokens, protocol=protocol)
        hits, labelled = hits + int((found.label & planted).sum()), labelled + int(found.label.sum())
        p = np.log(np.exp(samples).mean(axis=0))
        after = gen - (p[:, None, :] if protocol == Protocol.QUAD else p)
        right = [
            (s[0, 0] > s[0, 1] and s[1, 1] > s[1, 0]) if protocol == Protocol.QUAD else min(s[:2]) > s[2]
            for s in (*gen, *after)
        ]
        before, now = np.array(right).reshape(2, -1)
        assert (found.won_back.only_b, found.won_back.only_a) == ((now & ~before).sum(), (before & ~now).sum())
    assert labelled > 60
    assert hits / labelled >= 0.9
    gen, samples, _ = spoken(0, 0.0, protocol=protocol)
    assert not language_prior(gen, samples, np.full(samples.shape[1:], 10), protocol=protocol).label.any()


def test_which_texts_of_triplets_and_quads_compete():
    """The weaker paraphrase against the negative; of a quad the captions under the image that tells them apart less."""
    tokens, flat = np.ones((40, 3)), np.zeros((1, 40, 3))
    gen = np.tile([3.0, 0.0, 1.0], (40, 1))
    for blind, said in (([0.0, -5.0, -1.0], True), ([-5.0, 0.0, -1.0], False)):  # the other paraphrase does not matter
        flat[:] = [0.0, -9.0, 0.0]
        found = language_prior(gen, flat, tokens, np.tile(blind, (40, 1)), protocol=Protocol.TRIPLET)
        assert found.candidates.all() == said
    quad = np.tile([[4.0, 0.0], [3.0, 2.0]], (40, 1, 1))  # text score lost under image 2, to caption 1
    prior = np.tile([2.0, 0.0], (1, 40, 1))
    for blind, said in (([1.0, 0.0], True), ([0.0, 1.0], False)):
        found = language_prior(quad, prior, tokens[:, :2], np.tile(blind, (40, 1)), protocol=Protocol.QUAD)
        assert found.candidates.all() == found.candidates.any() == said


def test_the_fewest_effective_samples_of_all_texts_decide_whether_an_item_is_known():
    """A foil that neither wins nor loses counts, too, as in `report`: six images of equal weight but for its own."""
    samples = np.zeros((6, 2, 3))
    samples[0, 1, 2] = 50.0  # one image decides P(t) of item 1's last foil
    samples[:, :, 2] -= 100.0
    gen = [[0.0, 1.0, -5.0]] * 2
    assert fewest_samples(samples, np.ones((2, 3))).round(6).tolist() == [6.0, 1.0]
    assert language_prior(gen, samples, np.ones((2, 3))).known.tolist() == [True, False]
    assert not language_prior(gen, samples[:1], np.ones((2, 3)), exact=False).known.any()  # one image is a sample


def test_only_metrics_that_a_prior_can_change():
    with pytest.raises(ValueError, match="metric must be"):
        language_prior(np.zeros((1, 2, 2)), np.zeros((1, 1, 2)), [[1, 1]], protocol=Protocol.QUAD, metric="image_score")
