"""Made-up pictures in class folders, with names and prompts beside them."""

from pathlib import Path

import numpy as np
from PIL import Image


def picture(path: Path, seed: int) -> None:
    """A small picture of noise, different for each seed."""
    path.parent.mkdir(parents=True, exist_ok=True)
    pixels = np.random.default_rng(seed).integers(0, 255, (16, 16, 3), dtype=np.uint8)
    Image.fromarray(pixels).save(path)


def write(folder: Path) -> None:
    """Three classes of 3, 2 and 1 pictures, one of them deeper; names by folder; two prompts."""
    for place, name in enumerate(["hot_dog/1.png", "hot_dog/2.png", "hot_dog/more/3.JPEG", "cat/1.png", "cat/2.png",
                                  "03/1.png"]):  # fmt: skip
        picture(folder / name, place)
    (folder / "classnames.txt").write_text("03\tThird thing\ncat\ttabby cat\n")
    (folder / "templates.txt").write_text("a photo of a {}.\n\na sketch of the {}.\n")
