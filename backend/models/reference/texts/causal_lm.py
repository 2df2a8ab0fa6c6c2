"""Causal language models, through `forward` on one text."""

import importlib
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from backend.models.base import Model
from backend.models.reference.base import Reference, token_logprobs

transformers: Any = importlib.import_module("transformers")


class BlindLm(Reference):
    """BOS (or, without one, EOS) + the text's tokens + EOS."""

    def __init__(self, model: Model, module: Any = None) -> None:
        super().__init__(model, module)
        self.tokenizer = transformers.AutoTokenizer.from_pretrained(self.folder, local_files_only=True)

    def blind(self, text: str) -> NDArray[np.float32]:
        tokenizer = self.tokenizer
        end = tokenizer.eos_token_id
        start = tokenizer.bos_token_id if tokenizer.bos_token_id is not None else end
        limit = min(tokenizer.model_max_length, self.module.config.max_position_embeddings)
        middle = tokenizer(text, add_special_tokens=False)["input_ids"][: limit - 2]
        ids = torch.tensor([[start, *middle, end]], device=self.device)
        with torch.inference_mode():
            logits = self.module(input_ids=ids).logits
        return token_logprobs(logits[0, :-1], ids[0, 1:])
