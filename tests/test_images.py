import numpy as np
import pytest
from PIL import Image

from backend.errors import FlipsideError
from backend.images import open_image
from backend.items import ImageRef


@pytest.fixture
def picture(tmp_path):
    pixels = np.arange(6 * 4 * 3, dtype=np.uint8).reshape(4, 6, 3)
    path = tmp_path / "with:colon,1.png"
    Image.fromarray(pixels).save(path)
    return ImageRef("a.png", str(path)), pixels


def test_a_region_is_the_same_pixels(picture):
    ref, pixels = picture
    cropped = ref.cropped(1, 2, 3, 2)
    assert cropped.key == "a.png#1,2,3,2"
    assert np.array_equal(np.asarray(open_image(cropped.uri)), pixels[2:4, 1:4])


def test_what_a_region_has_outside_the_image_is_black_as_in_the_benchmarks_own_code(picture):
    ref, pixels = picture
    found = np.asarray(open_image(ref.cropped(-1, 3, 3, 2).uri))
    assert np.array_equal(found[0, 1:], pixels[3, :2])
    assert not found[1].any()
    assert not found[:, 0].any()


@pytest.mark.parametrize("box", [(0, 0, 0, 2), (6, 0, 2, 2), (0, 4, 2, 2), (-3, 0, 3, 2)])
def test_a_region_without_a_pixel_of_the_image_is_refused(picture, box):
    with pytest.raises(FlipsideError, match="lies outside its 6 x 4 pixels"):
        open_image(picture[0].cropped(*box).uri)


def test_a_region_of_a_missing_image_is_missing():
    assert ImageRef("a.png", "").cropped(1, 2, 3, 4) == ImageRef("a.png#1,2,3,4", "")
    with pytest.raises(FlipsideError, match=r"b.png: no such image file"):
        open_image("crop:0,0,1,1:/nowhere/b.png")
    with pytest.raises(FlipsideError, match="expected crop:x,y,width,height"):
        open_image("crop:1,2,3:/nowhere/b.png")


def test_an_array_is_blue_green_red(tmp_path, picture):
    _, pixels = picture
    np.save(tmp_path / "frame.npy", pixels[:, :, ::-1])
    assert np.array_equal(np.asarray(open_image(f"bgr:{tmp_path / 'frame.npy'}")), pixels)
    assert np.array_equal(np.asarray(open_image(f"crop:1,1,2,2:bgr:{tmp_path / 'frame.npy'}")), pixels[1:3, 1:3])


@pytest.mark.parametrize(
    ("array", "says"),
    [
        (np.zeros((4, 6, 3), np.float32), "of float32"),
        (np.zeros(512, np.uint8), r"\(512,\)"),
        (np.array([{"a": 1}], dtype=object), "cannot be read as an array"),
    ],
)
def test_features_and_objects_are_no_images(tmp_path, array, says):
    np.save(tmp_path / "x.npy", array, allow_pickle=True)
    with pytest.raises(FlipsideError, match=says):
        open_image(f"bgr:{tmp_path / 'x.npy'}")
