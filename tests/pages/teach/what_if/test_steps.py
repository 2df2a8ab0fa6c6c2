"""The steps on four free scores, and what is said of them: the scripts of the what-if, in V8."""

from typing import Any

import numpy as np
import pytest

from backend.metrics.reasons.names import NAMES
from tests.pages.scripts import Script
from tests.pages.teach.what_if.test_losses import NAMES as LOSSES
from tests.pages.teach.what_if.test_losses import how, quads, script, with_gradient

__all__ = ["script"]


def quad(script: Script, **parts: float) -> list[float]:
    found: list[float] = script("quadOf(a)", {"mu": 0.3, "gamma": 0.0, "c": 0.0, "r": 0.0} | parts)
    return found


def lower(name: str, s: Any, setting: dict[str, Any], longest: float) -> Any:
    """An eighth of a step with torch's gradient, halved until the loss is lower; None where there is none."""
    value, slopes = with_gradient(name, s.tolist(), setting)
    slope, far = float(np.linalg.norm(slopes)), longest
    if slope <= 1e-6 * max(1.0, setting["scale"] if setting["kind"] == "itc" else 1.0):
        return None
    while far > longest / 1e5:
        tried = s - far * np.array(slopes) / slope
        if with_gradient(name, tried.tolist(), setting)[0] < value:
            return tried
        far /= 2
    return None


def walked(name: str, s: list[float], setting: dict[str, Any]) -> list[list[float]]:
    """The same descent with torch's gradients."""
    path, here = [s], np.array(s)
    for _ in range(setting["steps"]):
        for part in range(8):
            found = lower(name, here, setting, setting["length"] / 8)
            if found is None:
                return [*path, here.tolist()] if part else path
            here = found
        path.append(here.tolist())
    return path


@pytest.mark.parametrize("together", [False, True])
@pytest.mark.parametrize("name", LOSSES)
def test_a_descent_is_the_one_that_torch_s_gradients_give(script: Script, name: str, together: bool) -> None:
    for kind, norm in (("itc", "none"), ("itc", "batch"), ("itm", "sigmoid")):
        setting = how(kind, norm=norm, together=together, steps=3, length=0.005 if kind == "itc" else 0.2, margin=0.1)
        for s in quads(np.random.default_rng(11), kind, 6)[1::3]:
            found, wanted = script("descent(a, b, c)", name, s, setting), walked(name, s, setting)
            assert len(found) == len(wanted)
            assert np.array(found) == pytest.approx(np.array(wanted), abs=1e-7)


def test_each_step_is_lower_and_no_longer_than_asked(script: Script) -> None:
    for together in (False, True):
        setting = how(together=together)
        for s in quads(np.random.default_rng(12), "itc", 12):
            for name in LOSSES:
                path = np.array(script("descent(a, b, c)", name, s, setting))
                values = script("b.map((s) => lossOf(a, s, c)[0])", name, path.tolist(), setting)
                assert all(np.diff(values) < 0)
                assert all(np.linalg.norm(np.diff(path, axis=0), axis=1) <= setting["length"] * (1 + 1e-9))


def test_where_the_losses_lead_a_quad_that_the_image_outvotes(script: Script) -> None:
    """γ 0.02, c 0.01, r 0.05: EqSim on raw scores takes the biases away and leaves γ; negatives raise γ and leave r;
    binding ends at its margin."""
    s, setting = quad(script, gamma=0.02, c=0.01, r=0.05), how(steps=80)
    ends = {name: script("partsOf(descent(a, b, c).at(-1))", name, s, setting) for name in LOSSES}
    for name in ("v1", "v2", "both"):
        assert ends[name]["gamma"] == pytest.approx(0.02, abs=1e-9)
    assert ends["v1"]["r"] == pytest.approx(ends["v1"]["c"], abs=1e-4)
    assert ends["v1"]["c"] == pytest.approx(0.03, abs=1e-4), "equal, not zero: c was taken away from it"
    for name in ("v2", "both"):
        assert max(abs(ends[name]["c"]), abs(ends[name]["r"])) < 1e-4
    assert ends["negatives"]["r"] == pytest.approx(0.05, abs=1e-9)
    assert ends["negatives"]["gamma"] > 0.06
    assert ends["retrieval"]["gamma"] > 0.06
    beyond = ends["binding"]["gamma"] - max(abs(ends["binding"]["c"]), abs(ends["binding"]["r"]))
    assert setting["margin"] <= beyond + 1e-12
    assert beyond < setting["margin"] + 2 * setting["length"]


@pytest.mark.parametrize("gamma", [-0.04, 0.0, 0.04])
def test_what_is_met_has_no_path(script: Script, gamma: float) -> None:
    """Without biases EqSim is met whatever γ is, so also by a quad that is read the other way round."""
    s = quad(script, gamma=gamma)
    for name in ("v1", "v2", "both"):
        assert script("descent(a, b, c)", name, s, how()) == [s]
        assert script("asked(a, b, c)", name, s, how()) == "nothing: it is met"
    right = quad(script, gamma=0.2, c=0.05, r=0.1)
    assert script("asked(a, b, c)", "binding", right, how()) == "nothing: it is met"
    assert script("asked(a, b, c)", "binding", right, how(margin=0.2)) == "γ up, r towards zero"


def test_level_paths_help_only_where_binding_is_above_zero(script: Script) -> None:
    """What stands below the picture: EqSim on logits as they are never makes a quad right that does not bind."""
    for s in quads(np.random.default_rng(14), "itc", 90)[1::3]:
        ends = {name: script("descent(a, b, c)", name, s, how(steps=200, length=0.02))[-1] for name in ("v2", "both")}
        for end in ends.values():
            binds = script("partsOf(a).gamma", s) > 1e-4
            assert script("judged(a).group", end) == binds
        for each in script("descent(a, b, c)", "v1", s, how(steps=50)):
            assert script("partsOf(a).gamma", each) == pytest.approx(script("partsOf(a).gamma", s), abs=1e-12)


WORDS = [
    ("v1", {"c": 0.01, "r": 0.05}, {}, {"r towards zero", "c away from zero"}),
    ("v1", {"c": 0.0, "r": 0.05}, {}, {"r towards zero", "c off zero"}),
    ("v2", {"c": -0.01, "r": 0.05}, {}, {"r towards zero", "c towards zero"}),
    ("negatives", {"c": 0.02, "r": 0.05}, {}, {"γ up", "c towards zero"}),
    ("retrieval", {"c": 0.02, "r": 0.05}, {}, {"γ up", "c towards zero", "r towards zero"}),
    ("binding", {"c": -0.02, "r": 0.01}, {}, {"γ up", "c towards zero"}),
    ("binding", {"c": 0.0, "r": 0.0}, {}, {"γ up"}),
    ("binding", {"c": 0.0, "r": 0.05}, {"kind": "itm", "margin": 1.0}, {"γ up", "r towards zero"}),
    ("retrieval", {"gamma": 0.9}, {"scale": 100.0}, {"next to nothing"}),
    ("v2", {"c": 0.01, "r": 0.05}, {"together": True}, {"γ up", "r towards zero", "c towards zero"}),
]


@pytest.mark.parametrize(("name", "parts", "changes", "said"), WORDS)
def test_what_a_loss_asks_in_words(
    script: Script, name: str, parts: dict[str, float], changes: dict[str, Any], said: set[str]
) -> None:
    found = script("asked(a, b, c)", name, quad(script, **parts), how(**changes))
    assert set(found.split(", ")) == said


def test_the_stronger_pull_is_named_first(script: Script) -> None:
    assert script("asked(a, b, c)", "v2", quad(script, c=0.01, r=0.05), how()) == "r towards zero, c towards zero"
    assert script("asked(a, b, c)", "v2", quad(script, c=0.05, r=0.01), how()) == "c towards zero, r towards zero"


def test_a_matching_head_is_told_yes_and_no(script: Script) -> None:
    """Binary cross-entropy has a pull on all four scores, too: a head that says yes to everything is taken down."""
    found = script("asked(a, b, c)", "retrieval", quad(script, mu=3.0, gamma=0.1), how("itm"))
    assert set(found.split(", ")) == {"γ up", "all four down"}


CELLS = {
    "right": {"gamma": 0.1}, "outvoted_by_image": {"gamma": 0.02, "r": 0.05}, "no_binding": {"gamma": -0.1},
}  # fmt: skip


@pytest.mark.parametrize(
    ("path", "said"),
    [
        (["right", "right"], "✓ stays right"),
        (["outvoted_by_image", "outvoted_by_image", "right", "right"], "✓ right from step 2"),
        (["outvoted_by_image", "right", "outvoted_by_image", "right"], "✓ right from step 3"),
        (["outvoted_by_image", "outvoted_by_image"], "✗ still outvoted by the image"),
        (["outvoted_by_image", "no_binding"], "✗ no binding seen"),
        (["right", "no_binding"], "✗ made wrong: no binding seen"),
    ],
)
def test_where_a_path_ends_in_words(script: Script, path: list[str], said: str) -> None:
    quads_of = [quad(script, **CELLS[cell]) for cell in path]
    assert script("outcomeSaid(outcome(a), b)", quads_of, dict(NAMES)) == said


def test_everything_is_told_of_one_state(script: Script) -> None:
    s = quad(script, gamma=0.02, c=0.01, r=0.05)
    found = script("everything(a, b)", s, how())
    assert [each["name"] for each in found] == list(LOSSES)
    for each in found:
        value, gradient = script("lossOf(a, b, c)", each["name"], s, how())
        assert (each["value"], each["pulls"]) == (value, [0 - slope for slope in gradient])
        assert each["parts"]["gamma"] == pytest.approx(-script("inParts(a)", gradient)["gamma"])
        assert each["path"][0] == s
