"""Tags, notes and saved views: the only things that people write."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from backend.errors import UsageError
from backend.store.failures import notes


def test_tags_and_notes_stay():
    notes.add_tag("b", "attribute/1", " look  again ")
    notes.add_tag("b", "attribute/1", "look again")
    notes.add_tag("b", "attribute/2", "odd")
    notes.add_tag("other", "attribute/1", "odd")
    assert notes.tags("b") == {"attribute/1": ["look again"], "attribute/2": ["odd"]}
    assert notes.tags("b", "attribute/2") == {"attribute/2": ["odd"]}
    assert notes.tag_names("b") == {"look again": 1, "odd": 1}
    notes.remove_tag("b", "attribute/1", "look again")
    assert notes.tags("b", "attribute/1") == {}

    notes.set_note("b", "attribute/1", "<script>alert(1)</script> ü")
    assert notes.note("b", "attribute/1") == "<script>alert(1)</script> ü"
    assert notes.notes("b")["item_id"].tolist() == ["attribute/1"]
    notes.set_note("b", "attribute/1", "  ")
    assert notes.note("b", "attribute/1") == ""


def test_what_two_windows_wrote_is_both_kept():
    assert notes.set_note("b", "a/1", "mine", seen="") == "mine"
    assert notes.set_note("b", "a/1", "theirs", seen="") == "mine\ntheirs"
    assert notes.note("b", "a/1") == "mine\ntheirs"
    assert notes.set_note("b", "a/1", "shorter", seen="mine\ntheirs") == "shorter"
    with pytest.raises(UsageError, match="at most"):
        notes.set_note("b", "a/1", "x" * 20_000, seen="what it was")
    assert notes.note("b", "a/1") == "shorter"


def test_saved_views_stay():
    notes.save_view("failures", "mine", {"concept": ["colour"], "correct": False})
    notes.save_view("failures", "mine", {"concept": ["count"]})
    assert notes.views("failures") == {"mine": {"concept": ["count"]}}
    assert notes.views("debias") == {}


@pytest.mark.parametrize("tag", ["", "   ", "x" * 65])
def test_a_tag_has_a_length(tag):
    with pytest.raises(UsageError, match="1 to 64 characters"):
        notes.add_tag("b", "a/1", tag)
    with pytest.raises(UsageError, match="at most 20,000"):
        notes.set_note("b", "a/1", "x" * 20_001)


@pytest.mark.slow
def test_threads_and_processes_write_at_once():
    code = "from backend.store.failures import notes\nfor k in range(30): notes.add_tag('b', f'a/{k}', 'process')"
    other = subprocess.Popen([sys.executable, "-c", code])
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda k: notes.add_tag("b", f"a/{k}", "thread"), range(60)))
    assert other.wait(60) == 0
    assert notes.tag_names("b") == {"thread": 60, "process": 30}


def test_a_damaged_file_is_explained(flipside_cache):
    (flipside_cache / "notes.sqlite").write_bytes(b"no database" * 100)
    assert notes.tags("b") == {}
    (kept,) = flipside_cache.glob("damaged-*-notes.sqlite")
    assert kept.read_bytes() == b"no database" * 100
