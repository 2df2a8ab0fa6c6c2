"""The Atlas' file: what is read, and what is refused, with file, line and what was expected."""

import doctest
import hashlib

import numpy as np
import pytest

from backend.errors import FlipsideError
from backend.published.atlas import columns, reading
from tests.published.atlas import made


def test_examples_hold():
    assert [doctest.testmod(module).failed for module in (columns, reading)] == [0, 0]


def test_a_file_is_read_as_it_stands(tmp_path):
    path = made.write(tmp_path / "a.csv")
    found = reading.read(path, hashlib.sha256(path.read_bytes()).hexdigest())
    assert [(e.arch, e.pretrained, e.family) for e in found.entries] == list(made.ENTRIES)
    assert found.rates.shape == (len(made.ENTRIES), 136)
    assert found.rates[3].tolist() == [float(cell) for cell in made.rows()[4][3:]]
    assert found.find("NegCLIP", "coco-ft") == 3
    assert found.find("NegCLIP", "openai") is None
    assert found.place["OpenCLIP/ViT-B-32/openai"] == 0


def spoiled(row: int, place: int, said: str) -> list[list[str]]:
    table = made.rows()
    table[row][place] = said
    return table


@pytest.mark.parametrize(
    ("table", "says"),
    [
        (spoiled(0, 4, "aro::other"), r"a\.csv:1: column 5 is 'aro::other', expected 'aro::VG_Attribute'"),
        (spoiled(2, 9, "nan"), r"a\.csv:3: colorswap::group is 'nan', expected a rate from 0 to 100"),
        (spoiled(2, 9, "100.01"), r"a\.csv:3: .* '100\.01'"),
        (spoiled(2, 9, "-1"), r"a\.csv:3: "), (spoiled(2, 9, "inf"), r"a\.csv:3: "), (spoiled(2, 9, ""), r"a\.csv:3: "),
        (spoiled(2, 0, "a/b"), r"a\.csv:3: 'a/b' is no name"), (spoiled(2, 0, "x" * 101), r"a\.csv:3: "),
        (spoiled(2, 0, "a\u202eb"), r"a\.csv:3: "), (spoiled(2, 2, " "), r"a\.csv:3: "),
        ([*made.rows(), made.rows()[1]], r"a\.csv:17: ViT-B-32 openai of OpenCLIP is there twice"),
        ([*made.rows(), ["x", "y"]], r"a\.csv:17: has 2 cells, expected 139"),
        (made.rows()[:1], "has no models"), ([], r"a\.csv:1: column 1 is 'nothing'"),
        ([row[:-1] for row in made.rows()], r"a\.csv:1: column 139 is 'nothing'"),
        ([[*row, "1"] for row in made.rows()], r"expected 'no more'"),
    ],
)  # fmt: skip
def test_what_is_not_the_table_is_refused(tmp_path, table, says):
    with pytest.raises(FlipsideError, match=says):
        reading.read(made.write(tmp_path / "a.csv", table))


def test_bytes_are_not_believed(tmp_path, monkeypatch):
    path = made.write(tmp_path / "a.csv")
    with pytest.raises(FlipsideError, match="another file than the one that was fetched"):
        reading.read(path, "0" * 64)
    (tmp_path / "b.csv").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(FlipsideError, match="no UTF-8"):
        reading.read(tmp_path / "b.csv")
    (tmp_path / "c.csv").write_text('a,"b\nc', encoding="utf-8")
    with pytest.raises(FlipsideError, match="comma-separated"):
        reading.read(tmp_path / "c.csv")
    with pytest.raises(FlipsideError, match="cannot be read"):
        reading.read(tmp_path / "none.csv")
    monkeypatch.setattr(reading, "MOST_BYTES", 1000)
    with pytest.raises(FlipsideError, match="larger than 1,000 bytes"):
        reading.read(path)
    monkeypatch.undo()
    monkeypatch.setattr(reading, "MOST_MODELS", 5)
    with pytest.raises(FlipsideError, match="more than 5 models"):
        reading.read(path)


def test_the_known_columns_are_the_real_ones(shared_data):
    path = shared_data / "vl_compo" / "individual_results.csv"
    if not path.is_file():
        pytest.skip("the Atlas' file is not in ../shared/data")
    found = reading.read(path)
    assert found.rates.shape == (202, 136)
    for place, column in enumerate(columns.columns()):
        if column.items is not None:
            counts = found.rates[:, place] * column.items / 100
            # EqBen's rates of ViT-B-32/openai are of other items (see test_beside).
            whole = np.abs(counts - np.round(counts)) < 1e-6 * max(1, column.items / 1000)
            assert whole.sum() >= (201 if column.benchmark == "eqben" else 202), column.key
