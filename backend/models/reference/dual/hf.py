"""transformers' dual encoders, through `forward` with one image and one text."""

import importlib
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from PIL import Image

from backend.models.base import Model
from backend.models.reference.base import Reference, unit

transformers: Any = importlib.import_module("transformers")
#: Their checkpoints were trained on texts padded to this length (the model cards' own call).
PADDED = ("siglip", "siglip2")


class HfDual(Reference):
    """`image_embeds` and `text_embeds` of the whole model's output."""

    def __init__(self, model: Model, module: Any = None) -> None:
        super().__init__(model, module)
        self.tokenizer = transformers.AutoTokenizer.from_pretrained(self.folder, local_files_only=True)
        self.processor = transformers.AutoImageProcessor.from_pretrained(self.folder, local_files_only=True)

    def image(self, image: Image.Image) -> NDArray[np.float32]:
        return unit(self.output(image, "a").image_embeds)

    def text(self, text: str) -> NDArray[np.float32]:
        return unit(self.output(Image.new("RGB", (64, 64)), text).text_embeds)

    def output(self, image: Image.Image, text: str) -> Any:
        padding = {"padding": "max_length"} if self.module.config.model_type in PADDED else {}
        config = self.module.config.text_config
        limit = min(self.tokenizer.model_max_length, config.max_position_embeddings)
        tokens = self.tokenizer([text], return_tensors="pt", truncation=True, max_length=limit, **padding)
        pixels = self.processor(images=[image], return_tensors="pt")
        with torch.inference_mode():
            return self.module(**self.inputs(tokens), **self.inputs(pixels))
