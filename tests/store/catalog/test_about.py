"""What a model is, in one line: from its card, its family or its record, and never more than that."""

import csv
import doctest
import json
from pathlib import Path

import pytest

from backend.intake.real import score_files
from backend.paths import bundled_models_dir
from backend.store.build.reader import open_store
from backend.store.catalog import about, systems

CARDS = sorted(path.parent.name for path in bundled_models_dir().glob("*/card.json"))


def test_examples_in_the_docstrings():
    assert doctest.testmod(about).failed == 0


@pytest.mark.parametrize("name", CARDS)
def test_every_bundled_model_has_a_line_with_the_size_and_the_steps_of_its_card(name):
    card = json.loads((bundled_models_dir() / name / "card.json").read_text(encoding="utf-8"))
    said = about._line(f"bundled:{name}", {})
    assert said.startswith(systems.BUNDLED[name])
    assert said.endswith(
        f"; {card['parameters'] / 1e6:.2f} M parameters, {card['steps']:,} training steps on drawn scenes"
    )
    assert "\n" not in said
    assert not said.endswith(".")


def test_no_line_is_of_a_model_that_does_not_ship():
    assert set(systems.BUNDLED) == set(CARDS)


def test_every_system_that_can_be_fetched_has_a_line():
    known = set(_fetched())
    assert len(known) > 40
    lacking = [system for system in known if not about.of_system(system)]
    assert not lacking
    assert set(systems.PARAMETERS) <= known


def _fetched():
    """The names of systems in the table of files that `fetch results` brings, and GPT-4V."""
    path = Path(score_files.__file__).with_name("winoground.csv")
    with path.open(encoding="utf-8", newline="") as file:
        return [row["model"] for row in csv.DictReader(file)] + ["GPT-4V"]


def test_a_taught_model_says_of_whom_and_how():
    taught = {"base": "bundled:clip", "recipe": "svlc", "step": 300}
    assert (
        about._line("hf:/x", {"model": {"taught": taught}}) == "taught from bundled:clip by the recipe svlc, 300 steps"
    )


def test_a_family_is_what_is_known_of_any_other_model():
    assert about._line("hf:a/b", {"model": {"family": "dual-hf"}}) == "CLIP-like dual encoders of transformers"
    assert about._line("predictions:mine", {}) == "another system's scores, read from a file"
    assert about._line("hf:a/b", {}) == ""


@pytest.mark.parametrize("record", [
    {}, {"model": 3}, {"model": {"family": ["x"]}}, {"model": {"taught": "x"}}, {"model": {"taught": {"base": 3}}},
    {"model": {"taught": {"base": "b" * 9999, "recipe": "r" * 9999, "step": "x"}}},
    {"model": {"public": {"system": 3}}},
    {"model": {"public": {"system": "<script>" * 99}}},
])  # fmt: skip
def test_a_stranger_s_record_says_little_and_breaks_nothing(record):
    said = about._line("hf:a/b", record)
    assert len(said) < 250
    assert "<" not in said


def test_lines_of_several_models_come_from_the_store(shipped_imported):
    store = open_store(follow=False)
    found = about.known(store, ["bundled:clip", "bundled:nothing", "nobody"])
    assert found["bundled:clip"].startswith("a dual encoder")
    assert found["bundled:nothing"] == found["nobody"] == ""
