"""The training path shows what the models see at evaluation."""

import numpy as np
import pytest

from backend.world import sample
from backend.world.dice import seeded
from backend.world.drawing.fast import MODEL_RESAMPLE, MODEL_SIZE, PIXEL_MEAN, PIXEL_STD, small_batch
from backend.world.drawing.render import image, pixels


@pytest.mark.long
def test_small_pictures_are_the_resized_big_ones() -> None:
    dice = seeded(5)
    scenes = [sample(dice) for _ in range(150)]
    for scene, small in zip(scenes, small_batch(scenes), strict=True):
        assert np.abs(pixels(scene, MODEL_SIZE).astype(int) - small).max() <= 2


def test_small_pictures_are_what_a_clip_image_processor_makes() -> None:
    from transformers import CLIPImageProcessor

    dice = seeded(6)
    scenes = [sample(dice) for _ in range(12)]
    size = {"height": MODEL_SIZE, "width": MODEL_SIZE}
    processor = CLIPImageProcessor(
        size=size, resample=MODEL_RESAMPLE, do_center_crop=False, image_mean=PIXEL_MEAN, image_std=PIXEL_STD
    )
    seen = processor(images=[image(scene) for scene in scenes], return_tensors="np")["pixel_values"]
    mean, std = np.float32(PIXEL_MEAN), np.float32(PIXEL_STD)
    quick = (small_batch(scenes).astype(np.float32) / 255 - mean) / std
    assert np.abs(seen.transpose(0, 2, 3, 1) - quick).max() * PIXEL_STD[2] * 255 <= 2.01


def test_the_statistics_are_those_of_training_pictures() -> None:
    dice = seeded(7)
    batch = small_batch([sample(dice) for _ in range(600)]) / 255
    assert np.abs(batch.mean((0, 1, 2)) - PIXEL_MEAN).max() < 0.01
    assert np.abs(batch.std((0, 1, 2)) - PIXEL_STD).max() < 0.01
