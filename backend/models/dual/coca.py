"""open_clip's CoCa: a dual encoder whose text tower also feeds a captioning decoder."""

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
import torch
from numpy.typing import NDArray

from backend.items import Kind
from backend.models.base import Picture, TokenScores, check_pairs
from backend.models.causal import Framed, empty_scores, score
from backend.models.dual.openclip import OpenClip
from backend.models.once import each_image_once


class CoCa(OpenClip):
    """A caption is <start_of_text> tokens <end_of_text>; the logits at position k are of the token at k + 1.

    The text tower appends its own class token behind the whole text, whose embedding serves itc and t2t alone: no
    caption token sees it. So captions, unlike texts to embed, may be cut behind their closing token.
    """

    family: ClassVar[str] = "coca"
    kinds = frozenset({Kind.ITC, Kind.T2T, Kind.GEN, Kind.PRIOR})

    def caption_logprobs(self, images: Sequence[Picture], texts: Sequence[str]) -> list[TokenScores]:
        check_pairs(images, texts)
        framed = self.framed(texts)
        out = empty_scores(len(texts))

        def work(part: NDArray[np.int64], patches: torch.Tensor) -> None:
            ids, _ = framed.batch(part, self.module.pad_id)
            _, states = self.module.text(self.tensor(ids))
            score(self, framed, part, self.module.text_decoder(patches, states), out)

        each_image_once(self, images, framed.lengths, self.patches, work)
        return out

    def patches(self, images: Sequence[Picture]) -> torch.Tensor:
        """What the decoder sees of each image, (n, positions, width)."""
        pixels = self.on_device([self.pixels(image) for image in images])
        _, patches = self.module.visual(pixels)
        return torch.as_tensor(patches)

    def framed(self, texts: Sequence[str]) -> Framed:
        """The tokenizer's own rows, which it cuts in front of the closing token, without the padding behind it."""
        if not texts:
            return Framed([])
        rows = self.tokenizer(list(texts)).tolist()
        return Framed([row[:length] for row, length in zip(rows, self.text_lengths(texts).tolist(), strict=True)])

    def pieces(self, ids: Sequence[int]) -> list[str]:
        """The tokens behind some ids, as the vocabulary spells them."""
        if hasattr(self.tokenizer, "decoder"):
            return [str(self.tokenizer.decoder[i]) for i in ids]
        return [str(piece) for piece in self.tokenizer.tokenizer.convert_ids_to_tokens(list(ids))]

    def preprocessing(self) -> dict[str, Any]:
        ((start, *_, end),) = (self.pieces(row) for row in self.framed([""]).rows)
        return {**super().preprocessing(), "scored": f"tokens after {start}, with the final {end}", "prompt": ""}
