"""VisionEncoderDecoder, through its `forward` with the caption as `labels`, which the library itself shifts."""

import importlib
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from PIL import Image

from backend.models.base import Model
from backend.models.reference.base import Reference, token_logprobs

transformers: Any = importlib.import_module("transformers")


class VisionEncoderDecoder(Reference):
    """The labels are the caption's tokens and the token at which `generate()` stops."""

    def __init__(self, model: Model, module: Any = None) -> None:
        super().__init__(model, module)
        self.tokenizer = transformers.AutoTokenizer.from_pretrained(self.folder, local_files_only=True)
        self.processor = transformers.AutoImageProcessor.from_pretrained(self.folder, local_files_only=True)

    def caption(self, image: Image.Image, text: str) -> NDArray[np.float32]:
        end = self.module.generation_config.eos_token_id
        if end is None:
            end = self.tokenizer.sep_token_id
        labels = [
            *self.tokenizer(text, add_special_tokens=False)["input_ids"],
            end[0] if isinstance(end, list) else end,
        ]
        pixels = self.inputs(self.processor(images=[image], return_tensors="pt"))
        with torch.inference_mode():
            logits = self.module(**pixels, labels=torch.tensor([labels], device=self.device)).logits[0]
        return token_logprobs(logits, torch.tensor(labels))
