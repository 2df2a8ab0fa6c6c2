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


class SharedCache:
    """A cache with the results of `results.write`, lent to one test after the other.

    Writing the results and importing them costs more than most tests do with them. What a test adds (notes, kept sets,
    further runs) is removed before the next one gets the cache; where it changed or removed what was written, the next
    one gets a new cache.
    """

    #: What the program makes of the results by itself; it notices where that is out of date.
    DERIVED = ("db", "import.lock", "recorded")

    def __init__(self, factory: pytest.TempPathFactory) -> None:
        self._factory = factory
        self._root: Path | None = None
        self._written: dict[Path, tuple[int, int]] = {}

    def lend(self) -> Path:
        """The folder of the cache, as `results.write` leaves it, but for what is derived."""
        if self._root is not None:
            now = self._files(self._root)
            for path in now.keys() - self._written.keys():
                path.unlink()
            if all(now.get(path) == state for path, state in self._written.items()):
                return self._root
        self._root = self._factory.mktemp("small")
        results.write(self._root)
        self._written = self._files(self._root)
        return self._root

    def _files(self, root: Path) -> dict[Path, tuple[int, int]]:
        """Each file that is not derived, with its size and its time in ns."""
        files = (path for path in root.rglob("*") if path.is_file())
        stats = {path: path.stat() for path in files if path.relative_to(root).parts[0] not in self.DERIVED}
        return {path: (stat.st_size, stat.st_mtime_ns) for path, stat in stats.items()}


@pytest.fixture(scope="session")
def shared_cache(tmp_path_factory: pytest.TempPathFactory) -> SharedCache:
    return SharedCache(tmp_path_factory)


@pytest.fixture
def small(
    flipside_cache: Path, shared_cache: SharedCache, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> Path:
    """A cache with the results of `results.write`, and nothing else in it; it takes `flipside_cache`'s place."""
    request.getfixturevalue("nothing_shipped")
    root = shared_cache.lend()
    monkeypatch.setenv("FLIPSIDE_CACHE", str(root))
    # The store is up to date only where it is asked for the same folders as before.
    monkeypatch.setattr("backend.store.build.sources.bundled_runs_dir", lambda: root / "none")
    return root


@pytest.fixture
def visit() -> Callable[..., AppTest]:
    """Open a page by its folder, with an address."""

    def go(name: str, **address: str | list[str]) -> AppTest:
        page = opened(name)
        for key, value in address.items():
            page.query_params[key] = value
        return page.run()

    return go
