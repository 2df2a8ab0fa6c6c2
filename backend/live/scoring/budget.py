"""How much memory the models of live scoring may hold together. Imports no torch."""

import os
import re
from pathlib import Path
from typing import Any, Final

from backend.errors import UsageError

VARIABLE: Final = "FLIPSIDE_LIVE_MEMORY"
_UNITS: Final = {"MB": 10**6, "GB": 10**9}
_GIVEN: Final = re.compile(r"([0-9]+(?:\.[0-9]+)?) ?(MB|GB)", re.IGNORECASE)
_CGROUP: Final = Path("/sys/fs/cgroup/memory.max")


def budget() -> int:
    """Bytes: what the owner has said in FLIPSIDE_LIVE_MEMORY, else half of this machine's memory. UsageError for what
    is no size."""
    said = os.environ.get(VARIABLE, "").strip()
    if not said:
        return total() // 2
    return bytes_of(said, VARIABLE)


def bytes_of(said: str, name: str) -> int:
    """The bytes of a size as people write it. name: the variable or option that says it, for the UsageError.

    >>> bytes_of("500MB", "FLIPSIDE_LIVE_MEMORY"), bytes_of("1.5 gb", "FLIPSIDE_LIVE_MEMORY")
    (500000000, 1500000000)
    """
    found = _GIVEN.fullmatch(said)
    if found is None:
        raise UsageError(f"{name}={said}: expected a size such as 500MB or 4GB.")
    return int(float(found[1]) * _UNITS[found[2].upper()])


def total() -> int:
    """Bytes of memory that this process may use at most: the machine's, or its container's where that has fewer."""
    machine = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    try:
        limit = _CGROUP.read_text(encoding="ascii").strip()
    except OSError:
        return machine
    return min(machine, int(limit)) if limit.isdecimal() else machine


def size_of(model: Any) -> int:
    """Bytes of a model's weights, wherever they lie; 0 for one that has no torch module (a server's, say). What a
    forward pass takes on top comes and goes."""
    module: Any = getattr(model, "module", None)
    if module is None or not hasattr(module, "parameters"):
        return 0
    known = {id(each): each.numel() * each.element_size() for each in (*module.parameters(), *module.buffers())}
    return sum(known.values())  # weights that two layers share count once
