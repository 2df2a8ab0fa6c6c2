"""`flipside doctor --model SPEC`: does a model give its kinds, finite, the same alone or in a batch?"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from backend.errors import FlipsideError
from backend.items import Kind
from backend.models import Model, load
from backend.models.base import TokenScores
from backend.verbs.checks import Check

TEXTS = ("a cat", "a red cube to the left of a blue ball", "two dogs are running after a child on the beach")

#: Largest change that batching may make: what is promised in float32, and what half precision can hold.
TOLERANCE = {"float32": 1e-4}
HALF_TOLERANCE = 3e-2


def check_model(spec: str) -> list[Check]:
    """One check for loading and two for each kind."""
    try:
        model = load(spec)
    except FlipsideError as error:
        return [Check("model", "failed", str(error))]
    about = model.describe()
    checks = [Check("model", "ok", f"{model!r} on {about.get('device', '?')}, {about.get('dtype', '?')}")]
    tolerance = TOLERANCE.get(str(about.get("dtype", "float32")).removeprefix("torch."), HALF_TOLERANCE)
    for kind, score in _scorers(model).items():
        checks += _check_kind(kind, score, tolerance)
    return checks


def _pictures() -> list[Image.Image]:
    """Three different pictures of different sizes, the same on every machine."""
    ramps = []
    for number, (width, height) in enumerate(((96, 64), (64, 96), (80, 80))):
        x, y = np.meshgrid(np.linspace(0, 255, width), np.linspace(0, 255, height))
        ramps.append(Image.fromarray(np.roll(np.stack([x, y, 255 - x], axis=-1), number, axis=-1).astype(np.uint8)))
    return ramps


def _scorers(model: Model) -> dict[str, Callable[[list[int]], NDArray[Any]]]:
    """kind -> a function that scores the given of the three (picture, text) pairs in one call."""
    pictures = _pictures()

    def images(chosen: list[int]) -> list[Image.Image]:
        return [pictures[i] for i in chosen]

    def texts(chosen: list[int]) -> list[str]:
        return [TEXTS[i] for i in chosen]

    known: dict[str, Callable[[list[int]], NDArray[Any]]] = {
        Kind.ITC: lambda i: np.sum(model.encode_images(images(i)) * model.encode_texts(texts(i)), axis=1),
        Kind.T2T: lambda i: model.encode_texts(texts(i)),
        Kind.ITM: lambda i: model.itm_logits(images(i), texts(i)),
        Kind.VQA: lambda i: model.vqa_logits(images(i), texts(i)),
        Kind.GEN: lambda i: _means(model.caption_logprobs(images(i), texts(i))),
        Kind.PRIOR: lambda i: _means(model.text_logprobs(texts(i))),
    }
    if Kind.GEN in model.kinds:  # its prior is `gen` under other images
        del known[Kind.PRIOR]
    return {kind: known[kind] for kind in sorted(model.kinds) if kind in known}


def _means(scored: list[TokenScores]) -> NDArray[Any]:
    return np.array([logprobs.mean() for _, logprobs in scored])


def _check_kind(kind: str, score: Callable[[list[int]], NDArray[Any]], tolerance: float) -> list[Check]:
    try:
        together = score([0, 1, 2])
        alone = np.concatenate([score([i]) for i in range(3)])
    except Exception as error:  # noqa: BLE001 - whatever a model raises is the finding
        return [Check(f"{kind}", "failed", f"{type(error).__name__}: {error}")]
    if together.shape[0] != len(TEXTS) or not np.isfinite(together).all():
        return [Check(f"{kind} finite", "failed", f"{np.isnan(together).sum()} of {together.size} scores are NaN")]
    apart = float(np.abs(together - alone).max())
    return [
        Check(f"{kind} finite", "ok", f"{together.size} values, {together.min():.4g} to {together.max():.4g}"),
        Check(
            f"{kind} batch invariance",
            "ok" if apart <= tolerance else "failed",
            f"largest difference between alone and in a batch {apart:.2g} (limit {tolerance:.2g})",
        ),
    ]
