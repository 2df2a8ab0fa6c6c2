"""The study's matching head: `bundled:matcher` (BLIP) under four recipes, judged by its log-odds of "match".

EqSim's paper trains such heads (METER, with a sigmoid), and pc and pf are defined for them: the share of true pairs
that are called a match, and of false ones that are not.
"""

from typing import Any, Final

import numpy as np
import torch
from numpy.typing import NDArray

from scripts.teach_study import world
from scripts.teach_study.kept import Judged

RECIPES: Final = ("baseline", "eqsim", "neg", "binding")
#: A step reads batch x batch pairs. The rate is the best for `baseline` of those that were tried (rates.py).
STEPS, BATCH, RATE = 150, 16, 1e-3
RATES: Final = (3e-4, 1e-3, 3e-3)
#: Scenes of the gallery of retrieval (every image is read with every caption), and pictures that are named.
GALLERY, SINGLE = 200, 500
#: Pairs that are read together.
AT_ONCE: Final = 256


def judge(model: Any) -> Judged:
    """Every test, in float32 on the CPU."""
    scores = {name: quad_scores(model, world.quads(name)) for name in world.SETS}
    gallery = world.gallery(GALLERY)
    ranks = pairs(model, gallery, gallery.texts)
    single, called = world.single(SINGLE)
    named = pairs(model, single, world.NAMES)
    return Judged.of(scores, ranks, named, called)


def quad_scores(model: Any, quads: world.Pictures) -> NDArray[np.float32]:
    """Log-odds (n, 2, 2) of quads, image by caption."""
    n = len(quads.texts) // 2
    images = np.arange(2 * n).reshape(n, 2)
    rows, columns = np.repeat(images, 2, axis=1), np.tile(images, (1, 2))
    return _logodds(model, quads, rows.ravel(), [quads.texts[k] for k in columns.ravel()]).reshape(n, 2, 2)


def pairs(model: Any, pictures: world.Pictures, texts: tuple[str, ...]) -> NDArray[np.float32]:
    """Log-odds of every picture with every text, (n, m)."""
    n, m = len(pictures.pixels), len(texts)
    return _logodds(model, pictures, np.repeat(np.arange(n), m), [*texts] * n).reshape(n, m)


def _logodds(model: Any, pictures: world.Pictures, rows: NDArray[np.int64], texts: list[str]) -> NDArray[np.float32]:
    """Of picture rows[k] with text k, (k,)."""
    from PIL import Image

    from backend.teach.students.matching import BlipStudent

    student = BlipStudent(model)
    found = []
    with student.judged():
        for start in range(0, len(rows), AT_ONCE):
            part = rows[start : start + AT_ONCE]
            used, at = np.unique(part, return_inverse=True)
            seen = student.see([Image.fromarray(pictures.pixels[k]) for k in used])
            read = student.read(texts[start : start + AT_ONCE])
            found.append(student.paired(seen, torch.as_tensor(at), read).raw.numpy())
    return np.concatenate(found).astype(np.float32)
