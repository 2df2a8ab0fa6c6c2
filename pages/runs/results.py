"""What a job that is over has brought, by its verb."""

import json
from collections.abc import Mapping
from typing import Any

import pandas as pd
import streamlit as st

from backend import benchmarks
from backend.errors import FlipsideError
from backend.live.jobs import output
from backend.live.jobs.record import Job
from pages.runs import view
from pages.shared.drawing.numbers import count
from pages.shared.frame import downloads
from pages.shared.frame.header import chart_caption, trouble
from pages.shared.frame.hidden import hide
from pages.shared.frame.plain import plain

#: Rows of a table that are shown; the download has all.
SHOWN = 500


def draw(job: Job) -> None:
    """The result of a job; nothing where it printed none."""
    try:
        document = output.document(job)
    except FlipsideError as error:
        trouble(str(error))
        return
    if not isinstance(document, Mapping):
        return
    if job.verb == "import":
        imported(document, job.job_id)
    elif job.verb == "run":
        _scored(document)
    elif job.verb == "add-predictions":
        _added(document)
    elif job.verb == "perturb":
        _perturbed(document)
    elif job.verb == "fetch":
        _fetched(document)
    elif job.verb == "teach":
        _taught(document)
    else:
        _plain(document)


def imported(document: Mapping[str, Any], key: str) -> None:
    """What an import found: counts, what is missing, and every record that was left out."""
    name = str(document["benchmark"])
    st.markdown(f"**{plain(str(document.get('name') or name))}**: {plain(view.import_facts(document))}")
    for line in warnings(document):
        st.warning(plain(hide(line)), icon=":material/warning:")
    declared = benchmarks.known(name)
    expected = declared.expected if declared else {}
    subsets = view.subsets_table(document, expected)
    st.dataframe(
        subsets if expected else subsets[["subset", "protocol", "items"]], hide_index=True, alt="Items of each subset",
        column_config={"expected": st.column_config.NumberColumn(help="Items of the original release")},
    )  # fmt: skip
    table = view.skipped_table(document)
    if len(table):
        st.caption("1 record is no item:" if len(table) == 1 else f"{len(table):,} records are no items:")
        st.dataframe(table.head(SHOWN), hide_index=True, height=min(38 + 35 * len(table), 320), alt="Skipped records")
        st.download_button(
            f"Download {count(len(table), 'skipped record')} as CSV", lambda: downloads.csv(table),
            f"flipside-{name}-skipped.csv", "text/csv", icon=":material/download:", on_click="ignore",
            key=f"skipped-{key}",
        )  # fmt: skip


def warnings(document: Mapping[str, Any]) -> list[str]:
    """What a reader of an import must know."""
    said = []
    if document["n_images_missing"]:
        lacking, every = int(document["n_images_missing"]), int(document["n_images"])
        left = (
            f"Items that show {'it' if lacking == 1 else 'one of them'} are left out of scores that need an image."
            if lacking < every
            else "Only what needs no image (t2t, prior) can be scored."
        )
        said.append(
            f"{lacking:,} of {count(every, 'image')} {'is' if lacking == 1 else 'are'} missing. {left} Put "
            f"{'it' if lacking == 1 else 'them'} into the same folder, or the same zip, and import again."
        )
    if document.get("files_missing"):
        files = document["files_missing"]
        more = f" and {len(files) - 6} more" if len(files) > 6 else ""
        said.append(f"Not in the folder, so their items are left out: {', '.join(files[:6])}{more}.")
    return [*said, *document.get("doubted", [])]


def _scored(document: Mapping[str, Any]) -> None:
    rows = [
        {"part": part, "rows": entry["rows"], "taken": entry.get("taken_rows", 0),
         "computed": entry["new_rows"] - entry.get("taken_rows", 0),
         "state": "failed" if "failed" in entry else "complete" if entry["complete"] else "in part"}
        for part, entry in document["parts"].items()
    ]  # fmt: skip
    if rows:
        st.dataframe(pd.DataFrame(rows), hide_index=True, alt="Scores of each part")
    for entry in document["left_out"]:
        chart_caption(f"Left out {count(entry['n'], 'item')} of {', '.join(entry['parts'])}: {entry['reason']}.")
    for reason in document["skipped"].values():
        chart_caption(f"Nothing to do: {reason}")


def _perturbed(document: Mapping[str, Any]) -> None:
    """The editions, and how many captions each could edit."""
    rows = []
    for each in document["editions"]:
        told = each["coverage"]
        left = ", ".join(f"{n:,} {why}" for why, n in told.get("items_left_out", {}).items())
        rows.append(
            {"edition": each["name"], "as": each["as"], "items": each["n_items"],
             "captions edited": f"{told['texts_edited']:,} of {told['texts']:,}", "items left out": left or "none",
             "": each["failed"] or "✓"}
        )  # fmt: skip
    st.dataframe(pd.DataFrame(rows), hide_index=True, alt="Editions that were made")


def _added(document: Mapping[str, Any]) -> None:
    """What was matched, and every statement that was not."""
    st.markdown(
        f"**{plain(document['model'])}** on {plain(document['benchmark'])}: {document['matched']:,} predictions matched"
    )
    for guess in document.get("guessed", []):
        st.info(plain(hide(str(guess))), icon=":material/help_outline:")
    rows = [{"kind": part, **counts} for part, counts in document["parts"].items()]
    if rows:
        st.dataframe(pd.DataFrame(rows), hide_index=True, alt="Rows of each kind")
    table = view.skipped_table({"skipped": document["unmatched"]})
    if len(table):
        st.caption(f"{len(table):,} belong to no item, or cannot be stored:")
        st.dataframe(
            table.head(SHOWN), hide_index=True, height=min(38 + 35 * len(table), 320), alt="What did not match"
        )
        st.download_button(
            f"Download these {len(table):,} as CSV", lambda: downloads.csv(table), "flipside-unmatched.csv", "text/csv",
            icon=":material/download:", on_click="ignore",
        )  # fmt: skip


def _fetched(document: Mapping[str, Any]) -> None:
    """What came of each package of public results, and what did not."""
    rows = [
        {"package": each["package"], "files": sum(file["state"] != "failed" for file in each["files"]),
         "of": len(each["files"]), "items": each["n_items"], "runs": len(each["runs"])}
        for each in document["results"]
    ]  # fmt: skip
    st.dataframe(pd.DataFrame(rows), hide_index=True, alt="Packages of public results")
    problems = [said for each in document["results"] for said in each["problems"]]
    for said in problems[:20]:
        st.warning(plain(hide(said)), icon=":material/warning:")
    if len(problems) > 20:
        chart_caption(f"… and {len(problems) - 20:,} more files that did not come.")


def _taught(document: Mapping[str, Any]) -> None:
    """What held-out items said before and after a training."""
    before, after = (document.get(name) or {} for name in ("before", "after"))
    rows = [
        {"held out": name, "before": before.get(name), "after": value}
        for name, value in after.items() if isinstance(value, float)
    ]  # fmt: skip
    if rows:
        st.dataframe(pd.DataFrame(rows), hide_index=True, alt="Held-out items before and after")
    chart_caption(
        f"{count(document['steps'], 'step')} on {count(document['examples'], 'example')}, judged by "
        f"{count(document['held_out'], 'item')} that were held out. Teach, “Train a model”, shows its curves."
    )


def _plain(document: Mapping[str, Any]) -> None:
    """A document that has no view of its own: its single values as a list, the whole of it to take away."""
    single = {k: v for k, v in document.items() if isinstance(v, str | int | float) and not isinstance(v, bool)}
    if single:
        st.dataframe(pd.DataFrame({"": list(single), "value": [str(v) for v in single.values()]}), hide_index=True)
    st.download_button(
        "Download the whole answer as JSON", json.dumps(document, ensure_ascii=False, indent=1), "flipside-answer.json",
        "application/json", icon=":material/download:", on_click="ignore",
    )  # fmt: skip
