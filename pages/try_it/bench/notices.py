"""What a reader must know before believing the numbers, short, and where possible with what can be done about it."""

from collections.abc import Sequence
from itertools import combinations

import streamlit as st
from markupsafe import Markup

from backend.live.scoring.scoring import ModelScores
from pages.shared.drawing import colours
from pages.shared.drawing.numbers import listing
from pages.shared.frame.header import chart_caption
from pages.shared.frame.hidden import hide
from pages.shared.frame.plain import plain
from pages.shared.frame.style import show
from pages.try_it import results, scores
from pages.try_it.state import Picture


def draw(shown: Sequence[Picture], texts: Sequence[str], models: Sequence[str], prior: str, layout: str) -> None:
    """The remarks; where only bundled models are asked about what they do not know, *Add a model* stands below it."""
    for remark in scores.remarks(shown, texts, models, prior, layout):
        adds = "Add a model" in remark
        with st.container(key=f"fs-notice-{'add' if adds else 'same'}"):
            st.info(plain(remark), icon=":material/info:")
            if adds:
                with st.popover("Add a model", icon=":material/add:", key="try-add-here", width="content"):
                    scores.add_own("here")


def tied(found: Sequence[ModelScores], texts: Sequence[str]) -> dict[str, str]:
    """Spec -> one sentence on the captions that a model gives the same scores, and why where that is known."""
    said = {}
    for one in found:
        pairs = [
            (j, k) for j, k in combinations(range(len(texts)), 2)
            if one.matrices and all((one.judged(kind)[:, j] == one.judged(kind)[:, k]).all() for kind in one.matrices)
        ]  # fmt: skip
        if pairs:
            j, k = pairs[0]
            said[one.spec] = f"captions {j + 1} and {k + 1} tie: {_why(one, texts[j], texts[k], j, k)}"
    return said


def _why(one: ModelScores, a: str, b: str, j: int, k: int) -> str:
    if a == b:
        return "they are the same"
    if one.gen_tokens and one.gen_tokens[0][j].tokens == one.gen_tokens[0][k].tokens:
        return "this model cuts both into the same tokens"
    if a.casefold() == b.casefold():
        return "they differ only in capitals, which this model does not read"
    if any(one.truncated) and one.truncated[j] and one.truncated[k]:
        return "both are longer than this model reads"
    return "this model gives both exactly the same score"


def cut(found: Sequence[ModelScores]) -> list[str]:
    """One sentence for each set of captions whose ends some models do not read."""
    names, whose = colours.labels([one.spec for one in found]), dict[tuple[int, ...], list[str]]()
    for one in found:
        if numbers := tuple(j + 1 for j, is_cut in enumerate(one.truncated) if is_cut):
            whose.setdefault(numbers, []).append(names[one.spec])
    said = []
    for numbers, models in whose.items():
        which = listing([str(number) for number in numbers])
        begins = f"Caption {which} is" if len(numbers) == 1 else f"Captions {which} are"
        reads = f"{listing(models)} {'reads' if len(models) == 1 else 'read'}"
        said.append(f"{begins} longer than {reads}: the end was not scored.")
    return said


def silent(found: Sequence[ModelScores], kinds: Sequence[str]) -> None:
    """Models without a row: those that failed say why, those without a score of an image are named."""
    names = colours.labels([one.spec for one in found])
    for said in cut(found):
        chart_caption(said)
    for one in found:
        if one.problem:
            show(Markup('<p class="fs-problem">{}: {}</p>').format(names[one.spec], hide(one.problem)))
    without = [names[one.spec] for one in found if not one.problem and not any(kind in kinds for kind in one.matrices)]
    for one in found:
        if one.nothing:
            chart_caption(hide(one.nothing))
    if without:
        chart_caption(f"{', '.join(without)}: {results.NOTHING[:1].lower()}{results.NOTHING[1:]}")
