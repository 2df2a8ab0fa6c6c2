from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from backend.errors import FlipsideError, UsageError
from backend.images import to_rgb
from backend.models import load
from backend.models.pictures import unique_by_identity


def photo(mode: str = "RGB", size: tuple[int, int] = (41, 23)) -> Image.Image:
    pixels = np.random.default_rng(1).integers(0, 256, (size[1], size[0], 3), dtype=np.uint8)
    return Image.fromarray(pixels).convert(mode)


def transparent() -> Image.Image:
    image = photo("RGBA")
    image.putalpha(128)
    return image


def rotated() -> Image.Image:
    """A picture whose EXIF says that it must be turned."""
    image = photo()
    image.getexif()[0x0112] = 6
    return image


ODD = {
    "RGBA": transparent(),
    "palette": photo("P"),
    "grey": photo("L"),
    "grey with alpha": photo("LA"),
    "bits": photo("1"),
    "CMYK": photo("CMYK"),
    "one pixel": photo(size=(1, 1)),
    "one column": photo(size=(1, 90)),
    "three high": photo(size=(3, 3)),
    "EXIF": rotated(),
}


@pytest.mark.parametrize("family", ["clip", "captioner"])
def test_odd_images_are_what_the_processor_makes_of_their_rgb(
    family: str, request: pytest.FixtureRequest, hf: Any
) -> None:
    folder = request.getfixturevalue(family)[0]
    mine: Any = load(f"hf:{folder}", device="cpu")
    processor = hf.AutoImageProcessor.from_pretrained(folder)
    for name, image in ODD.items():
        large = to_rgb(image).resize((32, 32), processor.resample, reducing_gap=None)
        want = (np.asarray(large, dtype=np.float32) / 255 - [0.4, 0.5, 0.6]) / [0.2, 0.25, 0.3]
        pixels = mine.pictures([image])["pixel_values"][0].numpy()
        difference = np.abs(pixels - want.transpose(2, 0, 1))  # torchvision rounds and clips unlike PIL at extremes
        assert difference.mean() < 0.01, name
        assert difference.max() < 0.3, name
    assert mine.pictures(list(ODD.values()))["pixel_values"].shape == (len(ODD), 3, 32, 32)


def test_a_turned_picture_is_turned(clip: Any) -> None:
    mine = load(f"hf:{clip[0]}", device="cpu")
    upright = photo().transpose(Image.Transpose.ROTATE_270)
    vectors = mine.encode_images([rotated(), upright, photo()])
    np.testing.assert_allclose(vectors[0], vectors[1], atol=1e-5)
    assert np.abs(vectors[0] - vectors[2]).max() > 1e-3


def test_paths_images_and_arrays_in_one_call(clip: Any, tmp_path: Path) -> None:
    file = tmp_path / "photo.png"
    photo().save(file)
    mine: Any = load(f"hf:{clip[0]}", device="cpu")
    pixels = mine.pictures([photo()])["pixel_values"][0].numpy()
    vectors = mine.encode_images([file, str(file), photo(), pixels])
    for vector in vectors[1:]:
        np.testing.assert_allclose(vector, vectors[0], atol=1e-5)


def test_repeated_images_are_encoded_once(clip: Any) -> None:
    mine = load(f"hf:{clip[0]}", device="cpu")
    seen: list[int] = []
    mine.module.vision_model.register_forward_hook(
        lambda _m, _a, kwargs, _o: seen.append(len(kwargs["pixel_values"])), with_kwargs=True
    )
    one, two = photo(), photo(size=(20, 20))
    vectors = mine.encode_images([one, two, one, one, two])
    assert sum(seen) == 2
    np.testing.assert_array_equal(vectors[0], vectors[3])
    np.testing.assert_array_equal(vectors[1], vectors[4])


def test_unique_by_identity() -> None:
    one, same = photo(), photo()
    uniques, index = unique_by_identity([one, same, one, "a.png", Path("a.png")])
    assert [id(u) for u in uniques[:2]] == [id(one), id(same)]
    assert index.tolist() == [0, 1, 0, 2, 2]


def test_what_is_no_image_is_refused(clip: Any, tmp_path: Path) -> None:
    mine = load(f"hf:{clip[0]}", device="cpu")
    text = tmp_path / "text.png"
    text.write_text("no image")
    with pytest.raises(FlipsideError, match="cannot be read as an image"):
        mine.encode_images([str(text)])
    with pytest.raises(FlipsideError, match="no such image file"):
        mine.encode_images([tmp_path / "absent.png"])
    with pytest.raises(UsageError, match=r"shape \(4, 4\)"):
        mine.encode_images([np.zeros((4, 4), dtype=np.float32)])
    with pytest.raises(FlipsideError, match="too narrow"):
        mine.encode_images([photo(size=(1, 5000))])
