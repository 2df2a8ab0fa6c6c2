"""open_clip's models, through `encode_image` and `encode_text` on one image and one text."""

import importlib
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from PIL import Image

from backend.models.base import Model
from backend.models.reference.base import Reference, unit

open_clip: Any = importlib.import_module("open_clip")


class OpenClip(Reference):
    """The transform and tokenizer that open_clip makes for the architecture; texts in the full context length."""

    def __init__(self, model: Model, module: Any = None) -> None:
        super().__init__(model, module)
        name = f"local-dir:{self.folder}" if self.folder.parts else model.spec.partition(":")[2].partition("/")[0]
        self.tokenizer = open_clip.get_tokenizer(name)
        cfg = open_clip.transform.PreprocessCfg(**self.module.visual.preprocess_cfg)
        self.transform = open_clip.transform.image_transform_v2(cfg, is_train=False)

    def image(self, image: Image.Image) -> NDArray[np.float32]:
        pixels = self.transform(image).unsqueeze(0).to(self.device, self.dtype)
        with torch.inference_mode():
            return unit(self.module.encode_image(pixels))

    def text(self, text: str) -> NDArray[np.float32]:
        with torch.inference_mode():
            return unit(self.module.encode_text(self.tokenizer([text]).to(self.device)))
