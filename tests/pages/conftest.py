from collections.abc import Callable
from pathlib import Path

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from tests.pages import results

APP = Path(__file__).resolve().parents[2] / "app.py"


@pytest.fixture
def nothing_shipped(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No results but those of the test, and no store of an earlier test."""
    monkeypatch.setattr("backend.store.build.sources.bundled_runs_dir", lambda: tmp_path / "none")
    st.cache_resource.clear()
    st.cache_data.clear()


@pytest.fixture
def small(flipside_cache: Path, request: pytest.FixtureRequest) -> Path:
    """A cache with the results of `results.write`."""
    request.getfixturevalue("nothing_shipped")
    results.write(flipside_cache)
    return flipside_cache


@pytest.fixture
def visit() -> Callable[..., AppTest]:
    """Open a page by its file name, with an address."""

    def go(name: str, **address: str | list[str]) -> AppTest:
        opened = AppTest.from_file(str(APP), default_timeout=120)
        opened.switch_page(f"pages/{name}/page.py")
        for key, value in address.items():
            opened.query_params[key] = value
        return opened.run()

    return go
