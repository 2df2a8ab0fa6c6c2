"""What ships of Try it's examples is what the models say."""

import numpy as np
import pytest

from backend.live.scoring import shipped
from backend.live.scoring.examples import BY_NAME, EXAMPLES
from scripts.example_scores import MODELS, asked

SPECS = [f"bundled:{name}" for name in MODELS]


@pytest.mark.parametrize("spec", ["bundled:clip", pytest.param("bundled:captioner", marks=pytest.mark.long),
                                  pytest.param("bundled:matcher", marks=pytest.mark.long)])  # fmt: skip
def test_the_models_say_the_same_again(spec: str) -> None:
    again = asked(spec)
    assert again["weights"]
    for example in EXAMPLES:
        found = shipped.scores([spec], example)
        assert found is not None
        (one,) = found
        own = again["scores"][example.name]
        assert set(one.matrices) == set(own)
        for kind, matrix in own.items():
            np.testing.assert_allclose(one.judged(kind), matrix, atol=2e-5)
        known = shipped.under([spec], example)
        for kind, values in again["under"].get(example.name, {}).items():
            assert known[spec, kind].cell == values[-1]
            np.testing.assert_allclose([known[spec, kind].m, known[spec, kind].b], values[:2], atol=2e-5)


def test_nothing_is_given_for_other_weights_or_other_models(monkeypatch: pytest.MonkeyPatch) -> None:
    example = BY_NAME["binding"]
    assert shipped.scores(SPECS, example)
    assert shipped.scores([*SPECS, "hf:mine"], example) is None
    assert shipped.example_of(example.images, example.texts, "grid") is None
    monkeypatch.setattr(shipped, "weights_of", lambda _: "other")
    assert shipped.scores(SPECS, example) is None
