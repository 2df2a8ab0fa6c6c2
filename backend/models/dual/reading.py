"""How a dual encoder's text tower reads: padded as it was trained, in the letters it was trained on."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from backend.models.hf import Texts, pad
from backend.models.request import Request

#: Trained on texts padded to the full length, without a mask; the padding is part of what they read.
FULL_LENGTH = ("siglip", "siglip2")


class Reading(Texts):
    """A folder's tokenizer as the dual encoder behind it was trained to be fed.

    SigLIP pools the last position, whatever stands there, so its texts are padded to the full length on the side its
    tokenizer says. SigLIP 2 was trained on lower-cased text (its authors, big_vision issue 187); its fixed-resolution
    checkpoints name a Gemma tokenizer that is told `do_lower_case` and does not heed it, so it is done here.

    width: the length that every text is padded to, or 0 where the longest text of a batch is enough.
    """

    def __init__(self, request: Request, config: Any) -> None:
        super().__init__(request, config.text_config)
        full = str(config.model_type) in FULL_LENGTH
        self.width = self.limit if full else 0
        self.left = full and self.tokenizer.padding_side == "left"
        self.lower = full and unheeded_lowercase(self.tokenizer)
        self.masked = "attention_mask" in self.tokenizer.model_input_names  # SigLIP's tokenizers say: no mask

    def ids(self, texts: Sequence[str], special: bool = True) -> list[list[int]]:
        return super().ids(self.spelt(texts), special)

    def cut_ids(self, texts: Sequence[str]) -> list[list[int]]:
        return super().cut_ids(self.spelt(texts))

    def spelt(self, texts: Sequence[str]) -> list[str]:
        """The texts in the letters that the tower was trained on."""
        return [text.lower() for text in texts] if self.lower else list(texts)

    def batch(self, rows: Sequence[Sequence[int]]) -> dict[str, NDArray[np.int64]]:
        """Padded ids, (n, length), and their mask where the tower takes one."""
        turned = [row[::-1] for row in rows] if self.left else rows
        ids, mask = pad(turned, self.pad_id, self.width)
        if self.left:
            ids, mask = np.ascontiguousarray(ids[:, ::-1]), np.ascontiguousarray(mask[:, ::-1])
        return {"input_ids": ids, "attention_mask": mask} if self.masked else {"input_ids": ids}

    def settings(self) -> dict[str, Any]:
        """What is done to a text, for the run's record, whose hash names the run: what is not done is not in it."""
        padding = "full length" + (", left" if self.left else "") if self.width else "longest, masked"
        lower = {"lower_cased_here": True} if self.lower else {}
        return {"limit": self.limit, "padding": padding, **lower}


def unheeded_lowercase(tokenizer: Any) -> bool:
    """Whether a tokenizer's settings ask for lower case and its normaliser keeps capitals all the same."""
    if not tokenizer.init_kwargs.get("do_lower_case"):
        return False
    normalizer = getattr(getattr(tokenizer, "backend_tokenizer", None), "normalizer", None)
    return normalizer is None or normalizer.normalize_str("A") != "a"
