import hashlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from backend.benchmarks.fetching import transfer
from backend.benchmarks.fetching.fetch import fetch
from backend.benchmarks.fetching.outcome import Outcome
from backend.benchmarks.fetching.table import Source, SourceFile
from backend.benchmarks.fetching.transfer import Settings
from tests.benchmarks.fetching.server import Files, Served, serving

#: More than one read, not a multiple of one, and every place in it different.
BODY = b'{"a": "' + ",".join(f"{n:07d}" for n in range(120_000)).encode() + b'"}'

QUICK = Settings(timeout=(5.0, 0.5), tries=3, pause=0.01)


@pytest.fixture
def server() -> Iterator[Files]:
    with serving() as files:
        files.files["/data.json"] = Served(BODY)
        yield files


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transfer, "ROOM", 0)


@pytest.fixture
def file(server: Files) -> Callable[..., SourceFile]:
    def make(path: str = "data.json", body: bytes | None = BODY, **changed: Any) -> SourceFile:
        known = {
            "path": path,
            "url": f"{server.base}/{path}",
            "what": "a file",
            "licence": "MIT",
            "size": None if body is None else len(body),
            "sha256": None if body is None else hashlib.sha256(body).hexdigest(),
            "md5": None,
            "optional": False,
            "at_most": None,
            "about": "",
        }
        return SourceFile(**{**known, **changed})

    return make


@pytest.fixture
def get(tmp_path: Path) -> Callable[..., Outcome]:
    """Fetch one file into `<tmp>/to` and say what became of it."""

    def call(*files: SourceFile, **options: Any) -> Any:
        known = Source("tried", "https://example.org", "MIT", "open", "", "", files)
        outcomes = fetch(known, tmp_path / "to", settings=options.pop("settings", QUICK), **options)
        return outcomes[0] if len(files) == 1 else outcomes

    return call


@pytest.fixture
def there(tmp_path: Path) -> Callable[[], set[str]]:
    """The names of all files in the folder, but for the receipt."""

    def names() -> set[str]:
        folder = tmp_path / "to"
        found = {str(path.relative_to(folder)) for path in folder.rglob("*") if not path.is_dir()}
        return found - {"flipside-fetch.json"}

    return names
