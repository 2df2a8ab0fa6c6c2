"""Dual encoders as students: transformers' and open_clip's."""

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import normalize

from backend.models.base import Picture
from backend.models.dual.hf import HfDual
from backend.models.dual.openclip import OpenClip, encode_cut
from backend.teach.students.base import Scores, Student


class DualStudent(Student[Tensor, Tensor]):
    """Images and texts are unit vectors, (n, d) float32."""

    kind = "itc"
    compares_texts = True

    def see(self, images: Sequence[Picture]) -> Tensor:
        return self.team.each(len(images), lambda share: self._unit(self.image_features, images[share]))

    def read(self, texts: Sequence[str]) -> Tensor:
        return self.team.each(len(texts), lambda share: self._unit(self.text_features, texts[share]))

    def _unit(self, features: Callable[[Any], Tensor], of: Any) -> Tensor:
        with self.precision():
            found = features(of)
        return normalize(found.float(), dim=-1)

    def image_features(self, images: Sequence[Picture]) -> Tensor:
        raise NotImplementedError

    def text_features(self, texts: Sequence[str]) -> Tensor:
        raise NotImplementedError

    def grid(self, images: Tensor, texts: Tensor) -> Scores:
        return self._scored(images @ texts.T)

    def paired(self, images: Tensor, rows: Tensor, texts: Tensor) -> Scores:
        return self._scored((images[rows] * texts).sum(-1))

    def alike(self, texts: Tensor, others: Tensor) -> Tensor:
        return self._scored(texts @ others.T).logits

    def _scored(self, cosines: Tensor) -> Scores:
        return Scores(cosines, cosines * self.scale() + self.bias())

    def owned(self, name: str) -> Any:
        """A parameter of the module, or of the part that holds its towers (CLIPSeg's CLIP); None for neither."""
        owners = (self.module, getattr(self.model, "towers", None))
        return next((value for owner in owners if isinstance(value := getattr(owner, name, None), Tensor)), None)

    def scale(self) -> Tensor:
        """What multiplies the cosine in the model's own logits (ALIGN divides by a temperature instead)."""
        scale, temperature = self.owned("logit_scale"), self.owned("temperature")
        if scale is not None:
            return torch.as_tensor(scale).float().exp()
        return 1 / temperature.float() if temperature is not None else torch.ones((), device=self.device)

    def bias(self) -> Tensor:
        """What is added to it (SigLIP)."""
        bias = self.owned("logit_bias")
        return torch.zeros((), device=self.device) if bias is None else torch.as_tensor(bias).float()


class HfStudent(DualStudent):
    """CLIP-like models of transformers."""

    model: HfDual

    def image_features(self, images: Sequence[Picture]) -> Tensor:
        inputs = self.model.image_inputs(images)
        moved = {k: v.to(self.device, torch.float32 if v.is_floating_point() else None) for k, v in inputs.items()}
        return self.model.image_features(moved)

    def text_features(self, texts: Sequence[str]) -> Tensor:
        batch = self.model.texts.batch(self.model.texts.cut_ids(texts))
        return self.model.text_features({name: self.model.tensor(value) for name, value in batch.items()})


class OpenClipStudent(DualStudent):
    """open_clip's models."""

    model: OpenClip

    def image_features(self, images: Sequence[Picture]) -> Tensor:
        pixels = torch.stack([self.model.pixels(image) for image in images]).to(self.device, torch.float32)
        return torch.as_tensor(self.model.module.encode_image(pixels))

    def text_features(self, texts: Sequence[str]) -> Tensor:
        ids = self.model.tokenizer(list(texts)).to(self.device)
        if self.model.cuttable:
            return encode_cut(self.model.module, ids[:, : int(self.model.text_lengths(texts).max())])
        return torch.as_tensor(self.model.module.encode_text(ids))
