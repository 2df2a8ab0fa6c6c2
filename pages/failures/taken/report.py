"""What Failures lists as one HTML file with its images: works offline, needs no script, and is bounded in size."""

import json
from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from io import BytesIO
from typing import Any

import pandas as pd
from markupsafe import Markup

from backend import written
from backend.errors import FlipsideError
from backend.images import open_stored
from backend.taxonomy import title
from pages.failures.words import PICKED
from pages.shared.drawing import explore
from pages.shared.drawing.gallery import HERE
from pages.shared.drawing.numbers import score
from pages.shared.frame import style
from pages.shared.frame.tips import metric_title

#: Pixels and quality of its images, and how many lines without images follow the cards.
SIZE, QUALITY, LINES = 256, 72, 2000
_OWN = Markup("""
body { margin: 0 auto; padding: 2rem 1.5rem 4rem; max-width: 84rem; font: 16px/1.5 "Source Sans", system-ui, sans-serif;
  color-scheme: light dark; color: light-dark(#1e252b, #e7eaec); background: light-dark(#fdfdfb, #12161a); }
.fs-report-facts { display: grid; grid-template-columns: max-content 1fr; gap: .2rem 1.2rem; margin: 1rem 0; }
.fs-report-facts dt { color: var(--fs-quiet); } .fs-report-facts dd { margin: 0; overflow-wrap: anywhere; }
.fs-gallery { margin: 1rem 0; } a { color: light-dark(#2f5d8a, #8db7dd); } pre { white-space: pre-wrap;
  overflow-wrap: anywhere; font-size: .8rem; } .fs-table { width: auto; min-width: 50%; }
.fs-table td.fs-text { text-align: left; white-space: normal; } @media print { .fs-card { break-inside: avoid; } }
""")


@dataclass(frozen=True)
class Report:
    """What is in it. words: the filter (see `words.said`); summary: `files.by_concept`; frame:
    `files.flat`, all that is filtered; cards: HTML of the first of them; link: an address that reopens it;
    record: of the run; by_outcome: whether the items may have been picked for being right or wrong, so that shares of
    them have no interval."""

    title: str
    words: Sequence[tuple[str, str]]
    summary: pd.DataFrame
    frame: pd.DataFrame
    cards: Sequence[Markup]
    link: str
    record: Mapping[str, Any]
    by_outcome: bool = False


def webp(uri: str) -> str:
    """A picture as WebP data of at most SIZE pixels each way; "" where it cannot be opened."""
    try:
        small = open_stored(uri, SIZE) if uri else None
    except FlipsideError:
        return ""
    if small is None:
        return ""
    buffer = BytesIO()
    small.save(buffer, "WEBP", quality=QUALITY, method=4)
    return "data:image/webp;base64," + b64encode(buffer.getvalue()).decode()


def html(report: Report, made: datetime | None = None) -> Markup:
    """The whole file."""
    when = (made or datetime.now(UTC)).strftime("%Y-%m-%d %H:%M UTC")
    css = style.inline(style.CSS, explore.CSS, HERE / "gallery.css")
    link = Markup('<a href="{}">{}</a>').format(report.link, report.link) if report.link else "–"
    facts = [*report.words, ("made", when), ("reopen", link)]
    listed = Markup().join(Markup("<dt>{}</dt><dd>{}</dd>").format(what, value) for what, value in facts)
    n, shown = len(report.frame), len(report.cards)
    rest = min(n - shown, LINES)
    said = f"{n:,} rows match. The first {shown:,} are shown with their images, the next {rest:,} as lines"
    said += f"; {n - shown - rest:,} more are in the CSV, JSONL and Parquet exports." if n > shown + rest else "."
    record = json.dumps(report.record, indent=1, ensure_ascii=False, sort_keys=True, default=str)
    return Markup(
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; img-src data:; '
        'style-src \'unsafe-inline\'"><style>{css}{own}</style></head><body class="stApp">'
        '<header class="fs-header"><p class="fs-eyebrow">Flipside · Failures</p><h1>{title}</h1>'
        "</header>"
        '<dl class="fs-report-facts">{listed}</dl><p>{said}</p>'
        '<h2 class="fs-section">By concept</h2>{summary}'
        '<p class="fs-caption">Of all verdicts under the same filters, right ones too: how many are wrong, '
        "{intervals}.</p>"
        '<h2 class="fs-section">Items</h2><div class="fs-gallery fs-tiles">{cards}</div>'
        "{lines}"
        '<h2 class="fs-section">The run</h2><details><summary>Its whole record</summary><pre>{record}</pre>'
        "</details></body></html>\n"
    ).format(
        title=report.title,
        css=css,
        own=_OWN,
        listed=listed,
        said=said,
        intervals=f"without intervals: {PICKED}" if report.by_outcome else "with the 95 % Wilson interval",
        summary=_summary(report.summary),
        cards=Markup().join(report.cards),
        lines=_lines(report.frame.iloc[shown : shown + rest]),
        record=record,
    )


def _summary(rows: pd.DataFrame) -> Markup:
    body = Markup().join(
        Markup(
            "<tr><th scope='row'>{title}</th><td>{n:,}</td>"
            "<td>{wrong:,}</td><td>{share} "
            "<small>{ends}</small></td></tr>"
        ).format(
            title=title(str(row["concept"])),
            n=row["n"],
            wrong=row["wrong"],
            share=written.percent(row["rate"], row["n"]),
            ends="" if row["n"] < written.FEW else written.ends((row["low"], row["high"])),
        )
        for row in rows.to_dict("records")
        if row["n"]
    )
    return Markup(
        '<table class="fs-table"><thead><tr><th scope="col">Concept</th><th scope="col">verdicts</th>'
        '<th scope="col">wrong</th><th scope="col">share</th></tr></thead><tbody>{}</tbody></table>'
    ).format(body)


def _lines(frame: pd.DataFrame) -> Markup:
    if frame.empty:
        return Markup()
    mark = {True: "✓", False: "✗"}
    body = Markup().join(
        Markup(
            "<tr><th scope='row'>{item_id}</th><td class='fs-text'>"
            "{texts}</td><td>{metric}</td>"
            "<td>{verdict}</td>"
            "<td>{margin}</td></tr>"
        ).format(
            item_id=row["item_id"],
            texts=" / ".join(row["texts"][:5]),
            metric=metric_title(str(row["metric"])),
            verdict="–" if pd.isna(row["correct"]) else mark[bool(row["correct"])],
            margin=score(row["margin"], signed=True),
        )
        for row in frame.to_dict("records")
    )
    return Markup(
        '<table class="fs-table"><thead><tr><th scope="col">Item</th><th scope="col">captions</th>'
        '<th scope="col">metric</th><th scope="col">verdict</th><th scope="col">margin</th></tr></thead>'
        "<tbody>{}</tbody></table>"
    ).format(body)
