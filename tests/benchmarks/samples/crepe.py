"""CREPE as its evaluation code reads it, with made-up content: CSV with Python lists in cells, and one file as JSON."""

import csv
import json
from pathlib import Path

from tests.benchmarks.samples.pictures import picture

SYSTEMATICITY = ("image_id", "caption", "x", "y", "width", "height", "valid_hard_negs_atom", "valid_hard_negs_comp",
                 "valid_hard_negs_combined")  # fmt: skip
PRODUCTIVITY = ("image_id", "caption", "x", "y", "width", "height", "hard_negs")


def table(path: Path, header: tuple[str, ...], rows: list[list[object]]) -> None:
    """A table as pandas writes it, with its unnamed column of row numbers."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["", *header])
        writer.writerows([number, *row] for number, row in enumerate(rows))


def write(folder: Path) -> None:
    """Two rows of systematicity in CSV and one in JSON, three of productivity (one of them malformed)."""
    atom, comp = ["a cup and a fork on a table", "a cook's cup and a plate"], ['a "red" mall and a blue cup']
    caption = "a cup and a plate on a table"
    table(
        folder / "syst" / "syst_vg_hard_negs_seen_compounds_in_cc12m.csv", SYSTEMATICITY,
        [
            [1111, caption, 10, 5, 30, 20, repr(atom), repr(comp), repr(atom + comp)],
            [2222, caption, 10.0, 5.0, 30.0, 20.0, repr(atom), "[]", repr(atom)],
        ],
    )  # fmt: skip
    record = {"region_id": "374", "caption": caption, "x": "10", "y": "5", "width": "30", "height": "20",
              "image_id": "1111", "image_path": "VG_100K/1111.jpg", "image_w": 64, "valid_hard_negs_comp": comp,
              "valid_hard_negs_atom": atom, "valid_hard_negs_combined": atom + comp}  # fmt: skip
    (folder / "syst_vg_hard_negs_seen_compounds_in_laion.json").write_text(json.dumps([record]))
    table(
        folder / "prod" / "atom" / "prod_vg_hard_negs_atom_complexity_4.csv", PRODUCTIVITY,
        [
            [1111, caption, 10, 5, 30, 20, repr(atom)],
            [1111, caption, 10, 5, 30, 20, "__import__('os').getcwd()"],
            [3333, caption, 10, 5, 30, 20, repr([f"foil {n}" for n in range(12)])],
        ],
    )  # fmt: skip
    # Not read: the same captions in one file.
    table(folder / "prod" / "prod_vg_hard_negs_atom_all.csv", PRODUCTIVITY, [[1, caption, 0, 0, 5, 5, repr(atom)]])
    table(
        folder / "prod" / "negate" / "prod_vg_hard_negs_negate_complexity_12.csv", PRODUCTIVITY,
        [[2222, caption, 10, 5, 30, 20, repr(["a cup and no plate on a table"])]],
    )  # fmt: skip
    picture(folder / "VG_100K" / "1111.jpg")
    picture(folder / "VG_100K_2" / "2222.jpg")
