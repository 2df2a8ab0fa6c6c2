from collections.abc import Callable
from pathlib import Path

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from tests.pages import results
from tests.pages.opening import opened


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
    """Open a page by its folder, with an address."""

    def go(name: str, **address: str | list[str]) -> AppTest:
        page = opened(name)
        for key, value in address.items():
            page.query_params[key] = value
        return page.run()

    return go
