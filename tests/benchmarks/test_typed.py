"""A suggested command names the folder that a benchmark needs, unless it was read here before."""

from pathlib import Path

import pytest

from backend.benchmarks import typed
from backend.benchmarks.winoground import WINOGROUND
from backend.store.catalog.models_named import how_to_get


@pytest.mark.usefixtures("flipside_cache")
def test_what_a_folder_must_hold_is_said_where_none_was_read() -> None:
    assert typed.words("winoground") == "winoground --data DIR"
    assert typed.lacking("winoground").startswith(" DIR is the folder that holds examples.jsonl")
    assert typed.lacking("winoground").endswith(WINOGROUND.gated)
    assert (typed.words("world"), typed.lacking("world")) == ("world", "")
    assert (typed.words("not-here"), typed.lacking("not-here")) == ("not-here", "")
    assert typed.words("~; rm -rf ~") == "'~; rm -rf ~'", "quoted for a shell"


def test_a_folder_that_was_read_here_is_remembered(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(typed, "remembered", lambda name: tmp_path)
    assert (typed.words("winoground"), typed.lacking("winoground")) == ("winoground", "")


@pytest.mark.usefixtures("flipside_cache")
def test_a_command_that_brings_scores_can_be_typed() -> None:
    said = how_to_get("bundled:captioner", "sugarcrepe", "gen", "adds them")
    assert said.startswith(
        "`flipside run --model bundled:captioner --benchmark sugarcrepe --data DIR --kinds gen` adds them. DIR is the "
    )
    said = how_to_get("predictions:x", "winoground", None, "makes one")
    assert said == "`flipside add-predictions FILE --as x --benchmark winoground` makes one."
    said = how_to_get("predictions:x", "sugarcrepe", None, "makes one")
    assert "--benchmark sugarcrepe --data DIR` makes one. DIR is" in said


@pytest.mark.usefixtures("flipside_cache")
def test_another_folder_than_would_be_read_is_named(tmp_path: Path) -> None:
    """Failed before: the command that was printed for a world of another seed scored the world that ships."""
    (folder := tmp_path / "w 2").mkdir()
    assert typed.words("world", str(folder)) == f"world --data '{folder}'"
    assert typed.lacking("world", str(folder)) == ""
    assert typed.words("winoground", str(folder)) == f"winoground --data '{folder}'"
    assert typed.lacking("winoground", str(folder)) == ""
    assert typed.words("winoground", str(tmp_path / "gone")) == "winoground --data DIR"
    assert typed.words("not-here", str(folder)) == "not-here"
