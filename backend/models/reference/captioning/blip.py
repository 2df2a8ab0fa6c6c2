"""BLIP's captioner, through BlipForConditionalGeneration's `forward`."""

import importlib
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from PIL import Image

from backend.models.base import Model
from backend.models.reference.base import Reference, token_logprobs

transformers: Any = importlib.import_module("transformers")


class BlipCaptioner(Reference):
    """The tokenizer's [CLS] is replaced by the decoder's start token, as BLIP's own code does; [SEP] closes."""

    def __init__(self, model: Model, module: Any = None) -> None:
        super().__init__(model, module)
        self.tokenizer = transformers.AutoTokenizer.from_pretrained(self.folder, local_files_only=True)
        self.processor = transformers.AutoImageProcessor.from_pretrained(self.folder, local_files_only=True)

    def caption(self, image: Image.Image, text: str) -> NDArray[np.float32]:
        config = self.module.config.text_config
        ids = self.tokenizer(text, return_tensors="pt")["input_ids"]
        limit = min(self.tokenizer.model_max_length, config.max_position_embeddings)
        if ids.shape[1] > limit:
            ids = torch.cat([ids[:, : limit - 1], ids[:, -1:]], dim=1)
        if config.bos_token_id < config.vocab_size:
            ids[0, 0] = config.bos_token_id
        pixels = self.processor(images=[image], return_tensors="pt")
        with torch.inference_mode():
            logits = self.module(input_ids=ids.to(self.device), **self.inputs(pixels)).logits
        return token_logprobs(logits[0, :-1], ids[0, 1:])
