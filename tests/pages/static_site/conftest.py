"""Published sites of made-up results: of the bundled world's kind, of somebody else's, and of one's own."""

import json
import logging
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import streamlit as st

from pages.shared.data import stored
from pages.static_site.build import Options, Written, build
from pages.static_site.selection import Wanted
from tests.pages import results

#: A caption that would be markup, and would end a script, if it were not data.
HOSTILE = ' </script><img src=x onerror="document.title=1"> <b>bold</b>'


def unpacked(path: Path) -> Any:
    """What a script of data hands over."""
    text = path.read_text(encoding="utf-8")
    return json.loads(text[text.index(",") + 1 : text.rindex(")")])


@pytest.fixture
def nothing_shipped(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    monkeypatch.setattr("backend.store.build.sources.bundled_runs_dir", lambda: tmp_path / "none")
    logging.getLogger("streamlit").setLevel(logging.ERROR)
    st.cache_resource.clear()
    yield
    st.cache_resource.clear()


Publish = Callable[..., Written]


@pytest.fixture
def publish(flipside_cache: Path, nothing_shipped: None, tmp_path: Path) -> Publish:
    """Write results under a benchmark's name, and publish them: `publish("world~small", about={…}, pictures=True)`."""

    def call(name: str, about: dict[str, Any] | None = None, hostile: bool = False, **options: Any) -> Written:
        items = results.world(40)
        if hostile:
            items = [replace(item, texts=(item.texts[0] + HOSTILE, *item.texts[1:])) for item in items]
        results.write(flipside_cache, items, name)
        if about is not None:
            for head in (flipside_cache / "benchmarks").glob("*/benchmark.json"):
                head.write_text(json.dumps(json.loads(head.read_text()) | {"about": about}))
        return build(stored.store(), Wanted((name,)), Options(tmp_path / "site", **options))

    return call
