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
#: Text configs whose positions begin behind the padding id.
SHIFTED = ("altclip_text_model", "bridgetower_text_model")


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
        # CLIPSeg's segmentation model answers with a mask; the CLIP it holds, with embeddings.
        module = getattr(self.module, "clip", self.module)
        with torch.inference_mode():
            return module(**self.tokens(text), **self.pixels(image))

    def tokens(self, text: str) -> dict[str, Any]:
        padded = self.module.config.model_type in PADDED
        if padded and self.tokenizer.init_kwargs.get("do_lower_case"):
            text = text.lower()  # what the checkpoint asks for, whether its tokenizer does it or not
        config = self.module.config.text_config
        table = config.max_position_embeddings - (config.pad_token_id + 1 if config.model_type in SHIFTED else 0)
        limit = min(self.tokenizer.model_max_length, table)
        padding = {"padding": "max_length"} if padded else {}
        return self.inputs(self.tokenizer([text], return_tensors="pt", truncation=True, max_length=limit, **padding))

    def pixels(self, image: Image.Image) -> dict[str, Any]:
        return self.inputs(self.processor(images=[image], return_tensors="pt"))
