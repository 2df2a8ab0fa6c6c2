"""Tiny tokenizers that treat spaces, BOS and special tokens as the real models' do; trained on a few sentences."""

import json
from collections.abc import Sequence
from typing import Any

from backend.models.chat.prompt import INSTRUCTION, QUESTION
from tests.zoo.base import TEXTS, WORDS, hf

CORPUS = [
    *TEXTS,
    *WORDS,
    INSTRUCTION,
    QUESTION,
    "Yes No yes no Yes No",
    "USER: ASSISTANT: Assistant: user model assistant",
] * 3
SIZE = 700
UNKNOWN = "<unk>"


def byte_level(special: Sequence[str], names: dict[str, Any], bos: str = "", side: str = "right") -> Any:
    """GPT-2, Qwen, Llama 3, Mistral Nemo: bytes, a space belongs to the word behind it; `bos` is written in front."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers

    core = Tokenizer(models.BPE())
    core.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    core.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=SIZE, special_tokens=list(special), initial_alphabet=alphabet, show_progress=False
    )
    core.train_from_iterator(CORPUS, trainer)
    if bos:
        core.post_processor = processors.TemplateProcessing(
            single=f"{bos} $A", special_tokens=[(bos, core.token_to_id(bos))]
        )
    return fast(core, names, side)


def sentencepiece(special: Sequence[str], names: dict[str, Any], dummy: bool, bos: str, side: str = "right") -> Any:
    """Llama and Mistral (`dummy`: a "▁" before every piece of text) and Gemma (none): "▁" for a space, bytes for what
    is unknown, `bos` in front."""
    from tokenizers import Tokenizer, decoders, models, normalizers, processors, trainers

    byte_tokens = [f"<0x{number:02X}>" for number in range(256)]
    core = Tokenizer(models.BPE(byte_fallback=True, unk_token=UNKNOWN, fuse_unk=True))
    marks: list[Any] = [normalizers.Prepend("▁")] if dummy else []
    core.normalizer = normalizers.Sequence([*marks, normalizers.Replace(" ", "▁")])
    core.decoder = decoders.Sequence([decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse()])
    words = [word if dummy else f"▁{word}" for line in CORPUS for word in line.split()]
    trainer = trainers.BpeTrainer(
        vocab_size=SIZE + 256, special_tokens=[*special, *byte_tokens], show_progress=False, limit_alphabet=120
    )
    core.train_from_iterator(words, trainer)
    saved = json.loads(core.to_str())  # bytes are plain pieces, which the trainer knows no way to say
    saved["added_tokens"] = [token for token in saved["added_tokens"] if token["content"] not in byte_tokens]
    core = Tokenizer.from_str(json.dumps(saved))
    core.post_processor = processors.TemplateProcessing(
        single=f"{bos} $A", pair=f"{bos} $A $B:1", special_tokens=[(bos, core.token_to_id(bos))]
    )
    return fast(core, names, side)


def fast(core: Any, names: dict[str, Any], side: str) -> Any:
    return hf().PreTrainedTokenizerFast(tokenizer_object=core, model_max_length=8192, padding_side=side, **names)
