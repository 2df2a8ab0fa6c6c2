"""VALSE as it is published, with made-up content: eleven objects of records, ids that occur in several files."""

import json
from pathlib import Path
from typing import Any

from tests.benchmarks.samples.sugarcrepe import pictures

#: piece -> (dataset field, phenomenon, image name pattern, id pattern, caption, foil).
PIECES = {
    "existence": (
        "visual7w",
        "existence",
        "v7w_{n}.jpg",
        "existence_visual7w_{n}",
        "There are no dogs.",
        "There are dogs.",
    ),
    "plurals": ("coco2017", "plurals", "{n:012d}.jpg", "coco:plurals:{n}", "A boat at sea.", "Several boats at sea."),
    "counting-small-quant": (
        "visual7w",
        "counting",
        "v7w_{n}.jpg",
        "counting_visual7w_{n}",
        "There are exactly 2 cups.",
        "There are exactly 3 cups.",
    ),
    "counting-hard": (
        "visual7w",
        "counting",
        "v7w_{n}.jpg",
        "counting_visual7w_{n}",
        "There are exactly 8 cups.",
        "There are exactly 7 cups.",
    ),
    "counting-adversarial": (
        "visual7w",
        "counting",
        "v7w_{n}.jpg",
        "counting_visual7w_{n}",
        "There are exactly 5 cups.",
        "There are exactly 0 cups.",
    ),
    "relations": (
        "coco_2017",
        "relations",
        "{n:012d}.jpg",
        "coco:relations:{n}",
        "A cat on a mat.",
        "A cat under a mat.",
    ),
    "action-replacement": (
        "SWiG",
        "actions",
        "pouring_{n}.jpg",
        "actions_test_{n}",
        "A man pours tea.",
        "A man drinks tea.",
    ),
    "actant-swap": (
        "SWiG",
        "actions",
        "pouring_{n}.jpg",
        "actions_test_{n}",
        "A man lifts a box.",
        "A box lifts a man.",
    ),
    "coreference-standard": (
        "VisDial_v1.0",
        "coreference",
        "COCO_train2014_{n:012d}.jpg",
        "coref_{n}",
        "A dog. Is it wet? Yes.",
        "A dog. Is it wet? No.",
    ),
    "coreference-hard": (
        "VisDial_v1.0",
        "coreference",
        "VisualDialog_val2018_{n:012d}.jpg",
        "coref_{n}",
        "A cat. Is it fat? No.",
        "A cat. Is it fat? Yes.",
    ),
    "foil-it": (
        "FOIL dataset",
        "noun phrases",
        "COCO_val2014_{n:012d}.jpg",
        "{n}",
        "A bus in a street.",
        "A tram in a street.",
    ),
}
#: Votes of the three records of each file; the second is not valid.
VOTES = (
    {"caption": 3, "foil": 0, "other": 0},
    {"caption": 1, "foil": 2, "other": 0},
    {"caption": 2, "foil": 0, "other": 1},
)


def records(piece: str) -> dict[str, dict[str, Any]]:
    """Id -> record, with the fields and the odd types of that file."""
    dataset, phenomenon, image, name, caption, foil = PIECES[piece]
    made: dict[str, dict[str, Any]] = {}
    for n, votes in enumerate(VOTES):
        record: dict[str, Any] = {
            "dataset": dataset,
            "original_split": "test",
            "image_file": image.format(n=n),
            "caption": caption,
            "linguistic_phenomena": phenomenon,
            "classes": "cup",
            "classes_foil": "mug",
            "mturk": votes,
            "foil": foil,
        }
        if not piece.startswith("coreference"):
            record["dataset_idx"] = str(n) if n else n
        if piece == "existence":
            record |= {"answer": 0, "classes": 0, "classes_foil": [2, 1], "declarative_statement_foils": [foil]}
        if piece.startswith("counting"):
            record |= {"answer": 2, "classes": 2, "classes_foil": 3, "split": "test"}
        made[name.format(n=n)] = record
    return made


def write(folder: Path) -> None:
    """`data/` with the eleven files, and pictures of two of them."""
    (folder / "data").mkdir(parents=True, exist_ok=True)
    for piece in PIECES:
        (folder / "data" / f"{piece}.json").write_text(json.dumps(records(piece)))
    pictures(folder / "visual7w", ("v7w_0.jpg", "v7w_2.jpg"))
    pictures(folder / "swig" / "images_512", ("pouring_0.jpg",))
