"""A generation of what ships, made once at set-up (make_first.py). An empty cache begins with a copy of it, so that the
first page does not wait for an import.

It lies in the environment (`<sys.prefix>/share/flipside`) under a name that tells by what it was made: our code, the
results that ship and where they lie, and DuckDB. Where any of them is another one, there is none, and all is imported.
"""

import hashlib
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path

from backend import locks
from backend.durable import copied_tree, sync_dir
from backend.paths import bundled_examples
from backend.store.build import attached, generations, sources

PREFIX, SUFFIX = "first-", generations.SUFFIX
CODE = Path(__file__).resolve().parents[2]
#: Held by the step of set-up that is at work there.
LOCK = ".lock"


def folder() -> Path:
    """Where it lies."""
    return Path(sys.prefix) / "share" / "flipside"


def key() -> str:
    """What it depends on, as 16 hexadecimal digits."""
    digest = hashlib.sha256(f"{version('duckdb')}\n{sources.roots()[0].resolve()}\n".encode())
    for path in sorted(CODE.rglob("*.py")):
        digest.update(f"{path.relative_to(CODE)}\n".encode() + path.read_bytes())
    for path in _shipped():
        digest.update(f"{path}\n{path.stat().st_size}\n".encode())
        if path.suffix == ".json":  # manifests hold the checksums of all shards
            digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _shipped() -> Iterator[Path]:
    for root in (sources.roots()[0], *bundled_examples()):
        yield from sorted(path for path in root.rglob("*") if path.is_file())


def found() -> Path | None:
    """The file, where there is one that fits."""
    if not folder().is_dir() or not any(folder().glob(f"{PREFIX}*{SUFFIX}")):
        return None
    path = folder() / f"{PREFIX}{key()}{SUFFIX}"
    return path if path.is_file() else None


@contextmanager
def scratch() -> Iterator[Path]:
    """A folder beside it in which a step of set-up works: one at a time, and what a killed one has left goes."""
    folder().mkdir(parents=True, exist_ok=True)
    with locks.held(folder() / LOCK):
        for left in folder().glob(f".{PREFIX}*"):
            shutil.rmtree(left) if left.is_dir() else left.unlink()
        with tempfile.TemporaryDirectory(prefix=f".{PREFIX}", dir=folder()) as made:
            yield Path(made)


def keep(made: Path, target: Path, beside: Path) -> None:
    """Copy a generation with its files to a place there, the database last. beside: a folder of `scratch`."""
    shutil.rmtree(attached.folder_of(target), ignore_errors=True)
    copied_tree(attached.folder_of(made), attached.folder_of(target))
    aside = Path(shutil.copyfile(made, beside / target.name))
    sync_dir(aside)
    aside.replace(target)
