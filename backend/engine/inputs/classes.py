"""Class names as the vectors that images are compared with: every name in every prompt of its subset, averaged.

Each sentence is encoded and L2-normalised, the sentences of a name are averaged, and the mean is normalised again, as
open_clip's `build_zero_shot_classifier` does. A subset's names are encoded once, however many images are compared.
"""

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from backend.intake.survey import WorkItem
from backend.items import Protocol

Matrix = npt.NDArray[np.float32]

#: How many sentences are encoded before they are averaged: bounds what 1,000 names x 80 prompts hold in memory.
SENTENCES = 8192


def prompts_of(templates: Mapping[str, tuple[str, ...]], item: WorkItem) -> tuple[str, ...]:
    """The prompts by which the item's texts are read; empty where they are read as they stand."""
    return templates.get(item.subset, ()) if item.protocol == Protocol.CLASSIFY else ()


def sentence(prompt: str, name: str) -> str:
    """A class name in a prompt with one `{}`; braces of the name itself stay.

    >>> sentence("a photo of a {}.", "red {cup}")
    'a photo of a red {cup}.'
    """
    before, _, after = prompt.partition("{}")
    return f"{before}{name}{after}"


def class_vectors(
    names: Sequence[str], prompts: Sequence[str], encode: Callable[[list[str]], Sequence[npt.NDArray[np.float32]]]
) -> Matrix:
    """Unit vectors of the names, (names, d) float32, in order; equal names get equal rows.

    encode: sentences to unit vectors, in order; asked for each sentence once.
    """
    each = list(dict.fromkeys(names))
    step = max(1, SENTENCES // len(prompts))
    rows = []
    for start in range(0, len(each), step):
        part = each[start : start + step]
        vectors = np.stack(encode([sentence(prompt, name) for name in part for prompt in prompts]))
        means = vectors.reshape(len(part), len(prompts), -1).astype(np.float64).mean(axis=1)
        rows.append(means / np.linalg.norm(means, axis=1, keepdims=True))
    place = {name: number for number, name in enumerate(each)}
    found: Matrix = np.concatenate(rows).astype(np.float32)[[place[name] for name in names]]
    return found
