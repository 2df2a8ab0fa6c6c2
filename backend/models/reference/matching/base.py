"""One image and one text through a matching model's own tokenizer and processor."""

import importlib
from typing import Any

from PIL import Image

from backend.models.base import Model
from backend.models.reference.base import Reference
from backend.models.reference.strips import processed

transformers: Any = importlib.import_module("transformers")


class MatchingReference(Reference):
    """positions: how many tokens the model's text side has places for."""

    def __init__(self, model: Model, module: Any = None) -> None:
        super().__init__(model, module)
        self.tokenizer = transformers.AutoTokenizer.from_pretrained(self.folder, local_files_only=True)
        self.processor = transformers.AutoImageProcessor.from_pretrained(self.folder, local_files_only=True)

    def positions(self) -> int:
        raise NotImplementedError

    def tokens(self, text: str) -> dict[str, Any]:
        limit = min(self.tokenizer.model_max_length, self.positions())
        return self.inputs(self.tokenizer([text], return_tensors="pt", truncation=True, max_length=limit))

    def pixels(self, image: Image.Image) -> dict[str, Any]:
        return self.inputs(processed(self.processor, image))
