"""Sentence encoders: folders of sentence-transformers with each pooling, and plain encoders."""

import importlib
from functools import partial
from pathlib import Path
from typing import Any

from tests.zoo.base import TEXTS, TOWER, Case, hf, save
from tests.zoo.texts.blind import FAIRSEQ, T5_SIZES
from tests.zoo.texts.tokenizers import END, LIMIT, close_with, tokenizer

#: Where the library keeps them in version 6; in 5 they are its `models`.
MODULES = "sentence_transformer.modules"
RIGHT: dict[str, Any] = {"max_position_embeddings": LIMIT + 2, **FAIRSEQ}
#: architecture -> (class, tokenizer, what its config needs)
KNOWN: dict[str, tuple[str, str, dict[str, Any]]] = {
    "BERT": ("Bert", "bert", {"pad_token_id": 0}),
    "RoBERTa": ("Roberta", "roberta", RIGHT),
    "XLM-R": ("XLMRoberta", "xlm-roberta", RIGHT),
    "MPNet": ("MPNet", "mpnet", {"max_position_embeddings": LIMIT + 2, "pad_token_id": 1}),
    "NomicBERT": ("NomicBert", "bert", {"pad_token_id": 0}),
    "GPT-NeoX": ("GPTNeoX", "gpt_neox", {}),
    "Qwen2": ("Qwen2", "qwen2", {"num_key_value_heads": 2}),
    "T5": ("T5", "t5", {**T5_SIZES, "pad_token_id": 0, "eos_token_id": 1}),
}


def encoder(folder: Path, name: str, close: str = "", **changes: Any) -> None:
    """A transformers folder: the encoder and its tokenizer, which ends every text with `close`."""
    kind, spelling, more = KNOWN[name]
    tokens = tokenizer(spelling, **changes)
    if close:
        close_with(tokens, close)
    sizes = {} if kind == "T5" else {"max_position_embeddings": LIMIT, **TOWER}
    config = getattr(hf(), f"{kind}Config")(vocab_size=len(tokens), **{**sizes, **more})
    save(folder, lambda: getattr(hf(), "T5EncoderModel" if kind == "T5" else f"{kind}Model")(config), tokens)


def sentence(folder: Path, name: str, pooling: Any, dense: int = 0, prompts: Any = None, **changes: Any) -> None:
    """A sentence-transformers folder around it; the first of the prompts is the default one."""
    import torch

    library: Any = importlib.import_module("sentence_transformers")
    parts: Any = importlib.import_module(f"sentence_transformers.{MODULES}")
    plain = folder.with_name(f"{folder.name}-plain")
    encoder(plain, name, **changes)
    modules = [parts.Transformer(str(plain)), parts.Pooling(TOWER["hidden_size"], pooling_mode=pooling)]
    if dense:
        torch.manual_seed(8)
        modules += [parts.Dense(modules[1].pooling_output_dimension, dense), parts.Normalize()]
    named = {"prompts": prompts, "default_prompt_name": next(iter(prompts))} if prompts else {}
    library.SentenceTransformer(modules=modules, device="cpu", **named).save(str(folder))


def case(name: str, arch: str, pooling: Any = None, spec: str = "st:{folder}", texts: Any = TEXTS, **more: Any) -> Case:
    """A sentence-transformers folder, or a plain encoder where no pooling is named."""
    build = partial(sentence, name=arch, pooling=pooling, **more) if pooling else partial(encoder, name=arch, **more)
    return Case(name, "sentence", build, spec, texts)


#: GPT-NeoX makes no token of an empty text.
WORDED = tuple(filter(None, TEXTS))
PROMPTS = {"query": "the red: ", "document": "a blue: "}
CASES = [
    case("BERT, mean, pads left", "BERT", "mean", padding_side="left"),
    case("BERT, mean and max, Dense, normalised", "BERT", ("mean", "max"), dense=12, spec="hf:{folder}"),
    case("XLM-R, CLS", "XLM-R", "cls"),
    case("MPNet, mean over √length, with a prompt", "MPNet", "mean_sqrt_len_tokens", prompts=PROMPTS),
    case("NomicBERT, mean, with a prompt", "NomicBERT", "mean", prompts=PROMPTS),
    case("GPT-NeoX, weighted mean", "GPT-NeoX", "weightedmean", texts=WORDED, pad_token=END),
    case("Qwen2, last token, pads left", "Qwen2", "lasttoken", close=END, padding_side="left"),
    case("sentence-T5, mean, Dense, normalised", "T5", "mean", dense=12),
    case("BERT, plain, mean", "BERT"),
    case("BERT, plain, CLS, pads left", "BERT", spec="st:{folder}#cls", padding_side="left"),
    case("RoBERTa, plain, last token", "RoBERTa", spec="st:{folder}#last"),
    case("T5 encoder, plain, mean", "T5", spec="hf:{folder}"),
]
