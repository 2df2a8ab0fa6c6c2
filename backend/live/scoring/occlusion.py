"""Occlusion maps: how a score changes when one part of the image is covered, part by part (Zeiler & Fergus 2014).

What is covered is a square patch around the middle of each cell of a grid; the cells tile the image without gaps.
A map is made in small steps, so that a page can show how far it is and stop it, and goes on where it was left.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from threading import Lock
from time import perf_counter
from typing import Final

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageFilter

from backend.errors import FlipsideError, UsageError
from backend.live.scoring.grid import table
from backend.live.scoring.pool import Pool
from backend.live.scoring.scoring import Array

#: What a patch is covered with.
MEAN, BLUR = "mean", "blur"
OCCLUDERS: Final = (MEAN, BLUR)
MAX_CELLS: Final = 24
#: Covered copies that are in memory at a time: so many, and no more pixels than this.
BATCH, BATCH_PIXELS = 64, 16_000_000
#: The first batch, which shows how fast the model is; later ones are as large as fits the time of a step.
FIRST_BATCH: Final = 8

Box = tuple[int, int, int, int]


@dataclass(frozen=True)
class Grid:
    """Where patches lie on an image of `width` × `height` pixels.

    cells: cells along the longer side, so that a cell, which is also the stride, measures `max(width, height) / cells`
    pixels (edges rounded to whole pixels); along the shorter side as many as fit best, at least one. patch: the patch's
    side in cells, 1 or more: patches wider than a cell overlap; at the border they are cut off.
    Raises UsageError for senseless numbers.
    """

    width: int
    height: int
    cells: int = 8
    patch: float = 1.0

    def __post_init__(self) -> None:
        if not 2 <= self.cells <= MAX_CELLS:
            raise UsageError(f"{self.cells} cells: choose 2 to {MAX_CELLS} along the longer side.")
        if not 1 <= self.patch <= self.cells:
            raise UsageError(f"A patch of {self.patch:g} cells: choose 1 to {self.cells}.")

    @property
    def shape(self) -> tuple[int, int]:
        """(rows, columns)."""
        longer = max(self.width, self.height)
        rows, columns = (max(1, round(self.cells * side / longer)) for side in (self.height, self.width))
        return min(rows, self.height), min(columns, self.width)

    @property
    def boxes(self) -> list[Box]:
        """The cells row by row, (left, top, right, bottom) in pixels, right and bottom excluded."""
        return [self._box(k, 0) for k in range(self.shape[0] * self.shape[1])]

    @property
    def patches(self) -> list[Box]:
        """What is covered for each cell, in the same order."""
        side = max(self.width, self.height) / self.cells
        return [self._box(k, round((self.patch - 1) / 2 * side)) for k in range(self.shape[0] * self.shape[1])]

    def _box(self, k: int, margin: int) -> Box:
        rows, columns = self.shape
        r, c = divmod(k, columns)
        left, right = round(c * self.width / columns), round((c + 1) * self.width / columns)
        top, bottom = round(r * self.height / rows), round((r + 1) * self.height / rows)
        return (
            max(0, left - margin), max(0, top - margin), min(self.width, right + margin),
            min(self.height, bottom + margin),
        )  # fmt: skip


def cover(image: Image.Image, grid: Grid, occluder: str) -> Image.Image:
    """What patches are cut from, of the image's size: its mean colour, or a blur of half a patch (Gaussian σ)."""
    if occluder == MEAN:
        mean = np.asarray(image, dtype=np.float64).reshape(-1, 3).mean(axis=0).round().astype(int)
        return Image.new("RGB", image.size, (int(mean[0]), int(mean[1]), int(mean[2])))
    if occluder == BLUR:
        return image.filter(ImageFilter.GaussianBlur(grid.patch * max(image.size) / grid.cells / 2))
    raise UsageError(f"“{occluder}” covers nothing; choose one of {', '.join(OCCLUDERS)}.")


def covered(image: Image.Image, by: Image.Image, box: Box) -> Image.Image:
    """A copy of the image with the box taken from `by`."""
    copy = image.copy()
    copy.paste(by.crop(box), box[:2])
    return copy


@dataclass
class Occlusion:
    """The map of one model, one score kind and one image for some texts; filled by `step`.

    whole: (texts,) the scores of the image as it is; scores: (cells, texts) with each patch covered, NaN where not yet
    scored. Both in the unit of `grid.table`. pace: patches of the next batch.
    """

    spec: str
    kind: str
    texts: tuple[str, ...]
    grid: Grid
    occluder: str = MEAN
    whole: Array = field(init=False)
    scores: Array = field(init=False)
    done: int = 0
    seconds: float = 0.0
    pace: int = FIRST_BATCH
    _lock: Lock = field(default_factory=Lock, repr=False)

    def __post_init__(self) -> None:
        rows, columns = self.grid.shape
        self.whole = np.full(len(self.texts), np.nan)
        self.scores = np.full((rows * columns, len(self.texts)), np.nan)

    @property
    def total(self) -> int:
        """Patches to be scored."""
        return len(self.scores)

    @property
    def finished(self) -> bool:
        """Whether every patch is scored."""
        return self.done >= self.total

    def step(self, pool: Pool, image: Image.Image, seconds: float = np.inf, batch: int = BATCH) -> bool:
        """Score further patches for about so long, at least one batch; True when all are done.

        image: the same RGB image at every call. Raises FlipsideError in one sentence where the model fails; what was
        scored before stays.
        """
        if image.size != (self.grid.width, self.grid.height):
            raise UsageError(
                f"The grid is for {self.grid.width} × {self.grid.height} pixels, the image has {image.size}."
            )
        batch = max(1, min(batch, BATCH_PIXELS // (image.width * image.height)))
        with self._lock:
            started = perf_counter()
            by, patches = cover(image, self.grid, self.occluder), self.grid.patches
            while not self.finished:
                part = slice(self.done, min(self.done + min(batch, self.pace), self.total))
                began = perf_counter()
                copies = [covered(image, by, box) for box in patches[part]]
                if not self.done:
                    copies.insert(0, image)
                found = self._ask(pool, copies)
                if not self.done:
                    self.whole, found = found[0], found[1:]
                self.scores[part] = found
                self.done = part.stop
                each = (perf_counter() - began) / len(copies)
                self.pace = batch if seconds >= each * batch else max(1, int(seconds / each))
                if perf_counter() - started >= seconds:
                    break
            self.seconds += perf_counter() - started
        return self.finished

    def _ask(self, pool: Pool, copies: Sequence[Image.Image]) -> Array:
        try:
            with pool.share(self.spec) as model:
                return table(model, self.kind, copies, self.texts)
        except FlipsideError:
            raise
        except (RuntimeError, ValueError, OSError, MemoryError) as error:
            first = (str(error).strip().splitlines() or [type(error).__name__])[0][:160].rstrip(".")
            raise FlipsideError(
                f"{self.spec} failed on a covered image ({first}); choose fewer cells or another model."
            ) from error

    def drops(self, text: int = 0, against: int | None = None) -> NDArray[np.float64]:
        """(rows, columns): the score of the whole image minus that with the patch covered; NaN where not yet scored.

        Above zero the patch speaks for the text. against: the same of the difference score(text) − score(against), so
        that above zero the patch speaks for `text` rather than `against`.
        """
        whole, scores = self.whole[text], self.scores[:, text]
        if against is not None:
            whole, scores = whole - self.whole[against], scores - self.scores[:, against]
        result: NDArray[np.float64] = (whole - scores).reshape(self.grid.shape)
        return result
