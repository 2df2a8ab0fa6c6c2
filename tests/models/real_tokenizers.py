"""Small vocabularies under the real tokenizer classes, with the start, end and padding tokens that the hub's have."""

from typing import Any

from tests.zoo.base import WORDS, hf

#: Places enough for a caption spelt letter by letter, too few for the longest of the fidelity checks.
LETTERS = 40


def byte_letters() -> list[str]:
    """The 256 letters that byte-level BPE writes bytes with."""
    from tokenizers.pre_tokenizers import ByteLevel

    return sorted(ByteLevel.alphabet())


def clip(limit: int = LETTERS) -> Any:
    """CLIPTokenizer: <|startoftext|> text <|endoftext|>, the end token also pads and has the highest id."""
    letters = byte_letters()
    vocabulary = [*letters, *(f"{letter}</w>" for letter in letters), "ca", "cat</w>", "<|startoftext|>"]
    ids = {piece: number for number, piece in enumerate([*vocabulary, "<|endoftext|>"])}
    return hf().CLIPTokenizer(vocab=ids, merges=[("c", "a"), ("ca", "t</w>")], model_max_length=limit)


def roberta(limit: int = LETTERS) -> Any:
    """RobertaTokenizer: <s> text </s>, <pad> is 1."""
    pieces = ["<s>", "<pad>", "</s>", "<unk>", *byte_letters(), "ca", "cat", "<mask>"]
    ids = {piece: number for number, piece in enumerate(pieces)}
    return hf().RobertaTokenizer(vocab=ids, merges=[("c", "a"), ("ca", "t")], model_max_length=limit)


def bert(limit: int = 16) -> Any:
    """BertTokenizer, lower-casing: [CLS] text [SEP], with token types."""
    pieces = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *WORDS]
    return hf().BertTokenizer(vocab={piece: n for n, piece in enumerate(pieces)}, model_max_length=limit)


def gemma(limit: int = LETTERS, **more: Any) -> Any:
    """GemmaTokenizer as SigLIP 2's conversion sets it up: text <eos>, no <bos>, padded on the right, no mask."""
    letters = [chr(n) for n in range(32, 127)]
    pieces = ["<pad>", "<eos>", "<bos>", "<unk>", "<mask>", "▁", *letters[1:], *(f"<0x{n:02X}>" for n in range(256))]
    settings = {"padding_side": "right", "model_input_names": ["input_ids"], "do_lower_case": True}
    settings |= {"add_bos_token": False, "add_eos_token": True}
    ids = {piece: number for number, piece in enumerate(pieces)}
    return hf().GemmaTokenizer(vocab=ids, merges=[], model_max_length=limit, **{**settings, **more})
