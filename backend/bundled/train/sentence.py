"""`bundled:sentence`: a text encoder that has seen no picture; paraphrases of one meaning attract each other.

Multiple negatives ranking (InfoNCE) over paraphrase pairs; its folder is laid out as sentence-transformers does.
"""

from typing import Any

import numpy as np

from backend.bundled.train import misspelling, samples, tokens
from backend.bundled.train.loop import Stage

BATCH = 256
STEPS = 600
TEMPERATURE = 0.05


def new_model() -> Any:
    from transformers import BertConfig, BertModel

    return BertModel(
        BertConfig(
            vocab_size=len(tokens.tokenizer()),
            hidden_size=128,
            num_hidden_layers=2,
            num_attention_heads=4,
            intermediate_size=512,
            max_position_embeddings=tokens.MAX_TOKENS,
            pad_token_id=tokens.PAD_ID,
            hidden_dropout_prob=0.0,
            attention_probs_dropout_prob=0.0,
        ),
        add_pooling_layer=False,
    )


def embed(model: Any, ids: Any, mask: Any) -> Any:
    """Mean over the caption's tokens, L2-normalised: what the saved folder's modules do."""
    from torch.nn.functional import normalize

    states = model(input_ids=ids, attention_mask=mask).last_hidden_state
    weights = mask.unsqueeze(-1).to(states.dtype)
    return normalize(((states * weights).sum(1) / weights.sum(1)).float(), dim=-1)


def paraphrase_loss(model: Any, batch: tuple[Any, Any, Any, Any]) -> Any:
    import torch
    from torch.nn.functional import cross_entropy

    first, first_mask, second, second_mask = (part.to(model.device) for part in batch)
    logits = embed(model, first, first_mask) @ embed(model, second, second_mask).T / TEMPERATURE
    target = torch.arange(len(logits), device=logits.device)
    return (cross_entropy(logits, target) + cross_entropy(logits.T, target)) / 2


def stages() -> list[Stage]:
    coder = tokens.tokenizer()

    def make(rng: np.random.Generator) -> Any:
        first, second = samples.paraphrases(rng, BATCH)
        said, again = (tokens.token_ids(coder, misspelling.some(rng, texts)) for texts in (first, second))
        return (*said, *again)

    return [Stage("paraphrases", STEPS, make, paraphrase_loss, snapshots={STEPS: "sentence"})]
