"""BLIP-2 and InstructBLIP with the language models that their checkpoints have."""

from functools import partial
from pathlib import Path
from typing import Any

from tests.models.captioning import tokenizers
from tests.zoo.base import VISION, Case, hf, image_processor, save

SIZES = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4}
QFORMER = {**SIZES, "intermediate_size": 48, "vocab_size": 40, "cross_attention_frequency": 1}
QUERIES = 5


def opt(tokenizer: Any) -> Any:
    return hf().OPTConfig(
        **SIZES,
        ffn_dim=48,
        word_embed_proj_dim=32,
        max_position_embeddings=48,
        vocab_size=40,
        pad_token_id=1,
        bos_token_id=2,
        eos_token_id=tokenizer.convert_tokens_to_ids(tokenizers.NEWLINE),
    )


def llama(_: Any) -> Any:
    ids = {"pad_token_id": 2, "bos_token_id": 1, "eos_token_id": 2}
    return hf().LlamaConfig(**SIZES, **ids, intermediate_size=48, max_position_embeddings=48, vocab_size=40)


def t5(_: Any) -> Any:
    sizes = {"d_model": 32, "d_kv": 8, "d_ff": 48, "num_layers": 2, "num_decoder_layers": 2, "num_heads": 4}
    ids = {"pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 1, "decoder_start_token_id": 0}
    return hf().T5Config(
        **sizes, **ids, vocab_size=40, relative_attention_num_buckets=8, feed_forward_proj="gated-gelu"
    )


LANGUAGES = {"opt": opt, "llama": llama, "t5": t5}


def blip2(folder: Path, language: str, name: str = "Blip2", old: bool = False, **side: str) -> Any:
    """old: as before transformers 4.46, when config and processor named no image token and no number of queries."""
    tokenizer = getattr(tokenizers, language)(**side)
    text = LANGUAGES[language](tokenizer)
    named = {} if old else {"num_query_tokens": QUERIES}
    parts: dict[str, Any] = {"tokenizer": tokenizer}
    if name == "InstructBlip":
        parts["qformer_tokenizer"] = tokenizers.bert()
    processor = getattr(hf(), f"{name}Processor")(image_processor("BlipImageProcessor"), *parts.values(), **named)
    image_token = tokenizer.convert_tokens_to_ids("<image>")
    config = getattr(hf(), f"{name}Config")(
        vision_config={**VISION, "attention_dropout": 0.0},
        qformer_config=QFORMER,
        text_config=text,
        num_query_tokens=QUERIES,
        **({} if old else {"image_token_index": image_token}),
    )
    return save(folder, lambda: getattr(hf(), f"{name}ForConditionalGeneration")(config), processor)


instructblip = partial(blip2, name="InstructBlip")

CASES = [
    Case("BLIP-2 with OPT", "blip2", partial(blip2, language="opt")),
    Case("BLIP-2 with OPT, pads left", "blip2", partial(blip2, language="opt", side="left")),
    Case("BLIP-2 with OPT, old checkpoint", "blip2", partial(blip2, language="opt", old=True)),
    Case("BLIP-2 with Flan-T5", "blip2", partial(blip2, language="t5")),
    Case("BLIP-2 with Flan-T5, old checkpoint", "blip2", partial(blip2, language="t5", old=True)),
    Case("InstructBLIP with Vicuna", "instructblip", partial(instructblip, language="llama")),
    Case("InstructBLIP with Vicuna, pads left", "instructblip", partial(instructblip, language="llama", side="left")),
    Case("InstructBLIP with Flan-T5", "instructblip", partial(instructblip, language="t5")),
]
