"""JSON from elsewhere: what a reader, a page or the database would stumble over is refused where it is read."""

import json

import pytest

from backend import plain_json
from backend.benchmarks.custom import mapping
from backend.benchmarks.items_folder.folder import read_head
from backend.engine.storage import files
from backend.errors import FlipsideError
from backend.models import folders

DEEP = "[" * 100_000


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (DEEP, "nested deeper than 64 levels"),
        ("[" * 65 + "]" * 65, "nested deeper than 64 levels"),
        ('{"a": NaN}', "NaN"),
        ('{"a": [-Infinity]}', "Infinity"),
        ("1e999", "too large"),
        ('"\\ud800"', "half a character"),
        ('{"\\ud800": 1}', "half a character"),
        (str(2**63), "64 bits"),
        ("1" * 5000, "64 bits"),
        (f"[{'0,' * 2_000_000}0]", "2,000,000 values"),
        ("{", "Expecting"),
    ],
)
def test_what_would_break_later_is_refused_at_once(text, said):
    with pytest.raises(ValueError, match=said):
        plain_json.loads(text)


def test_what_anybody_writes_is_read():
    document = {"a": [1, -2.5e300, None, True, "x\u0000é🙂"], "": {}, "deep": json.loads("[" * 60 + "]" * 60)}
    assert plain_json.loads(json.dumps(document)) == document
    assert plain_json.loads('{"model_max_length": 1000000000000000019884624838656}', any_number=True)


def test_every_file_that_others_may_have_written_is_refused_in_a_sentence(tmp_path):
    """Each of these ended in a RecursionError, which no page and no command turns into a sentence."""
    (tmp_path / "config.json").write_text(DEEP)
    (tmp_path / "mapping.json").write_text(DEEP)
    (tmp_path / "table.csv").write_text("image,caption,negative\na.png,b,c\n")
    (tmp_path / "benchmark.json").write_text(DEEP)
    (tmp_path / "items.jsonl").write_text("")
    for read in (
        lambda: files.read_json(tmp_path / "config.json"),
        lambda: folders.read_config(tmp_path),
        lambda: mapping.of_table(tmp_path / "table.csv"),
        lambda: read_head(tmp_path),
    ):
        with pytest.raises(FlipsideError, match="nested deeper"):
            read()
