"""`flipside fetch` as it is typed, against a mirror on loopback."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from backend.benchmarks.fetching import transfer
from backend.benchmarks.fetching.table import source
from tests.benchmarks.fetching.server import Served, serving

ROOT = Path(__file__).resolve().parent.parent.parent
NAMES = ["add_att", "add_obj", "replace_att", "replace_obj", "replace_rel", "swap_att", "swap_obj"]


@pytest.fixture
def mirror(monkeypatch):
    monkeypatch.setattr(transfer, "ROOM", 0)
    with serving() as files:
        yield files


@pytest.fixture
def sugarcrepe(mirror, shared_data):
    """The seven original files, served as a mirror has them."""
    for name in NAMES:
        body = (shared_data / "sugarcrepe" / f"{name}.json").read_bytes()
        mirror.files[f"/sugarcrepe/{name}.json"] = Served(body)
    return mirror


def test_a_benchmark_is_fetched_and_imports(flipside, sugarcrepe, tmp_path):
    answer = flipside("fetch", "sugarcrepe", "--to", tmp_path / "sc", "--mirror", sugarcrepe.base, "--json")
    assert answer.code == 0
    found = answer.json
    assert (found["benchmark"], found["licence"], found["gated"]) == ("sugarcrepe", "MIT", None)
    assert [(each["file"], each["state"], each["verified"]) for each in found["files"]] == [
        (f"{name}.json", "fetched", "sha256") for name in NAMES
    ]
    assert sum(each["bytes"] for each in found["files"]) == 1_706_288
    assert answer.err.startswith(
        "sugarcrepe: licence MIT\nsource: https://github.com/RAIVNLab/sugar-crepe\n7 files: 1.7 MB\n"
    )
    again = flipside("fetch", "sugarcrepe", "--to", tmp_path / "sc", "--mirror", sugarcrepe.base, "--json").json
    assert {each["state"] for each in again["files"]} == {"already there"}
    assert len(sugarcrepe.asked) == len(NAMES)


def test_in_words(flipside, sugarcrepe, tmp_path):
    answer = flipside("fetch", "sugarcrepe", "--to", tmp_path, "--file", "swap_obj.json", "--mirror", sugarcrepe.base)
    assert answer.code == 0
    assert "swap_obj.json  57.6 kB  fetched  sha256" in answer.out
    assert "val2017.zip" in answer.err
    assert f"flipside import sugarcrepe --data {tmp_path} checks and counts what is there" in answer.err


def test_a_failed_file_is_exit_code_1_and_the_others_stay(flipside, sugarcrepe, tmp_path):
    sugarcrepe.files["/sugarcrepe/add_obj.json"].body = b"{}"
    (tmp_path / "swap_att.json").write_text("mine")
    answer = flipside("fetch", "sugarcrepe", "--to", tmp_path, "--mirror", sugarcrepe.base, "--json")
    assert answer.code == 1
    states = {each["file"]: each["state"] for each in answer.json["files"]}
    assert [name for name, state in states.items() if state == "failed"] == ["add_obj.json", "swap_att.json"]
    assert "another file" in answer.err
    assert not (tmp_path / "add_obj.json").exists()
    assert (tmp_path / "swap_att.json").read_text() == "mine"


def test_a_file_without_a_checksum_says_so(flipside, mirror, tmp_path):
    mirror.files["/valse/plurals.json"] = Served(b'{"1": {}}')
    answer = flipside("fetch", "valse", "--to", tmp_path, "--file", "plurals.json", "--mirror", mirror.base, "--json")
    assert answer.code == 0
    entry = answer.json["files"][0]
    assert (entry["verified"], entry["state"]) == ("size", "fetched")
    assert "no checksum is known" in entry["reason"]
    assert "plurals.json: no checksum is known" in answer.err
    assert (
        json.loads((tmp_path / "flipside-fetch.json").read_text())["files"]["plurals.json"]["sha256"] == entry["sha256"]
    )


@pytest.mark.parametrize("name", ["winoground", "visla", "flickr30k", "vl_checklist", "imagenet", "custom", "world"])
def test_what_is_not_fetched(flipside, tmp_path, name):
    answer = flipside("fetch", name, "--to", tmp_path / "new", "--json")
    assert (answer.code, answer.out) == (2, "")
    assert source(name).how.split(". ")[0] in answer.err
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["sugarcrep", "--to", "{to}"], "Did you mean sugarcrepe"),
        (["sugarcrepe"], "needs --to DIR"),
        (["sugarcrepe", "--to", "{to}", "--file", "swap.json"], "has no such file"),
        (["sugarcrepe", "--to", "{to}", "--mirror", "http://example.org"], "expected an https address"),
        (["sugarcrepe", "--to", "{file}"], "is a file, expected a folder"),
    ],
)
def test_wrong_use(flipside, tmp_path, arguments, says):
    (tmp_path / "file").touch()
    places = {"to": tmp_path / "to", "file": tmp_path / "file"}
    answer = flipside("fetch", *[argument.format(**places) for argument in arguments], "--json")
    assert (answer.code, answer.out) == (2, "")
    assert says in answer.err


def test_list_shows_and_fetches_nothing(flipside):
    answer = flipside("fetch", "eqben", "--list")
    assert answer.code == 0
    assert "licence Apache-2.0" in answer.out
    assert "about 100 GB" in answer.out
    found = flipside("fetch", "valse", "--list", "--json").json
    assert (found["status"], len(found["files"])) == ("open", 11)
    assert sum(each["sha256"] is None for each in found["files"]) == 8
    gated = flipside("fetch", "winoground", "--list", "--json").json
    assert "accept the conditions" in gated["gated"]
    assert gated["files"] == []


@pytest.mark.slow
def test_ctrl_c_and_on_again(flipside, mirror, tmp_path, shared_data):
    body = (shared_data / "sugarcrepe" / "add_obj.json").read_bytes()
    served = mirror.files["/sugarcrepe/add_obj.json"] = Served(body, cuts=[100_000], stops=True)
    command = [
        "fetch",
        "sugarcrepe",
        "--to",
        str(tmp_path),
        "--file",
        "add_obj.json",
        "--mirror",
        mirror.base,
        "--json",
    ]
    script = (
        # A shell that starts the tests in the background has them ignore SIGINT, which child processes inherit.
        "import signal; signal.signal(signal.SIGINT, signal.default_int_handler);"
        f"import sys; sys.argv[1:] = {command!r}; from backend.cli import run; sys.exit(run())"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as begun:
        part = tmp_path / "add_obj.json.part"
        until = time.monotonic() + 60
        while not (part.exists() and part.stat().st_size == 100_000) and time.monotonic() < until:
            time.sleep(0.05)
        second = flipside(*command)
        assert second.code == 1
        assert f"process {begun.pid} on {os.uname().nodename} is fetching into this folder" in second.err
        begun.send_signal(signal.SIGINT)
        out, err = begun.communicate(timeout=60)
    assert begun.returncode == 130
    assert json.loads(out)["files"][0]["reason"] == "stopped on request"
    assert "the same command goes on from there" in err
    assert "Traceback" not in err
    served.stops = False
    assert flipside(*command).code == 0
    assert mirror.ranges()[-1] == "bytes=100000-"
    assert (tmp_path / "add_obj.json").read_bytes() == body


def test_progress_for_the_dashboard(flipside, mirror, tmp_path, monkeypatch):
    monkeypatch.setenv("FLIPSIDE_PROGRESS", "json")
    monkeypatch.setattr("backend.verbs.shared.fetch_progress.JSON_INTERVAL", 0.0)
    body = b'{"1": "' + b"x" * 1_000_000 + b'"}'
    mirror.files["/valse/plurals.json"] = Served(body)
    answer = flipside("fetch", "valse", "--to", tmp_path, "--file", "plurals.json", "--mirror", mirror.base, "--json")
    told = [json.loads(line)["progress"] for line in answer.err.splitlines() if line.startswith('{"progress"')]
    assert (told[-1]["title"], told[-1]["done"], told[-1]["unit"]) == ("plurals.json", len(body), "bytes")
    assert told[-1]["total"] == len(body)
