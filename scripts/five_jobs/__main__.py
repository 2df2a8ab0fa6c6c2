"""`python -m scripts.five_jobs --root DIR`: plays the five jobs on the Flipside in a folder; with `--before DIR` on an
older one, too, in turns, and prints the table of both.
"""

import argparse
import contextlib
import json
import sys
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from secrets import token_hex

from playwright.sync_api import Browser

from scripts.dashboard import ROOT, browsing, serving
from scripts.five_jobs import before, now, table
from scripts.five_jobs.hand import Count, Hand
from scripts.five_jobs.jobs import JOBS, Job, Steps

SIZE = {"width": 1440, "height": 900}
SIDES = {"before": before.STEPS, "now": now.STEPS}


def play(browser: Browser, address: str, job: Job, steps: Steps, shot: Path | None = None) -> Count:
    """One job in a browser that has seen nothing. shot: where the answer is pictured. Raises where it is not there."""
    context = browser.new_context(viewport=SIZE, permissions=["clipboard-read", "clipboard-write"])  # type: ignore[arg-type]
    page = context.new_page()
    page.set_default_timeout(90_000)
    try:
        with tempfile.TemporaryDirectory() as folder:
            hand = Hand(page, address, f"paper {token_hex(2)}")
            try:
                steps[job.letter](hand, Path(folder))
            finally:
                if shot:
                    page.screenshot(path=shot)
        return hand.count
    finally:
        context.close()


@contextlib.contextmanager
def served(roots: dict[str, Path], cache: Path | None) -> Iterator[dict[str, str]]:
    """The address of each side's dashboard, each with a cache of its own below `cache` (which is kept) or a new one."""
    with contextlib.ExitStack() as stack:
        scratch = cache or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        found = {}
        for side, root in roots.items():
            own = scratch / side
            own.mkdir(parents=True, exist_ok=True)
            found[side] = stack.enter_context(serving(own, 180, root))
        yield found


def _played(found: table.Found, letters: str, sides: Iterable[str]) -> int:
    """How often every job was played to its end on every side."""
    return min((len(found.get(job, {}).get(side, [])) for job in letters for side in sides), default=0)


def keep(found: table.Found, rounds: int, numbers: Path | None, page: Path | None) -> None:
    """Write what has been counted so far; the page only once every job has been played on every side."""
    if numbers:
        numbers.write_text(json.dumps(table.plain(found), indent=1) + "\n", encoding="utf-8")
    if page and rounds:
        page.write_text(table.page(found, rounds), encoding="utf-8")


def main() -> int:
    """Play, print, write; 1 where an answer is missing."""
    parser = argparse.ArgumentParser(prog="python -m scripts.five_jobs", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--root", type=Path, default=ROOT, help="the product as it is")
    parser.add_argument("--before", type=Path, help="a checkout of the product as it was, with its own .venv")
    parser.add_argument("--rounds", type=int, default=3, help="times each job is played on each side")
    parser.add_argument("--jobs", default="ABCDE", help="letters of those to play")
    parser.add_argument("--sides", default="before,now", help="which to play, of those given")
    parser.add_argument("--cache", type=Path, help="a folder whose caches are kept for the next time")
    parser.add_argument("--json", type=Path, help="where the numbers go")
    parser.add_argument("--out", type=Path, help="where the page goes (docs/five-jobs.md)")
    parser.add_argument("--shots", type=Path, help="a folder for a picture of each answer")
    asked = parser.parse_args()
    roots = {"before": asked.before, "now": asked.root}
    roots = {side: root.resolve() for side, root in roots.items() if root and side in asked.sides.split(",")}
    found: dict[str, dict[str, list[Count]]] = {}
    failed = 0
    with served(roots, asked.cache) as addresses, browsing() as browser:
        for turn in range(asked.rounds):
            for job in (each for each in JOBS if each.letter in asked.jobs):
                order = list(addresses) if turn % 2 == 0 else list(addresses)[::-1]
                for side in order:
                    shot = asked.shots / f"{job.letter}-{side}.png" if asked.shots else None
                    try:
                        count = play(browser, addresses[side], job, SIDES[side], shot)
                    except Exception as error:  # noqa: BLE001 - a job that ends badly is a result, too
                        failed += 1
                        print(f"{job.letter} {side}: {str(error)[:600]}", file=sys.stderr, flush=True)
                        continue
                    print(f"{job.letter} {side}: {count}", file=sys.stderr, flush=True)
                    found.setdefault(job.letter, {}).setdefault(side, []).append(count)
            keep(found, _played(found, asked.jobs, roots), asked.json, asked.out)
    print(table.page(found, _played(found, asked.jobs, roots)))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
