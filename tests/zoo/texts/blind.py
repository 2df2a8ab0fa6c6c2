"""Encoder-decoder and masked language models."""

from functools import partial
from pathlib import Path
from typing import Any

from tests.zoo.base import TEXTS, TOWER, Case, hf, save
from tests.zoo.texts.tokenizers import LIMIT, tokenizer

T5_SIZES = {"d_model": 32, "d_kv": 8, "d_ff": 48, "num_layers": 2, "num_heads": 4}
BART_SIZES = {
    "d_model": 32,
    "max_position_embeddings": LIMIT,
    **{f"{side}_{name}": n for side in ("encoder", "decoder") for name, n in (("layers", 2), ("ffn_dim", 48))},
    **{f"{side}_attention_heads": 4 for side in ("encoder", "decoder")},
}
FAIRSEQ = {"bos_token_id": 0, "pad_token_id": 1, "eos_token_id": 2}
#: architecture -> (class, tokenizer, what its config needs)
SEQ2SEQ: dict[str, tuple[str, str, dict[str, Any]]] = {
    "T5": ("T5", "t5", {**T5_SIZES, "pad_token_id": 0, "eos_token_id": 1, "decoder_start_token_id": 0}),
    "mT5": (
        "MT5",
        "t5",
        {
            **T5_SIZES,
            "pad_token_id": 0,
            "eos_token_id": 1,
            "decoder_start_token_id": 0,
            "feed_forward_proj": "gated-gelu",
        },
    ),
    "BART": ("Bart", "bart", {**BART_SIZES, **FAIRSEQ, "decoder_start_token_id": 2, "forced_bos_token_id": 0}),
    "mBART": ("MBart", "mbart", {**BART_SIZES, **FAIRSEQ}),
    "mBART-50": ("MBart", "mbart50", {**BART_SIZES, **FAIRSEQ, "decoder_start_token_id": 2}),
    "Pegasus": (
        "Pegasus",
        "pegasus",
        {**BART_SIZES, "pad_token_id": 0, "eos_token_id": 1, "decoder_start_token_id": 0},
    ),
}
MASKED: dict[str, tuple[str, str, dict[str, Any]]] = {
    "BERT": ("Bert", "bert", {"pad_token_id": 0}),
    "RoBERTa": ("Roberta", "roberta", {"max_position_embeddings": LIMIT + 2, **FAIRSEQ}),
    "XLM-R": ("XLMRoberta", "xlm-roberta", {"max_position_embeddings": LIMIT + 2, **FAIRSEQ}),
    "ALBERT": ("Albert", "albert", {"embedding_size": 16, "pad_token_id": 0}),
    "DistilBERT": ("DistilBert", "bert", {"dim": 32, "hidden_dim": 48, "n_layers": 2, "n_heads": 4}),
    "MPNet": ("MPNet", "mpnet", {"max_position_embeddings": LIMIT + 2, "pad_token_id": 1}),
}


def seq2seq(folder: Path, name: str, **changes: Any) -> Any:
    kind, spelling, sizes = SEQ2SEQ[name]
    tokens = tokenizer(spelling, **changes)
    config = getattr(hf(), f"{kind}Config")(vocab_size=len(tokens), **sizes)
    return save(folder, lambda: getattr(hf(), f"{kind}ForConditionalGeneration")(config), tokens)


def masked(folder: Path, name: str, **changes: Any) -> Any:
    kind, spelling, more = MASKED[name]
    tokens = tokenizer(spelling, **changes)
    sizes = {} if kind == "DistilBert" else TOWER
    settings = {"max_position_embeddings": LIMIT, **sizes, **more}
    config = getattr(hf(), f"{kind}Config")(vocab_size=len(tokens), **settings)
    return save(folder, lambda: getattr(hf(), f"{kind}ForMaskedLM")(config), tokens)


CASES = [
    *(Case(name, "seq2seq-lm", partial(seq2seq, name=name), spec="lm:{folder}") for name in SEQ2SEQ),
    Case("T5, its own mask", "seq2seq-lm", partial(seq2seq, name="T5"), spec="lm:{folder}#mask"),
    Case(
        "BART, empty, pads left",
        "seq2seq-lm",
        partial(seq2seq, name="BART", padding_side="left"),
        spec="lm:{folder}#empty",
    ),
    *(Case(f"{name} PLL", "masked-lm", partial(masked, name=name)) for name in MASKED),
    Case("BERT PLL, pads left", "masked-lm", partial(masked, name="BERT", padding_side="left"), spec="lm:{folder}"),
    Case("BERT PLL, word by word", "masked-lm", partial(masked, name="BERT"), spec="lm:{folder}#l2r"),
    Case(
        "RoBERTa PLL, word by word",
        "masked-lm",
        partial(masked, name="RoBERTa"),
        "lm:{folder}#l2r",
        TEXTS[4:] + TEXTS[:1],
    ),
]
