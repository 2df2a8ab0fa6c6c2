"""Twenty people on Try it at once: python -m bench.sessions [--sessions 20] [--rounds 4] [--no-backend]

Starts the dashboard on an empty cache, lets one person and then many type captions of their own, each into a browser
context of its own of one Chromium, and compares every score that a page shows with the model's own, asked here, to the
last figure shown. The same with a live backend on the loopback (`flipside serve`). And, without any browser, so many
threads that ask the pool at once: with what has queued joined, and one by one.

The browsers share the processors with the dashboard: on few of them their drawing is most of a wait.
"""

import asyncio
import contextlib
import os
import platform
import random
import secrets
import statistics
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from backend.images import open_image
from backend.live.remote import address as names
from backend.live.scoring import joining, together
from backend.live.scoring.pool import Pool
from backend.live.scoring.scoring import ModelScores, score
from backend.paths import module_command
from backend.verbs.shared.output import note, print_table, say
from bench.promises import Promise
from bench.promises import say as said
from bench.sessions.people import SCENE, Answer, captions, visit
from pages.shared.drawing.numbers import score as shown
from pages.shared.frame.tips import kind_name
from scripts.dashboard import serving

#: What the pages choose where nobody chose, asked by the threads.
MODELS = ("bundled:clip", "bundled:clip-relational", "bundled:matcher", "bundled:captioner")
#: A score may differ by what else is in its batch (docs/fidelity.md), and so by one in the last figure that is shown.
ROUNDING = 1.5e-3


def crossed(answers: Sequence[Answer], pool: Pool) -> tuple[int, int]:
    """(scores compared, scores that are not those of the captions beside them)."""
    image, compared, wrong = open_image(SCENE), 0, 0
    for answer in answers:
        specs = {title.split(", ")[0] for title in answer.rows}
        own = {spec: score(pool, spec, [image], answer.captions, "") for spec in specs}
        for title, found in answer.rows.items():
            spec, kind = title.split(", ")
            wanted = _of_kind(own[spec], kind)
            for one, other in zip(found, wanted, strict=True):
                compared += 1
                wrong += abs(one - float(shown(other).replace("\N{MINUS SIGN}", "-"))) > ROUNDING * max(1, abs(one))
    return compared, wrong


def _of_kind(scores: ModelScores, kind: str) -> list[float]:
    return next([float(x) for x in matrix[0]] for name, matrix in scores.matrices.items() if kind_name(name) == kind)


def waits(seconds: Sequence[float]) -> tuple[str, str]:
    """p50 and p95, in seconds."""
    return f"{statistics.median(seconds):.2f}", f"{np.percentile(seconds, 95):.2f}"


def threads(sessions: int, rounds: int, *, joined: bool) -> list[float]:
    """Seconds of each of so many threads that ask all MODELS about captions of their own at once, `rounds` times."""
    together.MOST = joining.MOST if joined else 0  # type: ignore[misc]
    pool, image, dice = Pool(), open_image(SCENE), random.Random(2)  # noqa: S311 - captions
    used: set[tuple[str, str]] = set()

    def one(pair: tuple[str, str]) -> float:
        begun = time.perf_counter()
        for spec in MODELS:
            found = score(pool, spec, [image], pair, "lm:bundled:lm", [SCENE])
            if found.problem:
                raise RuntimeError(found.problem)
        return time.perf_counter() - begun

    one(captions(dice, used))  # the models are loaded
    with ThreadPoolExecutor(sessions) as people:
        asked = [[captions(dice, used) for _ in range(sessions)] for _ in range(rounds)]
        return [seconds for pairs in asked for seconds in people.map(one, pairs)]


@contextlib.contextmanager
def backend(cache: Path) -> Iterator[None]:
    """A live backend on the loopback, set in the environment as long as the block lasts."""
    token, port = secrets.token_hex(32), 8799
    own = os.environ | {"FLIPSIDE_CACHE": str(cache), names.TOKEN: token}
    with (cache / "serve.log").open("w") as log:
        server = subprocess.Popen(
            module_command("backend", "serve", "--port", str(port)), env=own, stdout=log, stderr=log
        )
        try:
            deadline = time.monotonic() + 180
            while "models are offered" not in (cache / "serve.log").read_text():
                if server.poll() is not None or time.monotonic() > deadline:
                    raise RuntimeError((cache / "serve.log").read_text())
                time.sleep(0.2)
            os.environ |= {names.ADDRESS: f"http://127.0.0.1:{port}", names.TOKEN: token}
            yield
        finally:
            for name in (names.ADDRESS, names.TOKEN):
                os.environ.pop(name, None)
            server.terminate()
            server.wait(60)


def main(
    sessions: Annotated[int, typer.Option(help="How many people at once.")] = 20,
    rounds: Annotated[int, typer.Option(help="How often each of them asks.")] = 4,
    with_backend: Annotated[bool, typer.Option("--backend/--no-backend")] = True,
) -> None:
    """Print the tables; exit code 1 where a score is not its session's own."""
    rows: list[tuple[Any, ...]] = []
    pool, bad = Pool(), 0
    for where in ("in process", "backend")[: 1 + with_backend]:
        with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
            cache = Path(folder)
            if where == "backend":
                stack.enter_context(backend(cache))
            at = stack.enter_context(serving(cache))
            dice, used = random.Random(1), set[tuple[str, str]]()  # noqa: S311 - captions
            for n in (1, sessions):
                answers = asyncio.run(visit(at, n, rounds * (3 if n == 1 else 1), dice, used))
                compared, wrong = crossed(answers, pool)
                bad += wrong
                rows.append((where, n, len(answers), *waits([each.seconds for each in answers]), compared, wrong))
                note(" ".join(map(str, rows[-1])))
    head = ("scored", "sessions", "waits", "p50 s", "p95 s", "scores compared", "crossed")
    say(f"{platform.machine()}, {os.cpu_count()} processors\n\nIn the browser, from Ctrl + Enter:")
    print_table(head, rows)
    say("\nThreads that ask the pool, no browser:")
    print_table(
        ("asked", "threads", "p50 s", "p95 s"),
        [
            ("joined" if joined else "one by one", n, *waits(threads(n, rounds * (5 if n == 1 else 2), joined=joined)))
            for n, joined in ((1, True), (sessions, True), (sessions, False))
        ],
    )
    one, many = (float(row[4]) for row in rows[:2])
    said(
        Promise("Try it, one session in the browser, 95th percentile", one, None, "s"),
        Promise(f"Try it, {sessions} sessions at once, 95th percentile", many, None, "s", False, one, "one session"),
        Promise("Try it, scores that are not their session's own", bad, 0, "scores"),
    )
    if bad:
        raise typer.Exit(1)


if __name__ == "__main__":
    typer.run(main)
