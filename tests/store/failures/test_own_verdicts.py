"""Verdicts of one's own: kept, replaced, taken away; by two at once, on a full disk, in an older file, on odd ids."""

import sqlite3
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from backend.errors import FlipsideError, UsageError
from backend.store.failures import notes, own_verdicts

ODD = "<script>'; DROP TABLE own_verdicts;--\u202e/1 ü 星"


def test_a_verdict_is_kept_replaced_and_taken_away(flipside_cache: Path) -> None:
    assert own_verdicts.of_item("b", "a/1") is None
    own_verdicts.give("b", "a/1", "")  # nothing to take away, and no table yet
    own_verdicts.give("b", "a/1", "model_wrong")
    own_verdicts.give("b", "a/1", "label_wrong")
    own_verdicts.give("b", ODD, "ambiguous")
    own_verdicts.give("other", "a/1", "ambiguous")
    found = own_verdicts.of(["b"])
    assert {key: each.title for key, each in found.items()} == {("b", "a/1"): "label wrong", ("b", ODD): "ambiguous"}
    assert all(each.made.endswith("+00:00") for each in found.values())
    assert own_verdicts.switch("b", "a/1", "label_wrong") == ""
    assert own_verdicts.of_item("b", "a/1") is None
    assert own_verdicts.switch("b", "a/1", "ambiguous") == "ambiguous"
    own_verdicts.give("b", "a/1", "")
    assert list(own_verdicts.of(["b", "other", "b"])) == [("b", ODD), ("other", "a/1")]
    with pytest.raises(UsageError, match="'<b>' is no verdict on an item"):
        own_verdicts.give("b", "a/1", "<b>")


def test_they_are_handed_on_as_a_set_without_an_author(flipside_cache: Path) -> None:
    own_verdicts.give("b", ODD, "label_wrong")
    notes.set_note("b", ODD, "=cmd()")
    notes.add_tag("b", ODD, "odd")
    notes.add_tag("b", "a/2", "not judged")
    frame = own_verdicts.as_set(["b"])
    assert frame.columns.to_list() == ["item_id", "human_verdict", "human_date", "note", "tags"]
    assert frame.drop(columns="human_date").to_numpy().tolist() == [[ODD, "label wrong", "=cmd()", "odd"]]
    assert own_verdicts.as_set(["b"], {"b": "mine"})["benchmark"].to_list() == ["mine"]
    assert own_verdicts.as_set(["nothing"]).empty


def test_an_earlier_version_reads_the_same_file(flipside_cache: Path) -> None:
    """The file keeps its number: the version before this one refuses files of a higher one."""
    notes.add_tag("b", "a/1", "odd")
    own_verdicts.give("b", "a/1", "ambiguous")
    with sqlite3.connect(flipside_cache / "notes.sqlite") as connection:
        assert connection.execute("PRAGMA user_version").fetchone()[0] == notes.VERSION == 2
    assert notes.tags("b") == {"a/1": ["odd"]}


@pytest.mark.slow
def test_threads_and_processes_judge_at_once(flipside_cache: Path) -> None:
    code = (
        "from backend.store.failures import own_verdicts\n"
        "for k in range(40): own_verdicts.give('b', f'a/{k}', 'label_wrong')"
    )
    others = [subprocess.Popen([sys.executable, "-c", code]) for _ in range(2)]
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda k: own_verdicts.give("b", f"t/{k}", "ambiguous"), range(40)))
    assert [other.wait(60) for other in others] == [0, 0]
    words = [each.verdict for each in own_verdicts.of(["b"]).values()]
    assert (words.count("label_wrong"), words.count("ambiguous")) == (40, 40)


@pytest.mark.slow
def test_two_who_switch_the_same_verdict_at_once_each_answer_the_other(flipside_cache: Path) -> None:
    """An even number of switches leaves nothing; one who looked before the other wrote would give it a second time."""
    code = (
        "from backend.store.failures import own_verdicts\n"
        "own_verdicts.of_item('b', 'a/1')\n"
        "print('ready', flush=True)\n"
        "input()\n"
        "said = [own_verdicts.switch('b', 'a/1', 'ambiguous') for _ in range(101)]\n"
        "print(said.count('ambiguous') - said.count(''))"
    )
    others = [
        subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    for other in others:
        assert other.stdout is not None
        assert other.stdout.readline() == "ready\n"
    for other in others:  # both are past their imports, so they write at the same time
        assert other.stdin is not None
        other.stdin.write("\n")
        other.stdin.flush()
    more = sum(int(other.communicate(timeout=60)[0]) for other in others)
    assert [other.returncode for other in others] == [0, 0]
    assert (more, own_verdicts.of_item("b", "a/1")) == (0, None)  # 202 times


def test_on_a_full_disk_what_stood_there_stands(flipside_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own_verdicts.give("b", "a/1", "model_wrong")

    with monkeypatch.context() as patch:
        patch.setattr(notes, "_opened", Full)
        with pytest.raises(FlipsideError, match="No space is left"):
            own_verdicts.give("b", "a/1", "label_wrong")
    found = own_verdicts.of_item("b", "a/1")
    assert found is not None
    assert found.verdict == "model_wrong"


class Full(sqlite3.Connection):
    """A connection to a file on a disk that takes no more: the row is written, committing it fails."""

    def __exit__(self, *_exception: object) -> bool:  # type: ignore[override]
        self.rollback()
        raise sqlite3.OperationalError("database or disk is full")


def test_a_verdict_that_another_window_gave_meanwhile_stands(flipside_cache: Path) -> None:
    """Two windows showed “label wrong”; one said “ambiguous”, the other took its own away, and with it this one."""
    own_verdicts.give("b", "i", "label_wrong", seen="")
    own_verdicts.give("b", "i", "ambiguous", seen="label_wrong")
    for word in ("", "model_wrong"):
        with pytest.raises(FlipsideError, match=r"another window judged it meanwhile \(“ambiguous”\)"):
            own_verdicts.give("b", "i", word, seen="label_wrong")
    found = own_verdicts.of_item("b", "i")
    assert found is not None
    assert found.verdict == "ambiguous"
    own_verdicts.give("b", "i", "ambiguous", seen="label_wrong")  # the same word is no conflict
    own_verdicts.give("b", "i", "", seen="ambiguous")
    with pytest.raises(FlipsideError, match="took its verdict away"):
        own_verdicts.give("b", "i", "model_wrong", seen="ambiguous")
    assert own_verdicts.of_item("b", "i") is None


def test_where_the_disk_is_at_fault_the_file_is_not_blamed(
    flipside_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own_verdicts.give("b", "i", "ambiguous")

    def no(path: Path) -> sqlite3.Connection:
        raise sqlite3.OperationalError("unable to open database file")

    monkeypatch.setattr(notes, "_opened", no)
    with pytest.raises(FlipsideError, match="What is in the file stays as it is") as told:
        own_verdicts.of_item("b", "i")
    assert "move the file" not in str(told.value)
