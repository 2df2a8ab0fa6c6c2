"""open_clip's CoCa, through `CoCa.forward`."""

import numpy as np
import torch
from numpy.typing import NDArray
from PIL import Image

from backend.models.reference.base import token_logprobs
from backend.models.reference.dual.openclip import OpenClip


class CoCa(OpenClip):
    """`logits` beside the `labels` that open_clip aligns with them, up to the closing token; padding is not scored."""

    def caption(self, image: Image.Image, text: str) -> NDArray[np.float32]:
        pixels = self.transform(image).unsqueeze(0).to(self.device, self.dtype)
        ids = self.tokenizer([text])
        with torch.inference_mode():
            out = self.module(pixels, ids.to(self.device))
        labels = out["labels"][0].cpu()
        closed = int((labels == self.end()).nonzero()[0, 0]) + 1
        return token_logprobs(out["logits"][0, :closed], labels[:closed])

    def end(self) -> int:
        """The id that closes a text."""
        own = getattr(self.tokenizer, "eot_token_id", None)
        if own is not None:
            return int(own)
        inner = self.tokenizer.tokenizer
        return int(inner.eos_token_id if inner.eos_token_id is not None else inner.sep_token_id)
