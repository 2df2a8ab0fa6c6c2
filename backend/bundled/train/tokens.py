"""The tokenizer that all bundled models share: the world's words whole, any other word letter by letter (WordPiece)."""

import string
from collections.abc import Sequence
from typing import Any, Final

PAD, BOS, UNK, EOS = "[PAD]", "[BOS]", "[UNK]", "[EOS]"
#: EOS is not 2: Hugging Face's CLIP treats eos_token_id 2 as a legacy mark and pools at the largest id instead.
SPECIAL: Final = (PAD, BOS, UNK, EOS)
PAD_ID, BOS_ID, UNK_ID, EOS_ID = range(4)
#: A caption of the world has at most 24 tokens; a misspelt word has about as many as letters.
MAX_TOKENS: Final = 64
#: What a word outside the vocabulary is read by: every printable ASCII character, capitals being lowered before.
CHARACTERS: Final = tuple(sorted({*string.ascii_lowercase, *string.digits, *string.punctuation}))
#: Marks a character that goes on a word, as in BERT's vocabularies.
GOES_ON: Final = "##"


def vocabulary() -> list[str]:
    """All tokens in the order of their ids: special ones, the world's words, characters that begin or go on a word."""
    from backend.world.language.words import VOCABULARY

    known = [*SPECIAL, *VOCABULARY]
    begins = [character for character in CHARACTERS if character not in VOCABULARY]
    return [*known, *begins, *(GOES_ON + character for character in CHARACTERS)]


def tokenizer() -> Any:
    """A `PreTrainedTokenizerFast`: lower-cased `[BOS] words [EOS]`, padded on the right.

    A word of the world is one token. Another is read by its longest beginning that is one, then character by character
    ("starr" as star ##r, "squrae" as s ##q ##u ##r ##a ##e); a word with a character that is not ASCII is `[UNK]`.
    """
    from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast

    numbered = {token: number for number, token in enumerate(vocabulary())}
    core = Tokenizer(models.WordPiece(numbered, unk_token=UNK, continuing_subword_prefix=GOES_ON))
    core.normalizer = normalizers.Lowercase()
    core.pre_tokenizer = pre_tokenizers.Whitespace()
    core.decoder = decoders.WordPiece(prefix=GOES_ON)
    core.post_processor = processors.TemplateProcessing(
        single=f"{BOS} $A {EOS}", special_tokens=[(BOS, BOS_ID), (EOS, EOS_ID)]
    )
    fast: Any = PreTrainedTokenizerFast
    return fast(
        tokenizer_object=core,
        pad_token=PAD,
        bos_token=BOS,
        eos_token=EOS,
        unk_token=UNK,
        cls_token=BOS,
        sep_token=EOS,
        model_max_length=MAX_TOKENS,
        padding_side="right",
    )


def token_ids(coder: Any, captions: Sequence[str]) -> tuple[Any, Any]:
    """(ids int64 (n, longest), attention mask int64 (n, longest)) as torch tensors."""
    batch = coder(list(captions), padding=True, truncation=True, return_tensors="pt")
    return batch["input_ids"], batch["attention_mask"]
