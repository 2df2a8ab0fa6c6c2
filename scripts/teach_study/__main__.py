"""`make teach-study`: every recipe over several seeds, to docs/teaching/study.json.gz and docs/teaching/study.md.

Resumable: a cell (model × recipe × seed) that is done is not done again, and one that was stopped goes on from its
checkpoint. `--only STUDY:NAME:SEED` does one cell, so that two processes can share the work; the last call, without it,
writes the page.
"""

import argparse
import json
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from backend import durable
from scripts import kept_study
from scripts.teach_study import cells, compared, figures, rates, world
from scripts.teach_study.course import course
from scripts.teach_study.page import page

OUT = Path(__file__).resolve().parents[2] / "docs" / "teaching"


def document(seeds: list[int]) -> dict[str, Any]:
    """Everything that the page says, out of the kept scores of every cell."""
    import torch

    from backend.engine.storage.record import cpu_name

    return {
        "date": datetime.now(UTC).date().isoformat(),
        "machine": f"{cpu_name()}, threads: {torch.get_num_threads()}",
        "torch": torch.__version__.partition("+")[0],
        "n": world.N,
        "seeds": seeds,
        "sets": list(world.SETS),
        "studies": {name: of_study(study, seeds) for name, study in cells.STUDIES.items()},
    }


def of_study(study: cells.Study, seeds: list[int]) -> dict[str, Any]:
    """One model's part."""
    kept = {name: {s: cells.judged(study, cells.cell(study, name, s), "") for s in seeds} for name in study.variants}
    against = {
        name: compared.against(own, kept["baseline"], study.odds) for name, own in kept.items() if name != "baseline"
    }
    costs = {name: [json.loads((cells.cell(study, name, s) / "cell.json").read_text()) for s in seeds] for name in kept}
    base = cells.base(study)
    return {
        "settings": study.settings(),
        "rates": [rates.tried(study, rate) for rate in study.rates],
        "hits": {name: len(found) for name, found in base.hits.items()},
        "base": compared.told(base, study.odds),
        "cells": {
            name: {str(s): compared.told(cell, study.odds) for s, cell in own.items()} for name, own in kept.items()
        },
        "cpu_seconds": {name: [round(each["cpu_seconds"]) for each in told] for name, told in costs.items()},
        "against_baseline": against,
        "course": {name: course([cells.cell(study, name, s) for s in seeds]) for name in kept},
    }


def _short(found: Any) -> Any:
    """The same with four significant digits a number: more is noise, and a clone stays small."""
    if isinstance(found, float):
        return float(f"{found:.4g}")
    if isinstance(found, dict):
        return {name: _short(value) for name, value in found.items()}
    return [_short(value) for value in found] if isinstance(found, list | tuple) else found


def main() -> int:
    """Train what is missing; write the page when every cell is there."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--only", metavar="STUDY:NAME:SEED", default="", help="this cell alone, and no page")
    parser.add_argument("--rate", metavar="STUDY:RATE", default="", help="try a learning rate for `baseline`, no page")
    args = parser.parse_args()
    import torch

    torch.set_num_threads(cells.THREADS)
    if args.rate:
        name, _, rate = args.rate.partition(":")
        print(json.dumps(rates.tried(cells.STUDIES[name], float(rate))))
        return 0
    wanted = [
        (study, name, seed) for study, of in cells.STUDIES.items() for seed in range(args.seeds) for name in of.variants
    ]
    if args.only:
        study, _, cell = args.only.partition(":")
        name, _, seed = cell.rpartition(":")
        if study not in cells.STUDIES or name not in cells.STUDIES[study].variants or not seed.isdigit():
            named = "; ".join(f"{study}: {', '.join(of.variants)}" for study, of in cells.STUDIES.items())
            sys.exit(f"--only {args.only}: STUDY:NAME:SEED, of {named}.")
        wanted = [(study, name, int(seed))]
    for study, name, seed in wanted:
        cells.base(cells.STUDIES[study])
        told = cells.run(cells.STUDIES[study], name, seed)
        print(f"{study}, {name}, seed {seed}: {told['cpu_seconds']:.0f} CPU seconds", flush=True)
    if args.only:
        return 0
    found = document(list(range(args.seeds)))
    OUT.mkdir(parents=True, exist_ok=True)
    kept_study.write(OUT / "study.json.gz", _short(found), indent=None)
    durable.replaced(OUT / "study.md", page(found).encode())
    for name, part in found["studies"].items():
        durable.replaced(OUT / f"differences-{name}.svg", figures.differences(part, found["sets"]).encode())
        durable.replaced(OUT / f"course-{name}.svg", figures.courses(part).encode())
    print(f"{OUT / 'study.md'} is written.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
