"""BLIP-2: a Q-Former's query tokens in front of a language model, causal (OPT) or encoder-decoder (Flan-T5)."""

import importlib
from collections.abc import Sequence
from typing import Any, ClassVar

import torch

from backend.errors import FlipsideError
from backend.models.base import Picture
from backend.models.captioning.base import Captioner
from backend.models.hf import Texts, pooled, text_limit
from backend.models.request import Request

outputs: Any = importlib.import_module("transformers.modeling_outputs")


class Blip2(Captioner):
    """Causal: queries, then the tokenizer's BOS and the prompt, then the caption, all read by one decoder.
    Encoder-decoder: the encoder reads queries and prompt as its tokenizer frames it, the decoder writes the caption.

    The queries are put in place as vectors, so it does not matter whether the checkpoint names an image token
    (`image_token_index`, `num_query_tokens`), which those made before transformers 4.46 do not.
    The end of a caption is `text_config.eos_token_id`: for BLIP-2 with OPT that is the newline which closed every
    caption in its training, not OPT's own </s>.
    """

    family: ClassVar[str] = "blip2"

    def __init__(self, request: Request) -> None:
        super().__init__(request)
        config, language, tokenizer = self.module.config, self.module.language_model, self.texts.tokenizer
        text, made = config.text_config, getattr(language, "generation_config", None)
        self.causal = not text.is_encoder_decoder
        read = list(tokenizer(self.prompt)["input_ids"])
        self.end = self.first_known("an end", text.eos_token_id, getattr(made, "eos_token_id", None),
                                    tokenizer.eos_token_id)  # fmt: skip
        if self.causal:
            read = read or [self.first_known("a start", text.bos_token_id, tokenizer.bos_token_id)]
            self.before, self.start = read[:-1], read[-1]
            self.texts.limit = text_limit(tokenizer, text) - self.module.config.num_query_tokens - len(self.before)
            if self.texts.limit < 2:
                raise FlipsideError(f"{self.spec}: its language model has no room for a caption behind its queries.")
        else:
            self.before = read
            self.start = self.first_known(
                "a decoder start",
                getattr(made, "decoder_start_token_id", None),
                getattr(text, "decoder_start_token_id", None),
                text.pad_token_id,
                tokenizer.pad_token_id,
            )

    def read_texts(self, request: Request) -> Texts:
        return Texts(request, self.module.config.text_config)

    def queries(self, pixels: torch.Tensor) -> torch.Tensor:
        """The Q-Former's answers as the language model reads them, (n, query tokens, width)."""
        return pooled(self.module.get_image_features(pixel_values=pixels))

    def encode(self, images: Sequence[Picture]) -> torch.Tensor:
        """Causal: everything before the caption but the start token. Encoder-decoder: the encoder's states."""
        queries = self.queries(self.pixels(images))
        prompt = self.embedded(self.tensor([self.before] * len(queries)))
        read = torch.cat([queries.to(prompt.dtype), prompt], dim=1)
        if self.causal:
            return read
        seen = torch.ones(read.shape[:2], dtype=torch.long, device=self.device)
        states = self.module.language_model.get_encoder()(inputs_embeds=read, attention_mask=seen).last_hidden_state
        return torch.as_tensor(states)

    def logits(self, ids: torch.Tensor, mask: torch.Tensor, features: torch.Tensor) -> torch.Tensor:
        language = self.module.language_model
        seen = torch.ones(features.shape[:2], dtype=torch.long, device=self.device)
        if self.causal:
            given = {
                "inputs_embeds": torch.cat([features, self.embedded(ids)], dim=1),
                "attention_mask": torch.cat([seen, mask], dim=1),
            }
            return torch.as_tensor(language(**given, use_cache=False).logits[:, features.shape[1] :])
        return torch.as_tensor(
            language(
                encoder_outputs=outputs.BaseModelOutput(last_hidden_state=features),
                attention_mask=seen,
                decoder_input_ids=ids,
                decoder_attention_mask=mask,
                use_cache=False,
            ).logits
        )

    def embedded(self, ids: torch.Tensor) -> torch.Tensor:
        """The language model's input vectors of some ids."""
        return torch.as_tensor(self.module.get_input_embeddings()(ids))
