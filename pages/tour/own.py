"""The visitor's own part of the visit: the item that was clicked, whose verdict is spoken of, and the finding."""

from dataclasses import dataclass
from urllib.parse import urlencode

import streamlit as st

from backend.errors import FlipsideError
from backend.store.queries import ItemDetail
from pages.item import view, why
from pages.shared.data import apart, stored
from pages.shared.data.frames import lines_of
from pages.shared.drawing import colours
from pages.shared.drawing.numbers import count, listing, shortened
from pages.shared.frame import namesakes

#: So many models are offered; the rest are on the item's page.
OFFERED = 6
#: Characters of a caption that the finding names.
LONGEST = 90


@dataclass(frozen=True)
class Own:
    """What the address of the item's page names. benchmark: its name; model, kind: "" where none is chosen."""

    benchmark: str
    item: str
    model: str
    kind: str

    def where(self, **more: str) -> dict[str, str]:
        """The address of the item's page, with more."""
        own = {"benchmark": self.benchmark, "item": self.item, "model": self.model, "kind": self.kind} | more
        return {key: value for key, value in own.items() if value}


def of_address() -> Own | None:
    """What the address of the item's page names; None where it names no item that is here."""
    said = {key: str(st.query_params.get(key) or "")[:200] for key in ("benchmark", "item", "model", "kind")}
    known = stored.chosen()
    said["benchmark"] = said["benchmark"] or ("world" if "world" in known else next(iter(known), ""))
    if said["benchmark"] not in known:
        hashes = {name: each.hash for name, each in known.items()}
        said["benchmark"] = next(iter(namesakes.meant(said["benchmark"], hashes)), said["benchmark"])
    own = Own(**said)
    return own if own.item and _detail(own) is not None else None


def of_card(said: str) -> Own | None:
    """What a card of Failures names (the benchmark's hash, a blank, the item), with the model and kind of that page."""
    of, _, item = said.partition(" ")
    name = next((each.name for each in stored.chosen().values() if each.hash == of), "")
    chosen = {key: str(st.session_state.get(key) or "") for key in ("model", "kind")}
    own = Own(name, item[:200], chosen["model"], chosen["kind"])
    return own if name and _detail(own) is not None else None


def _detail(own: Own) -> ItemDetail | None:
    found = stored.chosen().get(own.benchmark)
    try:
        return stored.item(found.hash, own.item) if found else None
    except FlipsideError:
        return None


def choices(own: Own) -> list[dict[str, str]]:
    """Whose verdicts the finding may be about: id (model, tab, kind), name, mark ✓ or ✗; the present one first, then
    those whose verdict is another."""
    detail, benchmark = _detail(own), stored.chosen()[own.benchmark]
    if detail is None:
        return []
    names = colours.labels(benchmark.models)
    found = []
    metrics = view.headlines(detail)
    for model, run, kind in why.verdicts(detail, [m for m in benchmark.models if m in set(detail.outcomes["model"])]):
        mine = detail.outcomes[(detail.outcomes["run_id"] == run) & (detail.outcomes["kind"] == kind)]
        line = next(
            (own_line for metric in metrics if (own_line := view.verdict_of(lines_of(mine), metric, kind))), None
        )
        if line is not None and view.correct(line) is not None:
            found.append((model, kind, bool(view.correct(line))))
    first = next((each for each in found if each[:2] == (own.model, own.kind)), found[0] if found else None)
    if first is None:
        return []
    order = sorted(found, key=lambda each: (each != first, each[2] == first[2]))
    twice = [model for model, _, _ in found]
    return [
        {"id": f"{model}\t{kind}", "name": names[model] + (f" · {kind}" if twice.count(model) > 1 else ""),
         "mark": "✓" if right else "✗"}
        for model, kind, right in order[:OFFERED]
    ]  # fmt: skip


def about(detail: ItemDetail) -> str:
    """The item in one sentence, its captions shortened."""
    texts = [text for k in range(len(detail.texts)) if (text := detail.text(k))]
    said = [f"“{shortened(text, LONGEST)}”" for text in texts]
    pictures = len(detail.image_uris)
    seen = f"{count(pictures, 'picture')} and the {'captions' if len(said) > 1 else 'caption'} " if pictures else ""
    return f"The item: {seen}{listing(said)}." if said else ""


def finding(own: Own) -> tuple[str, str, str]:
    """The sentence of "Copy as finding" on the item's page with this model's sentence leading, the item in a sentence,
    and the whole link."""
    detail, benchmark = _detail(own), stored.chosen()[own.benchmark]
    if detail is None:
        return "", "", ""
    models = [model for model in benchmark.models if model in set(detail.outcomes["model"])]
    why.lead_with(own.model, own.kind)
    said, link, _ = why.to_copy(detail, models, benchmark.name, apart.of(benchmark))
    here = (st.context.url or "item").partition("?")[0]
    return said, about(detail), f"{here}?{urlencode(link or own.where())}"
