"""Export of exactly what is filtered. Nothing is computed before a file is asked for."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial
from urllib.parse import urlencode

import pandas as pd
import streamlit as st

from backend.latex import escape
from backend.store import queries
from backend.store.build.store import Store
from backend.store.catalog import public
from backend.store.failures import files, latex, notes, own_verdicts
from backend.store.queries import FailureFilter
from pages.failures import data, listing
from pages.failures import words as failures_words
from pages.failures.filters import Filters
from pages.failures.taken import report as failures_report
from pages.shared.data import stored
from pages.shared.drawing import colours
from pages.shared.drawing.numbers import count
from pages.shared.frame import address, downloads
from pages.shared.frame.plain import plain
from pages.shared.frame.tips import margin_unit

#: So many items stand in the report with their images.
WITH_IMAGES = 200
_ALL = 1_000_000_000


@dataclass(frozen=True)
class Taken:
    """Everything that a file needs, so that it can be made in another thread, after the page has been drawn."""

    store: Store
    benchmark: stored.StoredBenchmark
    chosen: Filters
    wanted: FailureFilter
    link: str

    @cached_property
    def verdicts_only(self) -> bool:
        """Whether the terms of the model's run, or of the other model's, keep scores and captions here."""
        parts = self.benchmark.parts or (self.benchmark,)
        shown = [part.runs[m] for part in parts for m in (self.chosen.model, self.chosen.other) if m in part.runs]
        return any(public.verdicts_only(self.store.run(run).record) for run in shown)

    @cached_property
    def rows(self) -> pd.DataFrame:
        """All rows that the filter leaves, in its order."""
        return queries.failures(self.store, replace(self.wanted, limit=_ALL, offset=0)).rows

    @cached_property
    def frame(self) -> pd.DataFrame:
        """The same as one flat table with tags and notes."""
        parts = self.benchmark.parts or (self.benchmark,)
        written = {
            (part.hash, str(item_id)): str(text)
            for part in parts
            for item_id, text in notes.notes(part.hash)[["item_id", "text"]].itertuples(index=False)
        }
        names = listing.names_of(self.benchmark)
        return files.flat(self.rows, names, written, verdicts_only=self.verdicts_only)

    @cached_property
    def named(self) -> pd.DataFrame:
        """The same with whose verdicts under which setting they are, so that files can be put together."""
        said = {"model": self.chosen.model, "setting": self.wanted.setting.describe()}
        if self.chosen.other:
            said["other_model"] = self.chosen.other
        if rule := data.rule(self.wanted):
            said["rule"] = rule
        return self.frame.drop(columns="cell").assign(**said, cell=self.frame["cell"])

    @cached_property
    def summary(self) -> pd.DataFrame:
        """How often each concept is wrong under the same filters; without intervals where items may have been picked
        for their outcome."""
        every = queries.failures(self.store, replace(self.wanted, correct=None, limit=_ALL, offset=0)).rows
        found = files.by_concept(every)
        return found.assign(low=float("nan"), high=float("nan")) if self.by_outcome else found

    @property
    def by_outcome(self) -> bool:
        """Whether what the summary counts may have been picked for its outcome, also by a margin, a cell, a reason."""
        narrowed = self.wanted.margin is not None or self.wanted.cells or self.wanted.reasons
        return bool(narrowed) or data.by_outcome(self.wanted)

    @property
    def words(self) -> list[tuple[str, str]]:
        names = colours.labels(self.benchmark.models)
        picked = self.chosen.picked.title if self.chosen.picked else ""
        other = names.get(self.chosen.other, "") if self.chosen.other else ""
        return failures_words.said(self.wanted, self.benchmark.name, names[self.chosen.model], other, picked)

    def csv(self) -> str:
        return downloads.csv(files.for_csv(self.named))

    def jsonl(self) -> str:
        return files.jsonl(self.named)

    def parquet(self) -> bytes:
        return files.parquet(self.named)

    def latex(self) -> str:
        said = failures_words.line(self.words)
        intervals = f"no intervals: {failures_words.PICKED}" if self.by_outcome else "Wilson intervals"
        return (
            f"% Flipside, Failures. {escape(said)}\n{latex.PREAMBLE}\n"
            f"{latex.summary(self.summary, f'Wrong verdicts by concept ({said}); {intervals}.')}\n"
            f"{latex.listing(self.frame, f'Items ({said}).')}"
        )

    def report(self) -> str:
        first = self.rows.iloc[: 0 if self.verdicts_only else WITH_IMAGES]
        cards = listing.cards(self.benchmark, self.chosen, first, failures_report.webp, in_file=True)
        record: Mapping[str, object] = self.store.run(self.wanted.run_id).record
        title = f"Failures of {self.words[1][1]} on {self.benchmark.name}"
        return failures_report.html(
            failures_report.Report(
                title, self.words, self.summary, self.frame, [card.html for card in cards], self.link, record,
                self.by_outcome,
            )
        )  # fmt: skip


def draw(benchmark: stored.StoredBenchmark, chosen: Filters, wanted: FailureFilter, total: int) -> None:
    """A popover with a button a format."""
    with st.popover("Export", icon=":material/download:", disabled=not total, on_change="rerun", key="export") as box:
        if not box.open:
            return
        taken = Taken(stored.store(), benchmark, chosen, wanted, here())
        unit = f"{total:,} rows · margins in {margin_unit(wanted.setting.kind, chosen.model)} · {wanted.setting.said()}"
        st.caption(plain(unit))
        if taken.verdicts_only:
            st.caption(f"Files have no margins, captions or pictures: {public.VERDICTS_ONLY}.")
        name = f"flipside-{benchmark.name.replace('~', '-').replace(':', '-')}-failures"
        for label, make, ending, mime, icon, tip in _formats(taken):
            st.download_button(
                label, make, f"{name}.{ending}", mime, on_click="ignore", width="stretch", key=f"take-{ending}",
                icon=f":material/{icon}:", help=tip,
            )  # fmt: skip
        _own(benchmark, name.removesuffix("-failures"))


def _own(benchmark: stored.StoredBenchmark, name: str) -> None:
    """The verdicts of one's own as a set, whatever is filtered; nothing without any."""
    parts = benchmark.parts or (benchmark,)
    judged = own_verdicts.of([part.hash for part in parts])
    if not judged:
        return
    st.caption(f"Your verdicts on {count(len(judged), 'item')}, whatever is filtered; without a name:")
    names = {part.hash: part.name for part in parts}
    with st.container(horizontal=True):
        for label, ending, mime, make in (
            ("Verdicts, CSV", "csv", "text/csv", downloads.csv),
            ("Verdicts, JSONL", "jsonl", "application/jsonl", files.jsonl),
        ):
            st.download_button(
                label, partial(_made, tuple(names), names, make), f"{name}-own-verdicts.{ending}", mime,
                on_click="ignore", key=f"take-own-{ending}", icon=":material/gavel:",
                help="What you said of each item and when, with your note and tags.",
            )  # fmt: skip


def _made(benchmarks: tuple[str, ...], names: dict[str, str], make: Callable[[pd.DataFrame], str]) -> str:
    return make(own_verdicts.as_set(benchmarks, names))


def here() -> str:
    """The whole address of this view."""
    query = urlencode(address.current(), doseq=True)
    return f"{(st.context.url or 'failures').partition('?')[0]}{'?' + query if query else ''}"


def _formats(taken: Taken) -> list[tuple[str, Callable[[], str | bytes], str, str, str, str]]:
    return [
        ("CSV", taken.csv, "csv", "text/csv", "table", "For spreadsheets: cells that look like formulas made safe."),
        ("JSONL", taken.jsonl, "jsonl", "application/jsonl", "data_object", "One JSON object a line."),
        ("Parquet", taken.parquet, "parquet", "application/vnd.apache.parquet", "view_column", "With types and lists."),
        ("LaTeX", taken.latex, "tex", "application/x-tex", "functions", "Two booktabs tables: by concept, the list."),
        ("HTML report", taken.report, "html", "text/html", "article",
         f"One file with the images of the first {WITH_IMAGES} items; works offline."),
    ]  # fmt: skip
