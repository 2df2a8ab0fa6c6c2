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
    """What the tokenizer makes of the text, started by BOS where it has no start token (without a BOS, the config's;
    without that, EOS) and closed by EOS."""

    def __init__(self, model: Model, module: Any = None) -> None:
        super().__init__(model, module)
        self.tokenizer = transformers.AutoTokenizer.from_pretrained(
            self.folder, local_files_only=True, trust_remote_code=self.trusted
        )

    def blind(self, text: str) -> NDArray[np.float32]:
        tokenizer, config = self.tokenizer, self.module.config
        end = tokenizer.eos_token_id
        middle = tokenizer(text, add_special_tokens=False)["input_ids"]
        whole = tokenizer(text)["input_ids"]
        before = whole[: len(whole) - len(middle) - (1 if whole[-1:] == [end] and len(whole) > len(middle) + 1 else 0)]
        if not before or whole == [end]:
            options = (tokenizer.bos_token_id, getattr(config, "bos_token_id", None), end)
            before = [next(token for token in options if token is not None)]
        limit = min(tokenizer.model_max_length, getattr(config, "max_position_embeddings", 2048))
        ids = torch.tensor([[*before, *middle[: limit - 1 - len(before)], end]], device=self.device)
        with torch.inference_mode():
            logits = self.module(input_ids=ids).logits
        return token_logprobs(logits[0, len(before) - 1 : -1], ids[0, len(before) :])
