"""Parquet tables with the pictures inside, as hubs serve them, by `import custom` without any code."""

import hashlib
import io
import json
import re
import struct
import zlib
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from PIL import Image

from backend import images
from backend.benchmarks.custom.columns import columns
from backend.benchmarks.custom.mapping import of_table
from backend.benchmarks.custom.opening import opened
from backend.benchmarks.reading.packed import keep, picture_columns, rows
from backend.errors import FlipsideError, UsageError
from backend.items import Protocol, Skipped


def png(seed: int) -> bytes:
    pixels = np.random.default_rng(seed).integers(0, 255, (8, 8, 3), dtype=np.uint8)
    file = io.BytesIO()
    Image.fromarray(pixels).save(file, "PNG")
    return file.getvalue()


def colorswap(path, rows, first=0):
    """ColorSwap's columns, as its owners publish them: two pictures inside, two captions."""
    ids = range(first, first + rows)
    picture = pa.struct([("bytes", pa.binary()), ("path", pa.string())])
    held = [[{"bytes": png(2 * k + side), "path": f"{k}.png"} for k in ids] for side in (0, 1)]
    table = pa.table(
        {
            "id": pa.array(list(ids), pa.int64()),
            "image_1": pa.array(held[0], picture),
            "image_2": pa.array(held[1], picture),
            "caption_1": [f"a red {k} and a blue dog" for k in ids],
            "caption_2": [f"a blue {k} and a red dog" for k in ids],
            "image_source": ["midjourney"] * rows,
        }
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(table, path)
    return path


def test_quads_are_guessed_and_read(tmp_path):
    path = colorswap(tmp_path / "data" / "test-00000-of-00001.parquet", 3)
    assert picture_columns(path) == ("image_1", "image_2")
    kinds = {column.name: column.kind for column in columns(path)}
    assert (kinds["image_1"], kinds["caption_1"]) == ("image", "text")
    assert of_table(path).protocol == "quad"
    first, *rest = opened(tmp_path, "colorswap").open_items()
    assert len(rest) == 2
    assert (first.item_id, first.subset, first.protocol) == ("test/0", "test", Protocol.QUAD)
    assert first.texts == ("a red 0 and a blue dog", "a blue 0 and a red dog")
    assert first.tags["split"] == ("test",)
    for image, seed in zip(first.images, (0, 1), strict=True):
        assert image.key == f"sha256:{hashlib.sha256(png(seed)).hexdigest()[:16]}"
        assert Path(image.uri).read_bytes() == png(seed)


def test_looking_at_columns_unpacks_no_picture(tmp_path, flipside_cache):
    columns(colorswap(tmp_path / "t.parquet", 3))
    assert not (flipside_cache / "images").exists()


def test_shards_of_a_split_are_one_subset(tmp_path):
    for number in (0, 1):
        colorswap(tmp_path / f"test-0000{number}-of-00002.parquet", 2, first=2 * number)
    items = list(opened(tmp_path, "colorswap").open_items())
    assert [item.item_id for item in items] == ["test/0", "test/1", "test/2", "test/3"]
    assert {item.subset for item in items} == {"test"}


def test_rows_without_ids_of_several_shards_stay_apart(tmp_path):
    for number in (0, 1):
        path = colorswap(tmp_path / f"test-0000{number}-of-00002.parquet", 2)
        pq.write_table(pq.read_table(path).drop_columns(["id"]), path)
    ids = [item.item_id for item in opened(tmp_path, "colorswap").open_items()]
    assert ids == ["test/0-1", "test/0-2", "test/1-1", "test/1-2"]


def test_bytes_alone_a_missing_picture_and_one_that_is_none(tmp_path):
    path = tmp_path / "c.parquet"
    table = {"image": pa.array([png(1), None, b"no picture"], pa.binary()), "caption": ["a", "b", "c"],
             "negative_caption": ["d", "e", "f"]}  # fmt: skip
    pq.write_table(pa.table(table), path)
    there, gone, damaged = opened(path).open_items()
    assert [item.images[0].missing for item in (there, gone)] == [False, True]
    assert (damaged.file, damaged.item) == ("c.parquet", "3")
    assert gone.images[0].key == "c/2"


def test_a_pool_groups_captions_by_the_picture(tmp_path):
    path = tmp_path / "pool.parquet"
    table = {"image": pa.array([png(1), png(2), png(1)], pa.binary()), "caption": ["a", "b", "c"]}
    pq.write_table(pa.table(table), path)
    found = [item for item in opened(path).open_items() if not isinstance(item, Skipped)]
    assert [item.texts for item in found] == [("a", "c"), ("b",)]


def test_a_broken_file_is_named(tmp_path):
    path = colorswap(tmp_path / "t.parquet", 3)
    path.write_bytes(path.read_bytes()[:-200])
    with pytest.raises(FlipsideError, match=r"t\.parquet"):
        list(opened(path).open_items())


@pytest.mark.long
def test_from_the_hubs_file_to_rates_without_code(tmp_path, flipside):
    colorswap(tmp_path / "data" / "test-00000-of-00001.parquet", 6)
    kept = flipside("import", "custom", "--data", tmp_path, "--as", "colorswap", "--json").json
    assert (kept["protocol"], kept["n_items"], kept["n_images"], kept["n_images_missing"]) == ("quad", 6, 12, 0)
    done = flipside("run", "--model", "fake:ok", "--benchmark", "custom:colorswap", "--kinds", "itc", "--json")
    assert done.code == 0, done.err
    report = flipside("report", "--model", "fake:ok", "--benchmark", "custom:colorswap", "--json").json
    assert report["metrics"]["group_score"]["n"] == 6
    json.dumps(report)


def bomb() -> bytes:
    """The beginning of a PNG of 30,000 x 30,000 pixels."""
    head = b"IHDR" + struct.pack(">IIBBBBB", 30_000, 30_000, 8, 2, 0, 0, 0)
    chunks = [head, b"IDAT" + zlib.compress(b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(each) - 4) + each + struct.pack(">I", zlib.crc32(each)) for each in chunks
    )


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"<svg xmlns='x'/>", "<svg xmlns="),
        (b"no picture", "it begins with b'no picture'"),
        (bomb(), "pixels"),
    ],
)
def test_what_is_no_picture_is_said_at_import_with_row_and_column(tmp_path, data, why):
    picture = pa.struct([("bytes", pa.binary()), ("path", pa.string())])
    held = pa.array([{"bytes": png(1), "path": "a"}, {"bytes": data, "path": "b"}], picture)
    pq.write_table(pa.table({"image": held, "caption": ["a", "b"], "negative": ["c", "d"]}), tmp_path / "t.parquet")
    found = list(opened(tmp_path, "mine").open_items())
    (skipped,) = [each for each in found if isinstance(each, Skipped)]
    assert (len(found), skipped.file, skipped.item) == (2, "t.parquet", "2")
    assert "'image' holds no picture that can be read (" in skipped.reason
    assert why in skipped.reason


def photo(form: str, **how) -> bytes:
    pixels = np.random.default_rng(3).integers(0, 255, (64, 64, 3), dtype=np.uint8)
    file = io.BytesIO()
    Image.fromarray(pixels).save(file, form, **how)
    return file.getvalue()


PREVIEW = Image.Exif()
PREVIEW[0x9286] = photo("JPEG").decode("latin-1")  # a comment that holds a whole JPEG, as a preview does
WHOLE = {
    "png": photo("PNG"),
    "jpeg": photo("JPEG"),
    "progressive": photo("JPEG", progressive=True),
    "jpeg with a preview": photo("JPEG", exif=PREVIEW),
    "webp": photo("WEBP"),
    "gif": photo("GIF"),
    "bmp": photo("BMP"),
    "tiff": photo("TIFF"),
}


@pytest.mark.parametrize("form", WHOLE)
def test_a_picture_that_is_cut_in_half_is_refused_at_import_and_a_whole_one_is_not(form):
    assert images.wrong(WHOLE[form]) == ""
    assert images.wrong(WHOLE[form] + b"\0\0") == ""
    why = images.wrong(WHOLE[form][: len(WHOLE[form]) // 2])
    assert why
    assert "as no" not in why


@pytest.mark.parametrize("form", ["PNG", "JPEG", "GIF", "BMP", "WEBP"])
def test_a_picture_cut_in_its_head_is_not_said_to_be_of_no_format(form):
    size = {"BMP": 10, "PNG": 40}.get(form, 20)
    assert images.wrong(photo(form)[:size]).startswith(f"it begins as a {form} does and is cut short or damaged: ")


def test_what_was_unpacked_from_a_table_is_not_to_be_replaced(tmp_path):
    kept = keep(photo("PNG")[:2000])
    with pytest.raises(FlipsideError, match="unpacked from a Parquet table") as refused:
        images.open_image(str(kept))
    assert "Replace the file" not in str(refused.value)
    own = tmp_path / "a.png"
    own.write_bytes(photo("PNG")[:2000])
    with pytest.raises(FlipsideError, match="Replace the file"):
        images.open_image(str(own))


@pytest.mark.parametrize(
    ("names", "says"),
    [
        (["test-00000-of-00003"], r"pieces 00001, 00002 are not"),
        (["test-00000-of-00003", "test-00002-of-00003"], r"piece 00001 is not"),
        (["test-00001-of-00002-0a1b"], r"piece 00000 is not"),
    ],
)
def test_a_part_of_a_split_is_refused_by_name(tmp_path, names, says):
    for name in names:
        colorswap(tmp_path / f"{name}.parquet", 2)
    for data in (tmp_path, tmp_path / f"{names[0]}.parquet"):
        with pytest.raises(UsageError, match=r"test is cut into [23] pieces") as refused:
            opened(data)
        if data == tmp_path:
            assert re.search(says, str(refused.value))


def test_pieces_with_a_hash_behind_are_one_subset(tmp_path):
    for number in (0, 1):
        colorswap(tmp_path / f"test-0000{number}-of-00002-0a1b2c{number}.parquet", 2, first=2 * number)
    assert {item.subset for item in opened(tmp_path).open_items()} == {"test"}


def test_a_column_that_occurs_twice_is_said_as_of_csv(tmp_path):
    words = pa.array(["a", "b"])
    twice = pa.Table.from_arrays([words, words, words], names=["image", "caption", "caption"])
    within = pa.StructArray.from_arrays([words, words], names=["x", "x"])
    pq.write_table(twice, tmp_path / "t.parquet")
    pq.write_table(pa.Table.from_arrays([words, within], names=["image", "s"]), tmp_path / "s.parquet")
    with pytest.raises(FlipsideError, match=r"t\.parquet: the column 'caption' occurs twice\. Rename one of them\."):
        columns(tmp_path / "t.parquet")
    with pytest.raises(FlipsideError, match=r"in the column 's', the field 'x' occurs twice\. Rename"):
        columns(tmp_path / "s.parquet")
    for name in ("t", "s"):
        with pytest.raises(FlipsideError, match="occurs twice"):
            list(rows(tmp_path / f"{name}.parquet", ("image",)))
