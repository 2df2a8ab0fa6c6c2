"""InstructBLIP, through InstructBlipForConditionalGeneration's `forward`."""

from typing import ClassVar

from backend.models.reference.captioning import blip2


class InstructBlip(blip2.Blip2):
    """The processor writes the instruction for the Q-Former and for the language model."""

    prompt: ClassVar[str] = "A short image caption."
