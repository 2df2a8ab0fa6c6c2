"""Encoder-decoder language models, through `forward` with `labels`: the library shifts them itself."""

import importlib
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from backend.models.base import Model
from backend.models.reference.base import Reference, token_logprobs

transformers: Any = importlib.import_module("transformers")


class Seq2SeqLm(Reference):
    """T5 reads an empty text, BART, mBART and Pegasus their mask; `#mask` and `#empty` in the spec say otherwise."""

    def __init__(self, model: Model, module: Any = None) -> None:
        super().__init__(model, module)
        self.tokenizer = transformers.AutoTokenizer.from_pretrained(
            self.folder, local_files_only=True, trust_remote_code=self.trusted
        )
        if getattr(self.tokenizer, "src_lang", None):
            self.tokenizer.tgt_lang = self.tokenizer.src_lang
        kind = self.module.config.model_type
        masks = {"bart": "<mask>", "mbart": "<mask>", "pegasus": "<mask_1>"}
        _, _, option = model.spec.partition("#")
        self.source = "" if option == "empty" or (kind not in masks and option != "mask") else masks.get(kind)
        self.sentinel = "<extra_id_0>" if self.source is None else ""

    def blind(self, text: str) -> NDArray[np.float32]:
        source = self.tokenizer(self.sentinel or self.source, return_tensors="pt")["input_ids"]
        target = self.tokenizer(text_target=self.sentinel + text)["input_ids"]
        bare = len(self.tokenizer(text, add_special_tokens=False)["input_ids"])
        first = target.index(self.tokenizer.eos_token_id) - bare
        labels = torch.tensor([target], device=self.device)
        with torch.inference_mode():
            logits = self.module(input_ids=source.to(self.device), labels=labels).logits
        scored = slice(first, first + bare + 1)
        return token_logprobs(logits[0, scored], labels[0, scored])
