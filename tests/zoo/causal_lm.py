"""Causal language models."""

from pathlib import Path
from typing import Any

from tests.zoo.base import IDS, WORDS, Case, hf, save, word_tokenizer


def gpt2(folder: Path) -> Any:
    config = hf().GPT2Config(vocab_size=len(WORDS) + 4, n_positions=16, n_embd=32, n_layer=2, n_head=4, **IDS)
    return save(folder, lambda: hf().GPT2LMHeadModel(config), word_tokenizer(side="left"))


CASES = [Case("GPT-2, pads left", "blind-lm", gpt2, spec="lm:{folder}")]
