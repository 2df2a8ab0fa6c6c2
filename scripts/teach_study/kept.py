"""What a model's tests gave, and how it is kept: `judged.npz` in a cell's folder."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Judged:
    """scores: set -> (n, 2, 2) float32, image by caption: cosines, or log-odds of a matching head. hits: retrieval's
    and zero-shot naming's verdicts."""

    scores: dict[str, NDArray[np.float32]]
    hits: dict[str, NDArray[np.bool_]]

    @classmethod
    def of(
        cls, scores: dict[str, NDArray[np.float32]], ranks: NDArray[np.float32], named: NDArray[np.float32],
        called: NDArray[np.int64],
    ) -> Self:  # fmt: skip
        """scores: of the quads. ranks: (n, n), every image of the gallery with every caption, its own on the diagonal.
        named: (m, k), pictures of one object with every name; called: (m,), which name is theirs."""
        own = np.arange(len(ranks))
        hits = {
            "image to text, R@1": ranks.argmax(1) == own,
            "text to image, R@1": ranks.argmax(0) == own,
            "zero-shot naming": named.argmax(1) == called,
        }
        return cls(scores, hits)

    def save(self, file: Path) -> None:
        """Write whole or not at all."""
        arrays: dict[str, NDArray[Any]] = {f"s {name}": values for name, values in self.scores.items()}
        arrays |= {f"h {name}": values for name, values in self.hits.items()}
        file.parent.mkdir(parents=True, exist_ok=True)
        aside = file.with_name(f".{file.name}")
        np.savez(aside, allow_pickle=False, **arrays)
        aside.replace(file)

    @classmethod
    def read(cls, file: Path) -> Self:
        """What `save` wrote."""
        with np.load(file) as found:
            by_kind = {kind: {name[2:]: found[name] for name in found.files if name[0] == kind} for kind in "sh"}
        return cls(by_kind["s"], by_kind["h"])
