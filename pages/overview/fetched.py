"""Overview: what fetched public results are, which of them are two heads of one model, and which repeat another."""

from collections import defaultdict
from collections.abc import Mapping

import streamlit as st

from backend.store.catalog import public
from backend.store.catalog.public import Public
from pages.shared.data import stored
from pages.shared.drawing import colours
from pages.shared.frame.fold import fold
from pages.shared.frame.plain import plain


def draw(benchmark: stored.StoredBenchmark) -> None:
    """The section; nothing for a benchmark without fetched results."""
    found, is_completed = _of(benchmark) if not benchmark.parts else ({}, False)
    if not found:
        return
    of = f"{len(found)} of {len(benchmark.models)} were fetched from public places"
    with fold(f"Whose results these are: {of}", "overview-fetched", ":material/public:"):
        for line in lines(found, colours.labels(benchmark.models)):
            st.markdown(line)
        if is_completed:
            st.caption(public.COMPLETED)
        elif any(each.verdicts_only for each in found.values()):
            st.caption(public.NUMBERS_ALONE)


@stored.kept()
def _of(benchmark: stored.StoredBenchmark) -> tuple[dict[str, Public], bool]:
    """What the records say of its fetched models, and whether one is shown on the items of another edition."""
    records = {model: stored.store().run(benchmark.runs[model]).record for model in benchmark.models}
    found = {model: said for model, record in records.items() if (said := public.public(record)) is not None}
    return found, any(public.is_completed(records[model], benchmark.hash) for model in found)


def lines(found: Mapping[str, Public], names: Mapping[str, str]) -> list[str]:
    """The `facts`, a line of Markdown each."""
    return [f"**{plain(head)}**{plain(rest)}" for head, rest in facts(found, names)]


def facts(found: Mapping[str, Public], names: Mapping[str, str]) -> list[tuple[str, str]]:
    """Sources with their terms, heads of one model, and repeats: what each is about and what is said of it, plain
    texts. names: of models.

    >>> clip = Public("clip", "Winoground", "CLIP", "contrastive", terms="MIT")
    >>> facts({"a": clip}, {"a": "clip"})
    [('Winoground', ': 1 row; MIT.')]
    """
    of_source: dict[str, list[Public]] = defaultdict(list)
    of_system: dict[str, list[str]] = defaultdict(list)
    for model, each in found.items():
        of_source[each.source].append(each)
        of_system[each.system].append(model)
    said = []
    for source, own in of_source.items():
        n = f"{len(own)} row{'s' if len(own) > 1 else ''}"
        said.append((source, f": {n}; {own[0].terms}."))
    heads = [
        f"{system} ({', '.join(names[model] for model in models)})"
        for system, models in of_system.items()
        if len({found[model].head for model in models}) > 1
    ]
    if heads:
        said.append(("Heads of one model", f", not models of their own: {'; '.join(heads)}."))
    repeats = [
        f"{names[model]} repeats {names.get(each.repeats, each.repeats)} ({each.how})"
        for model, each in found.items()
        if each.repeats
    ]
    if repeats:
        said.append(("Repeats", f", to be counted once: {'; '.join(repeats)}."))
    return said
