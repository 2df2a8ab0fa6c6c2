"""What `python -m backend world` does: write an edition, or a probe, into a folder."""

from pathlib import Path
from typing import Any, Final

from backend.errors import UsageError
from backend.paths import typed_path
from backend.seeds import check_seed
from backend.world import edition
from backend.world.benchmark import make
from backend.world.probes import probe

#: Items of an edition: some 60 GB of pictures.
MOST: Final = 10_000_000


def generate(out: Path, items: int, seed: int, differ_only_in: str | None = None) -> dict[str, Any]:
    """Write `items` items into `out` and return what was written, ready for JSON.

    differ_only_in: write quads only, whose two scenes differ in nothing else (see `probes.DIFFERENCES`).
    """
    if not 1 <= items <= MOST:
        raise UsageError(f"--items {items}: expected a whole number from 1 to {MOST:,}.")
    check_seed(seed)
    folder = typed_path(out, "--out").resolve()
    benchmark = probe(items, differ_only_in, seed) if differ_only_in else make(items, seed)
    manifest = edition.write(folder, benchmark, seed, {"items": items, "differ_only_in": differ_only_in})
    return {**manifest, "out": str(folder), "differ_only_in": differ_only_in}
