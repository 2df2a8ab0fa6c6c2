"""What batching changes is measured on a run's own scores and stands in its record."""

import numpy as np
import pytest

from backend.engine.batching import differences
from backend.engine.runner import run
from backend.engine.storage import files, shards
from backend.models import load
from tests.engine.samples import mixed

SHIFT = 2.0**-10


def batched(spec="fake:ok", shift=SHIFT):
    """A fake model with a module, whose numbers are `shift` higher in any company."""
    model = load(spec)
    model.module = object()

    def moved(original):
        def call(*arguments):
            found = original(*arguments)
            return found + np.float32(shift if len(found) > 1 else 0)

        return call

    for name in ("itm_logits", "vqa_logits"):
        setattr(model, name, moved(getattr(model, name)))
    tokens = model.caption_logprobs

    def caption_logprobs(images, texts):
        found = tokens(images, texts)
        return [(words, logprobs - np.float32(shift if len(found) > 1 else 0)) for words, logprobs in found]

    model.caption_logprobs = caption_logprobs
    return model


def recorded(folder, model, kinds, **more):
    summary = run(model, mixed(folder / "pictures"), kinds, root=folder, **more)
    return files.read_json(summary.run_dir / shards.RECORD)


def test_the_largest_difference_of_each_part_stands_in_the_record(tmp_path):
    found = recorded(tmp_path, batched(), ["itm", "gen", "prior", "itc", "verdict", "t2t"], priors=["noise:1"])
    measured = found["batching"]
    assert set(measured) == {"itm", "gen", "prior@noise:1", "itc", "t2t"}  # a verdict is a choice, not a number
    assert measured["itm"]["difference"] == pytest.approx(SHIFT, abs=1e-6)
    assert measured["itm"]["n"] >= 6
    assert measured["gen"]["per_token"] == pytest.approx(SHIFT, rel=0.01)
    assert measured["gen"]["difference"] >= 2 * measured["gen"]["per_token"]
    assert measured["prior@noise:1"]["per_token"] == pytest.approx(SHIFT, rel=0.01)
    assert measured["itc"]["difference"] == measured["t2t"]["difference"] == 0.0


def test_a_model_without_a_module_is_not_asked_twice(tmp_path):
    assert "batching" not in recorded(tmp_path, "fake:ok", ["itm"])


def test_a_second_session_keeps_what_the_first_measured(tmp_path):
    recorded(tmp_path, batched(), ["itm"])
    both = recorded(tmp_path, batched(), ["itm", "gen"])["batching"]
    assert {"itm", "gen"} <= set(both)
    assert recorded(tmp_path, batched(), ["itm", "gen"])["batching"] == both  # nothing computed, nothing measured


def test_a_model_that_fails_alone_costs_the_measurement_only(tmp_path):
    model = batched()
    together = model.itm_logits

    def fails_alone(images, texts):
        if len(texts) == 1:
            raise RuntimeError("one is too few")
        return together(images, texts)

    model.itm_logits = fails_alone
    found = recorded(tmp_path, model, ["itm"])
    assert "batching" not in found
    assert found["sessions"][-1]["failed"] == {}


def test_vectors_of_pools_are_compared_as_they_are_kept():
    old = {"embeddings:image": [(0, 0, [1.0, 0.0])], "embeddings:text": [(0, 0, [0.0, 1.0]), (1, 0, [1.0, 0.0])]}
    new = {"embeddings:image": [(0, 0, [1.0, 0.0])], "embeddings:text": [(0, 0, [0.25, 1.0]), (1, 0, [1.0, 0.0])]}
    assert differences(old, new) == {"in_pools": 0.25, "n": 2}
    assert differences({"itm": []}, {}) == {}
