"""The plane of reasons: a point is where its cell says, the sentence counts what it names, nothing is invented."""

import re
from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from backend.metrics.reasons import QUAD_CELLS, decompose
from backend.metrics.reasons.mirror import Share
from backend.metrics.reasons.names import NAMES
from backend.metrics.statistics import rate
from backend.store.reasons import plane
from pages.equivariance import knows, reasons, reasons_view
from pages.equivariance.pick import picked_ids
from tests.pages import results

Visit = Callable[..., AppTest]


def taken_apart(n: int = 400, seed: int = 3) -> pd.DataFrame:
    found = decompose(np.random.default_rng(seed).normal(size=(n, 2, 2)) + 0.4 * np.eye(2))
    names = np.array(QUAD_CELLS, dtype=object)
    return pd.DataFrame({
        "item_id": [f"q/{k}" for k in range(n)], "gamma": found.gamma, "c": found.c, "r": found.r,
        "cell": names[found.cell], "mirrored": names[found.mirrored], "nested": found.nested,
        "cluster": [f"i/{k}" for k in range(n)],
    })  # fmt: skip


def test_a_point_is_right_exactly_inside_the_wedge() -> None:
    frame = taken_apart()
    across, up = reasons_view.places(frame).T
    assert set(frame["cell"]) == set(QUAD_CELLS), "a cell is missing, so this test shows less"
    assert ((across > np.abs(up)) == (frame["cell"] == "right").to_numpy()).all()
    assert ((across <= 0) == (frame["cell"] == "no_binding").to_numpy()).all()
    assert (up[(frame["cell"] == "outvoted_by_caption").to_numpy()] > 0).all()
    assert (up[(frame["cell"] == "outvoted_by_image").to_numpy()] < 0).all()


def test_the_shaded_region_is_the_wedge() -> None:
    """The corners of the drawn path lie on |up| = across or on the frame."""
    frame = taken_apart()
    drawn = reasons_view.figure(frame, frame, dark=False)
    assert drawn.wedge is not None
    corners, edge = drawn.wedge[0], drawn.across.half
    assert corners[0] == (0.0, 0.0)
    assert all(abs(y) == pytest.approx(x) or x == pytest.approx(edge) for x, y in corners)


def test_every_quad_is_drawn_once_beside_its_decoy() -> None:
    frame = taken_apart()
    drawn = reasons_view.figure(frame, frame, dark=True)
    points = drawn.points
    assert sorted(points.ids) == sorted(frame["item_id"])
    assert drawn.behind is not None
    across, up = drawn.clip
    stand = sorted(zip(-np.clip(points.x, -across, across), np.clip(points.y, -up, up), strict=True))
    assert np.allclose(sorted(map(tuple, drawn.behind[0].tolist())), stand, atol=1e-12)
    assert points.words is not None
    told = dict(zip(points.ids, zip(points.words, points.mark, strict=True), strict=True))
    for quad in frame.itertuples():
        words, mark = told[quad.item_id]
        assert words == NAMES[quad.cell] + (", order alone does not decide" if quad.nested else "")
        assert drawn.marks[mark].colour == reasons_view.LOOKS[quad.cell][0]
    assert [line.label for line in points.lines] == ["binding γ = ", "caption bias c = ", "image bias r = "]
    at = list(points.ids).index("q/7")
    assert [line.values[at] for line in points.lines] == frame.loc[7, ["gamma", "c", "r"]].tolist()


def test_one_category_keeps_the_axes_of_all_and_is_picked_from_all_its_points() -> None:
    frame = taken_apart(5000)
    part = frame.iloc[:3000]
    drawn = [reasons_view.figure(some, frame, False) for some in (part, frame)]
    assert (drawn[0].across, drawn[0].up) == (drawn[1].across, drawn[1].up)
    box = {"box": [{"x": [-9, 0], "y": [-9, 9]}]}
    ids = picked_ids(part["item_id"].to_numpy(), reasons_view.shown(part, frame), box)
    assert set(ids) == set(part.loc[part["gamma"] <= 0, "item_id"])
    assert picked_ids(part["item_id"].to_numpy(), reasons_view.shown(part, frame), {}) == []


def test_counts_and_luck() -> None:
    frame = taken_apart()
    found = plane.lost(frame)
    assert sum(count for count, _ in found.cells.values()) == found.n == 400
    assert sum(decoys for _, decoys in found.cells.values()) == 400
    assert found.cells["no_binding"][1] == (frame["gamma"] >= 0).sum()
    assert found.share.value == pytest.approx(((frame["gamma"] > 0).sum() - (frame["gamma"] < 0).sum()) / 400)
    shared = plane.lost(frame.assign(cluster=np.repeat(np.arange(40), 10)))
    assert shared.share.ci95 != found.share.ci95


def test_the_sentence_claims_no_binding_that_may_be_luck() -> None:
    cells = {"right": (2, 1), "no_binding": (228, 222), "outvoted_by_both": (220, 227)}
    none = plane.Lost(450, Share(450, 222, 228, -0.013, (-0.105, 0.079)), cells, 300)
    said = reasons.sentence("clip", none)
    assert said.startswith("clip is not seen to bind: −1.3 % [−10.5, 7.9] of 450 quads beyond luck, 0.4 % are right")
    assert said.endswith("lost are 50.7 % for want of binding, 48.9 % to both biases (luck alone: 50.4 %).")
    every = plane.Lost(20, Share(20, 20, 0, 1.0, (0.68, 1.0)), {"right": (20, 0)}, 0)
    assert (
        reasons.sentence("m", every)
        == "m: at least 68.0 % of 20 quads bind (100.0 % [68.0, 100.0] beyond luck), 100.0 % are right; none is lost."
    )


def scored(n: int = 400, seed: int = 3, bind: float = 0.4) -> pd.DataFrame:
    """Quads as `parts.own` gives them, the same as `taken_apart`'s."""
    s = np.random.default_rng(seed).normal(size=(n, 2, 2)) + bind * np.eye(2)
    (s11, s12), (s21, s22) = np.moveaxis(s, 0, -1)
    text, image = np.minimum(s11 - s12, s22 - s21), np.minimum(s11 - s21, s22 - s12)
    frame = pd.DataFrame({"text_margin": text, "image_margin": image, "group_margin": np.minimum(text, image)})
    measures = [f"{name}{end}" for name in ("v1", "v2_text", "v2_image") for end in ("", "_scale_free", "_over_margin")]
    return frame.assign(cluster=[f"i/{k}" for k in range(n)], **dict.fromkeys(measures, 0.0))


def test_losses_stand_beside_what_is_known_and_its_chance() -> None:
    found, own = plane.lost(taken_apart()), scored()
    known = knows.rates(own, found)
    assert list(known) == list(knows.KNOWN)
    for name in ("text", "image", "group"):
        assert known[f"{name}_score"] == rate((own[f"{name}_margin"] > 0).to_numpy())
    assert known["group_match"].value == (taken_apart()["gamma"] > 0).mean()
    assert known["group_score"].value == found.cells["right"][0] / found.n
    html = str(knows.table(found, known))
    assert html.index("what it knows") < html.index("luck alone")
    assert [f"<td>{chance} %</td>" in html for chance in ("25.0", "50.0", "16.7")] == [True] * 3
    every = str(knows.everyone([("m", known, found)], "m"))
    assert "luck" in every
    assert "chance 16.7 %" in every
    linked = str(knows.everyone([("fake:<m>", known, found)], "m", "a&b"))
    assert 'href="model?model=fake%3A%3Cm%3E&amp;benchmark=a%26b" target="_self">fake:&lt;m&gt;</a>' in linked


def test_a_model_at_chance_is_said_to_be_there() -> None:
    own = scored(bind=0.0)
    found = plane.lost(taken_apart())
    known = knows.rates(own, found)
    assert "not to be told from chance" in str(knows.table(found, known))
    said = knows.seen("<m>", found, known, "it is not seen to bind any")
    assert said.startswith("&lt;m&gt; is right on ")
    assert "○" in said
    assert "by chance on 16.7 %" in said


def test_of_how_many_is_said_once_of_few() -> None:
    """It said “right on 3 of 5 of 5 quads”, and of the loss 40.0 %."""
    cells = {"right": (3, 1), "outvoted_by_image": (2, 1), "no_binding": (0, 2)}
    lost = plane.Lost(5, Share(5, 4, 1, 0.6, (0.1, 0.9)), cells, 0)
    known = {"group_score": rate(np.array([True, True, True, False, False]))}
    said = str(knows.seen("m", lost, known, "it binds", "relation").striptags())
    assert "3 of 5" in said
    assert "of 5 quads" not in said.replace("3 of 5 quads", "", 1)
    assert "%" not in said.replace("by chance on 16.7 %", "")
    assert "2 of 5." in said


@pytest.mark.slow
@pytest.mark.usefixtures("small")
def test_the_page_begins_with_it(visit: Visit) -> None:
    page = visit("equivariance", model=results.STRONG, category="concept:relation")
    assert not page.exception
    said = "".join(element.proto.body for element in page.get("html"))
    words = re.sub("<[^>]+>", "", said)
    assert re.search(r"is right on [\d.]+ %.* of [\d,]+ quads of concept relation, by chance on 16\.7 %", words)
    assert " bind" in words
    assert said.index("fs-bound") < said.index("fs-knows") < said.index("fs-cells")
    assert "outvoted_by" not in words
    assert [box.label.partition(" ")[0] for box in page.expander][:3] == ["Text", "The", "Every"], "all else is folded"
