"""Scores of the examples that ship: what the bundled models say of them, so that a first view shows it at once.

`python -m scripts.example_scores` writes the file from the models; a test asks them again. Scores of other weights than
those here are not given: each model's are kept with the SHA-256 of its weights file.
"""

import json
from collections.abc import Sequence
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

import numpy as np
from scipy.special import expit

from backend.kinds import PROBABILITIES
from backend.live.playing.others import Under
from backend.live.scoring.examples import EXAMPLES, Example
from backend.live.scoring.scoring import ModelScores
from backend.models import packed
from backend.paths import bundled_models_dir

FILE: Final = Path(__file__).with_name("example_scores.json")
PREFIX: Final = "bundled:"


def weights_of(spec: str) -> str:
    """The SHA-256 of a bundled model's weights file; "" where there is none."""
    path = bundled_models_dir() / spec.removeprefix(PREFIX) / packed.FILE
    return _hash(path) if spec.startswith(PREFIX) and path.is_file() else ""


@cache
def _hash(path: Path) -> str:
    return sha256(path.read_bytes()).hexdigest()


@cache
def _kept() -> dict[str, Any]:
    try:
        found: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found


def example_of(images: Sequence[str], texts: Sequence[str], layout: str) -> Example | None:
    """The example that an experiment is, unchanged."""
    asked = (tuple(images), tuple(texts), layout)
    return next((each for each in EXAMPLES if (each.images, each.texts, each.layout) == asked), None)


def scores(specs: Sequence[str], example: Example) -> list[ModelScores] | None:
    """What each model says of an example; None unless it ships for all of them, for these very weights."""
    found = []
    for spec in specs:
        own = _kept().get(spec, {})
        if not own or own.get("weights") != weights_of(spec) or example.name not in own["scores"]:
            return None
        one = ModelScores(spec)
        for kind, rows in own["scores"][example.name].items():
            matrix = np.array(rows, dtype=np.float64)
            one.matrices[kind] = expit(matrix) if kind in PROBABILITIES else matrix
            if kind in PROBABILITIES:
                one.log_odds[kind] = matrix
        found.append(one)
    return found


def under(specs: Sequence[str], example: Example) -> dict[tuple[str, str], Under]:
    """(spec, kind) -> what ships of an example under other scenes; quads have none."""
    return {
        (spec, kind): Under(*values)
        for spec in specs
        for kind, values in _kept().get(spec, {}).get("under", {}).get(example.name, {}).items()
    }
