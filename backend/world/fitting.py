"""Which of many scenes a caption is true of: `truth.holds` for a whole subset at once, as arrays."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from backend.world.attributes import ATTRIBUTES, CANVAS, MAX_OBJECTS, VALUES
from backend.world.language.meanings import Has, Located, Meaning, Related, Thing
from backend.world.language.reading import read
from backend.world.scenes import URI_PREFIX, Scene
from backend.world.truth import DIRECTION_MARGIN, PLACE_MARGIN

Mask = NDArray[np.bool_]
_NUMBER: Final = {what: {value: n for n, value in enumerate(values)} for what, values in VALUES.items()}
_MIDDLE: Final = CANVAS // 2


def is_scene(key: str) -> bool:
    """Whether an image's key is the code of a scene."""
    return key.startswith(URI_PREFIX)


@lru_cache(maxsize=65_536)
def said(text: str) -> Meaning | None:
    """What a caption says; None for words out of order, and for a wording that is not the world's."""
    return read(text)


class Scenes:
    """So many scenes, of which each question is asked at once; every answer is (scenes,) of bool."""

    def __init__(self, scenes: Sequence[Scene]) -> None:
        self._values = {what: np.full((len(scenes), MAX_OBJECTS), -1, np.int8) for what in ATTRIBUTES}
        self._x, self._y = (np.zeros((len(scenes), MAX_OBJECTS), np.int32) for _ in range(2))
        self._there = np.zeros((len(scenes), MAX_OBJECTS), np.bool_)
        for n, scene in enumerate(scenes):
            for k, o in enumerate(scene.objects):
                self._there[n, k], self._x[n, k], self._y[n, k] = True, o.x, o.y
                for what, found in self._values.items():
                    found[n, k] = _NUMBER[what][getattr(o, what)]
        #: Caption -> the scenes of which it is true, as bits; none for what is no caption.
        self._asked: dict[str, NDArray[np.uint8]] = {}

    def fit(self, texts: Sequence[str]) -> Mask:
        """The scenes of which any of the texts is true, as far as they are captions."""
        found = np.zeros(len(self._there), np.bool_)
        for text in texts:
            if text not in self._asked:
                meaning = said(text)
                known = None if meaning is None else np.packbits(self.holds(meaning))
                self._asked[text] = np.zeros(0, np.uint8) if known is None else known
            if len(bits := self._asked[text]):
                found |= np.unpackbits(bits, count=len(found)).astype(np.bool_)
        return found

    def holds(self, meaning: Meaning) -> Mask:
        """The scenes of which a meaning is true."""
        match meaning:
            case Has(groups):
                counts = [self._matches(thing).sum(axis=1) == number for thing, number in groups]
                return np.asarray(np.logical_and.reduce(counts))
            case Related(first, direction, second):
                (one, a), (other, b) = self._only(first), self._only(second)
                return np.asarray(one & other & (a != b) & self._direction(a, b, direction))
            case Located(places):
                found = [(*self._only(thing), where) for thing, where in places]
                return np.asarray(np.logical_and.reduce([one & self._place(at, where) for one, at, where in found]))

    def _matches(self, thing: Thing) -> Mask:
        """(scenes, objects): what the description is true of."""
        found = self._there
        for what, values in self._values.items():
            value = getattr(thing, what)
            if value is not None:
                found = found & (values == _NUMBER[what][value])
        return found

    def _only(self, thing: Thing) -> tuple[Mask, NDArray[np.intp]]:
        """Whether exactly one object fits, and which one."""
        found = self._matches(thing)
        return np.asarray(found.sum(axis=1) == 1), found.argmax(axis=1)

    def _at(self, at: NDArray[np.intp]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        rows = np.arange(len(at))
        return self._x[rows, at], self._y[rows, at]

    def _direction(self, a: NDArray[np.intp], b: NDArray[np.intp], direction: str) -> Mask:
        """Where a is, seen from b, by the rule of `truth.direction_of`."""
        (ax, ay), (bx, by) = self._at(a), self._at(b)
        dx, dy = ax - bx, ay - by
        across = (np.abs(dx) >= DIRECTION_MARGIN) & (2 * np.abs(dx) >= 3 * np.abs(dy))
        upright = ~across & (np.abs(dy) >= DIRECTION_MARGIN) & (2 * np.abs(dy) >= 3 * np.abs(dx))
        of = {"left": across & (dx < 0), "right": across & (dx >= 0),
              "above": upright & (dy < 0), "below": upright & (dy >= 0)}  # fmt: skip
        return np.asarray(of[direction])

    def _place(self, at: NDArray[np.intp], where: str) -> Mask:
        x, y = self._at(at)
        along = x if where in ("left", "right") else y
        before = where in ("left", "top")
        return np.asarray(along <= _MIDDLE - PLACE_MARGIN if before else along >= _MIDDLE + PLACE_MARGIN)
