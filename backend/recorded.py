"""What this computer's own imports wrote, and where the pictures lie: all that stored records may show.

`<cache>/recorded/<benchmark>.json` stands outside everything that a results bundle can write. Items whose file an
import or a run here has written are believed: their pictures' paths come from data folders and tables that the owner
named. Items that came from elsewhere are not: their pictures are looked up by key, in the folders recorded here
(`backend.store.build.picture_uris`).
"""

import json
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from hashlib import file_digest
from pathlib import Path
from typing import Any, Final

from backend import plain_json
from backend.durable import replaced
from backend.items import BGR_SCHEME, CROP_SCHEME

FOLDER: Final = "recorded"
#: Says that benchmarks from before there were such records have been looked at.
BEGUN: Final = "begun.json"
#: Items files, and folders of pictures, that are remembered of one benchmark.
MOST_FILES: Final = 8
MOST_FOLDERS: Final = 10_000


@dataclass(frozen=True)
class Recorded:
    """Of one benchmark. hash: 16 hex digits. items: sha256 of each items file written here, the latest first.
    data: folders that were named as its data, the latest first; pictures: further folders in which pictures were
    found (`--images`, full paths in a table of one's own). links: the folders, links followed, in which an import found
    pictures outside its data folder; what is opened later must lie there (`backend.inside`)."""

    hash: str
    name: str
    items: tuple[str, ...] = ()
    data: tuple[str, ...] = ()
    pictures: tuple[str, ...] = ()
    links: tuple[str, ...] = ()

    @property
    def folders(self) -> tuple[str, ...]:
        """Where its pictures may lie."""
        return (*self.data, *self.pictures)


def file_of(uri: str) -> str:
    """The file that an image's URI opens in the end; "" for a drawn scene and where there is none.

    >>> file_of("crop:0,0,4,4:crop:1,1,2,2:bgr:/data/a.npy"), file_of("world:3.crbpGW"), file_of("/a.png")
    ('/data/a.npy', '', '/a.png')
    """
    while uri.startswith(CROP_SCHEME):
        uri = uri.removeprefix(CROP_SCHEME).partition(":")[2]
    uri = uri.removeprefix(BGR_SCHEME)
    return uri if uri.startswith("/") else ""


def record(
    root: Path, benchmark: str, name: str, items_sha256: str, data_dir: str, pictures: Iterable[str],
    links: Iterable[str] = (),
) -> None:  # fmt: skip
    """Remember an import. items_sha256: "" where the items file that is there was left alone."""
    begin(root)
    before = _read(_path(root, benchmark)) or Recorded(benchmark[:16], name)
    data = [data_dir] if data_dir and Path(data_dir).is_dir() else []
    found = Recorded(
        benchmark[:16],
        name,
        _first([items_sha256] if items_sha256 else [], before.items, MOST_FILES),
        _first(data, before.data, MOST_FOLDERS),
        _first(sorted(pictures), before.pictures, MOST_FOLDERS),
        _first(sorted(links), before.links, MOST_FOLDERS),
    )
    if found != before or not _path(root, benchmark).is_file():
        _write(root, found)
    elif data:
        with suppress(OSError):
            _path(root, benchmark).touch()  # the latest import of a name is the one that is remembered (`data_of`)


def known(root: Path) -> dict[str, Recorded]:
    """Everything recorded under a root (the cache), by the benchmark's hash."""
    return begin(root) | kept(root)


def kept(root: Path) -> dict[str, Recorded]:
    """What has been written down under a root already. Writes nothing."""
    found = {}
    for path in files(root):
        if (entry := _read(path)) is not None and entry.hash == path.stem:
            found[entry.hash] = entry
    return found


def data_of(root: Path, name: str) -> Path | None:
    """The folder that a benchmark of this name was last read from here, where it is still there; None without one."""
    found: list[tuple[float, str]] = []
    for path in files(root):
        if (entry := _read(path)) is not None and entry.name == name:
            with suppress(OSError):
                found += [(path.stat().st_mtime, folder) for folder in entry.data[:1] if Path(folder).is_dir()]
    return Path(max(found)[1]) if found else None


def files(root: Path) -> list[Path]:
    """The files of all records under a root, in the order of their names."""
    return sorted(path for path in (root / FOLDER).glob("*.json") if path.name != BEGUN)


def begin(root: Path) -> dict[str, Recorded]:
    """Records of benchmarks that an earlier version imported, which kept none; made once, before anything is taken over
    from a bundle. Where they cannot be written (a cache that may only be read), they are given back."""
    if (root / FOLDER / BEGUN).is_file():
        return {}
    found = {}
    for folder in sorted(root.glob("benchmarks/*")):
        with suppress(OSError, ValueError, KeyError, TypeError):
            items = folder / "items.parquet"
            if _put_in_place(items):
                with items.open("rb") as source:
                    digest = file_digest(source, "sha256").hexdigest()
                name = str(_object(folder / "benchmark.json")["name"])
                found[folder.name] = Recorded(folder.name, name, (digest,), _data_of_runs(root, folder.name))
    with suppress(OSError):
        for entry in found.values():
            if not _path(root, entry.hash).exists():
                _write(root, entry)
        replaced(root / FOLDER / BEGUN, b"{}\n")
    return found


def _put_in_place(items: Path) -> bool:
    """Whether an items file was written aside and renamed, as imports and runs do; what came in a bundle was written
    where it is, so that its inode has not changed since its content has."""
    stat = items.stat()
    return stat.st_ctime_ns > stat.st_mtime_ns


def _data_of_runs(root: Path, benchmark: str) -> tuple[str, ...]:
    """Data folders that runs of an earlier version named, of those that were computed here: they close their record
    after the last shard, where a bundle's record is written before its manifest."""
    found: dict[str, float] = {}
    for path in root.glob("runs/*/run.json"):
        with suppress(OSError, ValueError, KeyError, TypeError):
            of, closed = _object(path)["benchmark"], path.stat().st_mtime_ns
            data = str(of["data_dir"])
            computed_here = closed > (path.parent / "manifest.json").stat().st_mtime_ns
            if str(of["hash"])[:16] == benchmark and computed_here and data and Path(data).is_dir():
                found[data] = max(closed, found.get(data, 0))
    return tuple(sorted(found, key=found.__getitem__, reverse=True))


def _path(root: Path, benchmark: str) -> Path:
    return root / FOLDER / f"{benchmark[:16]}.json"


def _read(path: Path) -> Recorded | None:
    with suppress(OSError, ValueError, KeyError, TypeError):
        said = _object(path)
        items, data, pictures = (tuple(map(str, said[k])) for k in ("items", "data", "pictures"))
        return Recorded(
            str(said["hash"]), str(said["name"]), items, data, pictures, tuple(map(str, said.get("links", ())))
        )
    return None


def _object(path: Path) -> Mapping[str, Any]:
    document = plain_json.loads(path.read_text(encoding="utf-8"))
    if not isinstance(document, dict):
        raise TypeError(f"{path.name} holds no object")
    return document


def _write(root: Path, entry: Recorded) -> None:
    replaced(_path(root, entry.hash), (json.dumps(asdict(entry), ensure_ascii=False, indent=1) + "\n").encode())


def _first(new: Iterable[str], before: Iterable[str], most: int) -> tuple[str, ...]:
    return tuple(dict.fromkeys([*new, *before]))[:most]
