import numpy as np
import pytest

from backend.metrics import by_item
from backend.metrics.reasons.readout import readout
from scripts.planted_worlds import lexical


@pytest.mark.long
@pytest.mark.parametrize("weight", [0.0, 0.5, 0.9])
def test_a_concept_is_told_apart_from_shared_words(weight):
    for encoded in (True, False):
        cosines, vectors, concepts = lexical(0, weight, encoded)
        found = readout(vectors, concepts, np.tile(np.arange(len(cosines)), 2))
        assert (found.ci95[0] > 0.5) == encoded
        assert found.n == 600
    assert by_item.triplet_t2t(lexical(0, 0.9, True)[0]).rate().value < 0.1  # T2T alone would say "not encoded"


@pytest.mark.long
def test_groups_are_never_on_both_sides():
    rng = np.random.default_rng(0)
    groups = np.repeat(np.arange(40), 5)
    vectors = np.eye(40)[groups]  # a vector says which image it is of, and nothing else
    found = readout(vectors, np.repeat(rng.choice(["a", "b"], 40), 5), groups)
    assert found.value < 0.7


def test_undefined_and_shapes():
    assert readout(np.ones((6, 2)), ["a"] * 6, range(6)).value is None
    assert readout(np.ones((6, 2)), ["a", "b"] * 3, [0, 0, 1, 1, 2, 2]).value is None
    with pytest.raises(ValueError, match="as many vectors, labels and groups"):
        readout(np.ones((2, 2)), ["a"], [0])
