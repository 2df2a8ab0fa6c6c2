"""Null images: noise in the place of the processor's own pixels."""

from typing import Any

import numpy as np
import pytest
from PIL import Image

from backend.errors import UsageError
from backend.models.fidelity import pictures
from tests.models.chat.conftest import every

#: Models that see every picture as one of this many pixels.
FIXED = {
    **dict.fromkeys(
        ("LLaVA-1.5", "LLaVA-1.5, pads right, without chat template", "ViP-LLaVA", "DeepSeek-VL", "Janus"), 32
    ),
    **dict.fromkeys(("PaliGemma", "PaliGemma 2, pads left", "Gemma 3"), 32),
    "Gemma 3n": 64,
    "FastVLM": 64,
    "Aria": 980,
}


@pytest.mark.slow
@pytest.mark.parametrize("name", every())
def test_noise_is_standard_normal_in_every_pixel_and_scores(chat: Any, name: str) -> None:
    model, _, _ = chat(name)
    three = model.noise_images(3, seed=5)
    assert all(image.dtype == np.float32 for image in three)
    np.testing.assert_array_equal(three[0], model.noise_images(1, seed=5)[0])
    real = np.concatenate([mask.ravel() for mask in model.sight.real.values()])
    pixels = np.concatenate([image.ravel()[real] for image in three])
    assert not three[0].ravel()[~real].any()
    if name == "Gemma 4":  # the module takes pixels from 0 to 1 and does this itself
        pixels = 2 * (pixels - 0.5)
    assert abs(pixels.mean()) < 0.06
    assert pixels.std() == pytest.approx(1.0, abs=0.05)
    side = FIXED.get(name)
    assert model.image_size == (None if side is None else (side, side))
    assert (three[0].shape == (3, side, side)) == (name in FIXED)
    sums = model.prior_from(three, ["a cat", "the red ball on the blue mat"])
    assert sums.shape == (3, 2)
    assert (sums < 0).all()
    assert len(set(sums[:, 0].tolist())) == 3
    mixed = model.caption_logprobs([three[0], pictures()[0]], ["a cat", "a cat"])
    assert mixed[0][1].sum() == pytest.approx(sums[0, 0], abs=1e-4)


def test_the_model_sees_the_noise_itself(chat: Any, torch: Any) -> None:
    """LLaVA-1.5's pixels are the array, neither resized nor normalised again."""
    model, _, _ = chat("LLaVA-1.5")
    noise = model.noise_images(1, seed=0)[0]
    seen = model.sight.look(noise, model.dialogue.caption())
    np.testing.assert_array_equal(seen.picture["pixel_values"][0].numpy(), noise)


def test_both_frames_of_a_still_image_are_equal(chat: Any) -> None:
    """As Qwen's processor makes them of a picture; seen on its own output first."""
    model, _, _ = chat("Qwen2-VL")
    real = model.reference().picture["pixel_values"].numpy()
    photo = model.sight.look(pictures()[4], model.dialogue.caption()).picture["pixel_values"].numpy()
    noise = model.noise_images(1, seed=0)[0]
    for patches in (photo, noise):
        frames = patches.reshape(len(patches), 3, 2, -1)
        np.testing.assert_array_equal(frames[:, :, 0], frames[:, :, 1])
        assert frames[:, 0].std() > 0
    assert noise.shape == real.shape


def test_a_hybrid_gets_noise_at_both_resolutions(chat: Any) -> None:
    """Two towers, two tensors, no pixel of one resized from the other."""
    model, _, _ = chat("DeepSeek-VL, two resolutions (hybrid)")
    noise = model.noise_images(1, seed=0)[0]
    picture = model.sight.look(noise, model.dialogue.caption()).picture
    small, large = picture["pixel_values"], picture["high_res_pixel_values"]
    assert (tuple(small.shape), tuple(large.shape)) == ((1, 3, 32, 32), (1, 3, 128, 128))
    np.testing.assert_array_equal(noise, np.concatenate([small.numpy().ravel(), large.numpy().ravel()]))
    assert large.std().item() == pytest.approx(1.0, abs=0.05)


def test_padding_tiles_stay_as_the_processor_leaves_them(chat: Any, torch: Any) -> None:
    """Llama 3.2 Vision's towers see the tiles without picture, so noise there would be another input."""
    model, _, _ = chat("Llama 3.2 Vision (mllama)")
    small = model.sight.process(Image.new("RGB", (20, 20), "grey"), model.dialogue.caption())
    assert small["aspect_ratio_mask"].tolist() == [[[1, 0, 0, 0]]]
    assert not small["pixel_values"][0, 0, 1:].any()
    seen = model.sight.look(Image.new("RGB", (20, 20), "grey"), model.dialogue.caption())
    noisy = {**seen.picture, "pixel_values": seen.picture["pixel_values"].clone()}
    noisy["pixel_values"][0, 0, 1:] = torch.randn(noisy["pixel_values"][0, 0, 1:].shape)
    ids = {"input_ids": torch.tensor([seen.ids]), **seen.marks}
    with torch.no_grad():
        clean, other = (model.module(**ids, **part).logits[0, -1] for part in (seen.picture, noisy))
    assert float((clean - other).abs().max()) > 1e-4


def test_an_array_of_another_shape_is_no_null_image(chat: Any) -> None:
    model, _, _ = chat("InternVL")
    with pytest.raises(UsageError, match="no null image here"):
        model.caption_logprobs([np.zeros((3, 32, 32), dtype=np.float32)], ["a cat"])
