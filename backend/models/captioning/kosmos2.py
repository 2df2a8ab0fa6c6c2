"""Kosmos-2: an image's vectors between <image> and </image>, and a causal decoder that reads on."""

from collections.abc import Sequence
from typing import Any, ClassVar

import torch

from backend.errors import FlipsideError
from backend.models.base import Picture
from backend.models.captioning.base import Captioner
from backend.models.hf import Texts
from backend.models.request import Request

IMAGE, CLOSED = "<image>", "</image>"


class Kosmos2(Captioner):
    """<s> <image> image vectors </image> caption </s>, as its processor writes it with `add_eos_token`; only the
    caption and its </s> are scored. No prompt, so no <grounding> either: with it the model would expect box tokens
    behind every phrase, which a benchmark's captions do not have."""

    family: ClassVar[str] = "kosmos2"
    texts: "BehindTheImage"

    def __init__(self, request: Request) -> None:
        super().__init__(request)
        # Every latent query sees the whole image. transformers 5.17 leaves this at True by mistake, where only some of
        # its attention kernels obey it; 5.23 has it right.
        self.module.image_to_text_projection.x_attn.is_causal = False
        config, tokenizer = self.module.config, self.texts.tokenizer
        text = config.text_config
        first = self.first_known("a start", tokenizer.bos_token_id, text.bos_token_id)
        holes = config.latent_query_num
        # What stands in the holes is replaced by the image's vectors. Padding must not: it would have no position.
        self.before = [first, self.texts.opened, *[self.texts.opened] * holes]
        self.is_image = [0, 0, *[1] * holes]
        self.start = self.texts.closed
        self.end = self.first_known("an end", text.eos_token_id, tokenizer.eos_token_id)
        self.texts.limit -= len(self.before)

    def read_texts(self, request: Request) -> Texts:
        return BehindTheImage(request, self.module.config.text_config)

    def encode(self, images: Sequence[Picture]) -> torch.Tensor:
        vision = self.module.vision_model
        states = vision.model.post_layernorm(vision(pixel_values=self.pixels(images)).last_hidden_state)
        vectors, _ = self.module.image_to_text_projection(torch.nn.functional.normalize(states, dim=-1))
        return torch.as_tensor(vectors)

    def logits(self, ids: torch.Tensor, mask: torch.Tensor, features: torch.Tensor) -> torch.Tensor:
        n = len(ids)
        answer = self.module(
            input_ids=torch.cat([self.tensor([self.before] * n), ids], dim=1),
            image_embeds=features,
            image_embeds_position_mask=torch.cat([self.tensor([self.is_image] * n), torch.zeros_like(ids)], dim=1),
            attention_mask=torch.cat([torch.ones_like(self.tensor([self.before] * n)), mask], dim=1),
            use_cache=False,
        ).logits
        return torch.as_tensor(answer[:, len(self.before) :])


class BehindTheImage(Texts):
    """Captions cut into pieces as they are directly behind </image>, where the processor has them."""

    def __init__(self, request: Request, text_config: Any) -> None:
        super().__init__(request, text_config)
        self.opened, self.closed = self.tokenizer.convert_tokens_to_ids([IMAGE, CLOSED])
        unknown = self.tokenizer.unk_token_id
        if None in (self.opened, self.closed) or unknown in (self.opened, self.closed):
            raise FlipsideError(f"{request.spec}: its tokenizer knows no {IMAGE} and {CLOSED}. Download it again.")

    def ids(self, texts: Sequence[str], special: bool = True) -> list[list[int]]:
        rows = super().ids([f"{CLOSED} {text.strip()}" for text in texts], special=False)
        return [row[1:] for row in rows]
