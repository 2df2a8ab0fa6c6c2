"""What the tests of captioners work out without the product's code."""

from typing import Any

import numpy as np
from numpy.typing import NDArray


def logprobs(logits: Any, targets: list[int]) -> NDArray[np.float64]:
    """log-softmax of (n, vocabulary) logits at n ids."""
    table = logits.detach().double().numpy()
    table = table - table.max(axis=1, keepdims=True)
    table = table - np.log(np.exp(table).sum(axis=1, keepdims=True))
    return np.array([table[k, token] for k, token in enumerate(targets)])


def ids(tokenizer: Any, text: str, start: str = "") -> list[int]:
    """Each word's own entry in the vocabulary; `start` marks the beginning of a word."""
    known = tokenizer.get_vocab()
    return [known.get(start + word, tokenizer.unk_token_id) for word in text.split()]
