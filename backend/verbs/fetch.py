"""`flipside fetch`: a benchmark's files from their own source, where the licence allows it."""

from pathlib import Path
from shlex import quote
from typing import Annotated, Any

import typer
from rich.filesize import decimal

from backend.benchmarks import BROUGHT, declaration
from backend.benchmarks.fetching.fetch import fetch
from backend.benchmarks.fetching.outcome import Outcome
from backend.benchmarks.fetching.table import Source, SourceFile, source
from backend.benchmarks.fetching.trouble import StoppedError
from backend.errors import UsageError
from backend.paths import typed_path
from backend.verbs.fetch_results import NAME as RESULTS
from backend.verbs.fetch_results import fetch_results
from backend.verbs.shared.fetch_progress import receiving
from backend.verbs.shared.out import refuse_own
from backend.verbs.shared.output import counted, note, print_json, print_table, say


def command(
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="The benchmark (`flipside benchmarks` lists them), or `results`.")
    ],
    to: Annotated[Path | None, typer.Option("--to", metavar="DIR", help="The folder to fetch into.")] = None,
    file: Annotated[
        list[str] | None, typer.Option("--file", metavar="FILE", help="Only this file of --list. May be repeated.")
    ] = None,
    listing: Annotated[
        bool, typer.Option("--list", help="Show licence, source, files and sizes; fetch nothing.")
    ] = False,
    unpack: Annotated[bool, typer.Option("--unpack", help="Unpack archives, each into a folder beside it.")] = False,
    mirror: Annotated[
        str | None, typer.Option("--mirror", metavar="URL", help="Your own copies, under URL/NAME/FILE.")
    ] = None,
    only: Annotated[
        list[str] | None, typer.Option("--only", metavar="NAME", help="results: only this package. May be repeated.")
    ] = None,
    at_hand: Annotated[
        Path | None, typer.Option("--from", metavar="DIR", help="results: take the files from here, by their sha256.")
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", help="results: agree to their terms without being asked.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Download a benchmark's files, or public results of real models; what is there is never overwritten."""
    if name == RESULTS:
        refused = {"--to": to, "--file": file, "--unpack": unpack}
        for flag in (flag for flag, value in refused.items() if value):
            raise UsageError(f"{flag} is not for results, which are kept in the cache; --only and --from are.")
        fetch_results(only or [], yes=yes, listing=listing, mirror=mirror, at_hand=at_hand, as_json=as_json)
        return
    if only or at_hand or yes:
        raise UsageError("--only, --from and --yes are for `fetch results`.")
    if BROUGHT.has(name):
        raise UsageError(_of_a_package(name))
    known = source(name)
    if listing:
        _list(known, as_json)
        return
    chosen = known.chosen(tuple(file or ()))
    if to is None:
        raise UsageError(f"fetch {name} needs --to DIR, the folder to fetch into; --list shows what would be fetched.")
    folder = typed_path(to, "--to")
    refuse_own(folder, f"--to {to}")
    for line in _heading(known, chosen):
        note(line)
    stopped = False
    with receiving(quiet=as_json) as tick:
        try:
            outcomes = fetch(known, folder, wanted=tuple(file or ()), mirror=mirror, unpacking=unpack, tick=tick)
        except StoppedError as stop:
            outcomes, stopped = stop.outcomes, True
    if as_json:
        print_json(_document(known, folder, outcomes))
    else:
        _print(outcomes)
    _tell(known, folder, outcomes)
    if stopped:
        note("flipside: stopped. What has come so far is kept; the same command goes on from there.")
        raise typer.Exit(130)
    if any(outcome.state == "failed" for outcome in outcomes):
        raise typer.Exit(1)


def _of_a_package(name: str) -> str:
    """Why nothing is fetched for a benchmark of another package, and where its files are."""
    where = declaration(name).source.rstrip(".")
    return f"{name} comes from the package {BROUGHT.packages()[name]}, for which nothing is fetched. Source: {where}."


def _list(known: Source, as_json: bool) -> None:
    if as_json:
        print_json(
            {
                "benchmark": known.name,
                "licence": known.licence,
                "source": known.source,
                "status": known.status,
                "how": known.how,
                "gated": _gated(known),
                "checked": known.checked,
                "files": [_file(each) for each in known.files],
            }
        )
        return
    say(f"{known.name}: licence {known.licence}; source {known.source}")
    say(known.how)
    if known.files:
        print_table(
            ("file", "size", "checksum", "what", "fetched"),
            [
                (
                    each.path,
                    _size(each),
                    each.checksum or "none known",
                    each.what,
                    "by --file" if each.optional else "yes",
                )
                for each in known.files
            ],
        )
        say(f"checksums: {known.checked}")


def _file(each: SourceFile) -> dict[str, Any]:
    return {
        "file": each.path,
        "bytes": each.size,
        "sha256": each.sha256,
        "md5": each.md5,
        "address": each.url,
        "licence": each.licence,
        "what": each.what,
        "about": each.about,
        "optional": each.optional,
    }


def _size(each: SourceFile) -> str:
    return decimal(each.size) if each.size is not None else f"about {each.about}" if each.about else "not known"


def _gated(known: Source) -> str | None:
    """How to get what is not fetched for want of permission; None where everything is, or there is nothing to fetch."""
    return known.how if known.status in ("gated", "no licence", "elsewhere") else None


def _heading(known: Source, chosen: tuple[SourceFile, ...]) -> list[str]:
    sizes = [each.size for each in chosen if each.size is not None]
    unknown = [each for each in chosen if each.size is None]
    about = ", ".join(f"{each.path} about {each.about}" for each in unknown if each.about)
    more = f" and {len(unknown)} of unknown size" + (f" ({about})" if about else "") if unknown else ""
    lines = [
        f"{known.name}: licence {known.licence}",
        f"source: {known.source}",
        f"{counted(len(chosen), 'file')}: {decimal(sum(sizes))}{more}"
        if sizes
        else f"{counted(len(chosen), 'file')}{more.removeprefix(' and')}",
    ]
    other = {each.path: each.licence for each in chosen if each.licence != known.licence}
    return [*lines, *(f"{path}: licence {licence}" for path, licence in other.items())]


def _document(known: Source, folder: Path, outcomes: list[Outcome]) -> dict[str, Any]:
    return {
        "benchmark": known.name,
        "to": str(folder),
        "licence": known.licence,
        "source": known.source,
        "gated": _gated(known),
        "how": known.how,
        "files": [
            {
                "file": each.file,
                "bytes": each.size,
                "sha256": each.sha256,
                "state": each.state,
                "verified": each.verified,
                "reason": each.reason,
                "unpacked": each.unpacked or None,
            }
            for each in outcomes
        ],
    }


def _print(outcomes: list[Outcome]) -> None:
    print_table(
        ("file", "size", "state", "verified by"),
        [(each.file, "" if each.size is None else decimal(each.size), each.state, each.verified) for each in outcomes],
    )
    for folder in [each.unpacked for each in outcomes if each.unpacked]:
        say(f"unpacked: {folder}")


def _tell(known: Source, folder: Path, outcomes: list[Outcome]) -> None:
    """Each reason once, with the files that it holds for; then what to do next."""
    reasons: dict[str, list[str]] = {}
    for each in outcomes:
        if each.reason:
            reasons.setdefault(each.reason, []).append(each.file)
    for reason, files in reasons.items():
        note(f"flipside: {', '.join(files)}: {reason.rstrip('.')}.")
    if any(each.state != "failed" for each in outcomes):
        note(f"{known.how}\nflipside import {known.name} --data {quote(str(folder))} checks and counts what is there.")
