"""Which addresses are asked: https, or http on this machine alone.

The addresses are the table's, or lie under a mirror that the owner names at the command line. A page must never pass on
an address that a browser user typed: it could make this machine fetch from its own network.
"""

import ipaddress
from urllib.parse import quote, urlsplit

from backend.benchmarks.fetching.table import SourceFile
from backend.benchmarks.fetching.trouble import FileError
from backend.errors import UsageError


def address_of(benchmark: str, file: SourceFile, mirror: str | None) -> str:
    """The file's own address, or `<mirror>/<benchmark>/<path>`."""
    return file.url if mirror is None else f"{mirror.rstrip('/')}/{benchmark}/{quote(file.path)}"


def check_mirror(mirror: str, named: str = "--mirror ") -> None:
    """UsageError unless a mirror is an https address, or an http address on this machine. named: what stands before it
    where it was given."""
    try:
        parts = urlsplit(mirror)
        fine = bool(parts.hostname) and parts.port != 0 and not parts.query and not parts.fragment
    except ValueError:
        fine = False
    if not fine or not _is_allowed(mirror) or parts.username or parts.password:
        raise UsageError(
            f"{named}{mirror[:120]}: expected an https address (or http on this machine) without a name, password or "
            "question mark in it; its files are looked for under <mirror>/<benchmark>/<file>."
        )


def check_redirect(before: str, after: str) -> None:
    """FileError where a server sends on to an address that may not be asked."""
    allowed = _is_allowed(after) and (not _is_loopback(after) or _is_loopback(before))
    if not allowed:
        raise FileError(f"{shown(before)} sends on to {shown(after)}: only https addresses are followed")


def shown(address: str) -> str:
    """An address in a message: without what follows a question mark, which may be long or secret."""
    return address.partition("?")[0][:160]


def _is_allowed(address: str) -> bool:
    try:
        parts = urlsplit(address)
    except ValueError:
        return False
    return bool(parts.hostname) and (parts.scheme == "https" or (parts.scheme == "http" and _is_loopback(address)))


def _is_loopback(address: str) -> bool:
    host = urlsplit(address).hostname or ""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
