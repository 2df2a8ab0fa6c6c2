"""One rule for every `--out`: refused before any work, in one sentence."""

import os

import pytest

from backend import paths
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


@pytest.mark.usefixtures("flipside_cache")
@pytest.mark.parametrize(
    "words",
    [
        *((*words, "--out", "~nobodys") for words in FOLDERS + FILES), ("import", "world", "--data", "~nobodys"),
        ("import", "custom", "--data", "~nobodys"), ("import", "custom", "--data", ".", "--images", "~nobodys"),
        ("add-predictions", "~nobodys", "--as", "a", "--benchmark", "world"), ("import-results", "~nobodys"),
        ("fetch", "aro", "--to", "~nobodys"), ("study", "~nobodys"),
        ("run", "--model", "bundled:clip", "--benchmark", "world", "--data", "~nobodys"),
    ],
    ids=" ".join,
)  # fmt: skip
def test_a_home_that_nobody_has_is_told_in_one_sentence(flipside, words):
    """Failed before: "Could not determine home directory.. This is a fault of the program"."""
    answer = flipside(*words)
    assert answer.code == 2
    assert "~nobodys: there is no user 'nobodys'. Write ./~nobodys for what is called so here." in answer.err


def test_a_device_or_a_pipe_is_not_replaced_by_a_file(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for place in ("/dev/null", tmp_path / "pipe"):
        with pytest.raises(UsageError, match="is a device or a pipe"):
            out.file(str(place))


def test_a_link_is_written_through(tmp_path):
    (tmp_path / "there.csv").touch()
    (tmp_path / "link.csv").symlink_to("there.csv")
    assert out.file(str(tmp_path / "link.csv")) == tmp_path / "there.csv"


KEPT = (
    "runs/0123/manifest.json",
    "db/0.duckdb",
    "recorded/0123.json",
    "notes.sqlite",
    "new.csv",
    "own/mine/items.jsonl",
)


@pytest.mark.parametrize("kept", KEPT)
def test_what_flipside_keeps_is_not_written_over(flipside_cache, kept, tmp_path):
    place = flipside_cache / kept
    place.parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / "link").symlink_to(place)
    (tmp_path / "folder").symlink_to(place.parent)
    for said in (place, tmp_path / "link", tmp_path / "folder" / place.name):
        with pytest.raises(
            UsageError, match=r"Flipside keeps its own files .*only data/, models/ and taught/ are yours"
        ):
            out.file(str(said))
        with pytest.raises(UsageError, match="keeps its own files"):
            out.folder(str(said))


def test_nor_where_a_link_in_the_cache_leads(flipside_cache, tmp_path):
    (tmp_path / "elsewhere").mkdir()
    (flipside_cache / "runs").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(UsageError, match="keeps its own files"):
        out.file(str(tmp_path / "elsewhere" / "manifest.json"))


def test_nor_what_ships():
    with pytest.raises(UsageError, match="lies among the files that ship"):
        out.file(str(paths.BUNDLED / "results.json"))


@pytest.mark.parametrize("name", out.OPEN)
def test_what_is_the_users_own_in_there_may_be_written(flipside_cache, name):
    (flipside_cache / name).mkdir()
    assert out.file(str(flipside_cache / name / "items.jsonl")) == flipside_cache / name / "items.jsonl"
    assert out.folder(str(flipside_cache / name / "new")) == flipside_cache / name / "new"


@pytest.mark.parametrize("words", FOLDERS + FILES, ids=lambda words: words[0])
def test_every_verb_that_writes_to_a_named_place_refuses_it(flipside, flipside_cache, words):
    (flipside_cache / "runs").mkdir()
    refused = flipside(*words, "--out", flipside_cache / "runs" / "x")
    assert (refused.code, "keeps its own files" in refused.err) == (2, True)
    assert not list((flipside_cache / "runs").iterdir())


@pytest.mark.parametrize("option", ["--out", "--generate"])
def test_so_does_teach(flipside, flipside_cache, option):
    refused = flipside("teach", "--model", "bundled:clip", "--recipe", "eqsim", "--fresh", 8, option,
                       flipside_cache / "notes.sqlite")  # fmt: skip
    assert (refused.code, f"{option} {flipside_cache}" in refused.err, "own files" in refused.err) == (2, True, True)


def test_so_does_fetch(flipside, flipside_cache):
    refused = flipside("fetch", "sugarcrepe", "--to", flipside_cache / "runs")
    assert (refused.code, "--to" in refused.err, "keeps its own files" in refused.err) == (2, True, True)


def test_a_link_to_itself_is_refused(tmp_path):
    (tmp_path / "round").symlink_to("round")
    with pytest.raises(UsageError, match="leads nowhere but to itself"):
        out.file(str(tmp_path / "round"))
