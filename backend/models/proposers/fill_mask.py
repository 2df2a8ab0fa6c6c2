"""Words that a masked language model puts in the place of a hidden one, likeliest first."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from backend.models.base import Model
from backend.models.hf import pad
from backend.models.texts.masked_lm import MaskedLm
from backend.models.torch_model import by_length
from backend.perturb.base import MASK

#: How many tokens are looked at, and how many words are proposed at most.
LOOKED_AT = 200
PROPOSED = 50


class MaskFiller:
    """Proposals are whole words of one token: put into the text, they are read as that token and nothing else changes.

    Pieces of words (`##ing`), special tokens and tokens that would melt into their neighbours are passed over. A score
    is the natural-log probability of the token under the mask.
    """

    def __init__(self, model: Model) -> None:
        if not isinstance(model, MaskedLm):
            raise TypeError(f"{model.spec} is no masked language model")
        self.model = model
        self.tokenizer = model.texts.tokenizer
        self.refused: Counter[str] = Counter()

    def __call__(self, texts: Sequence[str], /) -> list[list[tuple[str, float]]]:
        """For texts that each hold one MASK; an empty list for a text that is too long."""
        out: list[list[tuple[str, float]]] = [[] for _ in texts]
        masked = [text.replace(MASK, str(self.tokenizer.mask_token)) for text in texts]
        rows = self.model.texts.ids(masked)
        places = [[k for k, token in enumerate(row) if token == self.model.mask] for row in rows]
        fits = [len(at) == 1 and len(row) <= self.model.texts.limit for at, row in zip(places, rows, strict=True)]
        self.refused.update(["longer than the model reads"] * (len(fits) - sum(fits)))
        chosen = np.flatnonzero(fits)
        lengths = np.array([len(row) for row in rows], dtype=np.int64)

        def work(part: NDArray[np.int64]) -> None:
            ids, mask = pad([rows[i] for i in part], self.model.texts.pad_id)
            module: Any = self.model.module
            logits = module(input_ids=self.model.tensor(ids), attention_mask=self.model.tensor(mask)).logits
            at = self.model.tensor([places[i][0] for i in part])
            table = logits[self.model.tensor(range(len(part))), at].float().log_softmax(-1)
            best = table.topk(min(LOOKED_AT, table.shape[-1]))
            for i, values, tokens in zip(part, best.values.tolist(), best.indices.tolist(), strict=True):
                out[i] = self.words(texts[i], rows[i], places[i][0], tokens, values)

        self.model.in_batches(by_length(lengths, chosen), work)
        return out

    def words(
        self, text: str, row: Sequence[int], place: int, tokens: Sequence[int], values: Sequence[float]
    ) -> list[tuple[str, float]]:
        """Those tokens that are words of their own where the mask was."""
        special = set(self.tokenizer.all_special_ids)
        found: list[tuple[int, str, float]] = []
        for token, value in zip(tokens, values, strict=True):
            word = "" if token in special else str(self.tokenizer.decode([token])).strip()
            if word and not any(letter.isspace() for letter in word):
                found.append((token, word, value))
        read = self.tokenizer([text.replace(MASK, word) for _, word, _ in found])["input_ids"] if found else []
        whole = [
            (word, value)
            for (token, word, value), ids in zip(found, read, strict=True)
            if list(ids) == [*row[:place], token, *row[place + 1 :]]
        ]
        return whole[:PROPOSED]

    def describe(self) -> dict[str, Any]:
        """The model by its weights, and what came of the answers."""
        told = self.model.describe()
        kept = {name: told[name] for name in ("spec", "family", "class", "weights_sha256", "dtype")}
        return kept | {"looked_at": LOOKED_AT, "proposed": PROPOSED, "refused": self.refused}
