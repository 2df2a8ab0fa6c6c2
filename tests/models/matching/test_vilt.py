from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from backend.models import load
from tests.zoo import matching_heads

TEXTS = ["a cat", "the red ball on the blue mat", "", "a dog"]


@pytest.fixture
def vilt(tmp_path: Path, torch: Any) -> tuple[Path, Any]:
    return tmp_path, matching_heads.vilt(tmp_path)


def test_equals_a_padded_batch_of_the_processors(vilt: Any, torch: Any, hf: Any, images: list[Any]) -> None:
    """The library's way with images of different sizes is a pixel mask; ours is not to mix them. Same scores."""
    folder, model = vilt
    tokenizer, pictures = hf.AutoTokenizer.from_pretrained(folder), hf.AutoImageProcessor.from_pretrained(folder)
    both = hf.ViltProcessor(pictures, tokenizer)(images[:4], TEXTS, return_tensors="pt", padding=True)
    assert len({tuple(mask.sum((0,)).tolist()) for mask in both["pixel_mask"]}) > 1
    with torch.no_grad():
        want = model(**both).logits[:, 0].numpy()
    got = load(f"hf:{folder}", device="cpu").itm_logits(images[:4], TEXTS)
    np.testing.assert_allclose(got, want, atol=1e-4)
    assert np.ptp(want) > 1e-2


def test_the_company_changes_nothing_and_neither_does_the_generator(vilt: Any, torch: Any, images: list[Any]) -> None:
    mine = load(f"hf:{vilt[0]}", device="cpu")
    alone = [mine.itm_logits([image], ["a cat"])[0] for image in images]
    torch.manual_seed(1)
    before = torch.get_rng_state()
    together = mine.itm_logits([*images, *images[::-1]], ["a cat"] * 14)
    assert torch.equal(torch.get_rng_state(), before)
    np.testing.assert_allclose(together, [*alone, *alone[::-1]], atol=1e-5)
    torch.manual_seed(2)
    assert mine.itm_logits([*images, *images[::-1]], ["a cat"] * 14).tolist() == together.tolist()


def test_no_patch_is_left_to_chance(torch: Any, tmp_path: Path, images: list[Any]) -> None:
    """With a limit of 6 patches the library itself samples: its own two answers differ. Ours reads all of them."""
    for name, limit in (("all", -1), ("six", 6)):
        (tmp_path / name).mkdir()
        model = matching_heads.vilt(tmp_path / name, limit)
    with torch.no_grad():
        inputs = {"input_ids": torch.tensor([[2, 5, 11, 3]]), "attention_mask": torch.ones(1, 4, dtype=torch.long)}
        inputs["pixel_values"], inputs["pixel_mask"] = torch.randn(1, 3, 32, 32), torch.ones(1, 32, 32)
        own = {model(**inputs).logits.item() for _ in range(4)}
    assert max(own) - min(own) > 1e-3
    every, six = (load(f"hf:{tmp_path / name}", device="cpu") for name in ("all", "six"))
    np.testing.assert_allclose(
        six.itm_logits(images, ["a cat"] * 7), every.itm_logits(images, ["a cat"] * 7), atol=1e-5
    )
    assert six.describe()["preprocessing"]["patches"] == "all"


def test_the_record_says_what_the_number_is(vilt: Any) -> None:
    mine = load(f"hf:{vilt[0]}", device="cpu")
    assert mine.kinds == {"itm"}
    assert mine.image_size is None
    assert "rank" in mine.describe()["preprocessing"]["match_output"]


def test_a_strip_is_widened_just_enough(vilt: Any) -> None:
    mine: Any = load(f"hf:{vilt[0]}", device="cpu")
    # The longer side becomes 53 pixels at most, so that 8 of the shorter one need at least 90 × 7.5 / 53 = 12.7.
    assert mine.pictures.widened(Image.new("RGB", (3, 90))).size == (13, 90)
    assert mine.pictures.widened(Image.new("RGB", (90, 3))).size == (90, 13)
    assert mine.pictures.widened(Image.new("RGB", (13, 90))).size == (13, 90)
    assert mine.pictures([Image.new("RGB", (3, 90))])["pixel_values"].shape == (1, 3, 48, 8)
    assert np.isfinite(mine.itm_logits([Image.new("RGB", (1, 190))], ["a cat"])).all()
