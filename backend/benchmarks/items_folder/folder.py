"""A folder of items that Flipside wrote, or that a researcher wrote for it: benchmark.json and items.jsonl.

`benchmark.json`: {"format": 1, "name", "n_items", "hash", "protocols": {subset: protocol}} and, where there are any,
"split", "templates", "about", "items" (the name of the items' file, items.jsonl without it). `items.jsonl`: one object
a line, see own_records.py. A benchmark is written whole or not at all, and replaced from one moment to the next.
"""

import json
import os
import re
import secrets
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from backend import paths, plain_json
from backend.benchmarks.items_folder.records import Reader, to_record
from backend.benchmarks.reading.folder import Folder
from backend.benchmarks.reading.records import each, json_lines
from backend.durable import not_written, sync_dir, write_synced
from backend.errors import FlipsideError, UsageError
from backend.items import Benchmark, Item, Protocol, Skipped, all_skipped

FORMAT: Final = 1
HEAD: Final = "benchmark.json"
ITEMS: Final = "items.jsonl"
A_DAY: Final = 86_400.0
_ASIDE: Final = ".aside-"
_ITEMS_NAME: Final = re.compile(r"items(-[0-9a-f]{12})?\.jsonl")
_NAME: Final = re.compile(r"[\w~:@+,.=()\[\] -]{1,120}")


class NoItemsError(FlipsideError):
    """There is nothing to write."""


@dataclass(frozen=True)
class Written:
    """What was written. folder: where; hash: of the content; subsets: items of each."""

    folder: Path
    name: str
    hash: str
    n_items: int
    subsets: Mapping[str, int] = field(default_factory=dict)


def own_folder(name: str) -> Path:
    """Where a benchmark of that name is kept: `<cache>/own/<name>`. UsageError for a name that is none."""
    if not _NAME.fullmatch(name) or name.startswith(".") or name != name.strip():
        raise UsageError(
            f"'{name}': a benchmark's name has 1 to 120 letters, digits, spaces and ~ : @ + - _ . , = ( ) [ ]; "
            "it begins with no full stop and no space."
        )
    return paths.cache_dir() / "own" / name


def own_names() -> list[str]:
    """The names of all benchmarks that are kept there, sorted."""
    return sorted(path.parent.name for path in (paths.cache_dir() / "own").glob(f"*/{HEAD}"))


def own_heads() -> Iterator[dict[str, Any]]:
    """Their heads (see read_head), by name; one that is damaged is left out, for it hides nothing of the others."""
    for name in own_names():
        try:
            yield read_head(own_folder(name))
        except FlipsideError:
            continue


def is_own_folder(folder: Path) -> bool:
    """Whether a folder holds such a benchmark."""
    return (folder / HEAD).is_file() and any(_ITEMS_NAME.fullmatch(path.name) for path in folder.glob("items*.jsonl"))


def write_own(folder: Path, benchmark: Benchmark, about: Callable[[], Mapping[str, Any]] | None = None) -> Written:
    """Write a benchmark's items, one at a time as they come. What the folder held before stays until all is written.

    about: called after the last item, for what only a pass over all of them can tell; without it `benchmark.about`.
    NoItemsError where there is no item, FlipsideError where the folder cannot be written; nothing is left of it then.
    """
    aside = folder / f"{_ASIDE}{os.getpid()}-{secrets.token_hex(4)}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        _remove_old_asides(folder)
        subsets: dict[str, int] = {}
        protocols: dict[str, str] = {}
        digest = benchmark.hash_begun()
        n_skipped, first = 0, None
        with aside.open("w", encoding="utf-8", newline="\n") as out:
            for item in benchmark.open_items():
                if isinstance(item, Skipped):
                    n_skipped, first = n_skipped + 1, first or item
                    continue
                out.write(json.dumps(to_record(item), ensure_ascii=False) + "\n")
                digest.update(item.canonical().encode() + b"\n")
                subsets[item.subset] = subsets.get(item.subset, 0) + 1
                protocols.setdefault(item.subset, item.protocol.value)
            if not subsets:
                raise NoItemsError(
                    f"{benchmark.name}: there is no item to write. {all_skipped(n_skipped, first)}".rstrip()
                )
            out.flush()
            os.fsync(out.fileno())
        written = Written(folder, benchmark.name, digest.hexdigest(), sum(subsets.values()), subsets)
        head = {"format": FORMAT, "name": written.name, "n_items": written.n_items, "hash": written.hash}
        head |= {"protocols": protocols}
        head |= {"split": benchmark.split} if benchmark.split else {}
        head |= {"templates": {k: list(v) for k, v in benchmark.templates.items()}} if benchmark.templates else {}
        told = dict(about() if about is not None else benchmark.about)
        head |= {"about": told} if told else {}
        _publish(folder, aside, head, written.hash)
    except OSError as error:
        raise FlipsideError(not_written(error, folder, "name another folder")) from None
    finally:
        aside.unlink(missing_ok=True)
        if folder.is_dir() and not any(folder.iterdir()):
            folder.rmdir()
    return written


def _remove_old_asides(folder: Path) -> None:
    """What killed processes left; younger files may be another process's that is at work."""
    for path in folder.glob(f"{_ASIDE}*"):
        if path.stat().st_mtime < time.time() - A_DAY:
            path.unlink(missing_ok=True)


def _publish(folder: Path, aside: Path, head: dict[str, Any], digest: str) -> None:
    """The items under a name that no earlier head names, then the head, then away with the earlier items."""
    name = ITEMS if not (folder / HEAD).exists() else f"items-{digest[:12]}.jsonl"
    head["items"] = name
    aside.replace(folder / name)
    write_synced(aside, (json.dumps(head, ensure_ascii=False, indent=1) + "\n").encode())
    aside.replace(folder / HEAD)
    sync_dir(folder)
    for path in folder.iterdir():
        if _ITEMS_NAME.fullmatch(path.name) and path.name != name:
            path.unlink(missing_ok=True)


def read_own(folder: Path, absolute: bool = True, folders: Collection[str] = ()) -> Benchmark:
    """The benchmark in a folder, read lazily; its head is read at once.

    absolute: whether its images may lie anywhere on this machine: True for folders that Flipside wrote or that its
    owner named on the command line, False for what somebody uploaded or sent: then only below the folder itself and
    `folders`. UsageError where the folder holds no such
    benchmark, FlipsideError where its head is damaged.
    """
    head = read_head(folder)
    path = folder / head["items"]

    def entries() -> Iterator[Item | Skipped]:
        yield from each(path.name, json_lines(path), Reader(Folder(folder), absolute, path.name, tuple(folders)).item)

    return Benchmark(
        name=head["name"],
        open_items=entries,
        data_dir=str(folder),
        split=head["split"],
        templates={subset: tuple(prompts) for subset, prompts in head["templates"].items()},
        about=head["about"],
    )


def read_head(folder: Path) -> dict[str, Any]:
    """benchmark.json, checked; every key is there."""
    path = folder / HEAD
    if not is_own_folder(folder):
        raise UsageError(f"{folder}: expected {HEAD} and {ITEMS} in it, as `flipside perturb` writes them.")
    try:
        head = plain_json.loads(path.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError) as error:
        raise FlipsideError(f"{path}: cannot be read as JSON ({str(error).splitlines()[0]}). Write it anew.") from None
    if not isinstance(head, dict) or not isinstance(head.get("name"), str) or not head["name"].strip():
        raise FlipsideError(f"{path}: expected an object with a 'name'. Write it anew.")
    if not isinstance(head.get("format"), int) or not 1 <= head["format"] <= FORMAT:
        raise FlipsideError(f"{path}: format {head.get('format')!r}, this Flipside reads {FORMAT}. Update Flipside.")
    kept: dict[str, Any] = {"items": ITEMS, "split": "", "templates": {}, "about": {}, "protocols": {}} | head
    if not isinstance(kept["items"], str) or not _ITEMS_NAME.fullmatch(kept["items"]):
        raise FlipsideError(f"{path}: 'items' is {kept['items']!r}, expected {ITEMS}.")
    for name in ("templates", "about", "protocols"):
        if not isinstance(kept[name], dict):
            raise FlipsideError(f"{path}: '{name}' is no object. Write it anew.")
    unknown = sorted(set(map(str, kept["protocols"].values())) - set(Protocol))
    if unknown:
        raise FlipsideError(f"{path}: unknown protocol {unknown[0]!r}; expected {', '.join(Protocol)}.")
    for subset, prompts in kept["templates"].items():
        if not isinstance(prompts, list) or not all(isinstance(p, str) and p.count("{}") == 1 for p in prompts):
            raise FlipsideError(f"{path}: the templates of '{subset}' are no list of texts with one {{}} each.")
    return kept
