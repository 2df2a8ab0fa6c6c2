"""Masked language models: the pseudo-log-likelihood of a text (Salazar et al. 2020, Masked Language Model Scoring)."""

from collections.abc import Sequence
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from backend.errors import FlipsideError, UsageError
from backend.items import Kind
from backend.models.base import TokenScores
from backend.models.hf import Texts, load_module, pad, transformers
from backend.models.request import Request
from backend.models.texts.edges import PROBE, edges
from backend.models.torch_model import TorchModel, by_length

#: The most logits in memory at a time: a batch is so many rows of 64 tokens as stay below it.
LOGITS = 1 << 27


class MaskedLm(TorchModel):
    """PLL = Σₖ log P(tₖ | all other tokens): each token is hidden in a copy of its own and read where it stood.

    Special tokens are neither hidden nor scored, the closing one included: the copies that predict the others already
    show where the text ends. `#l2r` hides with each token the rest of its word (Kauf & Ivanova 2023), without which the
    later pieces of a rare word give its first ones away.
    """

    family: ClassVar[str] = "masked-lm"
    kinds = frozenset({Kind.PRIOR})

    def __init__(self, request: Request) -> None:
        super().__init__(request)
        if request.option not in ("", "l2r"):
            raise UsageError(f"{self.spec}: #{request.option} is no option of a masked language model; use #l2r.")
        self.module: Any = load_module(request, transformers.AutoModelForMaskedLM, self.dtype, self.device)
        self.texts = Texts(request, self.module.config)
        if self.texts.tokenizer.mask_token_id is None:
            raise FlipsideError(f"{self.spec}: its tokenizer has no mask token, so nothing can be hidden from it.")
        self.mask = int(self.texts.tokenizer.mask_token_id)
        self.before, self.behind = edges(*(self.texts.ids([PROBE], special=special)[0] for special in (True, False)))
        self.room = max(0, self.texts.limit - len(self.before) - len(self.behind))
        self.word_by_word = request.option == "l2r"
        self.batch_size = max(1, min(self.batch_size, LOGITS // (64 * int(self.module.config.vocab_size))))

    @classmethod
    def load(cls, request: Request) -> Self:
        return cls(request)

    def text_logprobs(self, texts: Sequence[str]) -> list[TokenScores]:
        rows, words = self.tokens(texts)
        out = [(self.texts.pieces(row), np.zeros(len(row), dtype=np.float32)) for row in rows]
        places = [(i, k) for i, row in enumerate(rows) for k in range(len(row))]
        lengths = np.array([len(self.before) + len(rows[i]) + len(self.behind) for i, _ in places], dtype=np.int64)

        def work(part: NDArray[np.int64]) -> None:
            chosen = [places[p] for p in part]
            ids, mask = pad([self.copy(rows[i], words[i], k) for i, k in chosen], self.texts.pad_id)
            logits = self.module(input_ids=self.tensor(ids), attention_mask=self.tensor(mask)).logits
            at = self.tensor([len(self.before) + k for _, k in chosen])
            table = logits[self.tensor(range(len(chosen))), at].float().log_softmax(-1)
            hidden = self.tensor([rows[i][k] for i, k in chosen])
            values = table.gather(-1, hidden.unsqueeze(-1)).squeeze(-1).cpu().numpy()
            for (i, k), value in zip(chosen, values, strict=True):
                out[i][1][k] = value

        self.in_batches(by_length(lengths), work, lengths)
        return out

    def tokens(self, texts: Sequence[str]) -> tuple[list[list[int]], list[list[int | None]]]:
        """Each text's own token ids, cut to the limit, and the number of the word that each belongs to."""
        if not texts:
            return [], []
        found = self.texts.tokenizer(list(texts), add_special_tokens=False, verbose=False)
        rows = [row[: self.room] for row in self.texts.known(found["input_ids"])]
        if not self.word_by_word:
            return rows, [[None] * len(row) for row in rows]
        if not found.is_fast:
            raise UsageError(f"{self.spec}: its tokenizer does not tell which tokens make a word; leave #l2r out.")
        return rows, [found.word_ids(i)[: self.room] for i in range(len(rows))]

    def copy(self, row: Sequence[int], words: Sequence[int | None], k: int) -> list[int]:
        """The text between its special tokens with token k, and for `#l2r` the rest of its word, hidden."""
        same = [n == k or (n > k and words[n] is not None and words[n] == words[k]) for n in range(len(row))]
        return [*self.before, *(self.mask if hide else t for t, hide in zip(row, same, strict=True)), *self.behind]

    def text_lengths(self, texts: Sequence[str]) -> NDArray[np.int64]:
        edge = len(self.before) + len(self.behind)
        return np.array([len(row) + edge for row in self.tokens(texts)[0]], dtype=np.int64)

    def truncated(self, texts: Sequence[str]) -> NDArray[np.bool_]:
        return np.array([len(row) > self.room for row in self.texts.ids(texts, special=False)], dtype=np.bool_)

    def preprocessing(self) -> dict[str, Any]:
        edge = " … ".join(" ".join(self.texts.pieces(part)) for part in (self.before, self.behind))
        hides = "with the rest of its word" if self.word_by_word else "alone"
        return {
            **super().preprocessing(),
            "texts": {"limit": self.texts.limit, "edges": edge},
            "scored": f"pseudo-log-likelihood: every token of the text, each hidden {hides}; no special token",
        }
