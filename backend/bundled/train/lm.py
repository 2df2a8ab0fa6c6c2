"""`bundled:lm`: a blind language model on the captioner's captions; the yardstick for every estimate of P(t)."""

from typing import Any

import numpy as np

from backend.bundled.train import misspelling, samples, tokens
from backend.bundled.train.loop import Stage

BATCH = 256
STEPS = 600


def new_model() -> Any:
    from transformers import GPT2Config, GPT2LMHeadModel

    return GPT2LMHeadModel(
        GPT2Config(
            vocab_size=len(tokens.tokenizer()),
            n_embd=96,
            n_layer=2,
            n_head=4,
            n_positions=tokens.MAX_TOKENS,
            bos_token_id=tokens.BOS_ID,
            eos_token_id=tokens.EOS_ID,
            pad_token_id=tokens.PAD_ID,
            resid_pdrop=0.0,
            embd_pdrop=0.0,
            attn_pdrop=0.0,
        )
    )


def text_loss(model: Any, batch: tuple[Any, Any]) -> Any:
    from torch.nn.functional import cross_entropy

    ids, mask = (part.to(model.device) for part in batch)
    logits = model(input_ids=ids, attention_mask=mask).logits[:, :-1].float()
    return cross_entropy(logits.flatten(0, 1), ids[:, 1:].flatten(), ignore_index=tokens.PAD_ID)


def stages() -> list[Stage]:
    coder = tokens.tokenizer()

    def make(rng: np.random.Generator) -> Any:
        captions = samples.mixed(rng, BATCH, skewed=True).captions
        return tokens.token_ids(coder, misspelling.some(rng, captions, misspelling.SHARE_OF_WRITERS))

    return [Stage("captions", STEPS, make, text_loss, snapshots={STEPS: "lm"})]
