"""What the reasons say of real models' scores on Winoground: `python -m scripts.winoground_reasons FOLDER`.

FOLDER holds files of `{"label": "<id>_c<caption>_i<image>", "score": …}` lines; they stay where they are. The table
goes into docs/reasons.md, with `--against PAGE` also what differs from a table of the same columns in that page.
"""

import argparse
import json
import re
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from backend.metrics.core.arrays import FloatArray
from backend.metrics.reasons.items import Reasons, of_quads
from backend.metrics.reasons.mirror import NOT_SEEN, REVERSED, SEEN, at_least, q_values, shares
from backend.metrics.reasons.quads import QUAD_CELLS, Quads, decompose
from backend.metrics.reasons.scales import Scaled, declared
from backend.written import rounded
from scripts.planted_reasons import PAGE, put

#: Files of probabilities: BLIP's and FLAVA's matching heads by name, of the baselines those with a range of 0 to 1 that
#: the people who collected them declare so. People's scores are shares of annotators, no model's probability.
PROBABILITIES = re.compile(
    r"scores-blip_itm_|.*-flava_itm$|baseline_scores-(visualbert|uniter|villa|vilbert|lxmert|unit|vilt|vinvl)"
)
#: Names in the first table -> files.
NAMED = {
    "people": "baseline_scores-human", "BLIP itm, COCO": "scores-blip_itm_b16_coco",
    "BLIP itc, COCO": "scores-blip_itc_b16_coco", "FLAVA itm": "scores-flava_itm",
    "CLIP ViT-B/32": "baseline_scores-clip", "VisualBERT": "baseline_scores-visualbert",
}  # fmt: skip
COLUMNS = (
    "file", "scale", "group", "cells: caption, image, both, none", "decoys: right, caption, image, both",
    "γ > 0; bound, beyond luck", "items over all q ≤ .05 / .10", "mean γ, \\|γ\\|, \\|c\\|, \\|r\\|",
    "seen, not seen, reversed", "nested",
)  # fmt: skip


@dataclass(frozen=True)
class Read:
    """One file, taken apart. overall: q of the items with gamma > 0, all verdicts at once, as in the first table."""

    name: str
    scaled: Scaled
    quads: Quads
    reasons: Reasons
    overall: FloatArray

    def numbers(self) -> list[float]:
        """The numbers of the first table's row, in its order: per cent, items, standard deviations of the scores."""
        parts, share, q = (
            shares(self.quads.cell, self.quads.mirrored, QUAD_CELLS),
            at_least(self.quads.gamma),
            self.quads,
        )
        n, spread = share.n, float(np.std(self.scaled.values[q.defined]))
        low, high = share.ci95 or (np.nan, np.nan)
        sizes = [float(np.mean(v[q.defined])) / spread for v in (q.gamma, abs(q.gamma), abs(q.c), abs(q.r))]
        return [
            *(100 * parts[cell][0] / n for cell in QUAD_CELLS), *(100 * parts[cell][1] / n for cell in QUAD_CELLS[:4]),
            100 * share.plus / n, 100 * (share.value or 0.0), 100 * low, 100 * high,
            float(np.sum(self.overall <= 0.05)), float(np.sum(self.overall <= 0.1)), *sizes,
        ]  # fmt: skip

    def row(self) -> list[str]:
        """One line of the table."""
        n = self.numbers()
        found = [int(np.sum(self.reasons.state == code)) for code in (SEEN, NOT_SEEN, REVERSED)]
        clipped = f", {self.scaled.saturated} cells clipped" if self.scaled.saturated else ""
        return [
            self.name, self.scaled.name + clipped, rounded(n[0]), " ".join(rounded(v) for v in n[1:5]),
            " ".join(rounded(v) for v in n[5:9]),
            f"{rounded(n[9])}, {rounded(n[10], 0)} [{rounded(n[11], 0)}, {rounded(n[12], 0)}]",
            f"{n[13]:.0f} / {n[14]:.0f}", " ".join(rounded(v, 2) for v in n[15:]), " ".join(map(str, found)),
            f"{rounded(100 * float(np.mean(self.quads.nested)), 0)} %",
        ]  # fmt: skip


def read(path: Path) -> Read:
    """A file of 4 scores an item. ValueError with the file and the item where some are missing."""
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    found = {line["label"]: float(line["score"]) for line in lines}
    ids = sorted({int(label.split("_")[0]) for label in found})
    try:
        scores = np.array([[[found[f"{i}_c{c}_i{x}"] for c in (0, 1)] for x in (0, 1)] for i in ids])
    except KeyError as error:
        raise ValueError(
            f"{path.name} has no score {error}: four a quad are wanted, two captions by two images"
        ) from error
    scaled = declared(scores, "probability" if PROBABILITIES.match(path.stem) else "as is")
    quads = decompose(scores, scaled.values)
    overall = q_values(quads.gamma[quads.gamma > 0], -quads.gamma[quads.gamma < 0])
    return Read(path.stem, scaled, quads, of_quads(quads), overall)


def table(files: list[Read]) -> str:
    """All files, best group score first; one whose cells are another's, item by item, says so."""
    lines = ["| " + " | ".join(COLUMNS) + " |", "|---" * len(COLUMNS) + "|"]
    known: dict[bytes, str] = {}
    for one in sorted(files, key=lambda file: (-file.numbers()[0], file.name)):
        first = known.setdefault(one.quads.cell.tobytes(), one.name)
        row = one.row()
        row[0] = f"`{row[0]}`" + (f", cells as of `{first}`" if first != one.name else "")
        lines.append("| " + " | ".join(row) + " |")
    return "\n".join([f"{len(files)} files.", "", *lines])


def differences(files: list[Read], page: str) -> str:
    """What differs by more than rounding from a row of the page, a line a model."""
    by_name = {one.name: one for one in files}
    lines = []
    for name, file in NAMED.items():
        rows = [line for line in page.splitlines() if line.startswith(f"| {name}")]
        if len(rows) != 1 or file not in by_name:
            raise ValueError(
                f"{name}: one row of the page and the file {file}.jsonl are wanted, found {len(rows)} rows"
            )
        printed = re.findall(r"-?\d*\.?\d+", rows[0].replace("−", "-").removeprefix(f"| {name}"))
        ours = by_name[file].numbers()
        if len(printed) != len(ours):
            raise ValueError(f"{name}: {len(ours)} numbers are wanted in its row, found {len(printed)}")
        pairs = list(zip(printed, ours, strict=True))
        apart = [
            f"{text} is {rounded(value, _digits(text))}"
            for text, value in pairs
            if abs(value - float(text)) > 0.5 * 10.0 ** -_digits(text) + 1e-9
        ]
        lines.append(
            f"- {name}: {len(pairs) - len(apart)} of {len(pairs)} numbers agree" + "; ".join(["", *apart]) + "."
        )
    return "\n".join(lines)


def _digits(text: str) -> int:
    return len(text.partition(".")[2])


def main() -> None:
    """Read all files of the folder and write the page."""
    asked = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    asked.add_argument("folder", type=Path, help="folder of *.jsonl files")
    asked.add_argument("--against", type=Path, help="a page with a table of the same columns")
    given = asked.parse_args()
    files = [read(path) for path in sorted(given.folder.glob("*.jsonl"))]
    if not files:
        sys.exit(f"{given.folder} holds no *.jsonl file: name the folder of score files")
    put(PAGE, "winoground", table(files))
    if given.against:
        put(PAGE, "differences", differences(files, given.against.read_text(encoding="utf-8")))


if __name__ == "__main__":
    main()
