"""Grey of more than eight bits: the same picture for models, pages and uploads, or a sentence."""

import io

import numpy as np
import pytest
from PIL import Image

from backend import images
from backend.errors import FlipsideError
from backend.images import open_image, open_item, open_stored, to_rgb
from backend.live.uploads import uploads

VALUES = np.array([[0, 255, 256, 0x1234], [0x8000, 0xFEFF, 0xFF00, 0xFFFF]], np.uint16)
SEEN = np.array([[0, 0, 1, 0x12], [0x80, 0xFE, 0xFF, 0xFF]], np.uint8)


@pytest.mark.parametrize("suffix", ["png", "tif", "pgm"])
def test_sixteen_bits_are_their_upper_eight_wherever_they_are_seen(tmp_path, suffix):
    path = tmp_path / f"a.{suffix}"
    Image.fromarray(VALUES).save(path)
    for door in (open_image, open_item, open_stored):
        assert np.array_equal(np.asarray(door(str(path)))[..., 0], SEEN)
    if suffix != "pgm":
        assert np.array_equal(np.asarray(uploads.decode(path.read_bytes(), "a").image)[..., 1], SEEN)
    assert images.wrong(path.read_bytes()) == ""


@pytest.mark.parametrize("mode", ["I;16", "I;16L", "I;16B"])
def test_every_order_of_bytes(mode):
    image = Image.frombytes(mode, (4, 2), VALUES.astype(">u2" if mode == "I;16B" else "<u2").tobytes())
    assert np.array_equal(np.asarray(to_rgb(image))[..., 2], SEEN)


def test_turned_and_transparent(tmp_path):
    exif = Image.Exif()
    exif[0x0112] = 6
    Image.fromarray(VALUES).save(tmp_path / "a.png", exif=exif, transparency=0x1234)
    found = np.asarray(open_image(str(tmp_path / "a.png")))[..., 0]
    expected = SEEN.copy()
    expected[0, 3] = 255  # laid on white
    assert np.array_equal(found, np.rot90(expected, -1))


def test_white_is_zero(tmp_path):
    Image.fromarray(VALUES).save(tmp_path / "a.tif", tiffinfo={262: 0})
    assert np.array_equal(np.asarray(open_image(str(tmp_path / "a.tif")))[..., 0], 255 - SEEN)


@pytest.mark.parametrize("mode", ["I", "F"])
def test_what_has_no_agreed_range_is_refused_by_name(tmp_path, mode):
    path = tmp_path / "depth.tif"
    Image.new(mode, (4, 2), 1).save(path)
    for door in (open_image, open_item, open_stored):
        with pytest.raises(FlipsideError, match=rf"depth\.tif: .*\(mode {mode}\).*Save it as 8-bit RGB"):
            door(str(path))
    with pytest.raises(FlipsideError, match=r"“depth\.tif”: .*Save it as 8-bit RGB"):
        uploads.decode(path.read_bytes(), "depth.tif")
    with pytest.raises(FlipsideError, match="Save it as 8-bit RGB"):
        to_rgb(Image.new(mode, (4, 2)))
    assert "neither what is black" in images.wrong(path.read_bytes())


def test_colours_multiplied_by_their_alpha_lie_on_white():
    assert to_rgb(Image.new("RGBA", (1, 1), (200, 10, 10, 0)).convert("RGBa")).getpixel((0, 0)) == (255, 255, 255)
    buffer = io.BytesIO()
    Image.new("LA", (1, 1), (200, 0)).save(buffer, "PNG")
    assert to_rgb(Image.open(buffer)).getpixel((0, 0)) == (255, 255, 255)
