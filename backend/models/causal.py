"""Token log-probabilities of a causal decoder: which tokens are scored, and how.

A text becomes start + its tokens + end. Every token after the start is scored given all before it, the end included:
P(text) is the probability of the whole text, not of all texts that begin with it. Start and padding are never scored.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import torch
from numpy.typing import NDArray

from backend.models.base import TokenScores
from backend.models.hf import Texts, pad


class Spells(Protocol):
    """Whatever knows how its tokens are spelt."""

    def pieces(self, ids: Sequence[int], /) -> list[str]: ...


@dataclass(frozen=True)
class Framed:
    """Texts between their start and end tokens, cut to the limit in front of the end token."""

    rows: list[list[int]]

    @property
    def lengths(self) -> NDArray[np.int64]:
        return np.array([len(row) for row in self.rows], dtype=np.int64)

    def batch(self, part: NDArray[np.int64], pad_id: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Decoder input and mask: everything but the last token of each row. Right padding is causal-safe."""
        return pad([self.rows[i][:-1] for i in part], pad_id)


def frame(texts: Texts, captions: Sequence[str], start: int, end: int, prompt: Sequence[int] = ()) -> Framed:
    """start (+ prompt) + tokens + end for each caption."""
    room = max(0, texts.limit - 2 - len(prompt))
    return Framed([[start, *prompt, *row[:room], end] for row in texts.ids(captions, special=False)])


def score(
    texts: Spells, framed: Framed, part: NDArray[np.int64], logits: torch.Tensor, out: list[TokenScores], skip: int = 0
) -> None:
    """Put each row's tokens and log-probabilities into `out`; `skip` prompt tokens after the start are not scored."""
    rows = [framed.rows[i] for i in part]
    targets, _ = pad([row[1:] for row in rows], 0)
    wide = logits.float()
    wanted = torch.as_tensor(targets, dtype=torch.long, device=wide.device)
    logprobs = wide.gather(-1, wanted.unsqueeze(-1)).squeeze(-1) - wide.logsumexp(-1)
    values = np.asarray(logprobs.cpu().numpy(), dtype=np.float32)
    for i, row, line in zip(part, rows, values, strict=True):
        out[i] = (texts.pieces(row[1 + skip :]), line[skip : len(row) - 1].copy())


def empty_scores(n: int) -> list[TokenScores]:
    """A list to be filled by `score`."""
    return [([], np.zeros(0, dtype=np.float32)) for _ in range(n)]
