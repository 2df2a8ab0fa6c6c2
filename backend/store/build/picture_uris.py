"""Which pictures the items of a benchmark may show: what enters the database is safe to open, by whoever reads it.

Items that this computer's own imports wrote show what those found. Items that came in a results bundle, or that
anything else put there, show drawn scenes, and pictures that are found again by their key in the data folders that were
imported here: as the same benchmark, as the one that an edition was made from, or under the same known name. No path of
theirs is ever opened.
"""

import re
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

import duckdb
import pyarrow as pa

from backend.benchmarks.reading.folder import Folder
from backend.benchmarks.reading.malformed import Malformed
from backend.errors import FlipsideError
from backend.items import ImageRef
from backend.recorded import Recorded, known

#: Suffixes that benchmarks leave out of their pictures' names.
_SUFFIXES: Final = (".png", ".jpg", ".jpeg")
_CROPPED: Final = re.compile(r"(.+)#(-?\d{1,6}),(-?\d{1,6}),(\d{1,6}),(\d{1,6})", re.DOTALL)
#: SQL: the pictures of items from elsewhere to begin with: drawn scenes, and "" for each that is found by its key.
DRAWN: Final = """list_transform(image_keys, lambda key, i:
    CASE WHEN starts_with(coalesce(image_uris[i], ''), 'world:') THEN image_uris[i] ELSE '' END)"""
NOT_OPENED: Final = (
    "{} of its items name pictures by paths that no import here has recorded, so they are not opened; if the pictures "
    "are yours, import the benchmark again (flipside import NAME --data DIR)"
)


class Places:
    """What is recorded under a root, and the folders of it, each walked once."""

    def __init__(self, root: Path) -> None:
        self.recorded = known(root)
        self._folders: dict[str, Folder] = {}

    def is_own(self, benchmark: str, items_sha256: str) -> bool:
        """Whether an import or a run here wrote this items file (by its sha256)."""
        entry = self.recorded.get(benchmark)
        return entry is not None and items_sha256 in entry.items

    def folders(self, benchmark: str, head: Mapping[str, Any]) -> list[str]:
        """Where pictures of items from elsewhere are looked for. head: their benchmark.json."""
        found = [entry for entry in self.recorded.values() if _is_of(entry, benchmark, head)]
        found.sort(key=lambda entry: (entry.hash != benchmark, entry.hash))
        return list(dict.fromkeys(folder for entry in found for folder in entry.folders))

    def state(self, benchmark: str, head: Mapping[str, Any], items_sha256: str) -> str:
        """What decides which pictures a benchmark shows; "" for items of our own, which show what they name."""
        if self.is_own(benchmark, items_sha256):
            return ""
        return "elsewhere" + sha256("\n".join(self.folders(benchmark, head)).encode()).hexdigest()

    def find(self, key: str, folders: list[str]) -> str:
        """The URI of the picture with that key in the first of the folders that has it; "" where none has."""
        for name in folders:
            if name not in self._folders:
                self._folders[name] = Folder(Path(name))
            try:
                if uri := _found(self._folders[name], key).uri:
                    return uri
            except (Malformed, OSError, ValueError, FlipsideError):
                continue
        return ""


def _is_of(entry: Recorded, benchmark: str, head: Mapping[str, Any]) -> bool:
    about = head.get("about")
    parent = about.get("parent") if isinstance(about, dict) else None
    parent_hash = str(parent.get("hash") or "")[:16] if isinstance(parent, dict) else ""
    base = str(head.get("name") or "").partition("~")[0]
    # Two tables of one's own may have the same name and other pictures under the same keys.
    same = bool(base) and not base.startswith("custom:") and entry.name.partition("~")[0] == base
    return entry.hash in (benchmark, parent_hash) or same


def _found(folder: Folder, key: str) -> ImageRef:
    """By the whole key, never by its last part alone: another picture would be shown as this one."""
    suffixes = () if Path(key).suffix else _SUFFIXES
    found = folder.image(key, suffixes=suffixes, by_name=False)
    if found.missing and (box := _CROPPED.fullmatch(key)):
        inner = _found(folder, box[1]) if "#" not in box[1] else found
        return inner.cropped(*(int(number) for number in box.groups()[1:]))
    return found


def find_pictures(
    connection: duckdb.DuckDBPyConnection, name: str, folder: Path, places: Places, folders: list[str]
) -> int:
    """Pictures of items from elsewhere, by their keys; how many items name one by a path that is not opened."""
    rows = connection.execute(
        "SELECT item_no, image_keys, image_uris FROM items WHERE benchmark = ? AND list_contains(image_uris, '')",
        [name],
    ).fetchall()
    found: dict[str, str] = {}
    for key in {key for _, keys, _ in rows for key in keys or () if isinstance(key, str)} if folders else ():
        if uri := places.find(key, folders):
            found[key] = uri
    numbers = [row for row in rows if found and any(key in found for key in row[1])]
    if numbers:
        uris = [[uri or found.get(key, "") for key, uri in zip(row[1], row[2], strict=True)] for row in numbers]
        table = pa.table(
            {"item_no": pa.array([row[0] for row in numbers]), "uris": pa.array(uris, pa.list_(pa.string()))}
        )
        connection.register("pictures_found", table)
        connection.execute(
            """UPDATE items SET image_uris = f.uris FROM pictures_found f
            WHERE benchmark = ? AND items.item_no = f.item_no""",
            [name],
        )
        connection.unregister("pictures_found")
    row = connection.execute(
        """SELECT count(*) FROM items i JOIN read_parquet(?) p USING (item_no) WHERE i.benchmark = ?
            AND list_contains(i.image_uris, '') AND len(list_filter(p.image_uris, lambda u: contains(u, '/'))) > 0""",
        [str(folder / "items.parquet"), name],
    ).fetchone()
    return int(row[0]) if row else 0
