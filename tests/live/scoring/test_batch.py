"""A file dropped in on Try it: an unsaved set, scored like any benchmark, kept or gone."""

import io
import os
import time
import zipfile
from pathlib import Path

import pytest
from PIL import Image

from backend.benchmarks.items_folder.folder import own_names
from backend.engine.runner import run
from backend.errors import UsageError
from backend.live.scoring import batch
from backend.live.uploads import own_uploads

CHOICES = "image,caption,negative\nworld:2.crbpKO.sbbpig,a red circle,a blue circle\nworld:2.cbbpKO.srbpig,,x\n" + (
    "world:5.qpbpJc.cobpkc,a purple square,a green square\n"
)


def staged(text: str = CHOICES, name: str = "mine.csv") -> own_uploads.Staged:
    return own_uploads.stage(text.encode(), name)


def archive() -> own_uploads.Staged:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as out:
        for k in range(2):
            picture = io.BytesIO()
            Image.new("RGB", (20, 20), (90 * k, 30, 60)).save(picture, "PNG")
            out.writestr(f"pictures/{k}.png", picture.getvalue())
        out.writestr(
            "quads.csv",
            "id,image_0,image_1,caption_0,caption_1\nq1,pictures/0.png,pictures/1.png,a dark one,a red one\n",
        )
    return own_uploads.stage(made.getvalue(), "quads.zip")


def scored(found: batch.Unsaved, cache: Path) -> Path:
    words = dict(zip(found.arguments[::2], found.arguments[1::2], strict=True))
    summary = run("fake:ok", words["--benchmark"], ["itc"], data_dir=words.get("--data"), root=cache)
    assert summary.exit_code == 0
    return cache / "runs" / summary.run_id


def test_a_table_becomes_a_set_that_is_nobodys_benchmark(flipside_cache: Path) -> None:
    found = batch.make(staged(), None, "abc123")
    assert (found.n_items, found.skipped, found.missing, found.known) == (2, 1, 0, "")
    assert "line 3" in found.reasons[0]
    assert found.name == "custom:mine-unsaved-abc123"
    assert own_names() == []
    assert scored(found, flipside_cache).is_dir()
    assert own_names() == []


def test_discarding_takes_the_scores_along_and_nothing_else(flipside_cache: Path) -> None:
    found = batch.make(staged(), None, "abc123")
    other = batch.make(staged(CHOICES.replace("green", "yellow")), None, "abc123")
    mine, theirs = scored(found, flipside_cache), scored(other, flipside_cache)
    batch.discard(found)
    assert not mine.exists()
    assert not (flipside_cache / "benchmarks" / found.hash).exists()
    assert theirs.is_dir()
    assert other.folder.is_dir()


def test_what_another_session_has_too_stays_for_it(flipside_cache: Path) -> None:
    found = batch.make(staged(), None, "abc123")
    theirs = scored(found, flipside_cache)
    same = batch.make(staged(), None, "other1")
    assert same.name == found.name
    batch.discard(found)
    assert theirs.is_dir()
    batch.discard(same)
    assert not theirs.exists()


def test_keeping_gives_the_scores_a_name_and_makes_a_benchmark(flipside_cache: Path) -> None:
    upload = archive()
    found = batch.make(upload, None, "abc123")
    assert (found.n_items, found.missing) == (1, 0)
    kept_run = scored(found, flipside_cache)
    assert batch.keep(upload, None, "pairs") == "custom:pairs"
    assert own_names() == ["custom:pairs"]
    again = batch.make(upload, None, "abc123")
    assert (again.known, again.hash) == ("custom:pairs", found.hash)
    assert again.arguments == ["--benchmark", "custom:pairs"]
    batch.discard(again)
    assert kept_run.is_dir()
    assert scored(again, flipside_cache) == kept_run


def test_pictures_of_an_archive_are_found_and_missing_ones_counted() -> None:
    text = "image,caption,negative\nnot-there.png,a cat,a dog\n"
    assert batch.make(staged(text), None, "abc123").missing == 1


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("image,caption\na.png,one\na.png,two\n", "Runs page"),
        ("image,caption,negative\na.png,,\n", "no item"),
    ],
)
def test_what_is_no_set_leaves_nothing(flipside_cache: Path, text: str, says: str) -> None:
    with pytest.raises(Exception, match=says):
        batch.make(staged(text), None, "abc123")
    assert not list((flipside_cache / "uploads" / "unsaved").glob("*"))


def test_too_many_items_and_a_senseless_owner_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batch, "MOST", 1)
    with pytest.raises(UsageError, match="more than 1 items"):
        batch.make(staged(), None, "abc123")
    with pytest.raises(UsageError, match="letters and digits"):
        batch.make(staged(), None, "../x")


def test_sets_of_yesterday_go(flipside_cache: Path) -> None:
    found = batch.make(staged(), None, "abc123")
    old = scored(found, flipside_cache)
    past = time.time() - batch.KEPT - 60
    os.utime(found.folder.parent / own_uploads.LOCK, (past, past))
    fresh = batch.make(staged(CHOICES.replace("green", "yellow")), None, "other1")
    assert not found.folder.exists()
    assert not old.exists()
    assert fresh.folder.is_dir()
