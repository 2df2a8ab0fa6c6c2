"""Where the what-if begins, what it keeps in the address, and what it says, against torch and the recipes."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest
import torch
from streamlit.testing.v1 import AppTest

from backend.metrics.reasons.quads import QUAD_CELLS, decompose
from backend.protocols import Protocol
from backend.store import queries
from backend.store.build.reader import open_store
from backend.store.scores import matrices
from backend.teach.losses import binding, eqsim
from backend.teach.training.recipes import RECIPES
from pages.teach.what_if import presets, settings, words
from pages.teach.what_if.settings import Settings
from pages.teach.what_if.stored_quads import scores_of
from tests.pages.opening import unfolded
from tests.pages.teach.what_if.test_losses import NAMES, by_torch, how, quads


@pytest.mark.parametrize("kind", presets.UNITS)
def test_a_made_up_quad_is_in_the_cell_that_it_is_made_up_for(kind: str) -> None:
    for cell in QUAD_CELLS:
        start = presets.made_up(cell, kind)
        assert QUAD_CELLS[decompose([np.reshape(start.scores, (2, 2))]).cell[0]] == cell
        low, high = presets.BOUNDS[kind]
        assert all(low < value < high for value in start.scores)
        assert presets.read_scores(presets.write_scores(start.scores), kind) == start.scores
    assert list(presets.BEGINNINGS) == [*QUAD_CELLS, presets.STORED]


def test_defaults_are_those_that_train() -> None:
    assert settings.MARGINS == {"itc": binding.MARGIN_COSINE, "itm": binding.MARGIN_LOGODDS}
    assert RECIPES["eqsim"].eqsim == settings.BETA
    assert RECIPES["eqsim"].alpha == settings.ALPHA
    assert (RECIPES["neg"].negatives, RECIPES["binding"].binding) == (1.0, 1.0)
    assert tuple(NAMES) == settings.LOSSES
    assert set(settings.NORMS) == set(get_args(eqsim.Normalisation)) - {"softmax"} == set(words.NORMS)


def test_the_paper_s_softmax_is_refused_of_two_captions() -> None:
    """Why it is not offered: "each row sums to one and the image side vanishes"."""
    with pytest.raises(ValueError, match="batches of 3 or more"):
        eqsim.normalised(torch.zeros(2, 2), "softmax")
    p = torch.rand(2, 2).softmax(1)
    assert p.sum(1).tolist() == pytest.approx([1, 1])
    assert eqsim.v2_image(p)[0, 1].item() == pytest.approx(0, abs=1e-6)


#: How a sign of a formula on screen is written in Python; then a product needs its sign.
SIGNS = {
    "e^−2τ(γ+c)": "exp(-2τ(γ+c))", "e^−2τ(γ−c)": "exp(-2τ(γ−c))", "e^−2τ(γ+r)": "exp(-2τ(γ+r))",
    "e^−2τ(γ−r)": "exp(-2τ(γ−r))", "e^−2(γ+c)": "exp(-2(γ+c))", "e^−2(γ−c)": "exp(-2(γ−c))",
    "½": "0.5", "¼": "0.25", "|c|": "abs(c)", "|r|": "abs(r)", "−": "-", "²": "**2", "[": "(", "]₊": ").clip(0)",
    "]": ")", "γ": "gamma", "α": "alpha", "+ m)": "+ margin)", "τ": "tau ", "ln": "log",
}  # fmt: skip


def value_of(formula: str, names: dict[str, float]) -> float:
    """A formula as it stands on screen, worked out."""
    for sign, python in SIGNS.items():
        formula = formula.replace(sign, python)
    formula = re.sub(r"e\^(-?s\d\d)", r"exp(\1)", formula)
    formula = re.sub(r"(?<=\d)\s?(?=tau|\(|[cr]\*)", "*", re.sub(r"tau (\*\*2)?(?=[(cr])", r"tau\1*", formula))
    known = {"log": np.log, "exp": np.exp, "abs": np.abs, "max": np.maximum}
    found = eval(formula, {}, known | {key: np.float64(v) for key, v in names.items()})  # noqa: S307
    return float(found)


@pytest.mark.parametrize("kind", presets.UNITS)
def test_every_formula_on_screen_is_the_loss(kind: str) -> None:
    for norm in settings.NORMS:
        setting = how(kind, norm=norm, alpha=0.01, scale=7.0, margin=0.3)
        for s in quads(np.random.default_rng(21), kind, 30)[1::3]:
            s11, s12, s21, s22 = s
            names = {"s11": s11, "s12": s12, "s21": s21, "s22": s22, "tau": 7.0, "alpha": 0.01, "margin": 0.3}
            names |= {"gamma": (s11 - s12 - s21 + s22) / 4, "c": (s11 - s12 + s21 - s22) / 4}
            names |= {"r": (s11 + s12 - s21 - s22) / 4}
            matrix = torch.tensor(s, dtype=torch.float64).view(2, 2)
            p = eqsim.normalised(matrix * (7.0 if kind == "itc" else 1.0), norm)  # type: ignore[arg-type]
            names |= {f"p{i + 1}{j + 1}": p[i, j].item() for i in range(2) for j in range(2)}
            for look in words.LOOKS[kind]["losses"]:
                formula = look["of_p"] if norm != "none" and look["of_p"] else look["formula"]
                wanted = by_torch(look["id"], matrix, setting).item()
                assert value_of(formula, names) == pytest.approx(wanted, rel=1e-6, abs=1e-9), (formula, norm)


def now(kind: str = "itc", **changes: Any) -> dict[str, Any]:
    """What the browser tells, of a quad outvoted by the image."""
    document = settings.default(presets.made_up("outvoted_by_image", kind)).document()
    return document | {"version": 3} | changes


def told(said: object) -> Settings:
    start = presets.made_up("outvoted_by_image", "itc")
    return settings.from_browser(said, settings.default(start), start, 3)


def test_what_the_browser_tells_is_taken_inside_its_bounds() -> None:
    found = told(now(scores=[0.1, 0.2, 0.3, -0.4], loss="binding", together=True, steps=7.0, margin=99, scale=0.001))
    assert (found.scores, found.loss, found.together) == ((0.1, 0.2, 0.3, -0.4), "binding", True)
    assert (found.steps, found.margin, found.scale) == (7, 0.5, 0.1)
    assert type(found.steps) is int


BAD = [
    None, "text", {}, now(version=2), now(scores=[0.1, 0.2, 0.3]), now(scores=[0.1, 0.2, 0.3, float("nan")]),
    now(scores=[0.1, 0.2, 0.3, 7.0]), now(scores=["0.1"] * 4), now(scores=None), now(loss="other"), now(norm="softmax"),
    now(margin=None), now(alpha="0"), now(beta=float("inf")), now(steps=True),
]  # fmt: skip


@pytest.mark.parametrize("said", BAD)
def test_what_no_browser_of_ours_tells_changes_nothing(said: object) -> None:
    assert told(said) == settings.default(presets.made_up("outvoted_by_image", "itc"))


def texts(page: AppTest) -> str:
    """All HTML and messages of a page."""
    return " ".join(str(getattr(node, "value", "") or getattr(node.proto, "body", "")) for node in [
        *page.get("html"), *page.error, *page.caption, *page.markdown,
    ])  # fmt: skip


def test_a_page_begins_with_made_up_scores_and_needs_no_results(
    nothing_shipped: None, flipside_cache: Path, visit: Callable[..., AppTest]
) -> None:
    page = visit("teach", view="what-if")
    assert not page.exception
    assert "Made-up scores: outvoted by the image" in texts(page)
    assert "This is no training" in texts(unfolded(page, "what-if-about"))


@pytest.mark.parametrize(
    "quad", ["nan,0,0,0", "inf,0,0,0", "1e300,0,0,0", "0.1,0.2,0.3", "a,b,c,d", "0.1,0.2,0.3,0.4,0.5", "<script>,0,0,0"]
)
def test_a_link_s_broken_quad_is_said_and_the_beginning_shown(
    nothing_shipped: None, flipside_cache: Path, visit: Callable[..., AppTest], quad: str
) -> None:
    page = visit("teach", view="what-if", quad=quad)
    assert not page.exception
    (error,) = page.error
    assert "is not four numbers from" in error.value
    assert page.query_params.get("quad") is None


def test_other_broken_values_of_a_link_fall_back(
    nothing_shipped: None, flipside_cache: Path, visit: Callable[..., AppTest]
) -> None:
    page = visit(
        "teach", view="what-if", quad_margin="nan", quad_scale="1e400", quad_steps="-5", quad_norm="softmax",
        quad_loss="x", quad_sum="y", quad_from="z", quad_kind="gen", quad_alpha="", quad_beta="<b>", quad_step="1e-9",
    )  # fmt: skip
    assert not page.exception
    assert page.query_params["quad_scale"] == "1000.0"
    assert page.query_params["quad_steps"] == "1"
    assert not {"quad_margin", "quad_norm", "quad_loss", "quad_sum", "quad_from"} & page.query_params.keys()


def test_an_address_comes_back_as_it_was(
    nothing_shipped: None, flipside_cache: Path, visit: Callable[..., AppTest]
) -> None:
    asked = {
        "view": "what-if", "quad_from": "no_binding", "quad_kind": "itm", "quad": "1.5,0.25,-3,0.125",
        "quad_loss": "v1", "quad_sum": "added", "quad_norm": "sigmoid", "quad_margin": "2.5", "quad_alpha": "0.04",
        "quad_beta": "1.0", "quad_step": "0.2", "quad_steps": "60",
    }  # fmt: skip
    page = visit("teach", **asked)
    assert not page.exception
    assert not page.error
    assert dict(page.query_params) == asked


def test_a_stored_item_is_named_by_its_id_and_its_benchmark(small: Path, visit: Callable[..., AppTest]) -> None:
    page = visit("teach", view="what-if", item="attribute/3", benchmark="small", model="fake:weak", kind="itc")
    assert not page.exception
    assert "attribute/3, similarity of fake:weak" in texts(page)
    wanted = {"view": "what-if", "quad_from": "item", "item": "attribute/3"}
    assert dict(page.query_params) == {**wanted, "benchmark": "small", "model": "fake:weak"}


def test_a_stored_item_has_the_scores_that_its_run_stored(small: Path) -> None:
    store = open_store()
    benchmark = str(queries.benchmarks(store)["hash"].iloc[0])
    for run_id, kind in (("1" * 16, "itc"), ("1" * 16, "itm"), ("2" * 16, "itc")):
        block = matrices.block(store.run(run_id), kind, Protocol.QUAD)
        for k in range(0, len(block), 7):
            detail = queries.item(store, benchmark, str(block.items["item_id"].iloc[k]))
            assert scores_of(detail, run_id, kind) == tuple(block.scores[k].ravel())
            assert scores_of(detail, "0" * 16, kind) is None


def test_an_unknown_item_falls_back_and_says_so(small: Path, visit: Callable[..., AppTest]) -> None:
    page = visit("teach", view="what-if", item="no/such", benchmark="small", model="fake:none", kind="gen")
    assert not page.exception
    assert any("no/such" in toast.value for toast in page.toast)
    assert "attribute/1, similarity of fake:strong" in texts(page)


def test_without_results_a_stored_item_says_what_to_do(
    nothing_shipped: None, flipside_cache: Path, visit: Callable[..., AppTest]
) -> None:
    page = visit("teach", view="what-if", quad_from="item")
    assert not page.exception
    assert "Nothing has been computed yet" in texts(page)
