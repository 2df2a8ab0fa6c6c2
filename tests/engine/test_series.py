"""A run says which checkpoint of which training it is; its id and its scores do not change by that."""

import json

import pytest

from backend.bundled.train import clip, relational
from backend.engine.runner import run
from backend.errors import UsageError
from backend.paths import bundled_models_dir
from backend.store.compare.series import steps_of
from backend.verbs.run import checkpoint_of
from tests.engine.samples import mixed


def test_the_record_keeps_series_and_the_run_stays_the_same(tmp_path):
    benchmark = mixed(tmp_path / "p")
    plain = run("fake:ok", benchmark, ["itc"])
    named = run("fake:ok", benchmark, ["itc"], series={"mine": 200})
    again = run("fake:ok", benchmark, ["itc"], series={"other": 5})
    silent = run("fake:ok", benchmark, ["itc"])
    assert plain.run_id == named.run_id == again.run_id == silent.run_id
    assert named.computed == 0
    record = json.loads((silent.run_dir / "run.json").read_text())
    assert record["series"] == {"mine": 200, "other": 5}
    assert steps_of(record, "fake:ok") == {"mine": 200.0, "other": 5.0}


def test_options_go_together():
    assert checkpoint_of(" a  training ", 0) == {"a training": 0}
    assert checkpoint_of(None, None) is None
    for series, step in (("mine", None), (None, 3), ("  ", 3), ("mine", -1), ("x" * 81, 1)):
        with pytest.raises(UsageError, match="--series"):
            checkpoint_of(series, step)


def test_what_is_no_step_is_left_out():
    record = {"series": {"a": 3, "b": "four", "c": True, "d": -1, "e": 2.5}}
    assert steps_of(record, "bundled:clip") == {"a": 3.0, "e": 2.5}
    assert steps_of({"series": ["clip"]}, "bundled:clip") == {}
    assert steps_of({}, "hf:clip-bag") == steps_of({}, "bundled:../../x") == {}


@pytest.mark.parametrize("recipe", [clip, relational], ids=["clip", "relational"])
def test_the_cards_say_what_the_recipes_did(recipe):
    for model, series in recipe.SERIES.items():
        card = json.loads((bundled_models_dir() / model / "card.json").read_text())
        assert card["series"] == series
        assert max(series.values()) >= card["steps"]
    steps = sum(stage.steps for stage in recipe.stages())
    assert max(max(s.values()) for s in recipe.SERIES.values()) == steps + (recipe is relational) * clip.ALL_STEPS
