"""Kosmos-2, through Kosmos2ForConditionalGeneration's `forward` on what its own processor writes."""

import importlib
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from PIL import Image

from backend.models.base import Model
from backend.models.reference.base import Reference, token_logprobs

transformers: Any = importlib.import_module("transformers")


class Kosmos2(Reference):
    """`add_eos_token` closes the caption with </s>; everything behind </image> is the caption.

    transformers 5.17 lets the projection's latent queries look at earlier positions only, a mistake which 5.23 does not
    have: its flag is set to what 5.23 says.
    """

    def __init__(self, model: Model, module: Any = None) -> None:
        super().__init__(model, module)
        self.processor = transformers.AutoProcessor.from_pretrained(self.folder, local_files_only=True)
        self.module.image_to_text_projection.x_attn.is_causal = False

    def caption(self, image: Image.Image, text: str) -> NDArray[np.float32]:
        holes = self.module.config.latent_query_num
        batch = self.processor(
            images=image, text=text, add_eos_token=True, num_image_tokens=holes, return_tensors="pt"
        )  # fmt: skip
        given = self.inputs(batch)
        ids = given["input_ids"][0]
        closed = self.processor.tokenizer.convert_tokens_to_ids("</image>")
        first = int((ids == closed).nonzero()[0, 0]) + 1
        with torch.inference_mode():
            logits = self.module(**given).logits[0]
        return token_logprobs(logits[first - 1 : -1], ids[first:])
