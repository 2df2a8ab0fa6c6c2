"""How much memory the models of live scoring may hold together. Imports no torch."""

import os
from pathlib import Path
from typing import Any, Final

from backend import environment

VARIABLE: Final = "FLIPSIDE_LIVE_MEMORY"
_CGROUP: Final = Path("/sys/fs/cgroup/memory.max")


def budget() -> int:
    """Bytes: what the owner has said in FLIPSIDE_LIVE_MEMORY, else half of this machine's memory. UsageError for what
    is no size."""
    given = environment.size(VARIABLE)
    return total() // 2 if given is None else given


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
