"""Cross-attention to pictures whose keys and values are worked out once a picture, not once for each of its texts.

A text decoder looks at all positions of a picture (577 patches of BLIP at 384 pixels) in each of its layers, by keys
and values that depend on the picture alone. Given the patches once for each text, as a library's call has it, it works
them out anew for each: of a captioner's pass that is three quarters, for a caption has a dozen tokens. Here they are
worked out once for some pictures, and each text looks at its own picture's, uncopied. The products are the library's,
of the same numbers in other shapes, so scores differ by rounding at most.

On a processor only: a GPU would have to be asked picture by picture.
"""

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

#: Bytes of keys and values that are there at a time: of BLIP's base size (12 layers, width 768) 6 pictures.
ROOM = 256 << 20


class SeenOnce:
    """The cross-attention layers of one text model, each with `query`, `key`, `value` and `num_attention_heads`, as
    transformers' BLIP has them. Used by one thread at a time; outside of `of` the layers are the library's."""

    def __init__(self, layers: Sequence[Any]) -> None:
        self.layers: list[Any] = list(layers)
        self._pictures = torch.empty(0)
        self._made: dict[int, tuple[torch.Tensor, torch.Tensor]] = {}
        self._rows: list[tuple[int, torch.Tensor]] = []

    def at_once(self, features: torch.Tensor) -> int:
        """For how many of these pictures, (n, positions, width), there is room."""
        of_each: int = sum(layer.key.out_features + layer.value.out_features for layer in self.layers)
        return max(1, ROOM // max(1, of_each * features.shape[1] * features.element_size()))

    @contextmanager
    def of(self, features: torch.Tensor) -> Iterator[None]:
        """Within it texts look at these pictures, (n, positions, width), which the model is given as they are."""
        self._pictures = features
        for layer in self.layers:
            layer.forward = partial(self._attend, layer)
        try:
            yield
        finally:
            for layer in self.layers:
                del layer.forward
            self._pictures, self._made, self._rows = torch.empty(0), {}, []

    def look(self, index: NDArray[np.int64]) -> None:
        """Which of the pictures each text of the next batch looks at, (texts,)."""
        self._rows = [(int(k), torch.from_numpy(np.flatnonzero(index == k))) for k in np.unique(index)]

    def _attend(self, layer: Any, hidden_states: torch.Tensor, **_: Any) -> tuple[torch.Tensor, None]:
        """In place of a layer's `forward`: (texts, length, width) -> the same, and no weights. Every position of a
        picture is seen and no token of a text is hidden from it, so all texts of a picture are one long row of queries.
        """
        keys, values = self._keys_and_values(layer)
        queries = layer.query(hidden_states)
        found = torch.empty_like(queries)
        heads, size = layer.num_attention_heads, queries.shape[-1] // layer.num_attention_heads
        for picture, rows in self._rows:
            mine = queries[rows]
            split = mine.view(-1, heads, size).transpose(0, 1)
            scores = torch.matmul(split, keys[picture].transpose(-1, -2)) / math.sqrt(size)
            seen = torch.matmul(scores.softmax(dim=-1), values[picture])
            found[rows] = seen.transpose(0, 1).reshape(mine.shape)
        return found, None

    def _keys_and_values(self, layer: Any) -> tuple[torch.Tensor, torch.Tensor]:
        """Of all pictures, (pictures, heads, positions, size), worked out when they are first asked for."""
        if id(layer) not in self._made:
            heads = layer.num_attention_heads
            made = (part(self._pictures) for part in (layer.key, layer.value))
            keys, values = (each.unflatten(-1, (heads, -1)).transpose(1, 2) for each in made)
            self._made[id(layer)] = (keys, values)
        return self._made[id(layer)]
