"""The halves of continuous integration: together every test, and what is quick in both."""

import os
import subprocess
import sys

import pytest

from tests import halves
from tests.conftest import ROOT


@pytest.mark.parametrize("marks", [set(), {"long"}, {"browser", "journey"}, {"slow", "browser", "journey"}])
def test_what_is_quick_and_every_journey_always_runs(marks):
    assert {halves.half_of(f"tests/x/test_y.py::test_{n}", marks) for n in range(50)} == {None}


def test_kept_pages_stay_together():
    assert halves.half_of("tests/golden/pages/test_links.py::test_what_a_link_shows[runs]", {"slow"}) is None


def test_a_browser_file_stays_together_and_both_halves_have_their_share():
    files = [path.relative_to(ROOT).as_posix() for path in sorted((ROOT / "tests" / "browser").rglob("test_*.py"))]
    found = {name: halves.half_of(f"{name}::test_a", {"browser"}) for name in files}
    assert {halves.half_of(f"{files[0]}::test_{n}", {"browser"}) for n in range(20)} == {found[files[0]]}
    assert min(list(found.values()).count(half) for half in (0, 1)) >= len(files) // 3


@pytest.mark.slow
def test_together_they_are_all_tests():
    """As pytest collects them, in a folder with quick, long and slow ones."""

    def collected(half: str) -> set[str]:
        command = [sys.executable, "-m", "pytest", "-q", "--collect-only", "tests/live/jobs", "-p", "no:cacheprovider"]
        told = subprocess.check_output(command, cwd=ROOT, text=True, env={**os.environ, halves.VARIABLE: half})
        return {line for line in told.splitlines() if "::" in line}

    every, even, odd = (collected(half) for half in ("", "0", "1"))
    assert even | odd == every
    assert even - odd
    assert odd - even
    assert even & odd
