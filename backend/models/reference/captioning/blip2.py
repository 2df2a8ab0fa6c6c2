"""BLIP-2 and InstructBLIP, through the model's `forward` on what its own processor writes."""

import importlib
from typing import Any, ClassVar

import numpy as np
import torch
from numpy.typing import NDArray
from PIL import Image

from backend.models.base import Model
from backend.models.reference.base import Reference, token_logprobs

transformers: Any = importlib.import_module("transformers")


class Blip2(Reference):
    """Causal: the processor's ids, then the caption's, then the end. Encoder-decoder: the caption as `labels`."""

    prompt: ClassVar[str] = ""

    def __init__(self, model: Model, module: Any = None) -> None:
        super().__init__(model, module)
        self.processor = transformers.AutoProcessor.from_pretrained(self.folder, local_files_only=True)

    def caption(self, image: Image.Image, text: str) -> NDArray[np.float32]:
        config = self.module.config
        end = config.text_config.eos_token_id
        target = [*self.processor.tokenizer(text, add_special_tokens=False)["input_ids"], end]
        batch = dict(self.processor(images=[image], text=[self.prompt]))
        fed = [] if config.text_config.is_encoder_decoder else target
        ids = [*self.with_image_tokens(list(batch.pop("input_ids")[0]), target), *fed]
        batch.pop("attention_mask")
        given = {name: torch.as_tensor(np.asarray(value)) for name, value in batch.items()}
        given |= {"input_ids": torch.tensor([ids]), "attention_mask": torch.ones(1, len(ids), dtype=torch.long)}
        labels = {} if fed else {"labels": torch.tensor([target], device=self.device)}
        with torch.inference_mode():
            logits = self.module(**self.inputs(given), **labels).logits[0]
        return token_logprobs(logits[-len(target) - 1 : -1] if fed else logits, torch.tensor(target))

    def with_image_tokens(self, ids: list[int], target: list[int]) -> list[int]:
        """The image tokens that the processor of an old checkpoint does not write: any id that the texts do not use,
        since the model puts the queries over it."""
        config = self.module.config
        if self.processor.num_query_tokens is not None and config.image_token_id is not None:
            return ids
        own = ids[-len(self.processor(text=[self.prompt])["input_ids"][0]) :]
        config.image_token_id = next(n for n in range(config.text_config.vocab_size) if n not in {*own, *target})
        return [config.image_token_id] * config.num_query_tokens + own
