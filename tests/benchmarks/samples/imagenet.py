"""ImageNet's layout with a handful of made-up pictures."""

from pathlib import Path

from tests.benchmarks.samples.folder import picture

FOLDERS = ("n01440764", "n01443537", "n03773504", "n04008634", "n04355933", "n04356056")


def write(folder: Path) -> None:
    """Two validation images for each of six classes (missile and sunglasses twice among them), one to train with."""
    for place, wnid in enumerate(FOLDERS):
        for n in range(2):
            picture(folder / "ILSVRC" / "val" / wnid / f"ILSVRC2012_val_{2 * place + n:08d}.JPEG", 10 * place + n)
    picture(folder / "ILSVRC" / "train" / FOLDERS[0] / f"{FOLDERS[0]}_18.JPEG", 99)
