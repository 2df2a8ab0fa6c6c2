"""Causal language models, each with its own start and end of text."""

from functools import partial
from pathlib import Path
from typing import Any

from tests.zoo.base import IDS, TOWER, WORDS, Case, hf, save, word_tokenizer
from tests.zoo.texts.tokenizers import LIMIT, tokenizer

SIZES: dict[str, Any] = {**TOWER, "max_position_embeddings": LIMIT}
HEADS = {"num_key_value_heads": 2, "head_dim": 8}
#: architecture -> (tokenizer, special tokens of the config, what else its config needs)
KNOWN: dict[str, tuple[str, dict[str, Any], dict[str, Any]]] = {
    "OPT": (
        "opt",
        {"bos_token_id": 2, "eos_token_id": 2, "pad_token_id": 1},
        {"ffn_dim": 48, "word_embed_proj_dim": 32},
    ),
    "Llama": ("llama", {"bos_token_id": 1, "eos_token_id": 2}, HEADS),
    "Qwen2": ("qwen2", {"bos_token_id": 0, "eos_token_id": 2}, {"num_key_value_heads": 2}),
    "GPTNeoX": ("gpt_neox", {"bos_token_id": 0, "eos_token_id": 0}, {}),
    "Gemma": ("gemma", {"bos_token_id": 2, "eos_token_id": 1, "pad_token_id": 0}, HEADS),
    "Gemma2": ("gemma", {"bos_token_id": 2, "eos_token_id": 1, "pad_token_id": 0}, {**HEADS, "sliding_window": 4}),
}


def words(folder: Path) -> Any:
    """Few positions, so that the texts are cut; a tokenizer that pads left."""
    config = hf().GPT2Config(vocab_size=len(WORDS) + 4, n_positions=16, n_embd=32, n_layer=2, n_head=4, **IDS)
    return save(folder, lambda: hf().GPT2LMHeadModel(config), word_tokenizer(side="left"))


def gpt2(folder: Path) -> Any:
    config = hf().GPT2Config(
        vocab_size=257, n_positions=LIMIT, n_embd=32, n_layer=2, n_head=4, bos_token_id=0, eos_token_id=0
    )
    return save(folder, lambda: hf().GPT2LMHeadModel(config), tokenizer("gpt2"))


def causal(folder: Path, name: str, **changes: Any) -> Any:
    spelling, ids, more = KNOWN[name]
    tokens = tokenizer(spelling, **changes)
    config = getattr(hf(), f"{name}Config")(vocab_size=len(tokens), **SIZES, **ids, **more)
    return save(folder, lambda: getattr(hf(), f"{name}ForCausalLM")(config), tokens)


CASES = [
    Case("GPT-2, pads left", "blind-lm", words, spec="lm:{folder}"),
    Case("GPT-2", "blind-lm", gpt2, spec="lm:{folder}"),
    Case("OPT", "blind-lm", partial(causal, name="OPT"), spec="lm:{folder}"),
    Case("Llama", "blind-lm", partial(causal, name="Llama")),
    Case("Qwen2, pads left", "blind-lm", partial(causal, name="Qwen2", padding_side="left"), spec="lm:{folder}"),
    Case("GPT-NeoX", "blind-lm", partial(causal, name="GPTNeoX"), spec="lm:{folder}"),
    Case("Gemma", "blind-lm", partial(causal, name="Gemma"), spec="lm:{folder}"),
    Case("Gemma 2, sliding window", "blind-lm", partial(causal, name="Gemma2"), spec="lm:{folder}"),
]
