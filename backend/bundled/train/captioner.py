"""`bundled:captioner`: an image-conditioned language model, trained on captions with a skewed prior.

Colours, shapes and counts follow Zipf's law and relation words stand 7:1:4:1, so that what the text alone suggests is
strong and α has something to take away.
"""

from typing import Any

import numpy as np

from backend.bundled.train import folder, samples, tokens
from backend.bundled.train.loop import Stage

BATCH = 128
STEPS = 2200


def text_config() -> dict[str, Any]:
    """A 3 × 128 text tower with cross-attention."""
    return {
        "vocab_size": len(tokens.tokenizer()),
        "hidden_size": 128,
        "encoder_hidden_size": 128,
        "intermediate_size": 512,
        "projection_dim": 128,
        "num_hidden_layers": 3,
        "num_attention_heads": 4,
        "max_position_embeddings": tokens.MAX_TOKENS,
        "pad_token_id": tokens.PAD_ID,
        "bos_token_id": tokens.BOS_ID,
        "eos_token_id": tokens.EOS_ID,
        "sep_token_id": tokens.EOS_ID,
        "hidden_dropout_prob": 0.0,
        "attention_probs_dropout_prob": 0.0,
        "is_decoder": True,
        "label_smoothing": 0.0,
    }


def vision_config() -> dict[str, Any]:
    """A 4 × 128 vision tower. Its default initialisation (1e-10) does not train at this size."""
    return {
        "hidden_size": 128,
        "intermediate_size": 512,
        "num_hidden_layers": 4,
        "num_attention_heads": 4,
        "image_size": 64,
        "patch_size": 8,
        "initializer_range": 0.02,
    }


def new_model() -> Any:
    from transformers import BlipConfig, BlipForConditionalGeneration

    config = BlipConfig(text_config=text_config(), vision_config=vision_config(), projection_dim=128)
    return BlipForConditionalGeneration(config)


def processor() -> Any:
    from transformers import BlipProcessor

    made: Any = BlipProcessor
    return made(image_processor=folder.blip_image_processor(), tokenizer=tokens.tokenizer())


def caption_loss(model: Any, batch: tuple[Any, Any, Any]) -> Any:
    """Mean negative log-likelihood of the caption's tokens, EOS included, BOS and padding not."""
    from torch.nn.functional import cross_entropy

    pixels, ids, mask = (part.to(model.device) for part in batch)
    logits = model(pixel_values=pixels, input_ids=ids, attention_mask=mask).logits[:, :-1].float()
    return cross_entropy(logits.flatten(0, 1), ids[:, 1:].flatten(), ignore_index=tokens.PAD_ID)


def stages() -> list[Stage]:
    coder = tokens.tokenizer()

    def make(rng: np.random.Generator) -> Any:
        pairs = samples.mixed(rng, BATCH, skewed=True)
        return (folder.pixel_tensor(pairs.pictures()), *tokens.token_ids(coder, pairs.captions))

    return [Stage("captions", STEPS, make, caption_loss, snapshots={STEPS: "captioner"})]
