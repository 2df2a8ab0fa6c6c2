"""Does a score stay the same where JPEG files are decoded at a fraction of their size? python -m bench.draft [FOLDER]

JPEG decoders can give a half, a quarter or an eighth of a picture's size at once (`Image.draft`), which is faster.
For pictures of several sizes, each model's vectors of the picture as it is and of every fraction that is still at least
as large as the model's own pixels: the largest difference of a cosine with 16 captions, and CPU seconds of decoding and
preparing. FOLDER: photographs; made pictures where none is given.
"""

import sys
import tempfile
import time
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from PIL import Image

from backend.models import load
from backend.verbs.shared.output import print_table
from bench.paired import made

SIZES = ((640, 480), (1280, 960), (2560, 1920), (4032, 3024))
FRACTIONS = (1, 2, 4, 8)


def drafted(path: Path, fraction: int) -> Image.Image:
    """The picture decoded at a fraction of its size."""
    with Image.open(path) as opened:
        if fraction > 1:
            opened.draft("RGB", (opened.width // fraction, opened.height // fraction))
        return opened.convert("RGB")


def compare(model: Any, paths: list[Path], captions: np.ndarray) -> list[tuple[int, float, float]]:
    """(fraction, largest difference of a cosine, milliseconds a picture) of each fraction that is large enough."""
    prepare, found, exact = model.preparer(), [], None
    for fraction in FRACTIONS:
        begun = time.process_time()
        images = [drafted(path, fraction) for path in paths]
        if min(min(image.size) for image in images) < max(model.image_size):
            break
        pixels = [prepare(image) for image in images]
        spent = (time.process_time() - begun) / len(paths)
        cosines = model.encode_images(pixels) @ captions.T
        exact = cosines if exact is None else exact
        found.append((fraction, float(np.abs(cosines - exact).max()), 1e3 * spent))
    return found


def main(
    folder: Annotated[Path | None, typer.Argument()] = None,
    models: Annotated[str, typer.Option()] = "openclip:ViT-B-32/none,bundled:clip",
    pictures: Annotated[int, typer.Option(help="How many made pictures of each size.")] = 4,
) -> None:
    """Print the table."""
    rows = []
    with tempfile.TemporaryDirectory() as made_in:
        groups = {}
        if folder is not None:
            groups[folder.name] = sorted(p for p in folder.rglob("*") if p.suffix.lower() in (".jpg", ".jpeg"))
        for size in SIZES if folder is None else ():
            groups[f"{size[0]} x {size[1]}"] = made.pictures(Path(made_in) / str(size[0]), pictures, size)
        for spec in models.split(","):
            model: Any = load(spec, "cpu", "float32")
            captions = model.encode_texts(made.captions(16, seed=6))
            for name, paths in groups.items():
                for fraction, apart, spent in compare(model, paths, captions):
                    rows.append((spec, name, f"1/{fraction}", f"{apart:.1e}", f"{spent:.1f}"))
    print_table(("model", "pictures", "decoded at", "largest difference of a cosine", "ms a picture"), rows)
    sys.stdout.flush()


if __name__ == "__main__":
    typer.run(main)
