"""Where log P(t) may come from when models are asked here and now, the source that is used when none is named first."""

from collections.abc import Iterable
from typing import Final

from backend.store.build.stored_run import rank

#: Null images, and scenes of the bundled world.
NOISE: Final = "noise:3"
WORLD_IMAGES: Final = "images:8"


def sources(blind: Iterable[str]) -> list[str]:
    """Prior sources, by the one rule of `StoredRun.default_prior`: blind language models, bundled ones first, else
    sampled images, noise last. blind: specs of those on offer.

    >>> sources(["lm:facebook/opt-1.3b", "bundled:lm"])
    ['lm:bundled:lm', 'lm:lm:facebook/opt-1.3b', 'images:8', 'noise:3']
    """
    return sorted([NOISE, WORLD_IMAGES, *(f"lm:{spec}" for spec in blind)], key=rank)
