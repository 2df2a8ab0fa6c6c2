"""Small vocabularies framed as the real ones are: which tokens start, close and pad a text."""

from typing import Any

from tests.zoo.base import WORDS, hf

#: OPT's newline as byte-level BPE writes it: the end of every caption in BLIP-2's training.
NEWLINE = "Ċ"
#: So that another instruction would give other scores.
INSTRUCTION = "A short image caption."


def tokenizer(specials: list[str], template: str, unk: str, spaces: bool = False, **named: Any) -> Any:
    """specials: the first ids. template: "<s> $A </s>". spaces: words carry their space, as SentencePiece's do."""
    from tokenizers import Tokenizer, models, pre_tokenizers, processors

    words = [f"▁{word}" if spaces else word for word in [*WORDS, *INSTRUCTION.split()]]
    vocabulary = {word: n for n, word in enumerate([*specials, *words, NEWLINE])}
    core = Tokenizer(models.WordLevel(vocabulary, unk_token=unk))
    core.pre_tokenizer = pre_tokenizers.Metaspace() if spaces else pre_tokenizers.WhitespaceSplit()
    framing = [(piece, vocabulary[piece]) for piece in dict.fromkeys(template.split()) if piece != "$A"]
    core.post_processor = processors.TemplateProcessing(single=template, special_tokens=framing)
    return hf().PreTrainedTokenizerFast(tokenizer_object=core, unk_token=unk, **named)


def opt(side: str = "right") -> Any:
    """</s> text: OPT starts with its end token, and pads with 1."""
    named = {"bos_token": "</s>", "eos_token": "</s>", "pad_token": "<pad>", "padding_side": side}
    return tokenizer(["<s>", "<pad>", "</s>", "<unk>"], "</s> $A", "<unk>", **named)


def t5() -> Any:
    """text </s>: no start token; decoders start with the padding."""
    return tokenizer(["<pad>", "</s>", "<unk>"], "$A </s>", "<unk>", eos_token="</s>", pad_token="<pad>")  # noqa: S106


def llama(side: str = "right") -> Any:
    """<s> text, as Vicuna's."""
    named = {"bos_token": "<s>", "eos_token": "</s>", "pad_token": "</s>", "padding_side": side}
    return tokenizer(["<unk>", "<s>", "</s>"], "<s> $A", "<unk>", spaces=True, **named)


def bert() -> Any:
    """[CLS] text [SEP]; no BOS or EOS by these names."""
    named = {"cls_token": "[CLS]", "sep_token": "[SEP]", "pad_token": "[PAD]"}
    return tokenizer(["[PAD]", "[UNK]", "[CLS]", "[SEP]"], "[CLS] $A [SEP]", "[UNK]", **named)


def gpt2() -> Any:
    """text: one token starts, closes and pads, and the tokenizer writes none of them."""
    end = "<|endoftext|>"
    return tokenizer([end], "$A", end, bos_token=end, eos_token=end, pad_token=end)


def roberta() -> Any:
    """<s> text </s>, as TrOCR's."""
    named = {"bos_token": "<s>", "cls_token": "<s>", "eos_token": "</s>", "sep_token": "</s>", "pad_token": "<pad>"}
    return tokenizer(["<s>", "<pad>", "</s>", "<unk>"], "<s> $A </s>", "<unk>", **named)


def xlm_roberta(side: str = "right") -> Any:
    """<s> text </s> with SentencePiece's spaces, as Kosmos-2's; its processor adds <image> and the others."""
    named = {"bos_token": "<s>", "cls_token": "<s>", "eos_token": "</s>", "sep_token": "</s>", "pad_token": "<pad>"}
    specials = ["<s>", "<pad>", "</s>", "<unk>"]
    return tokenizer(specials, "<s> $A </s>", "<unk>", spaces=True, padding_side=side, **named)
