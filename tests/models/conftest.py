"""Tiny random-weight folders of real architectures, with tokenizer and processor, as a hub model is laid out."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from tests.zoo import base
from tests.zoo.base import IDS, TEXT, TOWER, VISION, WORDS  # noqa: F401

TEXTS = list(base.TEXTS)


@pytest.fixture(scope="session")
def torch() -> Any:
    return pytest.importorskip("torch")


@pytest.fixture(scope="session")
def hf(torch: Any) -> Any:
    import transformers

    return transformers


def word_tokenizer(_hf: Any, limit: int = 16, side: str = "right", **more: Any) -> Any:
    return base.word_tokenizer(limit, side, **more)


@pytest.fixture(scope="session")
def write(torch: Any, tmp_path_factory: pytest.TempPathFactory) -> Callable[..., tuple[Path, Any]]:
    """Save a model with its tokenizer and processor; gives (folder, the reference model itself)."""

    def save(make: Callable[[], Any], *parts: Any, half: bool = False) -> tuple[Path, Any]:
        folder = tmp_path_factory.mktemp("model")
        return folder, base.save(folder, make, *parts, half=half)

    return save


def image_processor(_hf: Any, kind: str = "CLIPImageProcessor") -> Any:
    return base.image_processor(kind)


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
