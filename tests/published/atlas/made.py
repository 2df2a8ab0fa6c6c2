"""A made-up file with the Atlas' columns, for tests that have not the real one."""

import csv
from pathlib import Path

import numpy as np

from backend.published.atlas.columns import columns
from backend.published.atlas.reading import HEAD

#: Base, taught, two names of one computation, and families that fill the intervals.
ENTRIES = (
    ("ViT-B-32", "openai", "OpenCLIP"), ("RN101", "openai", "OpenCLIP"), ("RN101-quickgelu", "openai", "OpenCLIP"),
    ("NegCLIP", "coco-ft", "StructuredCLIP"), ("CE-CLIP", "coco-ft", "StructuredCLIP"),
    ("DAC-LLM", "cc3m-ft", "StructuredCLIP"), ("MobileCLIP-B-LT", "datacomp-dr", "MobileCLIP"),
    *(("CLIP_ViT-B-16", f"real{2**k}m", "Scaling") for k in range(6)),
    *((f"ViT-B-{name}", "yfcc15m", "SLIP") for name in ("SLIP", "CLIP")),
)  # fmt: skip


def rows(seed: int = 5) -> list[list[str]]:
    """Header and models; every rate a whole count of its column's items, the twins alike."""
    rng = np.random.default_rng(seed)
    skill = rng.normal(size=len(ENTRIES))
    skill[2] = skill[1]
    table = [[*HEAD, *(each.key for each in columns())]]
    drawn = []
    for row, entry in enumerate(ENTRIES):
        noise = rng.normal(size=len(columns()))
        shares = 1 / (1 + np.exp(-(skill[row] + 0.5 * noise)))
        drawn.append([repr(100 * round(float(p) * (c.items or 900)) / (c.items or 900))
                      for p, c in zip(shares, columns(), strict=True)])  # fmt: skip
        table.append([*entry, *(drawn[1] if row == 2 else drawn[row])])
    return table


def write(path: Path, table: list[list[str]] | None = None) -> Path:
    """The file."""
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows(rows() if table is None else table)
    return path
