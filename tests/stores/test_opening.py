import io
import re
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from backend.benchmarks import load_benchmark
from backend.engine.inputs import image_bytes
from backend.errors import FlipsideError, UsageError
from backend.images import open_image, open_stored
from backend.stores import opening
from tests.stores.stores import memory_store, put, s3_server


def png(colour, size=(6, 4)) -> bytes:
    stream = io.BytesIO()
    Image.new("RGB", size, colour).save(stream, "PNG")
    return stream.getvalue()


@pytest.fixture
def store():
    return memory_store()


def test_a_picture_is_opened_where_it_lies(store):
    put(store, {"a/red.png": png("red")})
    assert open_image(f"{store}/a/red.png").getpixel((0, 0)) == (255, 0, 0)
    assert open_stored(f"{store}/a/red.png", 3).size == (3, 2)
    assert open_image(f"crop:1,1,2,2:{store}/a/red.png").size == (2, 2)


def test_an_array_of_pixels_is_opened_where_it_lies(store):
    stream = io.BytesIO()
    np.save(stream, np.full((2, 3, 3), (0, 0, 255), np.uint8))
    put(store, {"frame.npy": stream.getvalue()})
    assert open_image(f"bgr:{store}/frame.npy").getpixel((2, 1)) == (255, 0, 0)


def test_a_pictures_digest_is_that_of_its_bytes_wherever_they_lie(store, tmp_path):
    put(store, {"red.png": png("red")})
    (tmp_path / "red.png").write_bytes(png("red"))
    assert image_bytes.digest(f"{store}/red.png") == image_bytes.digest(str(tmp_path / "red.png"))
    assert image_bytes.digest(f"{store}/none.png") == ""


def test_a_picture_is_fetched_once_to_be_decoded_and_known(store, monkeypatch):
    put(store, {"red.png": png("red")})
    fetched = []
    filesystem = opening.filesystem(store)
    original = filesystem.cat_file
    monkeypatch.setattr(filesystem, "cat_file", lambda url: fetched.append(url) or original(url))
    url = f"{store}/red.png"
    open_image(url)
    image_bytes.digest(url)
    assert fetched == [url]
    opening.read(url, kept=False)
    assert len(fetched) == 2


@pytest.mark.parametrize("data", [b"", b"no picture", png("red")[:-30]])
def test_what_is_no_picture_is_said_with_its_address(store, data):
    put(store, {"a.png": data})
    with pytest.raises(FlipsideError, match=r"a\.png: cannot be read as an image"):
        open_image(f"{store}/a.png")


def test_a_missing_picture_is_said_with_its_address(store):
    with pytest.raises(FlipsideError, match=r"none\.png: no such image file"):
        open_image(f"{store}/none.png")


def test_a_store_that_refuses_is_a_sentence(store, monkeypatch):
    monkeypatch.setattr(opening.filesystem(store), "cat_file", lambda _: (_ for _ in ()).throw(PermissionError("no")))
    with pytest.raises(FlipsideError, match=r"the store does not give it .PermissionError: no"):
        opening.read(f"{store}/a")


def test_a_package_that_is_not_there_is_said_with_what_installs_it(monkeypatch):
    import fsspec

    def missing(scheme):
        raise ImportError(f"Install it to access {scheme}")

    monkeypatch.setattr(fsspec, "filesystem", missing)
    with pytest.raises(FlipsideError, match=r"pip install 'flipside\[s3\] @ file:"):
        opening.read("s3://bucket/a")
    with pytest.raises(FlipsideError, match="pip install 'gcsfs'"):
        opening.read("gs://bucket/a")


@pytest.mark.parametrize("name", ["https://a.b/c.png", "http://169.254.169.254/x", "file:///etc/passwd", "ssh://h/x"])
def test_addresses_of_the_web_and_of_other_machines_are_none(name):
    assert not opening.is_url(name)
    with pytest.raises(FlipsideError, match="no such image file"):
        open_image(name)


def test_names_are_listed_relative_to_what_is_asked_for(store):
    put(store, {"a/b.txt": b"1", "c.txt": b"22"})
    assert {name: info["size"] for name, info in opening.listing(store).items()} == {"a/b.txt": 1, "c.txt": 2}
    assert [*opening.listing(f"{store}/a")] == ["b.txt"]


@pytest.mark.long
def test_a_bucket_that_is_not_there_is_a_sentence(monkeypatch):
    with s3_server(monkeypatch) as store:
        other = store.replace("flipside", "flipsdie")
        for work in (lambda: opening.listing(f"{other}/x"), lambda: opening.write(f"{other}/x/a", b"1")):
            with pytest.raises(FlipsideError, match=r"s3://flipsdie/x.*: the store says: .*bucket.*Check the name"):
                work()


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("s3:", "s3://: names no folder; expected s3://BUCKET/FOLDER."),
        ("memory:/", "memory://: names no folder; expected memory://BUCKET/FOLDER."),
        ("s4:/b/x", "s4://b/x: unknown scheme 's4'. Did you mean s3://? Known: s3, gs, az, abfs, memory."),
        ("https:/a.b/c.zip", "https://a.b/c.zip: nothing is read from the web here. Download the files"),
    ],
)
def test_an_address_of_no_store_is_not_looked_for_as_a_folder(address, said):
    with pytest.raises(UsageError, match=re.escape(said)):
        load_benchmark("sugarcrepe", Path(address))


def test_a_folder_may_be_called_so(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "s4:" / "b").mkdir(parents=True)
    opening.refuse_other_scheme("s4:/b")
