"""Reading what an address in an object store names. fsspec knows the stores; this file knows which ones we ask, and
says in one sentence what is wrong."""

import difflib
import re
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from backend import extras
from backend.errors import FlipsideError, UsageError

#: Scheme -> the package that brings it to fsspec, "" for none. Addresses of the web are none: what somebody's table
#: names is never fetched from there.
STORES = {"s3": "s3fs", "gs": "gcsfs", "az": "adlfs", "abfs": "adlfs", "memory": ""}
#: How a scheme is written; a letter alone is a drive.
_SCHEME = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]+")
#: Seconds for which a thread keeps what it has read last: a picture is decoded and its digest taken, in this order.
KEPT = 10.0
_last = threading.local()
Result = TypeVar("Result")


def is_url(name: str) -> bool:
    """Whether a name is an address in an object store that we ask.

    >>> is_url("s3://bucket/a.jpg"), is_url("/data/a.jpg"), is_url("https://a.b/c.jpg"), is_url("world:5.a.b")
    (True, False, False, False)
    """
    scheme, found, rest = name.partition("://")
    return bool(found and rest) and scheme in STORES


def as_url(name: str) -> str:
    """The address that a path stands for; "" for a plain one. A path of pathlib has lost a slash.

    >>> as_url("s3:/bucket/data"), as_url("memory://a/b"), as_url("/data")
    ('s3://bucket/data', 'memory://a/b', '')
    """
    scheme, found, rest = name.partition(":/")
    url = f"{scheme}://{rest.lstrip('/')}" if found and scheme in STORES else ""
    return url if is_url(url) else ""


def refuse_other_scheme(name: str) -> None:
    """UsageError for an address that is none of a store which we ask, or names nothing in one: it would be looked for
    as a folder here.

    >>> refuse_other_scheme("/data/s3"), refuse_other_scheme("C:/data"), refuse_other_scheme("s3:/bucket/data")
    (None, None, None)
    """
    bare = name.removesuffix(":") in STORES  # of s3:// pathlib leaves s3:
    scheme, found, rest = (f"{name}/" if bare else name).partition(":/")
    if not found or not _SCHEME.fullmatch(scheme) or Path(name).exists():
        return
    if scheme in STORES:
        if not rest.strip("/"):
            raise UsageError(f"{scheme}://: names no folder; expected {scheme}://BUCKET/FOLDER.")
        return
    address = f"{scheme}://{rest.lstrip('/')}"
    if scheme in ("http", "https", "ftp"):
        raise UsageError(f"{address}: nothing is read from the web here. Download the files, and name their folder.")
    near = difflib.get_close_matches(scheme, STORES, n=1, cutoff=0.5)
    hint = f" Did you mean {near[0]}://?" if near else ""
    raise UsageError(f"{address}: unknown scheme '{scheme}'.{hint} Known: {', '.join(STORES)}.")


def filesystem(url: str) -> Any:
    """fsspec's filesystem of an address. FlipsideError, with the command that installs it, where it is not there.

    Where the store is and who may read it say the variables that its package reads (AWS_ENDPOINT_URL and the others).
    """
    scheme = url.partition("://")[0]
    try:
        import fsspec

        return fsspec.filesystem(scheme)
    except ImportError as error:
        package = STORES.get(scheme) or "fsspec"
        install = extras.install("s3") if scheme == "s3" else f"pip install '{package}'"
        raise FlipsideError(f"{url}: needs the package {package} ({error}). Install it: {install}") from None


def asked(url: str, work: Callable[[], Result]) -> Result:
    """What `work` gives. Whatever a store's package raises becomes a FlipsideError that names the address, but for
    FileNotFoundError."""
    try:
        return work()
    except (FileNotFoundError, FlipsideError):
        raise
    except Exception as error:
        said = " ".join(str(error).split())[:300] or type(error).__name__
        raise FlipsideError(
            f"{url}: the store does not give it ({type(error).__name__}: {said}). Check the address and what this "
            "machine may read there."
        ) from error


def read(url: str, *, kept: bool = True) -> bytes:
    """The bytes behind an address. FileNotFoundError where there are none; FlipsideError for all else. kept: what this
    thread has read a moment ago will do."""
    known: tuple[str, float, bytes] | None = getattr(_last, "read", None)
    if kept and known is not None and known[0] == url and time.monotonic() - known[1] < KEPT:
        return known[2]
    data: bytes = asked(url, lambda: filesystem(url).cat_file(url))
    if kept:
        _last.read = (url, time.monotonic(), data)
    return data


def write(url: str, data: bytes) -> None:
    """Let an address name these bytes: a reader sees the former ones or these, as object stores promise."""
    filesystem_ = filesystem(url)

    def put() -> None:
        if url.startswith("memory://"):  # has folders, as no object store does
            filesystem_.makedirs(url.rpartition("/")[0], exist_ok=True)
        filesystem_.pipe_file(url, data)

    asked(url, lambda: _there(url, put))


def _there(url: str, work: Callable[[], Result]) -> Result:
    """What `work` gives, of a bucket that has to be there. FlipsideError where it is not."""
    try:
        return work()
    except FileNotFoundError as error:
        said = " ".join(str(error).split())[:300].rstrip(".")
        raise FlipsideError(f"{url}: the store says: {said}. Check the name of the bucket.") from None


def listing(url: str) -> dict[str, dict[str, Any]]:
    """Every object below an address: its name relative to that -> what the store says of it ("size", and "ETag" or the
    like where it has one)."""
    filesystem_ = filesystem(url)
    filesystem_.invalidate_cache()
    root = str(filesystem_._strip_protocol(url)).rstrip("/")
    found = asked(url, lambda: _there(url, lambda: filesystem_.find(root, detail=True)))
    return {
        name.removeprefix(root).lstrip("/"): dict(info)
        for name, info in found.items()
        if info.get("type", "file") == "file" and name.rstrip("/") != root and not name.endswith("/")
    }
