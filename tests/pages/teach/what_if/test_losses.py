"""What the what-if works out in the browser, in V8, against `backend.teach.losses` with torch's gradients."""

from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from backend.metrics.reasons.quads import QUAD_CELLS, decompose
from backend.teach.losses import binding, eqsim, retrieval, svlc
from tests.pages.scripts import Script

NAMES = ("retrieval", "v1", "v2", "both", "negatives", "binding")
EQSIM: dict[str, dict[str, Any]] = {
    "v1": {"v1": "all", "v2": "none"}, "v2": {"v1": "none", "v2": "close"}, "both": {"v1": "all", "v2": "close"},
}  # fmt: skip


@pytest.fixture(scope="module")
def script() -> Script:
    return Script("teach/what_if/steps.js")


def how(kind: str = "itc", **changes: Any) -> dict[str, Any]:
    """Settings as the page has them; steps: of the descent, length: how far each goes."""
    settings = {"kind": kind, "scale": 14.3, "norm": "none", "alpha": 0.0, "beta": 0.5, "margin": 0.05}
    return settings | {"together": False, "length": 0.005, "steps": 40} | changes


def by_torch(name: str, s: Tensor, setting: dict[str, Any]) -> Tensor:
    """The loss of quads' raw scores (2, 2), by the functions that train."""
    logits = s * setting["scale"] if setting["kind"] == "itc" else s
    ranks = retrieval.contrastive if setting["kind"] == "itc" else retrieval.matching
    first = ranks(logits)
    if name == "retrieval":
        return first
    weight = 1.0
    if name == "negatives":
        term = svlc.negatives(logits.diagonal(), torch.stack([logits[0, 1], logits[1, 0]])[:, None])
    elif name == "binding":
        term = binding.binding(s[None], setting["margin"])
    else:
        asked = eqsim.EqSim(alpha=setting["alpha"], normalisation=setting["norm"], **EQSIM[name])
        term, weight = eqsim.equivariance(logits, asked), setting["beta"]
    return first + weight * term if setting["together"] else term


def with_gradient(name: str, scores: list[float], setting: dict[str, Any]) -> tuple[float, list[float]]:
    s = torch.tensor(scores, dtype=torch.float64).view(2, 2).requires_grad_()
    value = by_torch(name, s, setting)
    value.backward()
    assert s.grad is not None
    return value.item(), s.grad.flatten().tolist()


def quads(rng: np.random.Generator, kind: str, n: int) -> list[list[float]]:
    """Random quads, a third of them on a coarse grid, where scores and biases tie (and no squared
    difference is the paper's α: there the hinge's slope is rounding's)."""
    size = 0.13 if kind == "itc" else 3.0
    found = rng.normal(0.3 if kind == "itc" else 0.0, size, (n, 4))
    found[::3] = np.round(found[::3] / size) * size
    return [[float(value) for value in each] for each in found]


SETTINGS = [
    how(kind, scale=scale, norm=norm, alpha=alpha, beta=beta, margin=margin, together=together)
    for kind, scale in (("itc", 1.0), ("itc", 14.3), ("itc", 100.0), ("itm", 14.3))
    for norm in ("none", "sigmoid", "batch")
    for alpha, beta, margin in ((0.0, 0.2, 0.05), (0.04, 0.5, 0.0), (0.1, 1.0, 1.5))
    for together in (False, True)
]


@pytest.mark.long
def test_values_and_gradients_are_torch_s(script: Script) -> None:
    rng = np.random.default_rng(3)
    compared = 0
    for setting in SETTINGS:
        for s in quads(rng, setting["kind"], 6):
            found = script("LOSSES.map((name) => lossOf(name, a, b))", s, setting)
            for name, (value, gradient) in zip(NAMES, found, strict=True):
                wanted, slopes = with_gradient(name, s, setting)
                said = f"{name} of {s} under {setting}"
                assert value == pytest.approx(wanted, rel=1e-9, abs=1e-9), said
                assert gradient == pytest.approx(slopes, rel=1e-9, abs=1e-9), said
                compared += 1
    assert compared == len(SETTINGS) * 6 * len(NAMES)


@pytest.mark.parametrize("kind", ["itc", "itm"])
def test_far_scores_overflow_nothing(script: Script, kind: str) -> None:
    for s in ([1.0, -1.0, -1.0, 1.0], [-1.0, 1.0, 1.0, -1.0], [100.0, -100.0, 100.0, 100.0], [0.0] * 4):
        setting = how(kind, scale=100.0, norm="batch")
        found = script("LOSSES.map((name) => lossOf(name, a, b))", s, setting)
        for name, (value, gradient) in zip(NAMES, found, strict=True):
            wanted, slopes = with_gradient(name, s, setting)
            assert value == pytest.approx(wanted, rel=1e-9, abs=1e-9)
            assert gradient == pytest.approx(slopes, rel=1e-9, abs=1e-8)


def slopes_of(script: Script, name: str, s: list[float], setting: dict[str, Any]) -> dict[str, float]:
    """∂L/∂μ, ∂L/∂γ, ∂L/∂c and ∂L/∂r."""
    found: dict[str, float] = script("inParts(lossOf(a, b, c)[1])", name, s, setting)
    return found


@pytest.mark.parametrize("kind", ["itc", "itm"])
def test_what_each_loss_leaves_alone_on_raw_scores(script: Script, kind: str) -> None:
    """EqSim has no term in γ and none in μ: v1 asks for r = c alone, v2 for c = 0 and r = 0; SVLC's negatives have
    none in r; binding has one in γ, and of the biases in the larger alone."""
    rng = np.random.default_rng(5)
    setting = how(kind, margin=50.0)
    for s in quads(rng, kind, 60)[1::3]:
        parts = script("partsOf(a)", s)
        gamma, c, r = parts["gamma"], parts["c"], parts["r"]
        tau = setting["scale"] if kind == "itc" else 1.0
        v1, v2 = slopes_of(script, "v1", s, setting), slopes_of(script, "v2", s, setting)
        both, negatives = slopes_of(script, "both", s, setting), slopes_of(script, "negatives", s, setting)
        near = pytest.approx
        assert v1 == near({"mu": 0, "gamma": 0, "c": -8 * tau**2 * (r - c), "r": 8 * tau**2 * (r - c)}, abs=1e-9)
        assert v2 == near({"mu": 0, "gamma": 0, "c": 32 * tau**2 * c, "r": 32 * tau**2 * r}, abs=1e-9)
        assert both == near({name: v1[name] + v2[name] for name in v1}, abs=1e-9)
        assert (negatives["mu"], negatives["r"]) == near((0, 0), abs=1e-9)
        assert negatives["gamma"] < 0
        assert np.sign(negatives["c"]) == np.sign(c), "a step takes c towards zero"
        found = slopes_of(script, "binding", s, setting)
        larger = {"c": float(np.sign(c)), "r": 0.0} if abs(c) > abs(r) else {"c": 0.0, "r": float(np.sign(r))}
        assert found == near({"mu": 0, "gamma": -1} | larger, abs=1e-12)
        # So the same for another γ and μ: EqSim cannot tell a quad that binds from one that does not.
        other = script("quadOf(a)", parts | {"gamma": gamma - 0.7, "mu": 0.1})
        assert slopes_of(script, "both", other, setting) == near(both, rel=1e-6, abs=1e-6)


def test_normalised_scores_have_a_term_in_gamma(script: Script) -> None:
    """What "on raw scores" is said for: through a softmax or a sigmoid the same losses move γ, too."""
    s = script("quadOf(a)", {"mu": 0.3, "gamma": 0.02, "c": 0.01, "r": 0.05})
    for norm in ("sigmoid", "batch"):
        for name in ("v1", "v2"):
            found = slopes_of(script, name, s, how(norm=norm))
            assert abs(found["gamma"]) > 1e-6, (norm, name)


def test_the_contrastive_loss_of_a_quad_asks_for_all_three(script: Script) -> None:
    """With both pairs of a quad in the batch it raises γ and takes both biases towards zero."""
    for s in quads(np.random.default_rng(6), "itc", 60)[1::3]:
        parts, found = script("partsOf(a)", s), slopes_of(script, "retrieval", s, how())
        assert found["gamma"] < 0
        assert found["mu"] == pytest.approx(0, abs=1e-9)
        assert all(np.sign(found[name]) == np.sign(parts[name]) for name in ("c", "r"))


def test_parts_and_scores_are_each_other_s_inverse(script: Script) -> None:
    for s in quads(np.random.default_rng(7), "itc", 30):
        parts = script("partsOf(a)", s)
        assert script("quadOf(partsOf(a))", s) == pytest.approx(s, abs=1e-12)
        found = decompose([np.reshape(s, (2, 2))])
        assert [parts["c"], parts["r"]] == pytest.approx([found.c[0], found.r[0]], abs=1e-12)
        assert parts["gamma"] == pytest.approx(found.gamma[0], abs=1e-12)


def test_verdicts_and_cells_are_those_of_the_reasons(script: Script) -> None:
    """By comparisons; on a coarse grid most quads tie somewhere, and ties are failures."""
    rng = np.random.default_rng(9)
    rounded = np.round(rng.normal(0, 0.1, (300, 4)), 1) + 0.0
    fine = rng.normal(0, 1, (300, 4))
    nearly = rng.choice([0.1, 0.2, 0.3, 0.1 + 0.2], (300, 4))
    many = np.concatenate([rounded, fine, nearly, np.zeros((1, 4))])
    wanted = decompose(many.reshape(-1, 2, 2))
    found = script("a.map(judged)", many.tolist())
    assert [each["cell"] for each in found] == [QUAD_CELLS[code] for code in wanted.cell]
    for name in ("text", "image", "group"):
        assert [each[name] for each in found] == getattr(wanted, name).tolist()
    assert len({each["cell"] for each in found}) == len(QUAD_CELLS)
