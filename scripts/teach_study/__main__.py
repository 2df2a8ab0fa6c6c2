"""`make teach-study`: every recipe over several seeds, to docs/teaching/study.json and docs/teaching/study.md.

Resumable: a cell (recipe × seed) that is done is not done again, and one that was stopped goes on from its checkpoint.
`--only NAME:SEED` does one cell, so that two processes can share the work; the last call, without it, writes the page.
"""

import argparse
import json
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from backend import durable
from scripts.teach_study import cells, compared, world
from scripts.teach_study.page import page

OUT = Path(__file__).resolve().parents[2] / "docs" / "teaching"


def document(seeds: list[int]) -> dict[str, Any]:
    """Everything that the page says, out of the kept scores of every cell."""
    import torch

    from backend.engine.storage.record import cpu_name

    kept = {name: {s: cells.judged(cells.cell(name, s), "") for s in seeds} for name in cells.VARIANTS}
    against = {}
    for name, own in kept.items():
        if name == "baseline":
            continue
        found = compared.against(own, kept["baseline"])
        against[name] = found | {"all": compared.over_sets(own, kept["baseline"])}
    costs = {name: [json.loads((cells.cell(name, s) / "cell.json").read_text()) for s in seeds] for name in kept}
    return {
        "date": datetime.now(UTC).date().isoformat(),
        "machine": f"{cpu_name()}, {torch.get_num_threads()} threads",
        "torch": torch.__version__.partition("+")[0],
        "settings": cells.settings(),
        "n": world.N,
        "seeds": seeds,
        "sets": list(world.SETS),
        "hits": list(cells.base().hits),
        "base": compared.told(cells.base()),
        "cells": {name: {str(s): compared.told(cell) for s, cell in own.items()} for name, own in kept.items()},
        "cpu_seconds": {name: [round(each["cpu_seconds"]) for each in told] for name, told in costs.items()},
        "against_baseline": against,
    }


def main() -> int:
    """Train what is missing; write the page when every cell is there."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--only", metavar="NAME:SEED", default="", help="this cell alone, and no page")
    args = parser.parse_args()
    wanted = [(name, seed) for seed in range(args.seeds) for name in cells.VARIANTS]
    if args.only:
        name, _, seed = args.only.rpartition(":")
        if name not in cells.VARIANTS or not seed.isdigit():
            sys.exit(f"--only {args.only}: NAME:SEED, where NAME is one of {', '.join(cells.VARIANTS)}.")
        wanted = [(name, int(seed))]
    cells.base()
    for name, seed in wanted:
        told = cells.run(name, seed)
        print(f"{name}, seed {seed}: {told['cpu_seconds']:.0f} CPU seconds", flush=True)
    if args.only:
        return 0
    found = document(list(range(args.seeds)))
    OUT.mkdir(parents=True, exist_ok=True)
    durable.replaced(OUT / "study.json", (json.dumps(found, indent=1) + "\n").encode())
    durable.replaced(OUT / "study.md", page(found).encode())
    print(f"{OUT / 'study.md'} is written.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
