"""Random-weight models of real architectures, written to a folder as a hub model is laid out.

A file of this folder names its models in `CASES`; `tests/models/test_fidelity.py` and `make fidelity` go through all.
"""

import importlib.util
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

UNK = "[UNK]"
WORDS = [
    *["a", "an", "the", "red", "blue", "green", "cat", "dog", "mat", "ball", "cube"],
    *["chases", "on", "under", "left", "of", "right", "and", "two", "three"],
]
TEXTS = (
    "a cat",
    "the red ball on the blue mat",
    "a dog chases a cat under the green cube and two cats",
    "",
    "zebra",
    "a",
    "three dogs left of the mat",
)

TOWER = {"hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 2, "num_attention_heads": 4}
TEXT = {**TOWER, "vocab_size": len(WORDS) + 4, "max_position_embeddings": 16}
IDS = {"pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 3}
VISION = {**TOWER, "image_size": 32, "patch_size": 8}


@dataclass(frozen=True)
class Case:
    """One model of the zoo.

    name: the architecture, as docs/fidelity.md shows it. family: the registry's name.
    build: writes the folder and gives the module that was written, which the reference is asked through (None: the
        reference loads its own).
    spec: how the folder is loaded. needs: the transformers class, or the other library, without which the model cannot
        be made; empty where every supported installation has it.
    """

    name: str
    family: str
    build: Callable[[Path], Any]
    spec: str = "hf:{folder}"
    texts: tuple[str, ...] = TEXTS
    needs: str = ""

    @property
    def absent(self) -> str:
        """Why the installed transformers cannot make this model; empty where it can."""
        import transformers

        if not self.needs or hasattr(transformers, self.needs) or importlib.util.find_spec(self.needs):
            return ""
        return f"transformers {transformers.__version__} has no {self.needs}, and no library is called so"


def hf() -> Any:
    """transformers, imported when a model is built."""
    import transformers

    return transformers


def save(folder: Path, make: Callable[[], Any], *parts: Any, half: bool = False) -> Any:
    """Make a model from seed 7, stir its weights so that a wrong token or pixel would show, and write it with its
    tokenizer and processor. Gives the model, in float32."""
    import torch

    torch.manual_seed(7)
    model = make().eval()
    with torch.no_grad():
        for value in model.parameters():
            if value.ndim:
                value.add_(torch.randn_like(value) * 0.2)
    (model.half() if half else model).save_pretrained(folder)
    for part in parts:
        part.save_pretrained(folder)
    return model.float()


def word_tokenizer(limit: int = 16, side: str = "right", **more: Any) -> Any:
    """[PAD] [BOS] [UNK] [EOS] and the words; a text becomes [BOS] words [EOS]."""
    from tokenizers import Tokenizer, models, pre_tokenizers, processors

    vocabulary = {word: n for n, word in enumerate(["[PAD]", "[BOS]", "[UNK]", "[EOS]", *WORDS])}
    core = Tokenizer(models.WordLevel(vocabulary, unk_token=UNK))
    core.pre_tokenizer = pre_tokenizers.Whitespace()
    core.post_processor = processors.TemplateProcessing(
        single="[BOS] $A [EOS]", special_tokens=[("[BOS]", 1), ("[EOS]", 3)]
    )
    named = {"pad_token": "[PAD]", "bos_token": "[BOS]", "eos_token": "[EOS]", "unk_token": "[UNK]"}
    named |= {"cls_token": "[BOS]", "sep_token": "[EOS]"}
    return hf().PreTrainedTokenizerFast(
        tokenizer_object=core, model_max_length=limit, padding_side=side, **{**named, **more}
    )


def image_processor(kind: str = "CLIPImageProcessor") -> Any:
    size = {"height": 32, "width": 32}
    return getattr(hf(), kind)(
        size=size, crop_size=size, do_center_crop=False, image_mean=[0.4, 0.5, 0.6], image_std=[0.2, 0.25, 0.3]
    )
