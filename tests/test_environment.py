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
from backend.errors import UsageError
from backend.live.jobs import jobs
from backend.live.scoring import budget
from backend.models import kept_features

ROOT = Path(__file__).parents[1]
#: Variables with readers of their own, which say themselves what is wrong, and those that may say anything.
OWN = {
    "BACKEND", "BACKEND_TOKEN", "DECODE", "FRAME_ANCESTORS", "HOSTS", "PY_MODELS", "STORE",
    "CACHE", "DATA", "MODELS", "LIVE_MODELS", "ENDPOINTS", "ENDPOINT_KEY", "RESULTS", "LISTED_ONLY", "TEACH_STORE",
}  # fmt: skip
WRONG = {
    "FLIPSIDE_KEEP_FEATURES": "1GB", "FLIPSIDE_KEEP_PICTURES": "-1", "FLIPSIDE_JOBS": "0",
    "FLIPSIDE_JOBS_GRACE": "soon", "FLIPSIDE_LIVE_MEMORY": "lots", "FLIPSIDE_DB_MEMORY": "1",
    "FLIPSIDE_ENDPOINT_TIMEOUT": "-3", "FLIPSIDE_FOLLOW_LINKS": "true", "FLIPSIDE_LEXICON": "wordnet",
    "FLIPSIDE_BACKEND_LIMIT": "200", "FLIPSIDE_BACKEND_PLAIN": "yes", "FLIPSIDE_BACKEND_TIMEOUT": "nan",
    "FLIPSIDE_PLUGINS": "off", "FLIPSIDE_PROGRESS": "jsonl",
}  # fmt: skip
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
    assert named == {name.removeprefix("FLIPSIDE_") for name in environment.CHECKED} | OWN


@pytest.mark.parametrize("name", environment.CHECKED)
def test_a_wrong_value_is_said_with_what_was_expected(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """1GB meant the default of FLIPSIDE_KEEP_FEATURES, without a word."""
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


def test_the_dashboard_says_it_before_it_starts() -> None:
    code = "from pages.shared.server import front_door; front_door.middleware()"
    given = {**os.environ, "FLIPSIDE_KEEP_FEATURES": "1GB"}
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=given, capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stderr.startswith("flipside: FLIPSIDE_KEEP_FEATURES=1GB: expected a whole number of megabytes")
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(("said", "bytes_"), [("", 1 << 30), ("0", 0), ("12", 12 << 20), (" 12 ", 12 << 20)])
def test_megabytes(said: str, bytes_: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FLIPSIDE_KEEP_FEATURES", said)
    assert kept_features.room() == bytes_
