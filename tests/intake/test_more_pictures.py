"""When a second import of the same items is taken for the pictures that it finds."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from backend.intake import more_pictures
from backend.intake.more_pictures import finds_more


def written(path, uris):
    """An items file with these pictures, an item each."""
    pq.write_table(pa.table({"image_uris": pa.array(uris, pa.list_(pa.string()))}), path)
    return path


@pytest.mark.parametrize(
    ("known", "new", "more"),
    [
        ([[""], ["/b"]], [["/a"], ["/b"]], True),
        ([["", "/b"]], [["/a", ""]], False),  # one found, another lost
        ([["/a"]], [["/a"]], False),
        ([["/a"], [""]], [["/other"], ["/b"]], False),  # another picture under the same key is another picture
        ([["/a"]], [[""]], False),
        ([[""]], [["/a"], ["/b"]], False),
        ([[""]], [["/a", "/b"]], False),
        ([], [], False),
    ],
)
def test_more_and_nothing_less(tmp_path, monkeypatch, known, new, more):
    monkeypatch.setattr(more_pictures, "ROWS", 1)
    assert finds_more(written(tmp_path / "known", known), written(tmp_path / "new", new)) is more
