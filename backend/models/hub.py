"""Models of the Hugging Face hub by `NAME@REVISION`: which commit a folder is of, and how far its download is."""

import json
import re
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from backend import environment

#: Seconds between two looks at a download; between two lines where standard error is no terminal.
LOOK, LINE = 0.5, 30.0
#: As backend/engine/reporting/waiting.py has it: who started this verb asks for JSON lines.
VARIABLE = "FLIPSIDE_PROGRESS"
_SNAPSHOT = re.compile(r"models--(?P<repo>[^/]+)/snapshots/(?P<commit>[0-9a-f]{40})")


def split(name: str) -> tuple[str, str | None]:
    """Repository and revision (a branch, tag or commit) of a hub name; None without one.

    >>> split("org/name@v1.0"), split("org/name@refs/pr/3"), split("name")
    (('org/name', 'v1.0'), ('org/name', 'refs/pr/3'), ('name', None))
    """
    repo, _, revision = name.partition("@")
    return repo, revision or None


def commit_of(folder: Path | None) -> dict[str, str]:
    """name and commit of a folder in the hub's cache; empty for every other.

    >>> commit_of(Path("/c/models--org--mini/snapshots/" + "0a" * 20))["name"]
    'org/mini'
    """
    found = _SNAPSHOT.search("" if folder is None else folder.as_posix())
    return {} if found is None else {"name": found["repo"].replace("--", "/"), "commit": found["commit"]}


@dataclass(frozen=True)
class Wanted:
    """A file of a repository. blob: how the hub's cache calls its content, "" where the hub does not say."""

    name: str
    size: int
    blob: str


def wanted(files: Sequence[Any], allow: Sequence[str], ignore: Sequence[str]) -> list[Wanted]:
    """The files that patterns let through, of what the hub lists (`ModelInfo.siblings`)."""
    from huggingface_hub.utils import filter_repo_objects  # type: ignore[attr-defined]

    kept = filter_repo_objects(files, allow_patterns=[*allow], ignore_patterns=[*ignore], key=lambda f: f.rfilename)
    found = []
    for file in kept:
        lfs = getattr(file, "lfs", None)
        blob = (lfs.get("sha256") if isinstance(lfs, dict) else getattr(lfs, "sha256", None)) or file.blob_id or ""
        found.append(Wanted(str(file.rfilename), int(file.size or 0), str(blob)))
    return found


def there(folder: Path, files: Sequence[Wanted]) -> int:
    """How many bytes of these files the cache has, whole and begun. folder: of the repository's blobs."""
    done = 0
    for file in files:
        for path in folder.glob(f"{file.blob}*") if re.fullmatch(r"[0-9a-f]{8,64}", file.blob) else ():
            try:
                done += min(file.size, path.stat().st_size)
            except OSError:
                continue
            break
    return done


@contextmanager
def watched(repo: str, files: Sequence[Wanted]) -> Iterator[None]:
    """Tell on standard error how far the download of these files is, while the block runs."""
    from huggingface_hub import constants
    from huggingface_hub.file_download import repo_folder_name
    from huggingface_hub.utils import disable_progress_bars  # type: ignore[attr-defined]

    disable_progress_bars()  # one word on how far it is, not a bar a file
    blobs = Path(constants.HF_HUB_CACHE) / repo_folder_name(repo_id=repo, repo_type="model") / "blobs"
    total, begun, over = sum(file.size for file in files), time.monotonic(), threading.Event()
    before = there(blobs, files)

    def look() -> None:
        last = -LINE
        while not over.wait(LOOK):
            now = time.monotonic() - begun
            if now - last >= (1.0 if _as_json() or sys.stderr.isatty() else LINE):
                last = now
                _tell(repo, there(blobs, files), total, now)

    watch = threading.Thread(target=look, name="flipside-download", daemon=True)
    watch.start()
    try:
        yield
    finally:
        over.set()
        watch.join()
        done = there(blobs, files)
        if done > before:  # what was there before was not fetched
            _tell(repo, done, total, time.monotonic() - begun, last=True)


def _as_json() -> bool:
    return environment.said(VARIABLE) == "json"


def _tell(repo: str, done: int, total: int, seconds: float, last: bool = False) -> None:
    if _as_json():
        said = {
            "title": f"fetching {repo}",
            "done": done,
            "total": total,
            "seconds": round(seconds, 1),
            "unit": "bytes",
        }
        line = json.dumps({"progress": said}, ensure_ascii=False)
    else:
        line = f"fetching {repo}: {done / 1e6:,.0f} of {total / 1e6:,.0f} MB"
    end = "\r" if sys.stderr.isatty() and not (last or _as_json()) else "\n"
    sys.stderr.write(line + end)
    sys.stderr.flush()
