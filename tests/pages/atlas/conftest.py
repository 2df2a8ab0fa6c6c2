"""A small Atlas, its file as if fetched, and runs of a model that it lists."""

import hashlib
from dataclasses import replace
from pathlib import Path

import pytest
import streamlit as st

from backend.benchmarks import winoground_stub
from backend.live import real_results
from backend.published.atlas import measures, reading
from backend.published.atlas.reading import Atlas
from tests.published.atlas import made
from tests.store.writer import write_run

SPEC = "openclip:ViT-B-32/openai"
X, Y = measures.measures()["winoground::text"], measures.measures()["winoground::image"]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return made.write(tmp_path / "atlas.csv")


@pytest.fixture
def atlas(path: Path) -> Atlas:
    st.cache_resource.clear()
    return reading.read(path)


@pytest.fixture
def there(path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file as if it had been fetched."""
    st.cache_resource.clear()
    known = hashlib.sha256(path.read_bytes()).hexdigest()
    monkeypatch.setattr(real_results, "atlas_file", lambda: (path, known))
    return path


@pytest.fixture
def scored(flipside_cache: Path, nothing_shipped: None) -> None:
    """A run of the same weights as a row on all of Winoground, one of half of it, and one of another benchmark."""
    items = list(winoground_stub.stub())
    write_run(flipside_cache, items, "1" * 16, ["itc"], model=SPEC, skill=0.3, seed=1, name="winoground")
    other = [replace(item, subset="else") for item in items[:40]]
    write_run(flipside_cache, other, "2" * 16, ["itc"], model="fake:ok", seed=2, name="other")
