"""GIT, through GitForCausalLM's `forward` on what its own processor writes."""

import importlib
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from PIL import Image

from backend.models.base import Model
from backend.models.reference.base import Reference, token_logprobs

transformers: Any = importlib.import_module("transformers")


class Git(Reference):
    """[CLS] caption [SEP]; the logits of the image's patches come first."""

    def __init__(self, model: Model, module: Any = None) -> None:
        super().__init__(model, module)
        self.processor = transformers.AutoProcessor.from_pretrained(self.folder, local_files_only=True)

    def caption(self, image: Image.Image, text: str) -> NDArray[np.float32]:
        batch = self.inputs(self.processor(images=[image], text=[text], return_tensors="pt"))
        ids = batch["input_ids"][0]
        given = {name: batch[name] for name in ("input_ids", "attention_mask", "pixel_values")}
        with torch.inference_mode():
            logits = self.module(**given).logits[0, -len(ids) :]
        return token_logprobs(logits[:-1], ids[1:])
