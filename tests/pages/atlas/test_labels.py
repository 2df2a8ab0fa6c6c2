"""Names in the Atlas' plane: none is missing, none stands on another or leaves the plane, at both widths."""

from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from backend.published.atlas import measures, reading
from pages.atlas import labels, plane
from pages.atlas.labels import HIGH, LETTER, LINE, WIDTHS, Name
from pages.atlas.view import View


def boxes(spec: dict, width: float) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Text -> (middle, half size) in pixels of a drawing area of this width."""
    low, high = np.array(spec["low"]), np.array(spec["high"])
    found = {}
    for name in spec["names"]:
        at = (np.array(name["at"]) - low) * np.array([width, HIGH]) / (high - low)
        found[name["text"]] = (
            at + np.array([name["right"], name["up"]]),
            np.array([LETTER * len(name["text"]), LINE]) / 2,
        )
    return found


@pytest.mark.parametrize("entry", ["", "StructuredCLIP/NegCLIP/coco-ft", "StructuredCLIP/DAC-SAM/cc3m-ft"])
@pytest.mark.parametrize(
    ("x", "y"), [(measures.TASKS, measures.COMPOSITION), ("winoground::text", "winoground::image")]
)
def test_every_taught_model_is_named_and_no_name_stands_on_another(
    shared_data: Path, entry: str, x: str, y: str
) -> None:
    path = shared_data / "vl_compo" / "individual_results.csv"
    if not path.is_file():
        pytest.skip("the Atlas' file is not in ../shared/data")
    atlas = reading.read(path)
    view = View(measures.measures()[x], measures.measures()[y], entry=atlas.place.get(entry))
    spec = plane.drawing(view, atlas, [], {})
    arches = {"NegCLIP", "CE-CLIP", "DAC-LLM", "DAC-SAM", "TSVLC-Negs_RB", "TSVLC-Negs_RB_LLM", "ViT-B-32 openai"}
    for width in WIDTHS:
        found = boxes(spec, width)
        assert {name.partition(" ")[0] for name in found} == {name.partition(" ")[0] for name in arches}
        for (one, (a, half)), (two, (b, other)) in combinations(found.items(), 2):
            assert not (np.abs(a - b) < half + other).all(), (one, two, width)
        marks = np.column_stack([view.x.of(atlas), view.y.of(atlas)])
        low, high = np.array(spec["low"]), np.array(spec["high"])
        at = (marks - low) * np.array([width, HIGH]) / (high - low)
        hidden = sum(int((np.abs(at - middle) < half).all(axis=1).sum()) for middle, half in found.values())
        assert hidden <= 2, width


def test_a_name_that_stands_far_off_is_led_to_its_point() -> None:
    many = np.array([[50.0, 50.0]])
    names = [Name(many[0], f"name {k}") for k in range(9)]
    found = labels.places(names, many, np.zeros((0, 2)), np.zeros(2), np.full(2, 100.0))
    assert not found[0].leads
    assert found[8].leads
    assert len({(place.right, place.up) for place in found}) == 9


def test_a_name_keeps_off_marks_and_lines() -> None:
    low, high = np.zeros(2), np.full(2, 100.0)
    above = np.column_stack([np.linspace(40, 60, 30), np.full(30, 54.0)])
    free = labels.places([Name(np.array([50.0, 50.0]), "name")], np.zeros((0, 2)), np.zeros((0, 2)), low, high)[0]
    assert (free.right == pytest.approx(0, abs=1e-9), free.up > 0) == (True, True)
    for marks, lines in ((above, above[:0]), (above[:0], above)):
        place = labels.places([Name(np.array([50.0, 50.0]), "name")], marks, lines, low, high)[0]
        assert abs(place.up - free.up) + abs(place.right - free.right) > 5
