"""`make repeated`: what it compares and what it writes down."""

import json
import sys

import pytest

from backend.bundled.train import repeated
from backend.bundled.train.recipes import RECIPES


@pytest.fixture
def found(tmp_path, monkeypatch):
    monkeypatch.setattr(repeated, "FOUND", tmp_path / "repeated.json")
    monkeypatch.setattr(sys, "argv", ["repeated", "--steps", "7", "--threads", "1"])
    return tmp_path / "repeated.json"


def test_each_recipe_is_run_twice_and_its_hashes_are_written_down(found, monkeypatch):
    asked = []
    monkeypatch.setattr(repeated, "_in_a_process", lambda name, given: asked.append((name, given.steps)) or name)
    with pytest.raises(SystemExit) as ended:
        repeated.main()
    assert ended.value.code == 0
    assert asked == [(name, 7) for name in RECIPES for _ in range(2)]
    said = json.loads(found.read_text())
    assert (said["steps"], said["threads"]) == (7, 1)
    assert said["recipes"]["clip"] == {"first": "clip", "second": "clip", "same": True}


def test_a_difference_is_told(found, monkeypatch, capsys):
    numbers = iter(range(100))
    monkeypatch.setattr(repeated, "_in_a_process", lambda *_: str(next(numbers)))
    with pytest.raises(SystemExit) as ended:
        repeated.main()
    assert ended.value.code == 1
    assert "lm: DIFFERENT" in capsys.readouterr().out
    assert not json.loads(found.read_text())["recipes"]["lm"]["same"]


@pytest.mark.slow
def test_two_steps_of_a_recipe_are_the_same_in_two_caches(tmp_path, monkeypatch):
    said = set()
    for cache in ("a", "b"):
        monkeypatch.setenv("FLIPSIDE_CACHE", str(tmp_path / cache))
        said.add(repeated.digest("lm", 2, 0, 1))
    assert len(said) == 1
