"""A run in a process of its own, to be killed: `python -m tests.engine.interrupted_run PICTURES ROOT SPEC`.

Prints a line after each window, so that the one who kills it knows where it is.
"""

import sys
from pathlib import Path

from backend.engine.reporting.summary import Progress
from backend.engine.runner import run
from backend.engine.storage.ledger import Pace
from tests.engine.samples import mixed

KINDS = ["itc", "gen", "t2t", "prior"]


def tell(report: Progress) -> None:
    sys.stdout.write(f"{report.done}\n")
    sys.stdout.flush()


def main(pictures: str, root: str, spec: str) -> int:
    summary = run(
        spec,
        mixed(Path(pictures), 6),
        KINDS,
        priors=["noise:1"],
        root=Path(root),
        pace=Pace(cells=4, first_cells=4, rows=8),
        progress=tell,
    )
    return summary.exit_code


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
