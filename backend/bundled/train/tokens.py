"""The word-level tokenizer that all bundled models share, made from the world's vocabulary."""

from collections.abc import Sequence
from typing import Any, Final

PAD, BOS, UNK, EOS = "[PAD]", "[BOS]", "[UNK]", "[EOS]"
#: EOS is not 2: Hugging Face's CLIP treats eos_token_id 2 as a legacy mark and pools at the largest id instead.
SPECIAL: Final = (PAD, BOS, UNK, EOS)
PAD_ID, BOS_ID, UNK_ID, EOS_ID = range(4)
MAX_TOKENS: Final = 32


def tokenizer() -> Any:
    """A `PreTrainedTokenizerFast`: lower-cased words, `[BOS] words [EOS]`, padded on the right."""
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast

    from backend.world.language.words import VOCABULARY

    vocabulary = {word: number for number, word in enumerate([*SPECIAL, *VOCABULARY])}
    core = Tokenizer(models.WordLevel(vocabulary, unk_token=UNK))
    core.normalizer = normalizers.Lowercase()
    core.pre_tokenizer = pre_tokenizers.Whitespace()
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
