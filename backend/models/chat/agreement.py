"""Does a model's cache continue a prefix exactly? Asked of the loaded model itself, once."""

import logging
from collections.abc import Sequence
from typing import Any, Protocol

import torch

from backend.models.chat.prefix import Prefix
from backend.models.chat.prompt import Dialogue, Prompt
from backend.models.chat.sight import Seen
from backend.models.fidelity import HALF, TOLERANCE
from backend.models.torch_model import out_of_memory

log = logging.getLogger(__name__)
#: Over a whole vocabulary, the largest of 100,000 rounding errors; a wrong position or mask shows as 1 and more.
SLACK = 4
CAPTIONS = ("a cat", "a red cube to the left of a blue ball")


class Speaker(Protocol):
    """What is asked of a loaded chat VLM here."""

    spec: str
    module: Any
    dtype: torch.dtype
    dialogue: Dialogue
    pad_id: int

    def answers(self, prompt: Prompt, texts: Sequence[str]) -> list[list[int]]:
        """Token ids of each text, with what closes it."""

    def reference(self) -> Seen:
        """The grey reference picture under the caption's prompt."""


def shares_prefix(model: Speaker) -> bool:
    """Whether two captions of different lengths get the same log-probabilities behind a kept prefix as read whole,
    each alone: then positions, masks and windows continue as they should, and padding is not seen."""
    prompt = model.dialogue.caption()
    tails = [row[:-1] for row in model.answers(prompt, CAPTIONS)]
    kind = int(model.dialogue.whole_prompt)
    try:
        with torch.inference_mode():
            seen = model.reference()
            kept, whole = (Prefix(model.module, seen, seen.ids, tail_type=kind) for _ in range(2))
            kept.read()
            together = kept.logits(tails, model.pad_id).float().log_softmax(-1)
            apart = 0.0
            for row, tail in zip(together, tails, strict=True):
                alone = whole.logits([tail], model.pad_id)[0].float().log_softmax(-1)
                apart = max(apart, float((row[: len(alone)] - alone).abs().max()))
    except Exception as error:  # whatever a cache raises that cannot be copied or continued
        if isinstance(error, RuntimeError) and out_of_memory(error):
            raise
        log.info("%s: its cache cannot be continued (%s); every text is read with its image", model.spec, error)
        return False
    half = HALF.get(str(model.dtype).removeprefix("torch."))
    if not apart <= (TOLERANCE if half is None else SLACK * half):
        log.info("%s: a kept prefix is off by %.2g; every text is read with its image", model.spec, apart)
        return False
    return True
