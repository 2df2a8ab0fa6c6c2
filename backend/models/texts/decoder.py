"""What language models that write a text token by token share: how it is framed, and how much of it fits."""

from collections.abc import Sequence
from typing import Self

import numpy as np
from numpy.typing import NDArray

from backend.models.causal import Framed, frame
from backend.models.hf import Texts
from backend.models.request import Request
from backend.models.torch_model import TorchModel


class DecoderLm(TorchModel):
    """start, prompt: ids in front of a text, given and not scored. end: the id that closes it, scored."""

    texts: Texts
    start: int
    prompt: list[int]
    end: int

    @classmethod
    def load(cls, request: Request) -> Self:
        return cls(request)

    def framed(self, texts: Sequence[str]) -> Framed:
        """The texts' ids between start and end, cut to what the model reads."""
        return frame(self.texts, texts, self.start, self.end, self.prompt)

    def text_lengths(self, texts: Sequence[str]) -> NDArray[np.int64]:
        return self.framed(texts).lengths

    def truncated(self, texts: Sequence[str]) -> NDArray[np.bool_]:
        room = self.texts.limit - 2 - len(self.prompt)
        return np.array([len(row) > room for row in self.texts.ids(texts, special=False)], dtype=np.bool_)
