"""A data folder in an object store, as `--data s3://bucket/folder`: its annotations are brought into the cache, its
pictures stay where they are.

Benchmarks' readers look for files by name and open annotations as files. So the mirror is a folder: annotations with
their content, each picture as an empty file of its name. Items that are read from it name pictures by their address in
the store, which every machine of a cluster can open; keys, and with them a benchmark's hash, are those of a plain
folder. Files that have not changed (by size and what the store says of their version) are not brought again.
"""

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import Any

from backend import locks, plain_json
from backend.durable import replaced
from backend.errors import FlipsideError, UsageError
from backend.items import Item, Skipped
from backend.paths import cache_dir
from backend.stores import opening

FOLDER = "stores"
DATA, LISTING, LOCK = "data", "listing.json", "lock"
#: What ends the names of pictures, and of frames that are kept as arrays: these stay in the store.
PICTURES = (
    ".jpg", ".jpeg", ".png", ".webp", ".gif", ".bmp", ".tif", ".tiff", ".ppm", ".jp2", ".npy",
)  # fmt: skip
#: What a store may say of an object's version, the first that it says.
_VERSIONS = ("ETag", "etag", "md5Hash", "content_md5", "version", "LastModified", "mtime", "created")


def folder_of(url: str) -> Path:
    """Where an address is mirrored."""
    plain = url.rstrip("/")
    return cache_dir() / FOLDER / hashlib.sha256(plain.encode()).hexdigest()[:16]


def url_of(data: Path) -> str:
    """The address that a folder mirrors, as far as it was made by `mirrored`; "" for every other folder."""
    if data.name != DATA or data.parent.parent != (cache_dir() / FOLDER).resolve():
        return ""
    with suppress(OSError, ValueError, KeyError, TypeError):
        return str(plain_json.loads((data.parent / LISTING).read_text(encoding="utf-8"))["url"])
    return ""


def mirrored(url: str, tell: Callable[[str], object] | None = None) -> Path:
    """The folder that mirrors an address, as the store is now. tell: hears what is brought, where it is anything.

    UsageError where nothing lies there; FlipsideError for what the store refuses, and for names that lead out.
    """
    folder, root = folder_of(url), url.rstrip("/")
    data = folder / DATA
    folder.mkdir(parents=True, exist_ok=True)
    with locks.signed(folder / LOCK, lambda: (folder / LOCK).open("a+"), lambda who: _busy(url, who)):
        found = opening.listing(root)
        if not found:
            raise UsageError(f"--data {url}: nothing lies there. Expected a folder with the benchmark's files.")
        now = {_safe(root, name): _version(info) for name, info in found.items()}
        before = _known(folder)
        changed = [name for name, said in now.items() if before.get(name) != said or not (data / name).is_file()]
        wanted = [name for name in changed if not name.lower().endswith(PICTURES)]
        if wanted and tell is not None:
            size = sum(int(found[name].get("size") or 0) for name in wanted)
            tell(f"{url}: bringing {len(wanted):,} files, {size / 1e6:,.1f} MB; {len(now) - len(wanted):,} stay there")
        for name in changed:
            (data / name).parent.mkdir(parents=True, exist_ok=True)
            content = opening.read(f"{root}/{name}") if name in set(wanted) else b""
            replaced(data / name, content)
        for name in before.keys() - now.keys():
            (data / name).unlink(missing_ok=True)
        replaced(folder / LISTING, json.dumps({"url": root, "files": now}, ensure_ascii=False).encode())
    return data


def of_store(items: Iterator[Item | Skipped], data: Path, url: str) -> Iterator[Item | Skipped]:
    """Items read from a mirror, their pictures named by their addresses in the store."""
    here, there = f"{data}/", f"{url.rstrip('/')}/"
    for item in items:
        if isinstance(item, Skipped) or not any(here in image.uri for image in item.images):
            yield item
            continue
        images = tuple(
            replace(image, uri=_there(image.uri, here, there)) if here in image.uri else image for image in item.images
        )
        yield replace(item, images=images)


def _there(uri: str, here: str, there: str) -> str:
    """`crop:` and `bgr:` stay in front; a file that is no picture (one was unpacked from it) stays here."""
    return uri.replace(here, there, 1) if uri.lower().endswith(PICTURES) else uri


def _safe(url: str, name: str) -> str:
    parts = PurePosixPath(name).parts
    if not parts or name.startswith("/") or ".." in parts or "\0" in name or str(PurePosixPath(name)) != name:
        raise FlipsideError(f"{url}: an object is called {name!r}, which is no name of a file. Rename it.")
    return name


def _version(info: Mapping[str, Any]) -> str:
    said = next((str(info[name]) for name in _VERSIONS if info.get(name) is not None), "")
    return f"{info.get('size')} {said}"


def _known(folder: Path) -> dict[str, str]:
    with suppress(OSError, ValueError, KeyError, TypeError, AttributeError):
        said = plain_json.loads((folder / LISTING).read_text(encoding="utf-8"))
        return {str(name): str(version) for name, version in said["files"].items()}
    return {}


def _busy(url: str, holder: str) -> FlipsideError:
    return FlipsideError(f"{url} is being brought here by {holder}. Wait for it to finish.")
