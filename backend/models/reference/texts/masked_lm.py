"""Masked language models, through `forward` on one text with one token masked at a time."""

import importlib
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from backend.models.base import Model
from backend.models.reference.base import Reference, token_logprobs

transformers: Any = importlib.import_module("transformers")


class MaskedLm(Reference):
    """Salazar et al. 2020; for `#l2r`, Kauf & Ivanova 2023."""

    def __init__(self, model: Model, module: Any = None) -> None:
        super().__init__(model, module)
        self.tokenizer = transformers.AutoTokenizer.from_pretrained(
            self.folder, local_files_only=True, trust_remote_code=self.trusted
        )
        self.within_words = model.spec.endswith("#l2r")

    def blind(self, text: str) -> NDArray[np.float32]:
        batch = self.tokenizer(text, return_tensors="pt", return_special_tokens_mask=True)
        special = batch.pop("special_tokens_mask")[0]
        words = batch.word_ids(0)
        found = [np.zeros(0, dtype=np.float32)]
        for k in np.flatnonzero(special.numpy() == 0):
            masked = {name: value.clone().to(self.device) for name, value in batch.items()}
            for n in range(k, len(words)):
                if n == k or (self.within_words and words[n] is not None and words[n] == words[k]):
                    masked["input_ids"][0, n] = self.tokenizer.mask_token_id
            with torch.inference_mode():
                logits = self.module(**masked).logits
            found.append(token_logprobs(logits[0, k : k + 1], batch["input_ids"][0, k : k + 1]))
        return np.concatenate(found)
