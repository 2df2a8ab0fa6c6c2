"""BLIP captioners: log P(caption | image) by teacher forcing, all tokens in one parallel pass."""

from collections.abc import Sequence
from typing import Any, ClassVar, Self

import numpy as np
import torch
from numpy.typing import NDArray

from backend.errors import FlipsideError
from backend.items import Kind
from backend.models.base import Picture, TokenScores, check_pairs
from backend.models.blip import BlipVision
from backend.models.causal import empty_scores, frame, score
from backend.models.request import Request


class BlipCaptioner(BlipVision):
    """The start token is the decoder's own (`[DEC]` in the hub's models: text_config.bos_token_id), the end token the
    one at which its generate() stops (text_config.sep_token_id). No prompt stands before the caption."""

    family: ClassVar[str] = "captioner"
    kinds = frozenset({Kind.GEN, Kind.PRIOR})

    def __init__(self, request: Request) -> None:
        super().__init__(request)
        config = self.module.config.text_config
        tokenizer = self.texts.tokenizer
        self.start = self.first_known(config.bos_token_id, tokenizer.bos_token_id, tokenizer.cls_token_id)
        self.end = self.first_known(config.sep_token_id, tokenizer.sep_token_id, tokenizer.eos_token_id)

    @classmethod
    def load(cls, request: Request) -> Self:
        return cls(request)

    def first_known(self, *ids: int | None) -> int:
        """The first id with an embedding in the decoder: a config's defaults may lie outside a small vocabulary."""
        for token in ids:
            if token is not None and 0 <= token < self.module.config.text_config.vocab_size:
                return int(token)
        raise FlipsideError(f"{self.spec}: neither its config nor its tokenizer names a start and an end token.")

    def caption_logprobs(self, images: Sequence[Picture], texts: Sequence[str]) -> list[TokenScores]:
        check_pairs(images, texts)
        framed = frame(self.texts, texts, self.start, self.end)
        out = empty_scores(len(texts))

        def work(part: NDArray[np.int64], patches: torch.Tensor) -> None:
            ids, mask = framed.batch(part, self.texts.pad_id)
            logits = self.module.text_decoder(
                input_ids=self.tensor(ids),
                attention_mask=self.tensor(mask),
                encoder_hidden_states=patches,
                use_cache=False,
            ).logits
            score(self.texts, framed, part, logits, out)

        self.with_patches(images, framed.lengths, work)
        return out

    def text_lengths(self, texts: Sequence[str]) -> NDArray[np.int64]:
        return frame(self.texts, texts, self.start, self.end).lengths

    def truncated(self, texts: Sequence[str]) -> NDArray[np.bool_]:
        return self.texts.truncated(texts, framed=True)

    def preprocessing(self) -> dict[str, Any]:
        start, end = self.texts.pieces([self.start, self.end])
        return {**super().preprocessing(), "scored": f"tokens after {start}, with the final {end}", "prompt": ""}
