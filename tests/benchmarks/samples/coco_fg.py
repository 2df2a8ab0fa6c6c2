"""MSCOCO-FG and Flickr30K-FG as they are published, with made-up content: captions by name, and an array of names."""

import json
from pathlib import Path

import numpy as np
from PIL import Image

ANNOTATED = ["COCO_val2014_000000000021", "COCO_val2014_000000000022", "COCO_val2014_000000000023"]
DISTRACTORS = [f"{n:012d}.jpg" for n in range(900, 906)]


def captions(name: str) -> list[str]:
    """Five captions, lower-case and without a full stop."""
    return [f"a {word} picture number {name[-2:]}" for word in ("red", "green", "small", "large", "striped")]


def write(folder: Path) -> None:
    """MSCOCO-FG: the array's annotated block has another order than the annotations; one distractor has no file."""
    _write(folder, "MSCOCO_FG", ANNOTATED, [f"{name}.jpg" for name in ANNOTATED[::-1]], "val2014")


def write_flickr(folder: Path) -> None:
    """Flickr30K-FG: the same, in the order of the annotations."""
    names = ["1000000031", "1000000032"]
    _write(folder, "Flickr30K_FG", names, [f"{name}.jpg" for name in names], "flickr30k-images")


def _write(folder: Path, name: str, keys: list[str], files: list[str], place: str) -> None:
    (folder / "Annotations").mkdir(parents=True)
    (folder / "Images").mkdir()
    annotations = {key: captions(key) for key in keys}
    (folder / "Annotations" / f"{name}_ann.json").write_text(json.dumps(annotations))
    np.save(folder / "Images" / f"{name}_img_filenames.npy", np.array(files + DISTRACTORS))
    for where, listed in ((place, files), ("unlabeled2017", DISTRACTORS[:-1])):
        (folder / where).mkdir()
        for number, file in enumerate(listed):
            colour = (37 * number % 255, 90 * (where == place), 11 * number)
            Image.new("RGB", (8, 8), colour).save(folder / where / file)
