"""What captioners share: each image is encoded once, and the tokens of its captions are scored in one parallel pass."""

from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Self

import numpy as np
import torch
from numpy.typing import NDArray
from PIL import Image

from backend.errors import FlipsideError
from backend.items import Kind
from backend.models.base import Picture, TokenScores, check_pairs
from backend.models.causal import empty_scores, frame, score
from backend.models.hf import Pictures, Texts, architecture, load_module
from backend.models.once import each_image_once
from backend.models.request import Request
from backend.models.torch_model import TorchModel


class Captioner(TorchModel):
    """A caption becomes start + its tokens + end; all but the start are scored.

    start: the id that stands directly before the caption's first token, whatever else comes before it.
    end: the id at which the model's own `generate()` stops.
    prompt: the text in front of every caption, read but never scored.
    unused: parameters that no score passes through.
    """

    kinds = frozenset({Kind.GEN, Kind.PRIOR})
    prompt: ClassVar[str] = ""
    unused: ClassVar[tuple[str, ...]] = ()
    start: int
    end: int

    def __init__(self, request: Request) -> None:
        super().__init__(request)
        self.module: Any = load_module(request, architecture(request), self.dtype, self.device, self.unused)
        self.pictures = Pictures(request)
        self.texts: Texts = self.read_texts(request)
        self.image_size = self.pictures.size

    @classmethod
    def load(cls, request: Request) -> Self:
        return cls(request)

    def preparer(self) -> Callable[[Image.Image], NDArray[np.float32]] | None:
        return self.pictures.alone()

    def read_texts(self, request: Request) -> Texts:
        """The folder's tokenizer with the decoder's limit."""
        return Texts(request, self.module.config.get_text_config())

    def encode(self, images: Sequence[Picture]) -> torch.Tensor:
        """What the decoder sees of each image, (n, positions, width)."""
        raise NotImplementedError

    def logits(self, ids: torch.Tensor, mask: torch.Tensor, features: torch.Tensor) -> torch.Tensor:
        """(n, width, vocabulary): at position k, of the token after ids[:, k]. Padding is on the right and masked."""
        raise NotImplementedError

    def pixels(self, images: Sequence[Picture]) -> torch.Tensor:
        """The folder's image processor's answer, on the model's device in its dtype."""
        return self.pictures(images)["pixel_values"].to(self.device, self.dtype)

    def caption_logprobs(self, images: Sequence[Picture], texts: Sequence[str]) -> list[TokenScores]:
        check_pairs(images, texts)
        framed = frame(self.texts, texts, self.start, self.end)
        out = empty_scores(len(texts))

        def work(part: NDArray[np.int64], features: torch.Tensor) -> None:
            ids, mask = framed.batch(part, self.texts.pad_id)
            score(self.texts, framed, part, self.logits(self.tensor(ids), self.tensor(mask), features), out)

        each_image_once(self, images, framed.lengths, self.encode, work)
        return out

    def text_lengths(self, texts: Sequence[str]) -> NDArray[np.int64]:
        return frame(self.texts, texts, self.start, self.end).lengths

    def truncated(self, texts: Sequence[str]) -> NDArray[np.bool_]:
        return self.texts.truncated(texts, framed=True)

    def first_known(self, what: str, *candidates: Any) -> int:
        """The first id that the decoder's vocabulary holds; a config may list several ends, or none that exists."""
        rows = self.module.get_input_embeddings().num_embeddings
        for candidate in candidates:
            token = candidate[0] if isinstance(candidate, list | tuple) and candidate else candidate
            if isinstance(token, int) and 0 <= token < rows:
                return token
        raise FlipsideError(f"{self.spec}: neither its config nor its tokenizer names {what} token.")

    def preprocessing(self) -> dict[str, Any]:
        start, end = self.texts.pieces([self.start, self.end])
        return {
            **super().preprocessing(),
            "images": self.pictures.settings(),
            "texts": {"limit": self.texts.limit, "padding": "longest, masked"},
            "scored": f"tokens after {start}, with the final {end}",
            "prompt": self.prompt,
        }
