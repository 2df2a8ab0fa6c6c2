"""A full standard output is told as such, and not as the cache's disk."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from backend import paths
from backend.durable import full, unwritable

FULL = Path("/dev/full")
WORDS = (
    ("models",),
    ("published", "--json"),
    ("sql", "--csv", "SELECT range FROM range(20000)"),
    ("table", "--benchmarks", "world", "--models", "bundled:clip", "--out", "-"),
    ("--help",),
)


@pytest.mark.skipif(not FULL.exists(), reason="only Linux has a device that is always full")
@pytest.mark.parametrize("words", WORDS, ids=lambda words: words[0])
def test_it_is_standard_output_that_is_full(flipside_cache, words):
    with FULL.open("wb") as out:
        done = subprocess.run(
            [sys.executable, "-m", "backend", *words], stdout=out, stderr=subprocess.PIPE, text=True, check=False,
            cwd=paths.ROOT, env=os.environ | {"FLIPSIDE_CACHE": str(flipside_cache)},
        )  # fmt: skip
    told = [line for line in done.stderr.splitlines() if not line.endswith(" …")]
    said = "flipside: standard output: no space is left where it goes. Send it elsewhere; nothing that is kept is lost."
    assert (done.returncode, told) == (1, [said])


def test_another_full_disk_is_told_as_before(tmp_path):
    assert unwritable(OSError(28, "No space left on device"), tmp_path) == full(tmp_path)
    elsewhere = OSError(28, "No space left on device", str(tmp_path / "x.csv"))
    assert unwritable(elsewhere, tmp_path / "cache").startswith(f"{tmp_path / 'x.csv'}: no space is left on its disk")
