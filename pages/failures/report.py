"""What Failures lists as one HTML file with its images: works offline, needs no script, and is bounded in size."""

import json
from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from html import escape
from io import BytesIO
from typing import Any

import pandas as pd

from backend import written
from backend.errors import FlipsideError
from backend.images import open_stored
from backend.taxonomy import title
from pages.shared.drawing import explore
from pages.shared.drawing.gallery import HERE
from pages.shared.drawing.numbers import score
from pages.shared.frame import style
from pages.shared.frame.tips import metric_title

#: Pixels and quality of its images, and how many lines without images follow the cards.
SIZE, QUALITY, LINES = 160, 72, 2000
_OWN = """
body { margin: 0 auto; padding: 2rem 1.5rem 4rem; max-width: 84rem; font: 16px/1.5 "Source Sans", system-ui, sans-serif;
  color-scheme: light dark; color: light-dark(#1e252b, #e7eaec); background: light-dark(#fdfdfb, #12161a); }
.fs-report-facts { display: grid; grid-template-columns: max-content 1fr; gap: .2rem 1.2rem; margin: 1rem 0; }
.fs-report-facts dt { color: var(--fs-quiet); } .fs-report-facts dd { margin: 0; overflow-wrap: anywhere; }
.fs-gallery { margin: 1rem 0; } a { color: light-dark(#2f5d8a, #8db7dd); } pre { white-space: pre-wrap;
  overflow-wrap: anywhere; font-size: .8rem; } .fs-table { width: auto; min-width: 50%; }
.fs-table td.fs-text { text-align: left; white-space: normal; } @media print { .fs-card { break-inside: avoid; } }
"""


@dataclass(frozen=True)
class Report:
    """What is in it. words: the filter (see `words.said`); summary: `files.by_concept`; frame:
    `files.flat`, all that is filtered; cards: HTML of the first of them; link: an address that reopens it;
    record: of the run."""

    title: str
    words: Sequence[tuple[str, str]]
    summary: pd.DataFrame
    frame: pd.DataFrame
    cards: Sequence[str]
    link: str
    record: Mapping[str, Any]


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


def html(report: Report, made: datetime | None = None) -> str:
    """The whole file."""
    when = (made or datetime.now(UTC)).strftime("%Y-%m-%d %H:%M UTC")
    css = "".join(path.read_text(encoding="utf-8") for path in (style.CSS, explore.CSS, HERE / "gallery.css"))
    link = f'<a href="{escape(report.link)}">{escape(report.link)}</a>' if report.link else "–"
    facts = [*((what, escape(value)) for what, value in report.words), ("made", when), ("reopen", link)]
    listed = "".join(f"<dt>{escape(what)}</dt><dd>{value}</dd>" for what, value in facts)
    n, shown = len(report.frame), len(report.cards)
    rest = min(n - shown, LINES)
    said = f"{n:,} rows match. The first {shown:,} are shown with their images, the next {rest:,} as lines"
    said += f"; {n - shown - rest:,} more are in the CSV, JSONL and Parquet exports." if n > shown + rest else "."
    record = json.dumps(report.record, indent=1, ensure_ascii=False, sort_keys=True, default=str)
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{escape(report.title)}</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; img-src data:; '
        f'style-src \'unsafe-inline\'"><style>{css}{_OWN}</style></head><body class="stApp">'
        f'<header class="fs-header"><p class="fs-eyebrow">Flipside · Failures</p><h1>{escape(report.title)}</h1>'
        "</header>"
        f'<dl class="fs-report-facts">{listed}</dl><p>{escape(said)}</p>'
        f'<h2 class="fs-section">By concept</h2>{_summary(report.summary)}'
        '<p class="fs-caption">Of all verdicts under the same filters, right ones too: how many are wrong, with the '
        "95 % Wilson interval.</p>"
        f'<h2 class="fs-section">Items</h2><div class="fs-gallery">{"".join(report.cards)}</div>'
        f"{_lines(report.frame.iloc[shown : shown + rest])}"
        f'<h2 class="fs-section">The run</h2><details><summary>Its whole record</summary><pre>{escape(record)}</pre>'
        "</details></body></html>\n"
    )


def _summary(rows: pd.DataFrame) -> str:
    body = "".join(
        f"<tr><th scope='row'>{escape(title(str(row['concept'])))}</th><td>{row['n']:,}</td>"
        f"<td>{row['wrong']:,}</td><td>{written.percent(row['rate'], row['n'])} "
        f"<small>{'' if row['n'] < written.FEW else written.ends((row['low'], row['high']))}</small></td></tr>"
        for row in rows.to_dict("records")
        if row["n"]
    )
    return (
        '<table class="fs-table"><thead><tr><th scope="col">Concept</th><th scope="col">verdicts</th>'
        f'<th scope="col">wrong</th><th scope="col">share</th></tr></thead><tbody>{body}</tbody></table>'
    )


def _lines(frame: pd.DataFrame) -> str:
    if frame.empty:
        return ""
    mark = {True: "✓", False: "✗"}
    body = "".join(
        f"<tr><th scope='row'>{escape(str(row['item_id']))}</th><td class='fs-text'>"
        f"{escape(' / '.join(row['texts'][:5]))}</td><td>{escape(metric_title(str(row['metric'])))}</td>"
        f"<td>{'–' if pd.isna(row['correct']) else mark[bool(row['correct'])]}</td>"
        f"<td>{score(row['margin'], signed=True)}</td></tr>"
        for row in frame.to_dict("records")
    )
    return (
        '<table class="fs-table"><thead><tr><th scope="col">Item</th><th scope="col">captions</th>'
        '<th scope="col">metric</th><th scope="col">verdict</th><th scope="col">margin</th></tr></thead>'
        f"<tbody>{body}</tbody></table>"
    )
