"""GIT: patches of the image, which see each other, in front of a causal decoder that sees them."""

import copy
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any, ClassVar

import torch

from backend.models.base import Picture
from backend.models.captioning.base import Captioner
from backend.models.request import Request


class Git(Captioner):
    """[CLS] caption [SEP] behind the image; no prompt. Text positions count from the [CLS], whatever the image."""

    family: ClassVar[str] = "git"

    def __init__(self, request: Request) -> None:
        super().__init__(request)
        config, tokenizer = self.module.config, self.texts.tokenizer
        self.start = self.first_known("a start", config.bos_token_id, tokenizer.cls_token_id, tokenizer.bos_token_id)
        self.end = self.first_known("an end", config.eos_token_id, tokenizer.sep_token_id, tokenizer.eos_token_id)
        self.decoder = with_image_encoder(self.module, Given())

    def encode(self, images: Sequence[Picture]) -> torch.Tensor:
        return torch.as_tensor(self.module.git.image_encoder(self.pixels(images)).last_hidden_state)

    def logits(self, ids: torch.Tensor, mask: torch.Tensor, features: torch.Tensor) -> torch.Tensor:
        answer = self.decoder(
            input_ids=ids, attention_mask=mask, pixel_values=features.unsqueeze(1), use_cache=False
        ).logits
        return torch.as_tensor(answer[:, -ids.shape[1] :])


class Given(torch.nn.Module):
    """Stands where the image encoder does, and hands on features (n, positions, width) that were computed before.
    They come as (n, 1, positions, width), because GIT tells an image from a video by the number of dimensions."""

    def forward(self, pixel_values: torch.Tensor, **_: Any) -> SimpleNamespace:
        return SimpleNamespace(last_hidden_state=pixel_values[:, 0])


def with_image_encoder(module: Any, encoder: torch.nn.Module) -> Any:
    """The same model, sharing every parameter, with another image encoder; `module` itself stays as it is."""
    outer, inner = copy.copy(module), copy.copy(module.git)
    outer._modules = {**module._modules, "git": inner}
    inner._modules = {**module.git._modules, "image_encoder": encoder}
    return outer
