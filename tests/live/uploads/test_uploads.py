from io import BytesIO

import numpy as np
import pytest
from PIL import Image

from backend.errors import FlipsideError
from backend.live.uploads import uploads


def encoded(image: Image.Image, kind: str, **options: object) -> bytes:
    buffer = BytesIO()
    image.save(buffer, kind, **options)
    return buffer.getvalue()


def gradient(size: tuple[int, int] = (40, 30)) -> Image.Image:
    return Image.linear_gradient("L").resize(size).convert("RGB")


def test_a_jpeg_named_png_is_decoded_for_what_it_is() -> None:
    upload = uploads.decode(encoded(gradient(), "JPEG"), "photo.png")
    assert upload.image.mode == "RGB"
    assert upload.image.size == (40, 30)


@pytest.mark.parametrize(
    ("data", "name", "says"),
    [
        (b"just words", "words.png", "is not a picture"),
        (b"", "nothing.jpg", "is empty"),
        (encoded(gradient((400, 300)), "JPEG")[:900], "cut.jpg", "damaged or cut short"),
        (encoded(gradient((400, 300)), "PNG")[:300], "cut.png", "damaged or cut short"),
        (b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n", "x.eps", "is not a picture"),
        (b"\0" * (uploads.MAX_BYTES + 1), "big.png", "MB"),
    ],
)
def test_bad_bytes_get_one_sentence_that_names_the_file(data: bytes, name: str, says: str) -> None:
    with pytest.raises(FlipsideError) as caught:
        uploads.decode(data, name)
    message = str(caught.value)
    assert name in message
    assert says in message
    assert "\n" not in message


@pytest.mark.parametrize("size", [(8000, 7000), (30_000, 30_000)])
def test_too_many_pixels_are_refused_before_decoding(size: tuple[int, int], monkeypatch: pytest.MonkeyPatch) -> None:
    data = encoded(Image.new("1", (8, 8)), "PNG")
    data = data[:16] + size[0].to_bytes(4, "big") + size[1].to_bytes(4, "big") + data[24:]
    import zlib

    data = data[:29] + zlib.crc32(data[12:29]).to_bytes(4, "big") + data[33:]
    monkeypatch.setattr(Image.Image, "load", lambda _: pytest.fail("pixels were decoded"))
    with pytest.raises(FlipsideError, match="million pixels"):
        uploads.decode(data, "bomb.png")


@pytest.mark.parametrize("mode", ["1", "L", "LA", "P", "RGBA", "CMYK", "I;16", "YCbCr"])
def test_every_mode_becomes_rgb(mode: str) -> None:
    grey = gradient()
    if mode == "I;16":
        image = Image.fromarray((np.arange(1200).reshape(30, 40) * 50).astype(np.uint16))
        data = encoded(image, "PNG")
    else:
        data = encoded(grey.convert(mode), "TIFF" if mode in ("CMYK", "YCbCr") else "PNG")
    image = uploads.decode(data, "x").image
    assert image.mode == "RGB"
    assert len(set(image.convert("L").tobytes())) > 1


def test_a_sixteen_bit_picture_is_scaled_not_cut_off() -> None:
    ramp = np.linspace(0, 60_000, 1200).reshape(30, 40).astype(np.uint16)
    seen = np.asarray(uploads.decode(encoded(Image.fromarray(ramp), "PNG"), "x").image.convert("L"))
    assert 100 < np.median(seen) < 155


def test_exif_rotation_is_applied() -> None:
    exif = Image.Exif()
    exif[0x0112] = 6
    assert uploads.decode(encoded(gradient((40, 30)), "JPEG", exif=exif), "x").image.size == (30, 40)


def test_an_animation_gives_its_first_frame_and_says_so() -> None:
    frames = [Image.new("RGB", (9, 9), colour) for colour in ("red", "blue")]
    upload = uploads.decode(encoded(frames[0], "GIF", save_all=True, append_images=frames[1:]), "x.gif")
    assert upload.image.getpixel((4, 4)) == (255, 0, 0)
    assert "first frame" in upload.notes[0]


def test_large_pictures_are_reduced_and_say_so() -> None:
    upload = uploads.decode(encoded(gradient((3000, 1500)), "JPEG"), "x.jpg")
    assert upload.image.size == (2048, 1024)
    assert "reduced" in upload.notes[0]


def test_saved_uploads_come_back_by_their_hash_until_deleted() -> None:
    upload = uploads.decode(encoded(gradient(), "PNG"), "x.png")
    address = uploads.save(upload)
    assert address == uploads.save(upload) == f"upload:{upload.key}"
    again = uploads.load(address)
    assert uploads.content_key(again.image) == upload.key
    uploads.delete(address)
    with pytest.raises(FlipsideError, match="deleted"):
        uploads.load(address)


@pytest.mark.parametrize("address", ["upload:../../etc/passwd", "upload:", "upload:" + "Z" * 64])
def test_addresses_that_are_no_hash_are_refused(address: str) -> None:
    with pytest.raises(FlipsideError, match="no shared picture"):
        uploads.load(address)
