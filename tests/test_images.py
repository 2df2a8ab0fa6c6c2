import subprocess
import sys

import numpy as np
import pytest
from PIL import Image, ImageOps

from backend import images
from backend.errors import FlipsideError
from backend.images import open_image, open_stored, to_rgb
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


def test_what_a_page_opens_is_bounded(tmp_path, monkeypatch):
    """A picture of 4 KB that decodes to gigabytes would take the server's memory."""
    monkeypatch.setattr(images, "MOST_STORED", 10_000)
    Image.new("RGB", (200, 100)).save(tmp_path / "a.png")
    Image.new("RGB", (200, 100)).save(tmp_path / "a.jpg")
    with pytest.raises(FlipsideError, match="200 x 100 pixels, more than"):
        open_stored(str(tmp_path / "a.png"), 20)
    assert open_stored(str(tmp_path / "a.jpg"), 20).size == (20, 10)  # decoded at a fraction of its size
    assert open_image(str(tmp_path / "a.png")).size == (200, 100)


@pytest.mark.parametrize(
    ("uri", "says"),
    [
        ("crop:0,0,99999,99999:{}", "as no image has"),
        ("crop:0,0,1,1:" * 10_000 + "{}", "expected crop:"),
        ("crop:" + "9" * 5000 + ",0,1,1:{}", "expected crop:"),
        ("{}\0", "cannot be read"),
        ("world:nonsense", "no scene of the bundled world"),
    ],
)
@pytest.mark.parametrize("door", [open_image, open_stored])
def test_regions_without_end_are_refused_in_a_sentence(picture, uri, says, door):
    with pytest.raises(FlipsideError, match=says) as said:
        door(uri.format(picture[0].uri))
    assert len(str(said.value)) < 1000


def test_an_array_that_promises_more_than_it_holds(tmp_path):
    path = tmp_path / "a.npy"
    with path.open("wb") as out:
        np.lib.format.write_array_header_1_0(
            out, {"descr": "|u1", "fortran_order": False, "shape": (1 << 20, 1 << 20, 3)}
        )
        out.write(b"x")
    with pytest.raises(FlipsideError, match="cannot be read as an array"):
        open_stored(f"bgr:{path}")


@pytest.mark.parametrize("door", [open_image, open_stored])
def test_a_format_that_another_program_decodes_is_never_opened(tmp_path, monkeypatch, door):
    (tmp_path / "a.png").write_bytes(b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n%%EndComments\n")
    (tmp_path / "gs").write_text("#!/bin/sh\ntouch ran\n")
    (tmp_path / "gs").chmod(0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    with pytest.raises(FlipsideError, match="cannot be read as an image"):
        door(str(tmp_path / "a.png"))
    assert not (tmp_path / "ran").exists()


def test_a_picture_for_a_page_is_small(tmp_path):
    Image.new("RGB", (300, 200)).save(tmp_path / "a.jpg")
    assert open_stored(str(tmp_path / "a.jpg"), 96).size == (96, 64)
    assert open_stored(str(tmp_path / "a.jpg")).size == (300, 200)


def test_a_picture_that_is_too_large_is_said_in_pixels_and_a_large_one_is_opened_in_silence(tmp_path, monkeypatch):
    path = tmp_path / "large.png"
    Image.new("RGB", (300, 100)).save(path)
    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", 14_000)
    with pytest.raises(FlipsideError, match=r"large\.png: has more than 28,000 pixels, .*Make the picture smaller"):
        open_image(str(path))
    code = (
        "from PIL import Image; from backend.images import open_image; Image.MAX_IMAGE_PIXELS = 20_000; "
        f"print(open_image({str(path)!r}).size)"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert (said.stdout.strip(), said.stderr) == ("(300, 100)", "")


def turned(image: Image.Image) -> Image.Image:
    image.getexif()[0x0112] = 6
    return image


@pytest.mark.parametrize("change", [
    turned, lambda image: image.convert("L"), lambda image: image.convert("P"), lambda image: image.convert("CMYK"),
    lambda image: image.info.update(transparency=(1, 2, 3)) or image,
])  # fmt: skip
def test_what_is_no_upright_rgb_is_made_so_and_left_alone(picture, change):
    given = change(Image.open(picture[0].uri).convert("RGB"))
    before = given.tobytes()
    found = to_rgb(given)
    assert found is not given
    assert (found.mode, given.tobytes()) == ("RGB", before)
    assert to_rgb(found) is found
    if "transparency" not in given.info:
        assert found.tobytes() == ImageOps.exif_transpose(given).convert("RGB").tobytes()


def test_an_opened_file_becomes_an_image_in_memory(picture):
    with Image.open(picture[0].uri) as opened:
        found = to_rgb(opened)
    assert type(found) is Image.Image
    assert found.tobytes() == picture[1].tobytes()
