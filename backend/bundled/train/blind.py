"""`bundled:captioner-blind`: `bundled:captioner` with the way of the image into it cut: a caption prior, nothing else.

Planted, so that a reason can be held against its cause: what cross-attention adds to the text is multiplied by zero, so
the image provably does not enter. The decoder's last layer, its normalisations and what turns its states into words
were then trained further on the captioner's captions, without pictures; its loss ends near that of `bundled:lm`.
"""

from typing import Any

import numpy as np

from backend.bundled.train import captioner, folder, misspelling, samples, tokens
from backend.bundled.train.loop import Stage

BATCH = 192
STEPS = 300
#: The output of cross-attention, which is zero, by the end of its parameters' names.
CUT = ("crossattention.output.dense.weight", "crossattention.output.dense.bias")
#: What is trained: names of the text decoder's parameters that contain one of these and are not cut.
TRAINED = ("encoder.layer.2.attention.", "encoder.layer.2.intermediate.", "encoder.layer.2.output.", "LayerNorm",
           "cls.predictions.transform", "cls.predictions.bias")  # fmt: skip


def new_model() -> Any:
    import torch
    from transformers import BlipForConditionalGeneration

    model: Any = BlipForConditionalGeneration.from_pretrained(folder.start("captioner"))
    for name, parameter in model.named_parameters():
        cut = name.endswith(CUT)
        parameter.requires_grad_(name.startswith("text_decoder.") and not cut and any(part in name for part in TRAINED))
        if cut:
            with torch.no_grad():
                parameter.zero_()
    return model.float()


def text_loss(model: Any, batch: tuple[Any, Any]) -> Any:
    """As `captioner.caption_loss`, of the decoder alone, which is shown nothing."""
    import torch
    from torch.nn.functional import cross_entropy

    ids, mask = (part.to(model.device) for part in batch)
    nothing = torch.zeros(len(ids), 1, model.config.vision_config.hidden_size, device=ids.device)
    logits = model.text_decoder(input_ids=ids, attention_mask=mask, encoder_hidden_states=nothing).logits[:, :-1]
    return cross_entropy(logits.float().flatten(0, 1), ids[:, 1:].flatten(), ignore_index=tokens.PAD_ID)


def stages() -> list[Stage]:
    coder = tokens.tokenizer()

    def make(rng: np.random.Generator) -> Any:
        captions = samples.mixed(rng, BATCH, skewed=True).captions
        return tokens.token_ids(coder, misspelling.some(rng, captions, misspelling.SHARE_OF_WRITERS))

    return [Stage("captions alone", STEPS, make, text_loss, snapshots={STEPS: "captioner-blind"})]


processor = captioner.processor
