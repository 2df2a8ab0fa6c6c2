"""The folder that is fetched into: nothing there is overwritten, and one fetch at a time writes to it."""

import json
import multiprocessing
import os
import subprocess
import sys

import pytest

from backend.benchmarks.fetching.lock import NAME, folder_lock
from backend.benchmarks.fetching.part import Part
from backend.errors import FlipsideError, UsageError
from tests.benchmarks.fetching.conftest import BODY
from tests.benchmarks.fetching.server import Served


@pytest.fixture
def to(tmp_path):
    (tmp_path / "to").mkdir()
    return tmp_path / "to"


def test_the_same_file_is_already_there(server, file, get, to):
    (to / "data.json").write_bytes(BODY)
    outcome = get(file())
    assert (outcome.state, outcome.verified, outcome.sha256) == ("already there", "sha256", file().sha256)
    assert server.asked == []


def test_another_file_stays_and_is_named(server, file, get, to):
    (to / "data.json").write_bytes(b"mine")
    outcome = get(file())
    assert outcome.state == "failed"
    assert f"{to / 'data.json'} is there already and is another file" in outcome.reason
    assert (to / "data.json").read_bytes() == b"mine"
    assert server.asked == []


def test_without_a_checksum_the_receipt_tells(server, file, get, to):
    assert get(file(body=None)).verified == "size"
    server.asked.clear()
    again = get(file(body=None))
    assert (again.state, again.verified) == ("already there", "receipt")
    (to / "data.json").write_bytes(b"{}")
    changed = get(file(body=None))
    assert changed.state == "failed"
    assert "has changed since it was fetched" in changed.reason
    assert (to / "data.json").read_bytes() == b"{}"
    assert server.asked == []


def test_without_checksum_and_receipt_it_is_left_and_said(server, file, get, to):
    (to / "data.json").write_bytes(b"{}")
    outcome = get(file(body=None))
    assert (outcome.state, outcome.verified) == ("already there", "none")
    assert "cannot be told" in outcome.reason


@pytest.mark.parametrize("make", [lambda path: path.mkdir(), lambda path: path.symlink_to("nowhere")])
def test_what_is_no_file_stays(server, file, get, to, make):
    make(to / "data.json")
    assert "is no file" in get(file()).reason
    assert os.path.lexists(to / "data.json")
    assert server.asked == []


def test_a_file_that_appears_meanwhile_stays(server, file, get, to):
    def appear(f, done, total):
        (to / "data.json").write_bytes(b"mine")

    outcome = get(file(), tick=appear)
    assert outcome.state == "failed"
    assert "has appeared meanwhile" in outcome.reason
    assert (to / "data.json").read_bytes() == b"mine"


def test_a_part_that_is_a_link_is_not_followed(server, file, get, to, tmp_path):
    """Someone else's folder: the part would be written through the link, over whatever it points to."""
    (tmp_path / "precious").write_bytes(b"precious")
    (to / "data.json.part").symlink_to(tmp_path / "precious")
    get(file())
    assert (tmp_path / "precious").read_bytes() == b"precious"


def test_without_hard_links_it_is_renamed_and_still_not_over(to, monkeypatch):
    def refuse(*_):
        raise OSError(95, "not supported")

    monkeypatch.setattr(os, "link", refuse)
    part = Part(to / "a")
    part.path.write_bytes(b"new")
    part.become(to / "a")
    assert (to / "a").read_bytes() == b"new"
    part.path.write_bytes(b"newer")
    with pytest.raises(FlipsideError, match="appeared meanwhile"):
        part.become(to / "a")
    assert (to / "a").read_bytes() == b"new"


def test_one_file_that_fails_does_not_stop_the_others(server, file, get, there):
    server.files["/c.json"] = Served(BODY)
    outcomes = get(file("b.json"), file("c.json"), file("deep/er/d.json", url=f"{server.base}/data.json"))
    assert [outcome.state for outcome in outcomes] == ["failed", "fetched", "fetched"]
    assert there() == {"c.json", "deep/er/d.json"}


def test_the_receipt_holds_what_was_fetched_before(server, file, get, to):
    server.files["/c.json"] = Served(BODY)
    get(file())
    get(file("c.json"))
    receipt = json.loads((to / "flipside-fetch.json").read_text())
    assert set(receipt["files"]) == {"data.json", "c.json"}
    assert receipt["files"]["c.json"]["licence"] == "MIT"


def test_something_else_of_the_receipts_name_is_not_overwritten(server, file, get, to):
    (to / "flipside-fetch.json").write_text("my notes")
    with pytest.raises(FlipsideError, match="is no receipt"):
        get(file())
    assert (to / "flipside-fetch.json").read_text() == "my notes"
    assert server.asked == []


def test_a_second_fetch_is_turned_away(server, file, get, to):
    with (
        folder_lock(to),
        pytest.raises(FlipsideError, match=f"process {os.getpid()} on .* is fetching into this folder"),
    ):
        get(file())
    assert server.asked == []
    assert get(file()).state == "fetched"
    assert not (to / NAME).exists()


def test_a_dead_holder_keeps_nobody_out(server, file, get, to):
    code = (
        "import os, sys\nfrom pathlib import Path\nfrom backend.benchmarks.fetching.lock import folder_lock\n"
        "with folder_lock(Path(sys.argv[1])):\n    os._exit(9)"
    )
    assert subprocess.run([sys.executable, "-c", code, to], check=False).returncode == 9
    assert (to / NAME).exists()
    assert get(file()).state == "fetched"


def _hold(folder, rounds, queue):
    """Count up a number in a file, which only one holder at a time does without losing any."""
    done = 0
    while done < rounds:
        try:
            with folder_lock(folder):
                number = folder / "number"
                number.write_text(str(int(number.read_text()) + 1))
                done += 1
        except FlipsideError:
            pass
    queue.put(done)


@pytest.mark.long
def test_two_processes_never_hold_it_together(to):
    (to / "number").write_text("0")
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    workers = [context.Process(target=_hold, args=(to, 100, queue)) for _ in range(3)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(60)
    assert [queue.get(timeout=5) for _ in workers] == [100] * 3
    assert (to / "number").read_text() == "300"


def test_a_file_is_no_folder(file, get, tmp_path):
    (tmp_path / "to").write_text("")
    with pytest.raises(UsageError, match="is a file, expected a folder"):
        get(file())


def test_a_folder_inside_a_file_is_none(file, get, tmp_path):
    (tmp_path / "to").mkdir()
    (tmp_path / "to" / "deep").write_text("")
    outcome = get(file("deep/data.json"))
    assert outcome.state == "failed"
    assert "is a file" in outcome.reason


def test_what_a_killed_process_did_not_clear_up_goes(server, file, get, there, to):
    (to / "data.json").write_bytes(BODY)
    (to / "data.json.part").hardlink_to(to / "data.json")
    (to / "data.json.part.json").write_text("{}")
    assert get(file()).state == "already there"
    assert there() == {"data.json"}
