"""SugarCrepe++ as it is published, with made-up content: lists of records with an id and a second caption."""

import json
from pathlib import Path

from tests.benchmarks.samples import sugarcrepe

PARTS = ("swap_obj", "swap_att", "replace_obj", "replace_att", "replace_rel")


def records(subset: str) -> list[dict[str, str | int]]:
    """The captions of our SugarCrepe sample with a paraphrase between them."""
    return [
        {
            "id": number,
            "filename": sugarcrepe.IMAGES[number % 3],
            "caption": caption,
            "caption2": f"In the picture: {caption[0].lower()}{caption[1:]}",
            "negative_caption": foil,
        }
        for number, (caption, foil) in enumerate(sugarcrepe.PAIRS[subset])
    ]


def write(folder: Path) -> None:
    """`data/` with the five files, `generated_data/` with uncorrected ones of the same names, and two pictures."""
    for subset in PARTS:
        made = records(subset)
        for place, entries in (("data", made), ("generated_data", [record | {"caption2": "?"} for record in made])):
            path = folder / place / f"{subset}.json"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps(entries, indent=1))
    sugarcrepe.pictures(folder / "images", sugarcrepe.IMAGES[:2])
