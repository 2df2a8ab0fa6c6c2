"""Small tokenizers of the real classes, with the special tokens where the real ones have them."""

import string
from typing import Any

from tests.zoo.base import WORDS, Case, hf

CASES: list[Case] = []  # no models in here

LETTERS = [*string.ascii_letters]
BYTES = [f"<0x{n:02X}>" for n in range(256)]
#: More than any text of the zoo has in single bytes, which is how these tokenizers spell.
LIMIT = 96


def numbered(*tokens: str) -> dict[str, int]:
    return {token: n for n, token in enumerate(tokens)}


def byte_level(*special: str) -> dict[str, Any]:
    """GPT-2's spelling: a byte a token."""
    from tokenizers import pre_tokenizers

    return {"vocab": numbered(*special, *sorted(pre_tokenizers.ByteLevel.alphabet())), "merges": [], **MORE}


def spelled(*special: str) -> dict[str, Any]:
    """LLaMA's and Gemma's spelling: letters, other bytes by number."""
    return {"vocab": numbered(*special, "▁", *LETTERS, *BYTES), "merges": [], **MORE}


def unigram(*special: str, last: tuple[str, ...] = ()) -> dict[str, Any]:
    """SentencePiece: whole words and, for others, letters."""
    pieces = [(word, 0.0) for word in special] + [("▁" + word, -1.0) for word in WORDS] + [("▁", -3.0)]
    return {"vocab": pieces + [(c, -5.0) for c in LETTERS] + [(word, 0.0) for word in last], **MORE}


def pieces(*special: str) -> dict[str, Any]:
    """BERT's spelling: whole words and, for others, letters."""
    letters = [*string.ascii_lowercase]
    return {"vocab": numbered(*special, *WORDS, *letters, *("##" + c for c in letters)), **MORE}


MORE: dict[str, Any] = {"model_max_length": LIMIT}
END = "<|endoftext|>"
OPT = {"bos_token": "</s>", "eos_token": "</s>", "unk_token": "</s>", "pad_token": "<pad>", "add_bos_token": True}
FAIRSEQ = ("<s>", "<pad>", "</s>", "<unk>")
SENTINELS = tuple(f"<extra_id_{n}>" for n in (3, 2, 1, 0))
LANGUAGES = ("en_XX", "de_DE", "<mask>")


def tokenizer(name: str, **more: Any) -> Any:
    """The tokenizer of an architecture."""
    made: dict[str, tuple[str, dict[str, Any]]] = {
        "gpt2": ("GPT2Tokenizer", byte_level(END)),
        "opt": ("GPT2Tokenizer", {**byte_level(*FAIRSEQ), **OPT}),
        "gpt_neox": ("GPTNeoXTokenizer", byte_level(END, "<|padding|>")),
        "qwen2": ("Qwen2Tokenizer", {**byte_level(END, "<|im_start|>", "<|im_end|>"), "eos_token": "<|im_end|>"}),
        "llama": ("LlamaTokenizer", {**spelled("<unk>", "<s>", "</s>"), "add_bos_token": True}),
        "gemma": ("GemmaTokenizer", {**spelled("<pad>", "<eos>", "<bos>", "<unk>", "<mask>"), "add_bos_token": True}),
        "t5": ("T5Tokenizer", {**unigram("<pad>", "</s>", "<unk>", last=SENTINELS), "extra_ids": 4}),
        "bart": ("BartTokenizer", byte_level(*FAIRSEQ, "<mask>")),
        "mbart": ("MBartTokenizer", unigram(*FAIRSEQ, last=LANGUAGES)),
        "mbart50": ("MBart50Tokenizer", unigram(*FAIRSEQ, last=LANGUAGES)),
        "pegasus": ("PegasusTokenizer", {**unigram("<pad>", "</s>", "<unk>", "<mask_1>", "<mask_2>"), "offset": 5}),
        "bert": ("BertTokenizer", pieces("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")),
        "roberta": ("RobertaTokenizer", byte_level(*FAIRSEQ, "<mask>")),
        "albert": ("AlbertTokenizer", unigram("<pad>", "<unk>", "[CLS]", "[SEP]", "[MASK]")),
        "xlm-roberta": ("XLMRobertaTokenizer", unigram(*FAIRSEQ, last=("<mask>",))),
        "mpnet": ("MPNetTokenizer", pieces(*FAIRSEQ, "[UNK]", "<mask>")),
    }
    kind, settings = made[name]
    return getattr(hf(), kind)(**{**settings, **more})


def close_with(found: Any, token: str) -> None:
    """Let the tokenizer end every text with a token, as embedding models of causal decoders do."""
    from tokenizers import processors

    found.backend_tokenizer.post_processor = processors.TemplateProcessing(
        single=f"$A {token}", special_tokens=[(token, found.convert_tokens_to_ids(token))]
    )
