"""One choice or triplet under other scenes of the drawn world: what its captions get anyway, and what its image adds.

The arithmetic is that of whole subsets (`metrics/reasons/counterfactual.py`). It names the cell of one item and
certifies nothing: what is more than luck takes many items, so here every reason is uncertain.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np
from PIL import Image

from backend import enough
from backend.images import open_image
from backend.kinds import PAIR_KINDS
from backend.live.scoring.grid import table
from backend.live.scoring.memory import Remembering
from backend.live.scoring.pool import Pool
from backend.live.scoring.scoring import Array
from backend.metrics.reasons.counterfactual import CHOICE_CELLS, evidence, margins
from backend.protocols import Protocol
from backend.world import sample
from backend.world.fitting import Scenes, is_scene
from backend.world.scenes import Scene

N: Final = enough.OTHER_IMAGES
#: Scenes drawn once, of which each experiment takes the first that fit none of its captions.
_DRAWN: Final = 160
SEED: Final = 7


@dataclass(frozen=True)
class Under:
    """m: the margin under the own image; b: its mean under the other ones; g = m − b, this image's part; same: under
    how many of the n others the verdict is the same; cell: one of CHOICE_CELLS, "" where a score is missing."""

    m: float
    b: float
    g: float
    n: int
    same: int
    cell: str


@lru_cache(maxsize=1)
def _drawn() -> tuple[tuple[Scene, ...], Scenes]:
    rng = np.random.default_rng(SEED)
    scenes = tuple(sample(rng, "test") for _ in range(_DRAWN))
    return scenes, Scenes(scenes)


def scenes(image_key: str, texts: Sequence[str]) -> list[str]:
    """Codes of the other scenes of one experiment, in the order of the draw: none of which one of its captions is true,
    those that share an object with its own scene first. Empty for a picture that is no scene."""
    if not is_scene(image_key):
        return []
    own = {(o.shape, o.colour) for o in Scene.decode(image_key).objects}
    drawn, asked = _drawn()
    free = [scene for scene, fits in zip(drawn, asked.fit(texts), strict=True) if not fits and scene.uri != image_key]
    free.sort(key=lambda scene: not own & {(o.shape, o.colour) for o in scene.objects})
    return [scene.uri for scene in free[:N]]


def under_others(
    pool: Pool, spec: str, own: dict[str, Array], codes: Sequence[str], texts: Sequence[str], layout: str
) -> dict[str, Under]:
    """Kind -> what the model says of the other scenes. own: kind -> (1, texts), as it is judged.

    Raises FlipsideError where the model fails.
    """
    if layout not in (Protocol.CHOICE, Protocol.TRIPLET) or len(codes) < N:
        return {}
    pictures: list[Image.Image] = [open_image(code) for code in codes]
    named = {id(picture): code for picture, code in zip(pictures, codes, strict=True)}
    found = {}
    with pool.share(spec) as loaded:
        model = Remembering(loaded, spec, pool.memory, named)
        for kind, matrix in own.items():
            if kind in PAIR_KINDS:
                found[kind] = _under(matrix, table(model, kind, pictures, texts), layout)
    return found


def _under(own: Array, others: Array, layout: str) -> Under:
    """own: (1, texts); others: (N, texts), both as judged."""
    triplet = layout == Protocol.TRIPLET
    found = evidence(own, others[None], triplet=triplet)
    each = margins(others[None], triplet=triplet)[0]
    m, code = float(found.m[0]), int(found.cell[0])
    same = int((each > 0).sum() if m > 0 else (each <= 0).sum())
    cell = CHOICE_CELLS[code] if code >= 0 else ""
    return Under(m, float(found.b[0]), float(found.g[0]), int(found.n_other[0]), same, cell)
