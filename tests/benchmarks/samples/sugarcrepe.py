"""SugarCrepe as it is published, with made-up content: objects of records under decimal keys, one key missing."""

import json
from pathlib import Path

from PIL import Image

#: file -> (caption, foil) of each record.
PAIRS = {
    "add_att": [("A man holds an umbrella.", "A man holds a torn umbrella."), ("A cup.", "A chipped cup.")],
    "add_obj": [("A dog on a sofa.", "A dog and a parrot on a sofa."), ("Two boats.", "Two boats and a whale.")],
    "replace_att": [("A red kite.", "A blue kite."), ("An old truck.", "A new truck."), ("A wet dog.", "A dry dog.")],
    "replace_obj": [("A plate of rice.", "A plate of beans."), ("A cat asleep.", "A goat asleep.")],
    "replace_rel": [("A lamp on a desk.", "A lamp under a desk."), ("A boy with a bat.", "A boy without a bat.")],
    "swap_att": [
        ("A red car and a blue bus.", "A blue car and a red bus."),
        ("Big dog, small cat.", "Small dog, big cat."),
    ],
    "swap_obj": [("A cat chases a dog.", "A dog chases a cat."), ("Salt by the pan.", "A pan by the salt.")],
}
IMAGES = ("000000000101.jpg", "000000000102.jpg", "000000000103.jpg")


def records(subset: str) -> dict[str, dict[str, str]]:
    """Key -> record; in swap_obj the key "1" is missing, as "108" is in the original."""
    made = {
        str(key): {"filename": IMAGES[key % 3], "caption": caption, "negative_caption": foil}
        for key, (caption, foil) in enumerate(PAIRS[subset])
    }
    if subset == "swap_obj":
        made["2"] = made.pop("1")
    return made


def write(folder: Path) -> None:
    """`data/` with the seven files, `data_unrefined/` with the same names, and two of three pictures."""
    for subset in PAIRS:
        for place, made in (("data", records(subset)), ("data_unrefined", {"0": {"filename": "x.jpg"}})):
            path = folder / place / f"{subset}.json"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps(made, indent=4))
    pictures(folder / "images" / "val2017", IMAGES[:2])


def pictures(folder: Path, names: tuple[str, ...]) -> None:
    """Small plain pictures, each of its own colour."""
    folder.mkdir(parents=True, exist_ok=True)
    for number, name in enumerate(names):
        Image.new("RGB", (32, 24), (40 + 60 * number, 90, 160)).save(folder / name, "JPEG")
