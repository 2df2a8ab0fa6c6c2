"""One rule for every `--out`: refused before any work, in one sentence."""

import os

import pytest

from backend.errors import UsageError
from backend.verbs.shared import out

FOLDERS = (("world",), ("perturb", "--benchmark", "world"), ("publish",))
FILES = (
    ("table", "--models", "bundled:clip", "--benchmarks", "world"),
    ("export", "--model", "bundled:clip", "--benchmark", "world", "--what", "scores", "--format", "csv"),
)


@pytest.mark.usefixtures("flipside_cache")
@pytest.mark.parametrize("words", FOLDERS + FILES, ids=lambda words: words[0])
def test_an_out_that_is_no_place_is_refused(flipside, tmp_path, words):
    empty = flipside(*words, "--out", "")
    assert (empty.code, "--out: is empty, which would mean the folder you are in" in empty.err) == (2, True)
    nowhere = flipside(*words, "--out", tmp_path / "none" / "x")
    assert (nowhere.code, f"there is no folder {tmp_path / 'none'}" in nowhere.err) == (2, True)
    assert not list(tmp_path.iterdir())
    wrong = tmp_path if words in FILES else tmp_path / "file"
    (tmp_path / "file").write_text("mine")
    refused = flipside(*words, "--out", wrong)
    assert (refused.code, "is a folder" in refused.err or "is a file" in refused.err) == (2, True)
    assert (tmp_path / "file").read_text() == "mine"


def test_a_device_or_a_pipe_is_not_replaced_by_a_file(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for place in ("/dev/null", tmp_path / "pipe"):
        with pytest.raises(UsageError, match="is a device or a pipe"):
            out.file(str(place))


def test_a_link_is_written_through(tmp_path):
    (tmp_path / "there.csv").touch()
    (tmp_path / "link.csv").symlink_to("there.csv")
    assert out.file(str(tmp_path / "link.csv")) == tmp_path / "there.csv"
