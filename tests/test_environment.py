"""The owner's variables: what is not set is the default, and what cannot be meant is said, never taken for it."""

import doctest
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from backend import cli, environment
from backend.engine.inputs import kept_pictures
from backend.errors import FlipsideError, UsageError
from backend.live.jobs import jobs
from backend.live.scoring import budget
from backend.models import kept_features
from backend.store.build import importer

ROOT = Path(__file__).parents[1]
WRONG = {
    "FLIPSIDE_KEEP_FEATURES": "1 gigabyte", "FLIPSIDE_KEEP_PICTURES": "-1", "FLIPSIDE_JOBS": "0",
    "FLIPSIDE_JOBS_GRACE": "soon", "FLIPSIDE_LIVE_MEMORY": "lots", "FLIPSIDE_DB_MEMORY": "1",
    "FLIPSIDE_ENDPOINT_TIMEOUT": "-3", "FLIPSIDE_FOLLOW_LINKS": "true", "FLIPSIDE_LEXICON": "wordnet",
    "FLIPSIDE_BACKEND_LIMIT": "0MB", "FLIPSIDE_BACKEND_PLAIN": "yes", "FLIPSIDE_BACKEND_TIMEOUT": "nan",
    "FLIPSIDE_PLUGINS": "off", "FLIPSIDE_PROGRESS": "jsonl", "FLIPSIDE_CACHE": f"{Path(__file__)}/cache",
    "FLIPSIDE_DATA": f"{ROOT}{os.pathsep}{Path(__file__)}", "FLIPSIDE_MODELS": "~nobody-here/models",
}  # fmt: skip
#: Those that are read in other rooms: a value that cannot be meant, and what is said then.
WRONG_ELSEWHERE = [
    ("FLIPSIDE_BACKEND", "foo", "FLIPSIDE_BACKEND=foo: expected an address such as http://127.0.0.1:8700."),
    ("FLIPSIDE_DECODE", "fast", "FLIPSIDE_DECODE=fast: expected threads, processes or processes:N, N from 1 to 256."),
    ("FLIPSIDE_ENDPOINTS", "https://a.b/v1 localhost", "FLIPSIDE_ENDPOINTS holds “localhost”: expected addresses"),
    ("FLIPSIDE_ENDPOINTS", "https://key:secret@a.b/v1", "FLIPSIDE_ENDPOINTS holds “…@a.b/v1”: expected addresses"),
    ("FLIPSIDE_ENDPOINTS", "https://a.b/v1#model", "FLIPSIDE_ENDPOINTS holds “https://a.b/v1#model”: expected"),
    ("FLIPSIDE_FRAME_ANCESTORS", "a.b", "FLIPSIDE_FRAME_ANCESTORS holds “a.b”, which is no origin"),
    ("FLIPSIDE_HOSTS", "a@b", "FLIPSIDE_HOSTS holds “a@b”, which is no host name"),
    ("FLIPSIDE_LIVE_MODELS", "clip", "FLIPSIDE_LIVE_MODELS: Model spec 'clip' has no prefix"),
    ("FLIPSIDE_LIVE_MODELS", "bundled:clip bundled:nope", "FLIPSIDE_LIVE_MODELS: "),
    ("FLIPSIDE_LIVE_MODELS", "py:nothing", "FLIPSIDE_LIVE_MODELS: Model spec py:nothing names no module"),
    ("FLIPSIDE_PY_MODELS", "mine.py:Net", "FLIPSIDE_PY_MODELS holds “mine.py:Net”: expected specs of code"),
    ("FLIPSIDE_PY_MODELS", "py:mine.py:Net", "FLIPSIDE_PY_MODELS: “py:mine.py:Net” names a file by a relative path"),
    ("FLIPSIDE_PY_MODELS", "py:a:B 'py:c:D", "FLIPSIDE_PY_MODELS: No closing quotation."),
    ("FLIPSIDE_RESULTS", "s3://a", "FLIPSIDE_RESULTS=s3://a: expected a folder, or an https address"),
    ("FLIPSIDE_RESULTS", "http://a.b/c", "FLIPSIDE_RESULTS=http://a.b/c: expected an https address"),
    ("FLIPSIDE_RESULTS", __file__, f"FLIPSIDE_RESULTS={__file__}: expected a folder; {__file__} is a file."),
    ("FLIPSIDE_STORE", "s3://", "FLIPSIDE_STORE=s3://: expected an address in an object store"),
]
#: Of this file.
UNKNOWN = {
    "CHACHE",
    "COST",
    "PORT",
    "MINE",
    "HOST",
    "CACHR",
    "SERVICE_HOST",
    "SERVICE_PORT",
    "SERVICE_PORT_HTTP",
    "WEB_SERVICE_HOST",
}
READERS: dict[str, Callable[[], object]] = {
    "FLIPSIDE_KEEP_FEATURES": kept_features.room, "FLIPSIDE_KEEP_PICTURES": kept_pictures.KeptPictures,
    "FLIPSIDE_JOBS": jobs.at_once, "FLIPSIDE_LIVE_MEMORY": budget.budget,
}  # fmt: skip


def test_examples() -> None:
    assert doctest.testmod(environment).failed == 0


def test_every_variable_that_the_program_names_is_checked_or_read_in_its_own_way() -> None:
    files = [
        ROOT / "app.py",
        *(path for top in ("backend", "flipside", "pages") for path in (ROOT / top).rglob("*.py")),
    ]
    named = {name for file in files for name in re.findall(r"FLIPSIDE_([A-Z_]+[A-Z])", file.read_text("utf-8"))}
    ours = {*environment.CHECKED, *environment.ELSEWHERE, *(f"FLIPSIDE_{name}" for name in environment.ANYTHING)}
    assert {f"FLIPSIDE_{name}" for name in named} == ours
    tops = [ROOT / top for top in ("tests", "scripts", "bench")]
    files = [path for top in tops for path in top.rglob("*") if path.suffix in (".py", ".sh")] + [ROOT / "Makefile"]
    tools = {name for file in files for name in re.findall(r"FLIPSIDE_([A-Z_]+[A-Z])", file.read_text("utf-8"))}
    assert {name for name in tools if f"FLIPSIDE_{name}" not in ours} - UNKNOWN == {*environment.TOOLS}


@pytest.mark.parametrize("name", environment.CHECKED)
def test_a_wrong_value_is_said_with_what_was_expected(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """1 gigabyte meant the default of FLIPSIDE_KEEP_FEATURES, without a word."""
    monkeypatch.setenv(name, WRONG[name])
    said = rf"^{name}={re.escape(WRONG[name])}: expected .+\.$"
    with pytest.raises(UsageError, match=said):
        environment.check()
    if name in READERS:
        with pytest.raises(UsageError, match=said):
            READERS[name]()
    assert cli.main(["models"]) == 2
    out = capsys.readouterr()
    assert (out.out, out.err.count("\n")) == ("", 1)
    assert re.search(said, out.err.strip().removeprefix("flipside: "))
    assert cli.main(["models", "--help"]) == 0, "help is for those who have something to mend"
    monkeypatch.setenv(name, " ")
    environment.check()


def test_every_variable_that_is_read_elsewhere_has_a_wrong_value_here() -> None:
    assert {name for name, _, _ in WRONG_ELSEWHERE} == {*environment.ELSEWHERE}


@pytest.mark.parametrize(("name", "value", "said"), WRONG_ELSEWHERE)
def test_what_other_rooms_read_is_said_before_anything_is_done(
    name: str, value: str, said: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """FLIPSIDE_BACKEND=foo was no hindrance to a start; s3:// was quoted as s3:, a folder of results as --from."""
    monkeypatch.setenv(name, value)
    assert cli.main(["models"]) == 2
    out = capsys.readouterr()
    assert (out.out, out.err.count("\n")) == ("", 1)
    assert out.err.startswith(f"flipside: {said}")
    monkeypatch.setenv(name, " ")
    environment.check()


def test_a_name_that_nobody_reads_is_said(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """A misspelt one was ignored without a word."""
    monkeypatch.setenv("FLIPSIDE_CHACHE", "/there")
    assert cli.main(["models"]) == 2
    assert capsys.readouterr().err == "flipside: FLIPSIDE_CHACHE is not known; did you mean FLIPSIDE_CACHE?\n"
    monkeypatch.delenv("FLIPSIDE_CHACHE")
    monkeypatch.setenv("FLIPSIDE_PORT", "8600")
    assert cli.main(["models"]) == 0
    assert capsys.readouterr().err == "flipside: FLIPSIDE_PORT is not known, and nothing reads it.\n"
    monkeypatch.setenv("FLIPSIDE_MINE", "1")
    assert environment.unread() == "FLIPSIDE_MINE, FLIPSIDE_PORT are not known, and nothing reads them."
    for name, value in {
        "FLIPSIDE_PORT": "tcp://10.0.0.1:80", "FLIPSIDE_SERVICE_HOST": "10.0.0.1", "FLIPSIDE_SERVICE_PORT": "80",
        "FLIPSIDE_SERVICE_PORT_HTTP": "80", "FLIPSIDE_PORT_80_TCP": "tcp://10.0.0.1:80",
        "FLIPSIDE_PORT_80_TCP_ADDR": "10.0.0.1", "FLIPSIDE_WEB_SERVICE_HOST": "10.0.0.1",
    }.items():  # fmt: skip
        monkeypatch.setenv(name, value)
    assert environment.unread() == "FLIPSIDE_MINE is not known, and nothing reads it.", "Kubernetes sets the others"


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("CACHE_DIR", "CACHE"),
        ("MODE", "MODELS"),
        ("HOST", "HOSTS"),
        ("JOB", "JOBS"),
        ("DATE", "DATA"),
        ("COST", "COSTS"),
        ("DATA2", "DATA"),
    ],
)
def test_a_name_that_may_be_somebody_elses_is_asked_about_and_not_refused(
    monkeypatch: pytest.MonkeyPatch, name: str, meant: str
) -> None:
    monkeypatch.setenv(f"FLIPSIDE_{name}", "/there")
    environment.check()
    said = f"FLIPSIDE_{name} is not known, and nothing reads it. Did you mean FLIPSIDE_{meant}?"
    assert environment.unread() == said


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("CACHE", "s3://b/c", "a folder of this machine"), ("DATA", "s3://b", "a folder of this machine"),
        ("CACHE", '"/tmp/x"', "a folder without quotes"), ("CACHE", " /tmp/x", "a folder without quotes"),
        ("MODELS", "/there/a\nb", "a folder without quotes"),
    ],
)  # fmt: skip
def test_what_is_no_folder_by_its_spelling_makes_none(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str, expected: str
) -> None:
    """`s3://b/c` was a folder called s3: where one stood."""
    monkeypatch.setenv(f"FLIPSIDE_{name}", value)
    with pytest.raises(UsageError, match=re.escape(f"FLIPSIDE_{name}={value}: expected {expected}")):
        environment.check()


def test_a_quote_in_a_folders_name_is_a_part_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FLIPSIDE_DATA", "/there/nobody's data")
    monkeypatch.setenv("FLIPSIDE_CACHE", '/there/the "new" one')
    environment.check()


@pytest.mark.parametrize("name", ["a,b", "who?", "back\\slash", "a\udcff"])
def test_a_folder_in_which_duckdb_finds_no_file_is_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str
) -> None:
    """It was a TransactionException, “a fault of the program”."""
    monkeypatch.setenv("FLIPSIDE_CACHE", str(tmp_path / name / "cache"))
    with pytest.raises(UsageError, match=r"expected another folder, for the path of this one (has . in it|is no text)"):
        environment.check()
    with pytest.raises(FlipsideError, match="Set FLIPSIDE_CACHE to another one"):
        importer.connect(tmp_path / name / "x.duckdb", read_only=False)  # as beside a checkout that lies there
    assert not (tmp_path / name).exists()


@pytest.mark.parametrize("name", ["a b", "{ab}", "[ab]*", "50%#1", "漢é", "nobody's", 'the "new" one', "a;b"])
def test_a_folder_of_any_other_name_holds_a_database(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str
) -> None:
    monkeypatch.setenv("FLIPSIDE_CACHE", str(tmp_path / name))
    environment.check()
    (tmp_path / name).mkdir()
    with importer.connect(tmp_path / name / "x.duckdb", read_only=False) as connection:
        connection.execute("CREATE TABLE t AS SELECT 1 AS n")
    with importer.connect(tmp_path / name / "x.duckdb", read_only=True) as connection:
        assert connection.execute("SELECT n FROM t").fetchall() == [(1,)]


@pytest.mark.parametrize(
    "name", ["CHACHE", "CAHCE", "CACHR", "CACHES", "BACKENDS", "ENDPOINT", "STOR", "CACH", "DATAA"]
)
def test_a_name_that_is_a_letter_off_is_refused(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv(f"FLIPSIDE_{name}", "/there")
    with pytest.raises(UsageError, match=f"FLIPSIDE_{name} is not known; did you mean FLIPSIDE_"):
        environment.check()


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("KEEP_FEATURES", "1 gigabyte", "FLIPSIDE_KEEP_FEATURES=1 gigabyte: expected a size such as 500MB or 4GB"),
        ("BACKEND", "foo", "FLIPSIDE_BACKEND=foo: expected an address"),
        ("BACKEND", "http://127.0.0.1:8700", "FLIPSIDE_BACKEND_TOKEN is not set"),
        ("CACHR", "a.b", "FLIPSIDE_CACHR is not known; did you mean FLIPSIDE_CACHE?"),
    ],
)
def test_the_dashboard_says_it_before_it_starts(name: str, value: str, said: str) -> None:
    code = "from pages.shared.server import front_door; front_door.middleware()"
    given = {**os.environ, f"FLIPSIDE_{name}": value}
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=given, capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stderr.startswith(f"flipside: {said}")
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("said", "bytes_"),
    [
        ("", 1 << 30), ("0", 0), ("12", 12 << 20), (" 12 ", 12 << 20), ("4GB", 4 * 10**9), ("500 MiB", 500 << 20),
        ("0MB", 0),
    ],
)  # fmt: skip
def test_room(said: str, bytes_: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Megabytes alone were taken here, a size with its unit elsewhere."""
    monkeypatch.setenv("FLIPSIDE_KEEP_FEATURES", said)
    assert kept_features.room() == bytes_


@pytest.mark.parametrize("value", ["500MB", "1.5 GB", "2GiB", "3tb"])
def test_one_spelling_of_a_size_holds_for_all_variables(value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("BACKEND_LIMIT", "DB_MEMORY", "KEEP_FEATURES", "KEEP_PICTURES", "LIVE_MEMORY"):
        monkeypatch.setenv(f"FLIPSIDE_{name}", value)
    environment.check()
    known = environment.bytes_of(value, "")
    assert known == {"500MB": 5 * 10**8, "1.5 GB": 15 * 10**8, "2GiB": 2 << 30, "3tb": 3 * 10**12}[value]
    assert {kept_features.room(), kept_pictures.KeptPictures().room, budget.budget()} == {known}


@pytest.mark.parametrize(
    ("name", "value", "holds"),
    [
        ("LIVE_MODELS", "bundled:clip,bundled:matcher", "bundled:clip,bundled:matcher"),
        ("LIVE_MODELS", "bundled:clip, bundled:matcher", "bundled:clip,"), ("LIVE_MODELS", "a,b", "a,b"),
        ("LIVE_MODELS", "hf:a/b,hf:c/d", "hf:a/b,hf:c/d"), ("PY_MODELS", "py:a:B,py:c:D", "py:a:B,py:c:D"),
        ("PY_MODELS", "py:a:B, py:c:D", "py:a:B,"), ("ENDPOINTS", "http://a/v1, http://b/v1", "http://a/v1,"),
        ("ENDPOINTS", "http://a/v1,http://b/v1", "http://a/v1,http://b/v1"),
    ],
)  # fmt: skip
def test_a_comma_between_entries_is_told_to_be_a_space(
    name: str, value: str, holds: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`hf:a/b,hf:c/d` was one model of that name."""
    monkeypatch.setenv(f"FLIPSIDE_{name}", value)
    said = rf"^FLIPSIDE_{name} holds “{re.escape(holds)}”: expected .*separated by spaces"
    with pytest.raises(UsageError, match=said):
        environment.check()


def test_a_comma_in_a_folders_name_separates_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FLIPSIDE_PY_MODELS", "'py:/there/a,b c.py:Net'")
    monkeypatch.setenv("FLIPSIDE_LIVE_MODELS", "hf:/there/a,b")
    environment.check()
