"""Benchmarks that Flipside keeps itself: perturbed editions (`visla~character_swap`) and own data (`custom:mine`).

They are found by name under `<cache>/own`, or in the folder that `--data` names, and behave like any other benchmark.
"""

import shlex
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from backend import paths, plain_json, recorded
from backend.benchmarks.base import Declaration, Source
from backend.benchmarks.items_folder.folder import is_own_folder, own_folder, own_names, read_head, read_own
from backend.errors import FlipsideError, UsageError
from backend.items import Benchmark, Item, Protocol, Skipped

#: Stands between a benchmark and what was done to it.
EDITED = "~"
#: Before the names of benchmarks that a researcher made.
CUSTOM = "custom:"
#: Of which items of the world the editions that ship were made (scripts/results.sh), after `flipside perturb`.
SHIPPED_OF = ("--benchmark", "world", "--subset", "choice,attribute,relation", "--sample", "200")


def is_kept(name: str) -> bool:
    """Whether a name is of such a benchmark, there or not.

    >>> is_kept("visla~character_swap"), is_kept("custom:mine"), is_kept("visla")
    (True, True, False)
    """
    return EDITED in name or name.startswith(CUSTOM)


def keeps_name(before: str, name: str) -> bool:
    """Whether items that are known under one name stay so when the same items come under another: a benchmark is not
    renamed, with all its runs, because somebody imports an export of it as data of their own. Own data keep theirs as
    long as they are here.

    >>> keeps_name("valse", "custom:copy"), keeps_name("custom:copy", "valse"), keeps_name("", "custom:copy")
    (True, False, False)
    """
    if not name.startswith(CUSTOM) or before in ("", name):
        return False
    return not before.startswith(CUSTOM) or bool(kept_hash(before))


def kept_hash(name: str) -> str:
    """The hash of the items that are kept under a name, as folders and tables spell it; "" where nothing is kept."""
    try:
        folder = own_folder(name)
        return str(read_head(folder).get("hash", ""))[:16] if is_kept(name) and is_own_folder(folder) else ""
    except FlipsideError:
        return ""


def made_again(benchmark: str) -> list[str]:
    """The words after `flipside perturb` that make an edition of which results ship: its very items under its name;
    none for any other. benchmark: the first 16 hex of its hash."""
    place = paths.bundled_editions_dir() / "benchmarks" / benchmark / "benchmark.json"
    if not place.is_file():
        return []
    edited = plain_json.loads(place.read_text(encoding="utf-8"))["about"]["perturbation"]
    return [*SHIPPED_OF, "--kinds", str(edited["name"]), *(("--seed", str(edited["seed"])) if edited["seed"] else ())]


def _ships(name: str) -> str:
    """The first 16 hex of the hash of the edition of a name of which results ship; "" where there is none."""
    heads = (paths.bundled_editions_dir() / "benchmarks").glob("*/benchmark.json")
    told = {plain_json.loads(head.read_text(encoding="utf-8"))["name"]: head.parent.name for head in heads}
    return str(told.get(name, ""))


def kept_declaration(name: str) -> Declaration:
    """What is known about it; UsageError, when its files are asked for, where it is not there."""
    folder = own_folder(name)
    there = (folder / "benchmark.json").is_file()
    head = read_head(folder) if there else {"protocols": {}, "about": {}}
    edited = head["about"].get("perturbation") or {}
    parent = head["about"].get("parent") or {}
    made = f"made from {parent.get('name')} by {edited.get('name')}" if edited else "own items"
    return Declaration(
        name=name,
        title=f"{name}: {made}",
        source=f"kept in {folder}",
        revision=f"seed {edited.get('seed')}" if edited else "",
        licence=f"that of {parent['name']}, whose captions were edited" if parent.get("name") else "the owner's",
        citation="",
        protocols={subset: Protocol(protocol) for subset, protocol in head["protocols"].items()},
        read=lambda source: _read(name, source),
        name_of=lambda source: str(read_head(_folder(name, source))["name"]),
        about=lambda source: _about(name, source),
        templates=lambda source: read_own(_folder(name, source)).templates,
    )


def _folder(name: str, source: Source) -> Path:
    """The folder that --data names, else the one that is kept."""
    if source.folder is not None:
        return source.folder.root
    folder = own_folder(name)
    if (folder / "benchmark.json").is_file():
        return folder
    parent, _, kind = name.partition(EDITED)
    again = made_again(_ships(name)) or ["--benchmark", parent, "--kinds", kind.partition("@")[0]]
    how = f" `{shlex.join(['flipside', 'perturb', *again])}` makes it." if kind else ""
    kept = own_names()
    raise UsageError(f"there is no benchmark '{name}' here.{how} There is: {', '.join(kept) if kept else 'none yet'}.")


def _read(name: str, source: Source) -> Iterator[Item | Skipped]:
    yield from _own(_folder(name, source)).open_items()


def _own(folder: Path) -> Benchmark:
    """What Flipside keeps itself may show any file; a folder that somebody may have sent shows what lies in it, and in
    folders of pictures that imports on this computer have recorded (where `perturb --out` finds its parent's)."""
    cache, inside = paths.cache_dir().resolve(), folder.resolve()
    if inside.parent == cache / "own" or inside.is_relative_to(cache / "uploads" / "unsaved"):
        return read_own(folder)
    known = recorded.known(paths.cache_dir()).values()
    return read_own(folder, absolute=False, folders={each for entry in known for each in entry.folders})


def _about(name: str, source: Source) -> Mapping[str, Any]:
    return read_own(_folder(name, source)).about
