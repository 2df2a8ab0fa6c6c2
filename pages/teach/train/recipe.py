"""The recipe that is chosen: its formula, what it asks for, its paper, and the numbers that can be changed."""

from dataclasses import dataclass
from typing import Final

import streamlit as st
from markupsafe import Markup

from backend.teach.training.recipes import RECIPES, Recipe
from pages.shared.frame.style import show

_EQSIM = "Wang et al. 2023, Equivariant Similarity for Vision-Language Foundation Models"
_SVLC = "Doveh et al. 2023, Teaching Structured Vision & Language Concepts"


@dataclass(frozen=True)
class About:
    """title: beside the name; formula: the loss; why: what it asks for, and what not; paper: where it stands."""

    title: str
    formula: str
    why: str
    paper: str


ABOUT: Final = {
    "baseline": About(
        "the retrieval loss alone",
        "L = L_ret",
        "Each image shall find its caption among those of the batch, and each caption its image. It says what the "
        "steps themselves do: compare every other recipe with it, not with the model as it was.",
        f"{_SVLC}, Eq. 2",
    ),
    "eqsim": About(
        "scores that move with the meaning",
        "L = L_ret + β · L_Eq;  v1: [(s12 − s21)² − α]₊;  v2: [((s11 − s12) − (s22 − s21))² − α]₊;  "
        "and [((s11 − s21) − (s22 − s12))² − α]₊",
        "On raw scores v1 pushes only r − c to zero and v2 both biases; neither has a term in γ, so whether a model "
        "binds at all is not asked.",
        f"{_EQSIM}, Eq. 6 and the end of section 3",
    ),
    "neg": About(
        "captions that are wrong in one word",
        "L = L_ret + α · L_neg;  L_neg = −log S(T, I) / (S(T, I) + S(T_neg, I))",
        "The image shall prefer its caption to one that was changed: a foil, a generated caption, or the other half’s.",
        f"{_SVLC}, Eq. 3",
    ),
    "svlc": About(
        "wrong words, and other words for the same",
        "L = L_ret + α · L_neg + β · (L_sim-text + L_sim-image)",
        "As neg; besides, a caption that says the same in other words shall find its caption and its image.",
        f"{_SVLC}, Eq. 3 to 6",
    ),
    "binding": About(
        "ours: what the group score asks",
        "L = L_ret + mean of [max(|c|, |r|) − γ + m]₊ over the batch’s quads",
        "A quad is right in both directions exactly where γ > max(|c|, |r|): this asks for it, by a margin m, on raw "
        "scores.",
        "Flipside’s own",
    ),
}  # fmt: skip
LORA: Final = (
    "What is trained are adapters, W* = W + A · B of this rank, in both towers; the model’s own weights stay (Doveh et "
    "al. 2023, section 3.3 and Eq. 9; Hu et al. 2021). A rank of 0 trains all weights."
)


def choose(key: str, index: int) -> str:
    """One of the recipes."""
    names = list(RECIPES)
    return st.radio(
        "Recipe", names, key=key, index=index, persist_state="session",
        format_func=lambda name: f"**{name}**, {ABOUT[name].title}",
        help="What is added to the retrieval loss. All recipes see the same images, captions and batches.",
    ) or names[0]  # fmt: skip


def explain(name: str) -> None:
    """Formula, what it asks for, and the paper."""
    about = ABOUT[name]
    show(
        Markup(
            '<div class="tr-recipe"><p class="cmp-formula">{}</p><p>{}</p><p class="cmp-source">{}</p></div>'
        ).format(Markup("<br>").join(about.formula.split(";  ")), about.why, about.paper)
    )


def numbers(name: str, kind: str) -> dict[str, str]:
    """The numbers of a recipe, as widgets; those that differ from its own. kind: the score that is taught."""
    own = RECIPES[name]
    given: dict[str, str] = {}
    for field, label, wanted, more in _fields(own, kind):
        found = _widget(name, field, label, wanted, more)
        if found != wanted:
            given[field] = f"{found:g}" if isinstance(found, float) else str(found)
    return given


_Field = tuple[str, str, "float | int | str", object]


def _fields(own: Recipe, kind: str) -> list[_Field]:
    """(name in the recipe, label, its value, options or help) of what the recipe uses."""
    found: list[_Field] = []
    if own.eqsim:
        found += [
            ("eqsim", "β, weight of L_Eq", own.eqsim, "The paper chose from .2, .5 and 1."),
            ("alpha", "α, free of charge", own.alpha, "Squared differences below it cost nothing: 0, .04 or .1."),
            ("k", "k, close pairs", own.k, "Two pairs are close where one is among the other’s k nearest."),
            ("v1", "v1 is asked of", own.v1, ("all", "close", "distant", "none")),
            ("v2", "v2 is asked of", own.v2, ("close", "all", "distant", "none")),
            ("normalisation", "Scores are", own.normalisation, ("", "softmax", "sigmoid", "batch", "none")),
        ]
    if own.negatives:
        found.append(("negatives", "α, weight of L_neg", own.negatives, "1 in the authors’ code."))
    if own.analogies:
        found.append(("analogies", "β, weight of L_sim", own.analogies, "0.5 in the authors’ code."))
    if own.binding:
        margin = "0.05 of cosine" if kind == "itc" else "1 of log-odds"
        found += [
            ("binding", "Weight of the hinge", own.binding, "1 as it ships."),
            ("margin", "m, the margin", own.margin, f"In the unit of the score; 0 takes {margin}."),
        ]
    return found


_SAID = {"": "as in the paper", "batch": "softmax over the whole batch"}


def _widget(name: str, field: str, label: str, value: "float | int | str", more: object) -> "float | int | str":
    key = f"teach-set-{name}-{field}"
    if isinstance(more, tuple):
        said = {**_SAID, "none": "raw"} if field == "normalisation" else {"none": "no pair"}
        chosen = st.selectbox(
            label, more, index=more.index(value), key=key, persist_state="session",
            format_func=lambda v: said.get(v, v),
        )  # fmt: skip
        return str(chosen)
    if isinstance(value, int):
        return int(st.number_input(label, 1, 1000, value, key=key, persist_state="session", help=str(more)))
    step, most = (0.01, 100.0) if field in ("alpha", "margin") else (0.1, 100.0)
    return float(st.number_input(
        label, 0.0, most, float(value), step, key=key, persist_state="session", format="%g", help=str(more)
    ))  # fmt: skip
