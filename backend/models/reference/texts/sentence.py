"""Sentence encoders, through `SentenceTransformer.encode` on one text."""

import importlib
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from backend.models.base import Model
from backend.models.reference.base import Reference, unit

sentence_transformers: Any = importlib.import_module("sentence_transformers")


class SentenceEncoder(Reference):
    """A second copy, loaded by the library from the folder: the adapter changes settings of its own."""

    def __init__(self, model: Model, module: Any = None) -> None:
        super().__init__(model, module)
        if module is None:
            self.module = sentence_transformers.SentenceTransformer(
                str(self.folder), device=str(self.device), local_files_only=True, model_kwargs={"dtype": self.dtype}
            )

    def text(self, text: str) -> NDArray[np.float32]:
        with torch.inference_mode():
            return unit(torch.as_tensor(self.module.encode(text, show_progress_bar=False)))
