"""BLIP's matching model, through BlipForImageTextRetrieval's `forward`."""

import importlib
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from PIL import Image

from backend.models.base import Model
from backend.models.reference.base import Reference, unit

transformers: Any = importlib.import_module("transformers")


class BlipMatcher(Reference):
    """`itm_score` with the matching head; without it, the projected features whose product it returns."""

    def __init__(self, model: Model, module: Any = None) -> None:
        super().__init__(model, module)
        self.tokenizer = transformers.AutoTokenizer.from_pretrained(self.folder, local_files_only=True)
        self.processor = transformers.AutoImageProcessor.from_pretrained(self.folder, local_files_only=True)

    def image(self, image: Image.Image) -> NDArray[np.float32]:
        with torch.inference_mode():
            states = self.module.vision_model(**self.pixels(image)).last_hidden_state
            return unit(self.module.vision_proj(states[:, 0]))

    def text(self, text: str) -> NDArray[np.float32]:
        with torch.inference_mode():
            states = self.module.text_encoder(**self.tokens(text)).last_hidden_state
            return unit(self.module.text_proj(states[:, 0]))

    def itm(self, image: Image.Image, text: str) -> float:
        with torch.inference_mode():
            scores = self.module(**self.tokens(text), **self.pixels(image), use_itm_head=True).itm_score[0].double()
        return float(scores[1] - scores[0])

    def tokens(self, text: str) -> dict[str, Any]:
        limit = min(self.tokenizer.model_max_length, self.module.config.text_config.max_position_embeddings)
        found = self.tokenizer([text], return_tensors="pt", truncation=True, max_length=limit)
        return {n: v for n, v in self.inputs(found).items() if n in ("input_ids", "attention_mask")}

    def pixels(self, image: Image.Image) -> dict[str, Any]:
        return self.inputs(self.processor(images=[image], return_tensors="pt"))
