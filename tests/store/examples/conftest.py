"""An example of two runs on one edition instead of the 36 that ship."""

import json
import shutil
from pathlib import Path

import pytest

from backend import paths
from backend.engine.storage import shards


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Where it lies; it stands for what ships."""
    place = tmp_path / "editions"
    runs = shards.run_dirs(paths.bundled_editions_dir())
    heads = {run: json.loads((run / shards.RECORD).read_text())["benchmark"]["hash"][:16] for run in runs}
    edition = heads[runs[0]]
    for run in [run for run in runs if heads[run] == edition][:2]:
        shutil.copytree(run, place / "runs" / run.name)
    shutil.copytree(paths.bundled_editions_dir() / "benchmarks" / edition, place / "benchmarks" / edition)
    monkeypatch.setattr("backend.paths.bundled_editions_dir", lambda: place)
    monkeypatch.setattr("backend.store.examples.shown_once.bundled_editions_dir", lambda: place)
    return place
