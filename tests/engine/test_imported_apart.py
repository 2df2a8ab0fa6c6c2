"""The engine neither goes on with an imported run nor takes its scores, and a damaged record stops nobody's work."""

from pathlib import Path

from backend import paths
from backend.engine.runner import run
from backend.engine.storage import shards
from backend.intake import predictions
from tests.engine.samples import mixed


def test_nothing_imported_is_continued_or_taken(flipside_cache: Path, tmp_path: Path) -> None:
    first = run("fake:ok", mixed(tmp_path), ["itc"])
    assert first.computed
    there = paths.imported_dir()
    (there / "runs").mkdir(parents=True)
    first.run_dir.replace(there / "runs" / first.run_id)
    (flipside_cache / "benchmarks").replace(there / "benchmarks")
    again = run("fake:ok", mixed(tmp_path), ["itc"])
    assert (again.run_id, again.computed) == (first.run_id, first.computed)
    assert again.parts["itc"]["new_rows"] == first.parts["itc"]["new_rows"]
    assert shards.verify(there / "runs" / first.run_id) == []


def test_a_damaged_record_hides_no_other_system(flipside_cache: Path) -> None:
    for name, text in (("1" * 16, "[" * 100_000), ("2" * 16, "[]"), ("3" * 16, '{"model": {"spec": "predictions:a"}}')):
        folder = flipside_cache / "runs" / name
        folder.mkdir(parents=True)
        (folder / "run.json").write_text(text)
        (folder / "manifest.json").write_text('{"format": 1, "parts": {}}')
    assert predictions.specs() == ["predictions:a"]
