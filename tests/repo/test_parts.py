"""The parts of continuous integration: together every test, and what is quick in each."""

import os
import subprocess
import sys

import pytest

from tests import parts
from tests.conftest import ROOT


@pytest.mark.parametrize("marks", [set(), {"long"}, {"browser", "journey"}, {"slow", "browser", "journey"}])
def test_what_is_quick_and_every_journey_always_runs(marks):
    assert {parts.part_of(f"tests/x/test_y.py::test_{n}", marks) for n in range(50)} == {None}


def test_kept_pages_stay_together():
    assert parts.part_of("tests/golden/pages/test_links.py::test_what_a_link_shows[runs]", {"slow"}) is None


def test_a_browser_file_stays_together_and_every_part_has_its_share():
    files = [path.relative_to(ROOT).as_posix() for path in sorted((ROOT / "tests" / "browser").rglob("test_*.py"))]
    found = {name: parts.part_of(f"{name}::test_a", {"browser"}) for name in files}
    assert {parts.part_of(f"{files[0]}::test_{n}", {"browser"}) for n in range(20)} == {found[files[0]]}
    assert min(list(found.values()).count(part) for part in range(parts.PARTS)) >= len(files) // (parts.PARTS + 2)


@pytest.mark.slow
def test_together_they_are_all_tests():
    """As pytest collects them, in a folder with quick, long and slow ones."""

    def collected(part: str) -> set[str]:
        command = [sys.executable, "-m", "pytest", "-q", "--collect-only", "tests/live/jobs", "-p", "no:cacheprovider"]
        told = subprocess.check_output(command, cwd=ROOT, text=True, env={**os.environ, parts.VARIABLE: part})
        return {line for line in told.splitlines() if "::" in line}

    every, each = collected(""), [collected(str(part)) for part in range(parts.PARTS)]
    always = set.intersection(*each)
    assert set.union(*each) == every
    assert always
    assert all(of - always for of in each)
    assert sum(len(of - always) for of in each) == len(every - always)


def test_a_part_that_there_is_not_is_refused():
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "--collect-only",
        "tests/repo/test_parts.py",
        "-p",
        "no:cacheprovider",
    ]
    asked = {**os.environ, parts.VARIABLE: str(parts.PARTS)}
    told = subprocess.run(command, cwd=ROOT, text=True, env=asked, capture_output=True, check=False)
    assert told.returncode == pytest.ExitCode.USAGE_ERROR
    assert f"{parts.VARIABLE} is '{parts.PARTS}': a number from 0 to {parts.PARTS - 1}" in told.stderr
