"""Where Compare leads from sides that have nothing in common: to what each of them does compare with."""

from dataclasses import dataclass

import streamlit as st

from pages.compare import opening, sides
from pages.compare.sides import AUTO, Comparison
from pages.shared.data.stored import StoredBenchmark
from pages.shared.drawing.numbers import shortened
from pages.shared.frame.plain import plain


@dataclass(frozen=True)
class Way:
    """One comparison that has an answer: the keys of A and B, and what pressing it does, in words."""

    a: str
    b: str
    label: str


def draw(benchmark: StoredBenchmark, chosen: Comparison) -> None:
    """A button each, the first as the next step; nothing where nothing compares with A or with B."""
    with st.container(horizontal=True, key="compare-ways-on"):
        for k, way in enumerate(found(benchmark, chosen)):
            # No link: one from a page to itself leaves the browser's address as it was.
            st.button(
                plain(way.label), icon=":material/balance:", key=f"compare-way-{k}",
                type="secondary" if k else "primary", on_click=_go, args=(way,),
            )  # fmt: skip


def found(benchmark: StoredBenchmark, chosen: Comparison) -> list[Way]:
    """The two by what they do have in common, where another side, a metric or a choice of subsets leaves nothing; else
    for A, and for B, the first that it compares with, of another model where there is such."""
    known = sides.options(benchmark)
    names = {key: shortened(name, 30) for key, name in sides.titles(known).items()}
    a, b = (entry.key for entry in chosen.named[:2])
    if opening.fits(benchmark, known, a, b):
        without = [
            " without the others" if len(chosen.named) > 2 else "",
            " by the headline of each protocol" if chosen.metric else "",
            " on all subsets" if chosen.subsets else "",
        ]
        return [Way(a, b, f"Compare {names[a]} with {names[b]}{''.join(without)}")]
    ways = []
    for k, key in enumerate((a, b)):
        other = opening.beside(benchmark, known, key)
        if other is not None:
            label = f"Compare {names[key]} with {names[other]}"
            ways.append(Way(other, key, label) if k else Way(key, other, label))
    return ways


def _go(way: Way) -> None:
    state = st.session_state
    state["a"], state["b"], state["more"], state["metric"], state["subset"] = way.a, way.b, [], AUTO, []
