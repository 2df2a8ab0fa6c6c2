"""What a reference does with a picture that the library's own processor fails on because it comes out 0 pixels wide."""

from typing import Any

from PIL import Image


def processed(processor: Any, image: Image.Image) -> Any:
    """The processor's tensors; of a strip, those of the narrowest stretched version that it accepts."""
    width, height = image.size
    for extra in range(max(width, height)):
        size = (width + extra, height) if width < height else (width, height + extra)
        picture = image if extra == 0 else image.resize(size, Image.Resampling.BICUBIC)
        try:
            found = processor(images=[picture], return_tensors="pt")
        except (RuntimeError, ValueError):
            continue
        if 0 not in found["pixel_values"].shape:
            return found
    raise ValueError(f"no stretching of a picture of {width} × {height} pixels makes the processor take it")
