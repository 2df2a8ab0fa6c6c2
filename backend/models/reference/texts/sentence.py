"""Sentence encoders, through `SentenceTransformer.encode` on one text; plain encoders, where the spec chooses a
pooling, through their own `forward`."""

import importlib
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from backend.models.base import Model
from backend.models.reference.base import Reference, unit

sentence_transformers: Any = importlib.import_module("sentence_transformers")
transformers: Any = importlib.import_module("transformers")


class SentenceEncoder(Reference):
    """A second copy, loaded by the library from the folder: the adapter changes settings of its own."""

    def __init__(self, model: Model, module: Any = None) -> None:
        super().__init__(model, module)
        self.pooling = model.spec.rpartition("#")[2] if model.spec.endswith(("#mean", "#cls", "#last")) else ""
        if module is not None:
            return
        if self.pooling:
            self.tokenizer = transformers.AutoTokenizer.from_pretrained(
                self.folder, local_files_only=True, trust_remote_code=self.trusted
            )
            self.module = transformers.AutoModel.from_pretrained(
                self.folder, local_files_only=True, trust_remote_code=self.trusted
            )
            self.module.eval().to(self.device, self.dtype)
        else:
            self.module = sentence_transformers.SentenceTransformer(
                str(self.folder),
                device=str(self.device),
                local_files_only=True,
                trust_remote_code=self.trusted,
                model_kwargs={"dtype": self.dtype},
            )

    def text(self, text: str) -> NDArray[np.float32]:
        with torch.inference_mode():
            if not self.pooling:
                return unit(torch.as_tensor(self.module.encode(text, show_progress_bar=False)))
            batch = self.inputs(self.tokenizer(text, return_tensors="pt"))
            states = self.module(**batch).last_hidden_state[0]
        return unit({"mean": states.mean(0), "cls": states[0], "last": states[-1]}[self.pooling])
