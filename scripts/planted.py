"""Plant one fault at a time and see which gate catches it: `python -m scripts.planted --near`.

The faults are in `scripts/planted.toml`. Each is planted in a scratch checkout of HEAD, never in this one. Answers are
kept in `--log`, and a fault that is in there is not planted again: the command can be stopped and started. Not part of
any gate: without `--near` each fault costs a whole gate.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
import tomllib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
FAULTS = Path(__file__).with_suffix(".toml")
#: Gate -> the marker expressions that scripts/check.sh runs for it beyond the smaller gate.
GATES = {
    "check": "not browser and not slow and not long",
    "test": "(long and not slow and not browser) or (browser and journey)",
    "test-all": "slow or (browser and not journey)",
}
#: pytest's exit codes: tests failed, collecting failed (exit 2), nothing selected.
FAILED, STOPPED, NOTHING = 1, 2, 5


def plant(checkout: Path, fault: dict[str, Any]) -> None:
    """Replace the fault's `old` by its `new`. SystemExit where `old` is not in the file exactly once."""
    path = checkout / fault["file"]
    text = path.read_text(encoding="utf-8") if path.is_file() else ""
    if text.count(fault["old"]) != 1:
        sys.exit(
            f"{FAULTS.name}: {fault['old']!r} stands {text.count(fault['old'])} times in {fault['file']}, not once"
        )
    path.write_text(text.replace(fault["old"], fault["new"]), encoding="utf-8")


def caught(checkout: Path, marks: str, tests: list[str]) -> list[str]:
    """The first tests that fail, and the files that cannot be imported; none where all pass."""
    command = [sys.executable, "-m", "pytest", "-q", "-n", "0", "--maxfail=3", "-p", "no:cacheprovider", "-m", marks]
    done = subprocess.run(
        [*command, "-rfE", *tests], cwd=checkout, capture_output=True, text=True, check=False,
        env={**os.environ, "PYTHONPATH": str(checkout)},
    )  # fmt: skip
    if done.returncode not in (0, FAILED, STOPPED, NOTHING):
        sys.exit(f"pytest ended with {done.returncode}:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    lines = [line.split(" - ")[0] for line in done.stdout.splitlines() if line.startswith(("FAILED ", "ERROR "))]
    return [line.split(" ", 1)[1] for line in lines]


def tried(name: str, fault: dict[str, Any], near: bool) -> dict[str, Any]:
    """Plant a fault and run the gates, the smallest first, until one catches it."""
    with tempfile.TemporaryDirectory() as folder:
        checkout = Path(folder) / "flipside"
        subprocess.run(["git", "worktree", "add", "-q", "--detach", checkout, "HEAD"], cwd=ROOT, check=True)
        try:
            (checkout / ".venv").symlink_to(ROOT / ".venv")
            plant(checkout, fault)
            for gate, marks in GATES.items():
                begun = time.monotonic()
                found = caught(checkout, marks, fault["near"] if near else ["tests"])
                if found:  # a test that fails without the fault, too, catches nothing
                    subprocess.run(["git", "checkout", "-q", "--", fault["file"]], cwd=checkout, check=True)
                    without = caught(checkout, marks, found)
                    plant(checkout, fault)
                    found = [test for test in found if test not in without]
                if found:
                    seconds = round(time.monotonic() - begun)
                    return {"fault": name, "near": near, "gate": gate, "by": found, "seconds": seconds}
        finally:
            subprocess.run(["git", "worktree", "remove", "--force", checkout], cwd=ROOT, check=True)
    return {"fault": name, "near": near, "gate": None, "by": [], "seconds": 0}


def main() -> None:
    """Plant what is not in the log yet, print a line for each; exit 1 where a fault is caught by no gate."""
    asked = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    asked.add_argument("--near", action="store_true", help="run the tests that are about the fault, not all")
    asked.add_argument("--only", nargs="+", default=[], help="names of faults")
    asked.add_argument("--log", type=Path, default=ROOT / ".out" / "planted.jsonl", help="where answers are kept")
    given = asked.parse_args()
    faults = tomllib.loads(FAULTS.read_text(encoding="utf-8"))
    given.log.parent.mkdir(parents=True, exist_ok=True)
    lines = given.log.read_text(encoding="utf-8").splitlines() if given.log.is_file() else []
    known = {line["fault"]: line for line in map(json.loads, lines) if line["near"] == given.near}
    for name in given.only or faults:
        if name not in known:
            known[name] = tried(name, faults[name], given.near)
            with given.log.open("a", encoding="utf-8") as log:
                log.write(json.dumps(known[name]) + "\n")
        print(f"{name:12} {known[name]['gate'] or 'caught by none':14} {', '.join(known[name]['by'])}", flush=True)
    sys.exit(any(known[name]["gate"] is None for name in given.only or faults))


if __name__ == "__main__":
    main()
