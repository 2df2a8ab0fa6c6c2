"""VisionEncoderDecoder: any image encoder with any cross-attending decoder (ViT-GPT2, TrOCR, ViT-BERT, Swin-…)."""

import importlib
from collections.abc import Sequence
from typing import Any, ClassVar

import torch

from backend.models.base import Picture
from backend.models.captioning.base import Captioner
from backend.models.hf import Texts
from backend.models.request import Request

outputs: Any = importlib.import_module("transformers.modeling_outputs")


class VisionEncoderDecoder(Captioner):
    """The caption stands between `decoder_start_token_id` and the end token, as generate() writes it; the tokenizer's
    own special tokens are left out. GPT-2 starts and ends with <|endoftext|>, TrOCR with </s>, BERT has [CLS], [SEP].

    No patch passes the encoder's pooler, and published checkpoints (TrOCR's) come without one.
    """

    family: ClassVar[str] = "vision-encoder-decoder"
    unused: ClassVar[tuple[str, ...]] = ("encoder.pooler.*", "encoder.*.pooler.*")

    def __init__(self, request: Request) -> None:
        super().__init__(request)
        config, tokenizer = self.module.config, self.texts.tokenizer
        made = getattr(self.module, "generation_config", None)
        self.start = self.first_known(
            "a decoder start",
            *(getattr(c, "decoder_start_token_id", None) for c in (made, config, config.decoder)),
            *(getattr(c, "bos_token_id", None) for c in (made, config, config.decoder)),
            tokenizer.cls_token_id,
            tokenizer.bos_token_id,
        )
        self.end = self.first_known(
            "an end",
            *(getattr(c, "eos_token_id", None) for c in (made, config, config.decoder)),
            tokenizer.sep_token_id,
            tokenizer.eos_token_id,
        )

    def read_texts(self, request: Request) -> Texts:
        return Texts(request, self.module.config.decoder)

    def encode(self, images: Sequence[Picture]) -> torch.Tensor:
        return torch.as_tensor(self.module.encoder(pixel_values=self.pixels(images)).last_hidden_state)

    def logits(self, ids: torch.Tensor, mask: torch.Tensor, features: torch.Tensor) -> torch.Tensor:
        return torch.as_tensor(
            self.module(
                encoder_outputs=outputs.BaseModelOutput(last_hidden_state=features),
                decoder_input_ids=ids,
                decoder_attention_mask=mask,
                use_cache=False,
            ).logits
        )
