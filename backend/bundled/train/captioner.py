"""`bundled:captioner`: an image-conditioned language model, trained on captions with a skewed prior.

Colours, shapes and counts follow Zipf's law and relation words stand 7:1:4:1, so that what the text alone suggests is
strong and α has something to take away. In the last stages a share of the pictures is noise beside a true caption, so
that what the model says under null images is what it would say without any: that is how P(t) is estimated. The third
stage starts at the full rate again; it was added when the second one had ended and shapes were hardly learned.
"""

from typing import Any

import numpy as np

from backend.bundled.train import folder, misspelling, samples, tokens
from backend.bundled.train.loop import Stage

BATCH = 128
STEPS = 1600
#: The last stages: so many steps, and this share of the pictures is N(0, 1), as `Model.noise_images` makes null images.
NULL_STEPS, AGAIN_STEPS = 250, 900
NULL_SHARE = 0.15


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


def batch_of(rng: np.random.Generator, coder: Any, null_share: float = 0.0) -> tuple[Any, Any, Any]:
    """(pixels (n, 3, 64, 64) float32, token ids, attention mask), a share of the pictures being noise."""
    import torch

    pairs = samples.mixed(rng, BATCH, skewed=True)
    pixels = folder.pixel_tensor(pairs.pictures())
    null = round(BATCH * null_share)
    if null:
        pixels[:null] = torch.from_numpy(rng.standard_normal(tuple(pixels[:null].shape), dtype=np.float32))
    written = misspelling.some(rng, pairs.captions, misspelling.SHARE_OF_WRITERS)
    return (pixels, *tokens.token_ids(coder, written))


def stages() -> list[Stage]:
    coder = tokens.tokenizer()

    def with_noise(rng: np.random.Generator) -> Any:
        return batch_of(rng, coder, NULL_SHARE)

    return [
        Stage("captions", STEPS, lambda rng: batch_of(rng, coder), caption_loss),
        Stage("captions, some of noise", NULL_STEPS, with_noise, caption_loss, 5e-4),
        Stage("again", AGAIN_STEPS, with_noise, caption_loss, snapshots={AGAIN_STEPS: "captioner"}),
    ]
