"""One cache for all tests of this folder: the bundled results, with the example of Robustness taken over."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from tests.golden.pages import visits


@pytest.fixture(scope="package")
def results(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The cache's folder; while it is there, what pages do is noted."""
    folder = tmp_path_factory.mktemp("golden-pages")
    data = folder / "nobody's data"
    data.mkdir()
    patch = pytest.MonkeyPatch()
    patch.setenv("FLIPSIDE_CACHE", str(folder / "cache"))
    patch.setenv("FLIPSIDE_DATA", str(data))
    patch.delenv("FLIPSIDE_LIVE_MODELS", raising=False)
    patch.setattr("os.getloadavg", lambda: (0.0, 0.0, 0.0))  # estimates of time count how busy the machine is
    st.cache_resource.clear()
    st.cache_data.clear()
    visits.visit("not-found")  # loads what is wrapped, and reads no results
    with visits.noted():
        yield folder / "cache"
    patch.undo()
    st.cache_resource.clear()
    st.cache_data.clear()


@pytest.fixture(scope="package")
def example(results: Path) -> Path:
    """The same after a visit to Robustness: it takes its example over, which other pages then list, too."""
    visits.visit("robustness")
    return results


@pytest.fixture(autouse=True)
def flipside_cache(results: Path) -> Path:
    """In place of an empty cache for each test."""
    return results


@pytest.fixture
def visit() -> Callable[..., AppTest]:
    """Open a page by its address."""
    return visits.visit
