"""Memory: what was held at most, and a batch that does not fit."""

import resource
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

#: Pictures that are encoded with too little memory, and rows that fit where a processor pretends to have too little.
PICTURES, FITS = 512, 5


@dataclass(frozen=True)
class Survived:
    """dtype: of the model. asked: the batch that did not fit. ended: the size at the end. apart: the largest difference
    of a vector from the one of small batches. limited: how memory was made scarce."""

    dtype: str
    asked: int
    ended: int
    apart: float
    limited: str


def begin(device: torch.device) -> None:
    """Count the most that is held from now on."""
    if device.type == "cuda":
        torch.cuda.reset_peak_memory_stats(device)


def most(device: torch.device) -> int:
    """Bytes that were held at most: of the device, or of this process since it began."""
    if device.type == "cuda":
        return int(torch.cuda.max_memory_allocated(device))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return int(peak if sys.platform == "darwin" else peak * 1024)


@contextmanager
def scarce(model: Any) -> Iterator[str]:
    """Too little memory for the batch: a part of the card's, or a tower that refuses as torch does."""
    if model.device.type == "cuda":
        total = torch.cuda.get_device_properties(model.device).total_memory
        begin(model.device)
        model.batch_size = 8
        model.encode_images(_pixels(model, 8))
        held = torch.cuda.memory_allocated(model.device)
        per_picture = (most(model.device) - held) / 8
        room = held + 32 * per_picture + (64 << 20)
        torch.cuda.empty_cache()
        torch.cuda.set_per_process_memory_fraction(min(1.0, room / total), model.device)
        try:
            yield f"{room / 2**20:,.0f} MiB of the card's"
        finally:
            torch.cuda.set_per_process_memory_fraction(1.0, model.device)
        return
    tower = model.module.encode_image

    def refusing(pixels: torch.Tensor, *more: Any, **named: Any) -> Any:
        if len(pixels) > FITS:
            raise torch.OutOfMemoryError(f"no memory for {len(pixels)} pictures")
        return tower(pixels, *more, **named)

    model.module.encode_image = refusing
    try:
        yield f"a tower that refuses more than {FITS} pictures"
    finally:
        del model.module.encode_image


def _pixels(model: Any, n: int) -> list[Any]:
    draw = np.random.default_rng(0)
    return [draw.standard_normal((3, *model.image_size), dtype=np.float32) for _ in range(n)]


def survive(spec: str, device: str, dtype: str, pictures: int = PICTURES) -> Survived:
    """Encode pictures in batches that do not fit; SystemExit where the vectors are not those of batches that do."""
    from backend.models import load
    from backend.models.fidelity import tolerance_of

    model: Any = load(spec, device, dtype)
    pixels = _pixels(model, pictures)
    model.batch_size = FITS
    expected = model.encode_images(pixels)
    with scarce(model) as how:
        model.batch_size = pictures
        found = model.encode_images(pixels)
        ended = model.batch_size
    apart = float(np.abs(found - expected).max())
    if not (ended < pictures and apart <= tolerance_of(model)):
        raise SystemExit(
            f"{spec}: with {how}, {pictures} pictures at once ended at batches of {ended}, and the vectors differ by "
            f"{apart}, where at most {tolerance_of(model)} was expected"
        )
    return Survived(dtype, pictures, ended, apart, how)
