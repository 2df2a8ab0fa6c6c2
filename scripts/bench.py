"""`make bench`: everything that the project promises in numbers, measured here and written into docs/measured.md.

Each part is a command of its own (bench/), run one after the other; what they say of promises (bench/promises.py)
stands in one table on top. A part that fails is said, and the page is written all the same; one that is not run keeps
what it said the last time (docs/measured.json). Nothing else should run meanwhile: how much of the processors was
taken before each part stands beside it.
"""

import datetime as dt
import json
import os
import platform
import subprocess
import sys
import time
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Annotated

import typer

from backend.durable import replaced
from backend.engine.storage.record import cpu_name
from backend.store.build import first
from backend.verbs.shared.output import note
from bench.promises import Promise, gathered, table
from scripts.dashboard import ROOT

PAGE = ROOT / "docs" / "measured.md"
#: The share of the processors that other work takes, from which on figures are upper bounds; seconds it is looked at.
BUSY, LOOK = 0.15, 4.0
LIBRARIES = ("torch", "streamlit", "duckdb", "pandas", "numpy")


@dataclass(frozen=True)
class Part:
    """One command. title: its heading; what: options; full: taken only where everything is asked for; again: measures
    what another part does, too, so that it is taken only where it is named."""

    title: str
    module: str
    what: tuple[str, ...] = ()
    full: bool = False
    again: bool = False

    @property
    def command(self) -> str:
        """As one types it."""
        return " ".join(("python -m", self.module, *self.what))


PARTS = {
    "starts": Part("Starting", "bench.starts"),
    "commands": Part("The command line", "bench.commands"),
    "waits": Part("Waits in the browser, bundled results", "bench.interaction"),
    "waits-million": Part(
        "Waits in the browser, a million outcomes", "bench.interaction",
        ("--stored", "1000000", "--benchmark", "many"),
    ),
    "slider": Part("The slider of Debias", "bench.debias_slider"),
    "planes": Part("Planes of points that are moved", "bench.planes"),
    "store": Part("A store of a million scores", "bench.store_big", ("--scores", "1000000")),
    "store-ten": Part("A store of ten million scores", "bench.store_big", ("--scores", "10000000")),
    "store-hundred": Part("A store of a hundred million scores", "bench.store_big", ("--scores", "100000000")),
    "statistics": Part("Statistics", "bench.statistics_pairs"),
    "sessions": Part("Many people on Try it", "bench.sessions"),
    "paired": Part("Scoring, against the loop and the bare forward pass", "bench.paired"),
    "paired-dual": Part("The same of dual encoders alone", "bench.paired", ("--only", "itc,t2t"), again=True),
    "paired-full": Part("The same in whole sizes", "bench.paired", ("--full",), full=True),
}  # fmt: skip


@dataclass(frozen=True)
class Ran:
    """What a part said. busy: the share of the processors that other work took before it; code: its exit code; when:
    day and minute, UTC; commit, machine: of what it is told."""

    promises: list[Promise]
    said: str
    busy: float
    seconds: float
    code: int
    when: str
    commit: str
    machine: str


def run(part: Part) -> Ran:
    """Run a part; what it says on standard error is seen as it comes."""
    busy, began = others(), time.monotonic()
    done = subprocess.run(
        [sys.executable, "-m", part.module, *part.what], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=False
    )
    promises, said = gathered(done.stdout)
    when = f"{dt.datetime.now(dt.UTC):%Y-%m-%d %H:%M}"
    return Ran(promises, said, busy, time.monotonic() - began, done.returncode, when, commit(), machine())


def others(seconds: float = LOOK) -> float:
    """The share of all processors that is taken while nothing is run here; 0 where nobody says."""
    before = _times()
    time.sleep(seconds)
    idle, whole = (now - then for now, then in zip(_times(), before, strict=True))
    return 1 - idle / whole if whole else 0.0


def _times() -> tuple[int, int]:
    """(idle, all) ticks of all processors so far."""
    try:
        first = Path("/proc/stat").read_text(encoding="ascii").splitlines()[0]
    except OSError:
        return 0, 0
    ticks = [int(word) for word in first.split()[1:9]]
    return ticks[3] + ticks[4], sum(ticks)


def machine() -> str:
    """The machine and what it runs, in a line."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9
    told = ", ".join(f"{name} {version(name)}" for name in LIBRARIES)
    return (
        f"{os.cpu_count()} cores ({cpu_name()}), {memory:.0f} GB, {platform.system()} {platform.release()}, "
        f"Python {platform.python_version()}, {told}"
    )


def commit() -> str:
    """Of which commit, and whether files differ from it."""
    git = ["git", "-C", str(ROOT)]
    named = subprocess.run([*git, "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False)
    # But for what this command itself has written.
    but = [f":!docs/{PAGE.stem}.{kind}" for kind in ("md", "json")]
    changed = subprocess.run(
        [*git, "status", "--porcelain", "-uno", "--", ".", *but], capture_output=True, text=True, check=False
    )
    return (named.stdout.strip() or "unknown") + (" with changes" if changed.stdout.strip() else "")


def page(known: dict[str, Ran]) -> str:
    """The page: the promises of all parts, then what each of them said."""
    lines = [
        "# Measured",
        "",
        "Made by `make bench` (`make bench ONLY=starts,store` for some parts), which measures everything that is "
        "promised in numbers. What is behind the figures stands in [performance](performance.md).",
        "",
        *table(newest(known)),
    ]
    for name, ran in known.items():
        part = PARTS[name]
        busy = "; **the machine was busy, so these are upper bounds**" if ran.busy > BUSY else ""
        missed = any(not promise.kept for promise in ran.promises)
        why = "something misses its limit" if missed else "it **failed** before its end"
        ended = "" if ran.code == 0 else f"; ended with {ran.code}, for {why}"
        lines += [
            "", f"## {part.title}", "",
            f"`{part.command}`, {ran.when}, commit {ran.commit}: {ran.seconds:.0f} s, other work {ran.busy:.0%}{busy}"
            f"{ended}. {ran.machine}.",
        ]  # fmt: skip
        if ran.said:
            is_table = any(line.startswith("|-") for line in ran.said.splitlines())
            lines += ["", ran.said] if is_table else ["", "```", ran.said, "```"]
    return "\n".join(lines) + "\n"


def newest(known: dict[str, Ran]) -> list[Promise]:
    """The promises of all parts; where two parts have measured the same, what was measured last."""
    last: dict[str, tuple[str, Promise]] = {}
    for ran in known.values():
        for promise in ran.promises:
            if promise.what not in last or ran.when >= last[promise.what][0]:
                last[promise.what] = (ran.when, promise)
    return [promise for _, promise in last.values()]


def kept(path: Path) -> dict[str, Ran]:
    """What was said the last times, beside the page."""
    beside = path.with_suffix(".json")
    try:
        known = json.loads(beside.read_text(encoding="utf-8"))
        return {
            name: Ran(**(said | {"promises": [Promise(**each) for each in said["promises"]]}))
            for name, said in known.items()
            if name in PARTS
        }
    except FileNotFoundError:
        return {}
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise SystemExit(
            f"{beside}: is not what this command wrote ({error}). Remove it, or name another --out."
        ) from None


def write(path: Path, known: dict[str, Ran]) -> None:
    """The page, and beside it what it is made of."""
    ordered = {name: known[name] for name in PARTS if name in known}
    said = json.dumps({name: asdict(ran) for name, ran in ordered.items()}, indent=1, ensure_ascii=False)
    replaced(path.with_suffix(".json"), (said + "\n").encode())
    replaced(path, page(ordered).encode())


def chosen(only: str, full: bool) -> list[str]:
    """The parts that were named; where none was, all, of the long ones only where everything is asked for."""
    names = [name.strip() for name in only.split(",") if name.strip()]
    if only and not names:
        raise SystemExit(f"--only {only}: expected some of {', '.join(PARTS)}.")
    if unknown := [name for name in names if name not in PARTS]:
        raise SystemExit(f"--only {unknown[0]}: expected some of {', '.join(PARTS)}.")
    return names or [name for name, part in PARTS.items() if (full or not part.full) and not part.again]


def main(
    only: Annotated[str, typer.Option(help="Some of the parts: a,b.")] = "",
    full: Annotated[bool, typer.Option("--full", help="Scoring in whole sizes, too: an hour and a half more.")] = False,
    out: Annotated[Path, typer.Option(help="The page.")] = PAGE,
) -> None:
    """Run the parts and write the page after each, so that what is measured stays; exit code 1 where one failed."""
    if out.suffix != ".md":
        raise SystemExit(f"--out {out}: expected a name that ends with .md; what it is made of is written beside it.")
    names, failed = chosen(only, full), False
    if first.found() is None:
        raise SystemExit(
            "The results that ship are set up for other code than this: `make bench` does it, or make setup."
        )
    try:
        write(out, kept(out))  # before an hour is spent on what cannot be written
    except OSError as error:
        raise SystemExit(f"--out {error.filename}: cannot be written ({error.strerror}). Name another file.") from None
    for name in names:
        note(f"bench: {PARTS[name].command}")
        ran = run(PARTS[name])
        failed |= ran.code != 0
        write(out, kept(out) | {name: ran})  # read again: another one may have written its part meanwhile
        note("\n".join(table(ran.promises)) if ran.promises else ran.said)
    raise SystemExit(int(failed))


if __name__ == "__main__":
    typer.run(main)
