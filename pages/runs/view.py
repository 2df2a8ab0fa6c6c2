"""What the Runs page says, made of plain values: states, times, command lines, tables. Nothing is drawn in here."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import pandas as pd
from markupsafe import Markup

from backend import moments
from backend.live.jobs import output
from backend.live.jobs.record import CANCELLED, DONE, FAILED, LOST, QUEUED, RUNNING, Job
from pages.shared.drawing.numbers import count
from pages.shared.frame.hidden import hide

#: State -> (word, sign, CSS class): never colour alone.
STATES = {
    RUNNING: ("running", "▶", "none"),
    QUEUED: ("waiting", "…", "none"),
    DONE: ("done", "✓", "right"),
    FAILED: ("failed", "✗", "wrong"),
    CANCELLED: ("stopped", "■", "none"),
    LOST: ("lost", "?", "near"),
}


def chip(job: Job) -> Markup:
    """A job's state as a chip."""
    word, sign, look = STATES[job.state]
    return Markup('<span class="fs-chip fs-{}"><b>{}</b>{}</span>').format(
        look, sign, "stopping" if job.is_cancelling else word
    )


def job_line(job: Job, remark: str = "", share: float | None = None) -> Markup:
    """A job in one line: its state, title and times, and below it why it did not come to its end. share: of it that is
    done, as a bar; None for no bar."""
    why = output.reason(job)
    below = Markup("<p>{}</p>").format(hide(why)) if why else ""
    return Markup('<div class="fs-job">{}<strong>{}</strong><small>{}</small>{}{}</div>').format(
        chip(job), job.title, remark or times(job), "" if share is None else bar(share, job.title), below
    )


def bar(share: float, of: str) -> Markup:
    """A progress bar in a line. share: from 0 to 1; of: what is done, for those who cannot see it."""
    percent = round(100 * min(max(share, 0.0), 1.0))
    return Markup(
        '<span class="runs-bar" role="progressbar" aria-label="{}" aria-valuemin="0" aria-valuemax="100" '
        'aria-valuenow="{}"><i style="width:{}%"></i></span>'
    ).format(of, percent, percent)


def times(job: Job) -> str:
    """When a job ended and how long it took."""
    if not job.finished:
        return ""
    took = f", took {duration(job.seconds)}" if job.started and job.seconds is not None else ""
    return f"{when(job.finished)}{took}"


def progress(job: Job) -> tuple[float | None, str]:
    """(share done or None, words) of a running job."""
    found = output.progress(job)
    spent = duration(job.seconds or 0.0)
    if found is None:
        return None, f"starting, {spent} so far"
    if found.share is None:
        return None, f"{found.done:,} {found.unit or 'done'}, {spent} so far"
    left = found.seconds_left
    rest = f", about {about(left)} left" if left is not None and found.done < found.total else ""
    return found.share, f"{found.done:,} of {found.total:,} {found.unit}{rest}"


def duration(seconds: float | None) -> str:
    """Seconds in words.

    >>> duration(3.2), duration(75), duration(7300), duration(None)
    ('3 s', '1 min 15 s', '2 h 01 min', '–')
    """
    if seconds is None:
        return "–"
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02} min"


def about(seconds: float) -> str:
    """Seconds left in words, rounded up to what a pace so far can be trusted to.

    >>> about(17.2), about(75), about(616), about(7300)
    ('20 s', '1 min 30 s', '11 min', '2 h 02 min')
    """
    step = 5 if seconds < 60 else 30 if seconds < 600 else 60
    return duration(-(-seconds // step) * step).replace(" 0 s", "")


def when(stamp: str, now: datetime | None = None) -> str:
    """A moment as people say it: how long ago on the same day, else the date (UTC).

    >>> when("2026-01-02T10:00:00+00:00", datetime(2026, 1, 2, 10, 5, tzinfo=UTC))
    '5 min ago'
    >>> when("2026-01-01T10:00:00+00:00", datetime(2026, 1, 2, 10, 5, tzinfo=UTC))
    '1 Jan 2026, 10:00 UTC'
    """
    if (moment := moments.utc(stamp)) is None:
        return "–"
    seconds = ((now or datetime.now(UTC)) - moment).total_seconds()
    if 0 <= seconds < 60:
        return "just now"
    if 0 <= seconds < 3600:
        return f"{seconds // 60:.0f} min ago"
    if 0 <= seconds < 12 * 3600:
        return f"{seconds // 3600:.0f} h ago"
    return f"{moment:%-d %b %Y, %H:%M} UTC"


def moment(stamp: str) -> str:
    """A moment by its date and time (UTC), whatever day it is today; a dash for none.

    >>> moment("2026-01-02T10:00:00+00:00"), moment("yesterday")
    ('2 Jan 2026, 10:00 UTC', '–')
    """
    return when(stamp, datetime.max.replace(tzinfo=UTC))


#: What stands for all items of a benchmark.
ALL: Final = "all"


def selection(line: Any) -> str:
    """Which items of its benchmark a run has, in words: a row of `queries.runs`."""
    said = []
    if pd.notna(line.limit):
        said.append(f"the first {int(line.limit):,}")
    if pd.notna(line.sample):
        said.append(f"{int(line.sample):,} at random (seed {int(line.seed or 0)})")
    if isinstance(line.subset, str) and line.subset:
        said.append(f"of {line.subset.replace(',', ', ')}")
    if isinstance(line.split, str) and line.split:
        said.append(f"split {line.split}")
    return ", ".join(said) or ALL


def source(origin: str, model: str, file: str | None = None) -> str:
    """Where a run is from.

    >>> source("computed", "predictions:gpt-4v"), source("shipped", "bundled:clip"), source("computed", "bundled:clip")
    ('predictions', 'bundled', 'computed here')
    >>> source("imported", "predictions:gpt-4v", "gpu.zip")
    'imported: gpu.zip'
    """
    if origin == "imported":
        return f"imported: {file}"
    return "bundled" if origin == "shipped" else "predictions" if model.startswith("predictions:") else "computed here"


def place(path: str) -> str:
    """The last folders of a path: enough to find it in the cache, without the machine's own.

    >>> place("/home/me/cache/runs/1f/run.json")
    'runs/1f/run.json'
    """
    return "/".join(Path(path).parts[-3:])


def run_arguments(
    model: str,
    benchmark: str,
    kinds: Sequence[str],
    *,
    data: str = "",
    priors: Sequence[str] = (),
    limit: int | None = None,
    sample: int | None = None,
    seed: int = 0,
    split: str = "",
    subsets: Sequence[str] = (),
) -> list[str]:
    """The words after `run` on the command line; defaults are left out.

    >>> " ".join(run_arguments("bundled:clip", "world", ["itc", "t2t"], limit=20))
    '--model bundled:clip --benchmark world --kinds itc,t2t --limit 20 --json'
    """
    words = ["--model", model, "--benchmark", benchmark]
    words += ["--data", data] if data else []
    words += ["--kinds", ",".join(kinds)]
    for prior in priors:
        words += ["--prior", prior]
    pairs: Mapping[str, Any] = {"--limit": limit, "--sample": sample, "--seed": seed or None, "--split": split,
                                "--subset": ",".join(subsets)}  # fmt: skip
    for flag, value in pairs.items():
        words += [flag, str(value)] if value else []
    return [*words, "--json"]


def import_facts(document: Mapping[str, Any]) -> str:
    """What an import found, in one line."""
    parts = [
        count(int(document["n_items"]), "item"),
        count(int(document["n_images"]), "image")
        + (f" ({document['n_images_missing']:,} missing)" if document["n_images_missing"] else ""),
        count(int(document["n_texts"]), "text"),
        count(len(document["skipped"]), "record") + " skipped",
    ]
    return " · ".join(parts)


def subsets_table(document: Mapping[str, Any], expected: Mapping[str, int]) -> pd.DataFrame:
    """subset, protocol, items, expected (of the original release, empty where not known), for an import's document."""
    found: Mapping[str, int] = document["subsets"]
    protocols: Mapping[str, str] = document.get("protocols", {})
    names = [*found, *(name for name in expected if name not in found)]
    return pd.DataFrame(
        [
            {
                "subset": name,
                "protocol": protocols.get(name, "–"),
                "items": int(found.get(name, 0)),
                "expected": expected.get(name),
                "": "" if name not in expected else "✓" if expected[name] == found.get(name, 0) else "≠",
            }
            for name in names
        ],
        columns=["subset", "protocol", "items", "expected", ""],
    ).astype({"expected": "Int64"})


def skipped_table(document: Mapping[str, Any]) -> pd.DataFrame:
    """file, line or item, reason of every record that an import left out."""
    rows = [
        {
            "file": hide(str(entry["file"])),
            "where": f"line {entry['line']}" if entry.get("line") is not None else str(entry.get("item") or "–"),
            "reason": hide(str(entry["reason"])),
        }
        for entry in document["skipped"]
    ]
    return pd.DataFrame(rows, columns=["file", "where", "reason"])
