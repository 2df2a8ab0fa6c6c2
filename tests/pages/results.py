"""Results for tests of pages: a small edition of the world and some made-up models that differ on purpose."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from backend.items import ImageRef, Item
from backend.world.benchmark import make
from tests.store.writer import write_run

STRONG, WEAK, SPEAKER, BLIND = "fake:strong", "fake:weak", "fake:speaker", "fake:blind"
PRIORS = ["prior@noise:2", "prior@images:3"]


def world(n: int = 160) -> list[Item]:
    """A small edition."""
    return list(make(n, 7))


def write(root: Path, items: Sequence[Item] | None = None, name: str = "small") -> None:
    """Four models: one that is mostly right, one that guesses, one that speaks and has priors, and a blind one."""
    chosen = list(items) if items is not None else world()
    write_run(root, chosen, "1" * 16, ["itc", "itm", "t2t"], model=STRONG, skill=2.5, seed=1, name=name)
    write_run(root, chosen, "2" * 16, ["itc", "t2t"], model=WEAK, skill=0.0, seed=2, name=name)
    write_run(root, chosen, "3" * 16, ["gen", *PRIORS], model=SPEAKER, skill=1.2, seed=3, name=name)
    write_run(root, chosen, "4" * 16, ["prior@self"], model=BLIND, seed=4, name=name)


def without_images() -> list[Item]:
    """Triplets whose images are missing, as VISLA's are, with a caption that would be markup if it were not escaped."""
    found = []
    for item in world():
        if item.subset == "triplet":
            gone = tuple(ImageRef(image.key, "") for image in item.images)
            texts = (item.texts[0] + " <script>alert(1)</script>", *item.texts[1:])
            found.append(replace(item, images=gone, texts=texts))
    return found
