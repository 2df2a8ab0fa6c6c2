"""No chart leaves the ends of a scale of numbers to its rows, which come later: Vega warned "Infinite extent"."""

import json
from types import SimpleNamespace
from typing import Any

import numpy as np

from pages.compare import edit_distance
from pages.debias import prior_shapes
from pages.shared.drawing.scales import scale


def bare(spec: Any) -> list[Any]:
    """Channels of numbers without a domain of their own."""
    if isinstance(spec, list):
        return [each for one in spec for each in bare(one)]
    if not isinstance(spec, dict):
        return []
    own = [spec] if spec.get("type") == "quantitative" and "domain" not in spec.get("scale", {}) else []
    return own + [each for one in spec.values() for each in bare(one)]


def rate(value: float) -> SimpleNamespace:
    return SimpleNamespace(value=value, n=20, ci95=(value - 0.1, value + 0.1))


def test_charts_tell_the_ends_of_their_scales() -> None:
    shape = SimpleNamespace(edges=np.array([-3.0, -2.0, -1.0]), truths=np.array([1, 3]), foils=np.array([2, 2]))
    few = {"noise": [SimpleNamespace(images=k, accuracy=rate(0.5 + k / 10)) for k in range(3)]}
    parts = [SimpleNamespace(middle=m, low=m - 1, high=m + 1, accuracy=rate(0.5)) for m in (-4.0, 9.0)]
    line = SimpleNamespace(model="bundled:clip", parts=parts)
    specs = [prior_shapes.shape_spec(shape), prior_shapes.few_spec(few), edit_distance.spec([line])]
    assert [bare(spec) for spec in specs] == [[], [], []]
    assert '"domain": [-3.0, -1.0]' in json.dumps(specs[0])


def test_a_scale_takes_what_is_finite() -> None:
    rows = [{"a": float("nan")}, {"a": None}, {"a": float("inf")}]
    assert scale(rows, "a")["domain"] == [0.0, 1.0]
    assert scale([*rows, {"a": 2}], "a", "b")["domain"] == [2.0, 3.0]
