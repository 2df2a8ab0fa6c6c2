"""The reasons of all rows; a choice or a triplet asks the bundled models about other scenes of the drawn world."""

from collections.abc import Sequence

import streamlit as st

from backend.errors import FlipsideError
from backend.items import Protocol
from backend.live.playing import others
from backend.live.playing.others import Under
from backend.live.scoring import pool
from backend.live.scoring.scoring import Array
from pages.try_it.bench import why
from pages.try_it.bench.rows import Row
from pages.try_it.bench.why import Reason
from pages.try_it.state import Picture

#: Models that answer about 16 more pictures at once; others would keep one waiting.
QUICK = ("bundled:", "fake:")


def of_rows(
    rows: Sequence[Row], shown: Sequence[Picture], texts: Sequence[str], layout: str,
    known: dict[tuple[str, str], Under] | None = None,
) -> dict[str, Reason]:  # fmt: skip
    """Row key (`spec|kind`) -> its reason; of choices and triplets only where one is measured. known: what is known of
    other scenes, so that nothing is asked."""
    under = dict(known or {})
    if layout in (Protocol.CHOICE, Protocol.TRIPLET) and known is None:
        codes = others.scenes(shown[0].key, texts)
        for spec in dict.fromkeys(row.scores.spec for row in rows):
            own = {row.kind: row.base for row in rows if row.scores.spec == spec}
            if codes and spec.startswith(QUICK):
                found = _under(spec, tuple(codes), tuple(texts), layout, shown[0].key, own)
                under |= {(spec, kind): each for kind, each in found.items()}
    if layout != Protocol.QUAD and not under:
        return {}
    named = {f"{row.scores.spec}|{row.kind}": why.reason(row, under) for row in rows}
    return {key: reason for key, reason in named.items() if reason}


@st.cache_data(max_entries=400, show_spinner=False)
def _under(
    spec: str,
    codes: tuple[str, ...],
    texts: tuple[str, ...],
    layout: str,
    image_key: str,  # noqa: ARG001 - stands for the own scores in the cache's key
    _own: dict[str, Array],
) -> dict[str, Under]:
    try:
        return others.under_others(pool.shared(), spec, _own, codes, texts, layout)
    except FlipsideError:  # its own scores are shown all the same
        return {}
