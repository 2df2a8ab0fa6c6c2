"""What `python -m backend world` does: write an edition, or a probe, into a folder."""

from pathlib import Path
from typing import Any

from backend.errors import UsageError
from backend.world import edition
from backend.world.benchmark import make
from backend.world.probes import probe


def generate(out: Path, items: int, seed: int, differ_only_in: str | None = None) -> dict[str, Any]:
    """Write `items` items into `out` and return what was written, ready for JSON.

    differ_only_in: write quads only, whose two scenes differ in nothing else (see `probes.DIFFERENCES`).
    """
    if items < 1:
        raise UsageError(f"--items must be at least 1, not {items}.")
    if seed < 0:
        raise UsageError(f"--seed must not be negative, not {seed}.")
    folder = out.expanduser().resolve()
    benchmark = probe(items, differ_only_in, seed) if differ_only_in else make(items, seed)
    manifest = edition.write(folder, benchmark, seed)
    return {**manifest, "out": str(folder), "differ_only_in": differ_only_in}
