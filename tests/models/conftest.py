"""Tiny random-weight folders of real architectures, with tokenizer and processor, as a hub model is laid out."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

UNK = "[UNK]"
WORDS = [
    "a",
    "an",
    "the",
    "red",
    "blue",
    "green",
    "cat",
    "dog",
    "mat",
    "ball",
    "cube",
    "chases",
    "on",
    "under",
    "left",
    "of",
]
WORDS += ["right", "and", "two", "three"]
TEXTS = [
    "a cat",
    "the red ball on the blue mat",
    "a dog chases a cat under the green cube and two cats",
    "",
    "zebra",
    "a",
    "three dogs left of the mat",
]


@pytest.fixture(scope="session")
def torch() -> Any:
    torch = pytest.importorskip("torch")
    torch.set_num_threads(2)
    return torch


@pytest.fixture(scope="session")
def hf(torch: Any) -> Any:
    import transformers

    return transformers


def word_tokenizer(hf: Any, limit: int = 16, side: str = "right", **more: Any) -> Any:
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
    return hf.PreTrainedTokenizerFast(
        tokenizer_object=core, model_max_length=limit, padding_side=side, **{**named, **more}
    )


TOWER = {"hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 2, "num_attention_heads": 4}
TEXT = {**TOWER, "vocab_size": len(WORDS) + 4, "max_position_embeddings": 16}
IDS = {"pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 3}
VISION = {**TOWER, "image_size": 32, "patch_size": 8}


@pytest.fixture(scope="session")
def write(torch: Any, tmp_path_factory: pytest.TempPathFactory) -> Callable[..., tuple[Path, Any]]:
    """Save a model with its tokenizer and processor; gives (folder, the reference model itself)."""

    def save(make: Callable[[], Any], *parts: Any, half: bool = False) -> tuple[Path, Any]:
        torch.manual_seed(7)
        model = make().eval()
        with torch.no_grad():
            for value in model.parameters():
                if value.ndim:
                    value.add_(torch.randn_like(value) * 0.2)  # random enough that a wrong token would show
        folder = tmp_path_factory.mktemp("model")
        (model.half() if half else model).save_pretrained(folder)
        for part in parts:
            part.save_pretrained(folder)
        return folder, model.float()

    return save


def image_processor(hf: Any, kind: str = "CLIPImageProcessor") -> Any:
    size = {"height": 32, "width": 32}
    return getattr(hf, kind)(
        size=size, crop_size=size, do_center_crop=False, image_mean=[0.4, 0.5, 0.6], image_std=[0.2, 0.25, 0.3]
    )


@pytest.fixture(scope="session")
def clip(hf: Any, write: Any) -> tuple[Path, Any]:
    config = hf.CLIPConfig(text_config={**TEXT, **IDS}, vision_config=VISION, projection_dim=24)
    return write(lambda: hf.CLIPModel(config), word_tokenizer(hf), image_processor(hf))  # type: ignore[no-any-return]


@pytest.fixture(scope="session")
def blip_config(hf: Any) -> Any:
    return hf.BlipConfig(
        text_config={**TEXT, **IDS, "sep_token_id": 3, "encoder_hidden_size": 32, "is_decoder": True},
        vision_config={**VISION, "initializer_range": 0.02},
        image_text_hidden_size=24,
        projection_dim=24,
    )


@pytest.fixture(scope="session")
def captioner(hf: Any, write: Any, blip_config: Any) -> tuple[Path, Any]:
    parts = (word_tokenizer(hf), image_processor(hf, "BlipImageProcessor"))
    return write(lambda: hf.BlipForConditionalGeneration(blip_config), *parts)  # type: ignore[no-any-return]


@pytest.fixture(scope="session")
def matcher(hf: Any, write: Any, blip_config: Any) -> tuple[Path, Any]:
    parts = (word_tokenizer(hf), image_processor(hf, "BlipImageProcessor"))
    return write(lambda: hf.BlipForImageTextRetrieval(blip_config), *parts)  # type: ignore[no-any-return]


@pytest.fixture(scope="session")
def gpt2(hf: Any, write: Any) -> tuple[Path, Any]:
    config = hf.GPT2Config(vocab_size=len(WORDS) + 4, n_positions=16, n_embd=32, n_layer=2, n_head=4, **IDS)
    return write(lambda: hf.GPT2LMHeadModel(config), word_tokenizer(hf, side="left"))  # type: ignore[no-any-return]


@pytest.fixture(scope="session")
def images() -> list[Image.Image]:
    """Seven different pictures of several sizes."""
    rng = np.random.default_rng(3)
    shapes = [(40, 30), (32, 32), (17, 64), (90, 50), (33, 31), (64, 64), (50, 20)]
    return [Image.fromarray(rng.integers(0, 256, (h, w, 3), dtype=np.uint8)) for h, w in shapes]
