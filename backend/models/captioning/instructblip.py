"""InstructBLIP: BLIP-2 whose Q-Former reads the instruction too; with Vicuna (causal) or Flan-T5 (encoder-decoder)."""

from pathlib import Path
from typing import Any, ClassVar

import torch

from backend.errors import UsageError
from backend.models.captioning.blip2 import Blip2
from backend.models.hf import pooled, transformers
from backend.models.request import Request
from backend.models.unloadable import REFUSALS, first_line, refuse_wordless


class InstructBlip(Blip2):
    """The instruction is the one with which its authors evaluate captioning (LAVIS, COCO and NoCaps). A model tuned on
    instructions was never asked for a caption without one. The Q-Former and the language model both read it; it is not
    scored. The caption is cut into tokens apart from it, as in training."""

    family: ClassVar[str] = "instructblip"
    prompt: ClassVar[str] = "A short image caption."

    def __init__(self, request: Request) -> None:
        self.instruction = qformer_ids(request, self.prompt)
        super().__init__(request)

    def queries(self, pixels: torch.Tensor) -> torch.Tensor:
        instruction = self.tensor([self.instruction] * len(pixels))
        return pooled(self.module.get_image_features(pixel_values=pixels, qformer_input_ids=instruction))


def qformer_ids(request: Request, prompt: str) -> list[int]:
    """The instruction as the Q-Former's own tokenizer, which lies in a folder of its own, writes it."""
    folder: Path = request.folder / "qformer_tokenizer"
    try:
        tokenizer: Any = transformers.AutoTokenizer.from_pretrained(
            str(folder), local_files_only=True, trust_remote_code=request.trust_remote_code
        )
    except REFUSALS as error:
        raise UsageError(
            f"{request.spec}: {request.folder} has no usable tokenizer for its Q-Former ({first_line(error)}). "
            "Download the model again."
        ) from error
    refuse_wordless(request.spec, folder, tokenizer)
    return list(tokenizer(prompt)["input_ids"])
