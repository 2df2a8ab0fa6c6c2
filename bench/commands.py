"""Whole commands as one types them, by the clock: `python -m bench.commands`."""

import os
import subprocess
import sys
import tempfile
import time

from bench.promises import Promise, say
from scripts.dashboard import ROOT

REPORT = ("report", "--model", "bundled:clip", "--benchmark", "world", "--json")


def seconds(cache: str, *arguments: str) -> float:
    """How long a command takes, in a process of its own; raises where it fails."""
    environment = {**os.environ, "FLIPSIDE_CACHE": cache}
    began = time.perf_counter()
    subprocess.run(
        [sys.executable, "-m", "backend", *arguments], cwd=ROOT, env=environment, check=True, stdout=subprocess.DEVNULL
    )
    return time.perf_counter() - began


def main() -> None:
    """Help, counting the world, the first report (which takes over what ships) and a second one."""
    with tempfile.TemporaryDirectory() as cache:
        say(
            Promise("`flipside --help`", seconds(cache, "--help"), None, "s"),
            Promise("`import world` (4,830 items, pictures not drawn)", seconds(cache, "import", "world"), None, "s"),
            Promise("First `report`, the results that ship taken over", seconds(cache, *REPORT), 10, "s"),
            Promise("Second `report`", seconds(cache, *REPORT), None, "s"),
        )


if __name__ == "__main__":
    main()
