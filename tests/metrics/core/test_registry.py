"""Declarations: complete, found by name, documented."""

from pathlib import Path

import pytest

from backend.errors import UsageError
from backend.items import Kind, Protocol
from backend.metrics.core.chance import FIXED
from backend.metrics.core.registry import METRICS, applicable, by_name

DOCS = Path(__file__).parents[3] / "docs" / "methods.md"


@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.name)
def test_declaration_is_complete_and_documented(metric):
    assert metric.title
    assert metric.formula
    assert "\n" not in metric.formula
    assert metric.paper
    assert metric.where
    assert metric.kinds
    assert metric.chance == FIXED.get(metric.name)
    assert not {"itc", "itm", "gen", "vqa"} & set(metric.name.split("_"))
    documented = DOCS.read_text(encoding="utf-8")
    assert f"`{metric.name}`" in documented


def test_names_are_found_and_near_matches_offered():
    assert by_name("rsum").direction == "higher"
    with pytest.raises(UsageError, match="did you mean image_score"):
        by_name("imagescore")
    with pytest.raises(UsageError, match="available: i2t_accuracy"):
        by_name("zzzz")


def test_applicable():
    names = {metric.name for metric in applicable(Protocol.QUAD, Kind.ITC)}
    assert {"text_score", "image_score", "group_score", "eqsim_v1"} <= names
    assert "pc" not in {metric.name for metric in applicable(Protocol.CHOICE, Kind.ITC)}
    assert "pc" in {metric.name for metric in applicable(Protocol.CHOICE, Kind.ITM)}
    assert applicable(Protocol.QUAD, Kind.PRIOR) == ()
