"""Many people on Try it at once: `python -m bench.sessions --sessions 20 --rounds 5`.

Each session types two captions of its own, again and again, on a picture of its own, and waits for the models' answer.
First one session goes through all of this alone; then all of them at once, in one Chromium, which shares the processors
with the server. Said are the waits of both, and whether every session was shown what the one alone was shown.
"""

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from playwright.sync_api import Page, expect

from scripts.dashboard import browsing, serving, settled

MODELS = "bundled:clip bundled:clip-bag"
COLOURS = ("red", "blue", "green", "yellow", "purple", "orange", "white", "black", "grey", "brown")
SHAPES = ("circle", "square", "triangle", "star", "cross")
#: What is shown of the models' answers once the captions are those that were typed; null until then.
READ = """(wanted) => {
    const app = document.querySelector("[data-testid=stApp]");
    const told = [...document.querySelectorAll(".fs-captions li")].map((li) => li.innerText.replace(/\\s+/g, " "));
    const rows = [...document.querySelectorAll(".fs-versus tbody tr")].map((row) => row.innerText.replace(/\\s+/g, " "));
    const there = wanted.every((caption) => told.some((text) => text.includes(caption)));
    return there && rows.length && app?.dataset.testScriptState === "notRunning" ? rows.join(" | ") : null;
}"""


def captions(session: int, number: int) -> tuple[str, str]:
    """What a session types in a round: no two of them the same."""
    place = 7 * session + number
    colour, other = COLOURS[place % len(COLOURS)], COLOURS[(place + 1 + session) % len(COLOURS)]
    shape = SHAPES[(place // len(COLOURS) + number) % len(SHAPES)]
    return f"a {colour} {shape} and {session + 2} things", f"a {other} {shape} and {session + 2} things"


def opened(page: Page, address: str, session: int) -> None:
    """A session on a picture of its own."""
    first, second = captions(session, 99)
    words = "&".join("t=" + text.replace(" ", "+") for text in (first, second))
    page.goto(f"{address}/try-it?i=world:{session}.crbpGW&{words}&as=choice")
    expect(page.get_by_label("Captions, one a line")).to_be_visible(timeout=120_000)
    settled(page)


def ask(page: Page, texts: Sequence[str]) -> float:
    """Type captions; when that was done."""
    box = page.get_by_label("Captions, one a line")
    box.fill("\n".join(texts))
    box.press("Control+Enter")
    return time.monotonic()


def answers(pages: Sequence[Page], asked: Sequence[Sequence[str]], begun: Sequence[float]) -> list[tuple[str, float]]:
    """(what is shown, seconds) of each page, as soon as it is there."""
    found: dict[int, tuple[str, float]] = {}
    deadline = time.monotonic() + 300
    while len(found) < len(pages):
        if time.monotonic() > deadline:
            raise SystemExit(f"sessions {sorted(set(range(len(pages))) - set(found))} were shown nothing in 300 s")
        for at, page in enumerate(pages):
            if at not in found and (said := page.evaluate(READ, list(asked[at]))) is not None:
                found[at] = (str(said), time.monotonic() - begun[at])
    return [found[at] for at in range(len(pages))]


def main() -> None:
    """Alone, then together."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sessions", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=5)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as cache:
        environment = {"FLIPSIDE_CACHE": cache, "FLIPSIDE_LIVE_MODELS": MODELS}
        os.environ |= environment
        with serving(Path(cache)) as address, browsing() as browser:
            alone, together = {}, {}
            page = browser.new_page(viewport={"width": 1440, "height": 1000})
            for session in range(given.sessions):
                opened(page, address, session)
                if not session:  # the models are loaded
                    page.get_by_role("button", name="Score", exact=False).first.click()
                    expect(page.locator(".fs-versus").first).to_be_visible(timeout=120_000)
                for number in range(given.rounds):
                    texts = captions(session, number)
                    alone[session, number] = answers([page], [texts], [ask(page, texts)])[0]
            page.close()
            contexts = [browser.new_context(viewport={"width": 1440, "height": 1000}) for _ in range(given.sessions)]
            pages = [context.new_page() for context in contexts]
            for session, each in enumerate(pages):
                opened(each, address, session)
            for number in range(given.rounds):
                asked = [captions(session, number) for session in range(given.sessions)]
                begun = [ask(each, texts) for each, texts in zip(pages, asked, strict=True)]
                for session, found in enumerate(answers(pages, asked, begun)):
                    together[session, number] = found
    wrong = [key for key in alone if alone[key][0] != together[key][0]]
    for name, found in (("one session", alone), (f"{given.sessions} sessions", together)):
        seconds = [took for _, took in found.values()]
        p50, p95 = np.percentile(seconds, [50, 95])
        print(f"{name}: {len(seconds)} answers, median {p50:.2f} s, p95 {p95:.2f} s, at most {max(seconds):.2f} s")  # noqa: T201
    print(f"{len(alone) - len(wrong)} of {len(alone)} answers are those of the session alone")  # noqa: T201
    for key in wrong[:3]:
        print(f"session {key[0]}, round {key[1]}:\n  {alone[key][0]}\n  {together[key][0]}")  # noqa: T201
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
