"""`flipside fetch results`: public results of real models, verified, and imported as runs."""

import sys
from pathlib import Path
from typing import Any

import typer
from rich.filesize import decimal

from backend import environment
from backend.benchmarks.fetching.address import check_mirror
from backend.benchmarks.fetching.trouble import StoppedError
from backend.engine.reporting.progress import VARIABLE, tell
from backend.errors import UsageError
from backend.intake.real.bring import Brought, bring
from backend.intake.real.packages import Package, chosen
from backend.paths import typed_path
from backend.verbs.shared.fetch_progress import receiving
from backend.verbs.shared.output import counted, note, print_json, print_table, say

NAME = "results"
#: The owner's own copies: a folder, as `--from`, or an address, as `--mirror`; for a dashboard without a network.
AT_HAND = "FLIPSIDE_RESULTS"


def fetch_results(
    only: list[str], *, yes: bool, listing: bool, mirror: str | None, at_hand: Path | None, as_json: bool
) -> None:
    """Show what would come and on which terms, ask, fetch, import. UsageError where nobody agreed."""
    wanted = chosen(only)
    if mirror is not None and at_hand is not None:
        raise UsageError("--mirror and --from exclude each other: files are fetched, or taken from a folder.")
    if listing:
        _list(wanted, as_json)
        return
    if not yes:
        for line in (line for package in wanted for line in terms(package)):
            note(line)
        _agree(as_json)
    found, stopped = _brought(wanted, mirror, at_hand, quiet=as_json)
    if as_json:
        print_json({"results": [document(each) for each in found]})
    else:
        for each in found:
            _print(each)
    for line in (line for each in found for line in each.problems):
        note(f"flipside: {line.rstrip('.')}.")
    if stopped:
        note("flipside: stopped. What has come so far is kept; the same command goes on from there.")
        raise typer.Exit(130)
    if any(file.state == "failed" for each in found for file in each.files):
        note("Without a network: --from DIR takes the files out of a folder, --mirror URL fetches them from elsewhere.")
    if any(each.runs for each in found):
        note("`flipside dashboard` shows them: Overview compares the models, Failures opens their items.")
    if any(each.problems for each in found):
        raise typer.Exit(1)


def _brought(
    wanted: tuple[Package, ...], mirror: str | None, at_hand: Path | None, *, quiet: bool
) -> tuple[list[Brought], bool]:
    """What became of each package, and whether somebody stopped it."""
    mirror, at_hand = _where(mirror, at_hand)
    found: list[Brought] = []
    with receiving(quiet=quiet) as tick:
        for package in wanted:
            try:
                found.append(bring(package, mirror=mirror, at_hand=at_hand, tick=tick, step=_step))
            except StoppedError:
                return found, True
    return found, False


def terms(package: Package) -> list[str]:
    """What is fetched, from where, and what whoever fetches it agrees to."""
    where = ", ".join(dict.fromkeys(each.source for each in package.sources))
    head = f"{package.name}: {package.title}; {package.n_files} files, {decimal(package.size)}, from {where}"
    return [head, f"  licence: {package.licence}", *(f"  {line}" for line in package.terms)]


def _agree(as_json: bool) -> None:
    if as_json or not sys.stdin.isatty():
        raise UsageError("fetch results needs your agreement to the terms above: give --yes, too.")
    if not typer.confirm("Fetch on these terms?", err=True):
        raise UsageError("nothing was fetched.")


def _step(number: int, of: int, name: str) -> None:
    if environment.said(VARIABLE) == "json":
        tell(f"importing {name}", number, of, 0.0, "files")
    elif sys.stderr.isatty() and (number in (1, of) or number % 10 == 0):
        note(f"importing {name}, {number} of {of}")


def _where(mirror: str | None, at_hand: Path | None) -> tuple[str | None, Path | None]:
    """The mirror and the folder that were given, else what the owner has set for all fetches of results."""
    if mirror is not None or at_hand is not None:
        return mirror, at_hand
    mirror, at_hand = set_by_owner()
    if at_hand is not None and not at_hand.is_dir():
        raise environment.wrong(AT_HAND, environment.said(AT_HAND), "a folder that is there")
    return mirror, at_hand


def set_by_owner() -> tuple[str | None, Path | None]:
    """The mirror, or the folder, that the variable names; (None, None) where it names neither. UsageError for what can
    be neither."""
    given = environment.said(AT_HAND)
    if not given:
        return None, None
    if not given.startswith(("http://", "https://")):
        if "://" in given:
            raise environment.wrong(AT_HAND, given, "a folder, or an https address (or http on this machine)")
        environment.folders(AT_HAND, several=False)
        return None, typed_path(given)
    check_mirror(given, f"{AT_HAND}=")
    return given, None


def document(found: Brought) -> dict[str, Any]:
    """The JSON form of what became of a package."""
    return {
        "package": found.package.name,
        "benchmark": found.package.benchmark,
        "licence": found.package.licence,
        "terms": list(found.package.terms),
        "n_items": found.items,
        "files": [
            {"file": each.file, "bytes": each.size, "sha256": each.sha256, "state": each.state, "reason": each.reason}
            for each in found.files
        ],
        "runs": [
            {"model": each.model, "benchmark": each.benchmark, "run": each.run, "unchanged": each.unchanged}
            for each in found.runs
        ],
        "problems": found.problems,
    }


def _list(wanted: tuple[Package, ...], as_json: bool) -> None:
    if as_json:
        print_json(
            {
                "results": [
                    {
                        "package": each.name,
                        "title": each.title,
                        "benchmark": each.benchmark,
                        "licence": each.licence,
                        "terms": list(each.terms),
                        "see": each.see,
                        "bytes": each.size,
                        "files": [
                            {"file": file.path, "bytes": file.size, "sha256": file.sha256, "address": file.url}
                            for source in each.sources
                            for file in source.files
                        ],
                    }
                    for each in wanted
                ]
            }
        )
        return
    print_table(
        ("package", "files", "size", "what"),
        [(each.name, each.n_files, decimal(each.size), each.title) for each in wanted],
    )
    for each in wanted:
        for line in [*terms(each), f"  you will see: {each.see}"]:
            say(line)


def _print(found: Brought) -> None:
    there = sum(each.state != "failed" for each in found.files)
    new = sum(not each.unchanged for each in found.runs)
    if not found.package.benchmark:
        say(f"{found.package.name}: {there} of {counted(len(found.files), 'file')}; the page Atlas shows them")
        return
    say(
        f"{found.package.name}: {there} of {counted(len(found.files), 'file')}, {counted(found.items, 'item')} of "
        f"{found.package.benchmark}, {counted(len(found.runs), 'run')} ({new} new)"
    )
