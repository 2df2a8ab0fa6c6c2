"""All recipes in one command: order, two at a time, a failure, going on; and that publishing is all or nothing."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from backend.bundled.train import folder, publish, side_by_side
from backend.bundled.train.recipes import MODELS, RECIPES
from backend.errors import FlipsideError
from backend.models import packed

#: A recipe that writes its models' cards where `folder.model_folder` looks for them.
WRITES = """
import pathlib, sys, time
time.sleep(0.2)
for name in sys.argv[2:]:
    made = pathlib.Path(sys.argv[1]) / name
    made.mkdir(parents=True)
    (made / "card.json").write_text('{}')
"""


@pytest.fixture
def started(flipside_cache: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Names of the recipes in the order in which they are started; `lm` fails while `fails` is in it."""
    names: list[str] = []

    def start(name: str, options: list[str]) -> subprocess.Popen[bytes]:
        names.append(name)
        if name == "lm" and "fails" in options:
            return subprocess.Popen([sys.executable, "-c", "raise SystemExit(3)"])
        root = str(folder.model_folder("x").parent)
        return subprocess.Popen([sys.executable, "-c", WRITES, root, *RECIPES[name].makes])

    monkeypatch.setattr(side_by_side, "_started", start)
    return names


def notes() -> list[dict]:
    return [json.loads(line) for line in side_by_side.times_path().read_text().splitlines()]


@pytest.mark.long
def test_recipes_start_after_what_they_start_from_two_at_a_time(started):
    side_by_side.run(2, [])
    assert sorted(started) == sorted(RECIPES)
    running: set[str] = set()
    trained: set[str] = set()
    for note in notes():
        if note["event"] == "started":
            running.add(note["recipe"])
            assert len(running) <= 2
            assert RECIPES[note["recipe"]].needs in {"", *trained}
        elif note["event"] == "ended":
            running.discard(note["recipe"])
            trained |= set(RECIPES[note["recipe"]].makes)
    assert notes()[-1]["event"] == "all trained"
    assert trained == set(MODELS)


@pytest.mark.long
def test_a_failed_recipe_is_named_and_a_second_call_does_the_rest(started):
    with pytest.raises(FlipsideError, match="The recipe lm ended with status 3"):
        side_by_side.run(2, ["fails"])
    done = {name for name, recipe in RECIPES.items() if folder.model_folder(recipe.makes[-1]).exists()}
    started.clear()
    side_by_side.run(2, [])
    assert "lm" in started
    assert not done & set(started)


def test_nothing_is_published_until_all_is_trained(flipside_cache, tmp_path, monkeypatch):
    monkeypatch.setattr(publish, "bundled_models_dir", lambda: tmp_path / "models")
    (tmp_path / "models" / "old").mkdir(parents=True)
    trained(MODELS[:-1])
    with pytest.raises(FlipsideError, match=MODELS[-1]):
        publish.publish()
    assert [path.name for path in tmp_path.rglob("*")] == ["models", "old"]


def test_publishing_replaces_everything_and_keeps_planted_models_as_differences(flipside_cache, tmp_path, monkeypatch):
    monkeypatch.setattr(publish, "bundled_models_dir", lambda: tmp_path / "models")
    (tmp_path / "models" / "old").mkdir(parents=True)
    trained(MODELS)
    publish.publish()
    assert sorted(path.name for path in (tmp_path / "models").iterdir()) == sorted(MODELS)
    for name in MODELS:
        tensors, base = packed.read(tmp_path / "models" / name / packed.FILE)
        recipe = publish.recipe_of(name)
        assert base == (recipe.needs if recipe.planted or recipe.taught else "")
        assert set(tensors) == {"own#out", "own#in"} if recipe.taught else {"own"} if base else {"shared", "own"}
        card = json.loads((tmp_path / "models" / name / "card.json").read_text())
        assert card["packed_bytes"] == (tmp_path / "models" / name / packed.FILE).stat().st_size
    assert [path.name for path in tmp_path.iterdir()] == ["models"]
    assert {name: kept.needs for name in MODELS if (kept := publish.recipe_of(name)).planted} == {
        "clip-no-pink-heart": "clip",
        "captioner-blind": "captioner",
    }


def test_one_model_is_published_beside_the_others(flipside_cache, tmp_path, monkeypatch):
    monkeypatch.setattr(publish, "bundled_models_dir", lambda: tmp_path / "models")
    (tmp_path / "models" / "lm").mkdir(parents=True)
    (tmp_path / "models" / "lm" / "card.json").write_text("as it was")
    trained(["clip", "clip-svlc"])
    publish.publish(["clip-svlc"])
    assert sorted(path.name for path in (tmp_path / "models").iterdir()) == ["clip-svlc", "lm"]
    assert (tmp_path / "models" / "lm" / "card.json").read_text() == "as it was"
    tensors, base = packed.read(tmp_path / "models" / "clip-svlc" / packed.FILE)
    assert base == "clip"
    assert {name: value.shape for name, value in tensors.items()} == {"own#out": (2, 2), "own#in": (2, 4)}
    with pytest.raises(FlipsideError, match="no bundled model clap"):
        publish.publish(["clap"])


def trained(names):
    """Ordinary folders as a training leaves them: one tensor that all share and one of each model's own."""
    import numpy as np
    from safetensors.numpy import save_file

    for number, name in enumerate(names):
        made = folder.model_folder(name)
        made.mkdir(parents=True)
        (made / "card.json").write_text('{"rank": 2}')
        tensors = {"shared": np.ones((4, 4), np.float16), "own": np.full((2, 4), number, np.float16)}
        save_file(tensors, made / packed.WEIGHTS)
