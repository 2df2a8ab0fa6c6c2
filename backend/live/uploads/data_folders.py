"""The folders in which a browser user finds benchmarks: the owner names the roots, nobody types a path.

Roots are `$FLIPSIDE_DATA` (several are separated as in PATH), or else `data/` in the cache, and in a checkout `data/`
beside the code.
"""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from backend import benchmarks, environment, paths
from backend.errors import UsageError
from backend.inside import FOLLOW_LINKS

VARIABLE: Final = "FLIPSIDE_DATA"
#: Subfolders that one root shows at most; whoever has more names them among the roots.
MOST: Final = 200


@dataclass(frozen=True)
class Place:
    """A benchmark in a folder. where: root and subfolder, for people and addresses, never a path; folder: the path."""

    where: str
    folder: Path
    name: str


def roots() -> dict[str, Path]:
    """Label -> path of every root that is there; labels are the folders' names, numbered where two are alike."""
    given = [part for part in os.environ.get(VARIABLE, "").split(os.pathsep) if part.strip()]
    usual = [] if paths.INSTALLED else [paths.ROOT / "data"]
    wanted = [Path(part).expanduser() for part in given] or [*usual, paths.cache_dir() / "data"]
    found: dict[str, Path] = {}
    for path in dict.fromkeys(path.resolve() for path in wanted):
        if path.is_dir():
            label, n = path.name or "root", 2
            while label in found:
                label, n = f"{path.name} ({n})", n + 1
            found[label] = path
    return found


def subfolders(label: str) -> list[str]:
    """The folders directly in a root, by name; hidden ones and links that lead out of it are left out."""
    root = _root(label)
    try:
        names = sorted(entry.name for entry in os.scandir(root) if entry.is_dir() and not entry.name.startswith("."))
    except OSError:
        return []
    return [name for name in names[:MOST] if _inside(root, root / name)]


def places() -> list[Place]:
    """Every benchmark that the roots hold: in each direct subfolder, and in a root where no subfolder has it."""
    found = []
    for label, root in roots().items():
        known: set[str] = set()
        for sub in subfolders(label):
            names = _names(root / sub)
            known.update(names)
            found += [Place(f"{label}/{sub}", root / sub, name) for name in names]
        found += [Place(label, root, name) for name in _names(root) if name not in known]
    return found


def _names(path: Path) -> list[str]:
    try:
        return benchmarks.recognise(path)
    except OSError:  # a disk that went away, say
        return []


def _root(label: str) -> Path:
    known = roots()
    if label not in known:
        raise UsageError(f"there is no data folder '{label[:80]}' here; the Runs page lists them.")
    return known[label]


def _inside(root: Path, path: Path) -> bool:
    return environment.switched(FOLLOW_LINKS, False) or path.resolve().is_relative_to(root)
