"""What Equivariance draws: every quad in the plane once, lassos answered from all quads, violins, lists by part."""

from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from pages.equivariance import options, parts, pick, view
from pages.equivariance.violins import Axis, Violin, axis_of, density, panel
from tests.pages import results

Visit = Callable[..., AppTest]


def quads(n: int = 30, seed: int = 1) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    cells = {name: rng.normal(size=n) for name in ("s11", "s12", "s21", "s22")}
    frame = pd.DataFrame(cells).assign(model="m", item_id=[f"q/{k}" for k in range(n)], subset="q", concept="c|d")
    frame["text_score"] = (frame["s11"] > frame["s12"]) & (frame["s22"] > frame["s21"])
    frame["image_score"] = (frame["s11"] > frame["s21"]) & (frame["s22"] > frame["s12"])
    return frame.assign(v1=frame["s12"] - frame["s21"])


def test_every_quad_lies_in_the_plane_once_with_its_id() -> None:
    drawn = view.scatter(quads(), "cosine", dark=False)
    assert sorted(drawn.points.ids) == sorted(quads()["item_id"])
    where = {item: (x, y) for item, x, y in zip(drawn.points.ids, drawn.points.x, drawn.points.y, strict=True)}
    first = quads().iloc[0]
    assert where["q/0"] == (first["s22"] - first["s21"], first["s11"] - first["s12"])
    names = [drawn.marks[k].name.rpartition(" ")[0] for k in drawn.points.mark]
    told = dict(zip(drawn.points.ids, names, strict=True))
    for quad in quads().itertuples():
        right = {(True, True): "group ✓", (True, False): "text ✓ image ✗", (False, True): "text ✗ image ✓"}
        assert told[quad.item_id] == right.get((quad.text_score, quad.image_score), "both ✗")
    assert pick.selected(quads(), {}) == []


def test_a_quad_without_a_score_has_no_place() -> None:
    frame = quads()
    frame.loc[3, "s11"] = np.nan
    assert sorted(view.scatter(frame, "cosine", False).points.ids) == sorted(set(frame["item_id"]) - {"q/3"})


def test_of_many_quads_a_sample_is_drawn_that_is_counted_in_full_and_what_was_picked_is_there() -> None:
    many = quads(50_000)
    drawn = view.scatter(many, "cosine", dark=True)
    assert len(drawn.points.ids) == view.DRAWN
    assert sum(int(mark.name.rpartition(" ")[2].replace(",", "")) for mark in drawn.marks) == 50_000
    missing = next(item for item in many["item_id"] if item not in set(drawn.points.ids))
    assert missing in set(view.scatter(many, "cosine", dark=True, ringed=[missing]).points.ids)
    assert drawn.marks[0].size < view.scatter(quads(), "cosine", dark=True).marks[0].size


def test_a_lasso_takes_all_quads_inside_it_also_those_not_drawn() -> None:
    many = quads(2 * view.DRAWN)
    square = {"lasso": [{"x": [0, 1, 1, 0], "y": [0, 0, 1, 1]}], "points": []}
    across, up = many["s22"] - many["s21"], many["s11"] - many["s12"]
    wanted = set(many.loc[(across > 0) & (across < 1) & (up > 0) & (up < 1), "item_id"])
    assert set(pick.selected(many, square)) == wanted
    assert len(wanted) > 1000
    box = {"box": [{"x": [1, 0], "y": [0, 1]}], "points": []}
    assert set(pick.selected(many, box)) == wanted


def test_a_polygon_that_is_not_convex_is_taken_as_drawn() -> None:
    star = [0, 2, 4, 3, 1], [0, 4, 0, 3, 3]  # a pentagram: its middle is crossed twice, so it lies outside
    points = np.array([[2.0, 3.5], [2.0, 2.0], [5.0, 1.0], [np.nan, 1.0]])
    slow = [_winding_is_odd(p, *star) for p in points[:3].tolist()]
    assert slow == [True, False, False]
    assert pick.inside(points, *star).tolist() == [*slow, False]


def _winding_is_odd(point: list[float], xs: list[float], ys: list[float]) -> bool:
    """How often the polygon goes round the point, by adding up angles: odd is inside by the even-odd rule."""
    angles = np.arctan2(np.array(ys) - point[1], np.array(xs) - point[0])
    turns = np.diff([*angles, angles[0]])
    return bool(round(float(((turns + np.pi) % (2 * np.pi) - np.pi).sum()) / (2 * np.pi)) % 2)


def test_parts_of_the_plane_cover_it_once() -> None:
    frame = pd.concat([quads(400), quads(1).assign(s11=0.5, s12=0.5, item_id="tie")])
    found = {part: pick.in_part(frame, part) for part in pick.PARTS}
    in_quadrants = [i for part, rows in found.items() if part != "collapsed" for i in rows["item_id"]]
    assert sorted(in_quadrants) == sorted(frame["item_id"])
    assert set(found["right"]["item_id"]) == set(frame.loc[frame["text_score"], "item_id"])
    assert sum(pick.shares(frame).values()) == pytest.approx(1.0)
    nearest = pick.plane(found["collapsed"])[0]
    assert np.abs(nearest).max() == np.abs(pick.plane(frame)).max(axis=1).min()


def test_violins_are_centred_at_zero_and_survive_a_model_without_values() -> None:
    rng = np.random.default_rng(2)
    rows = [Violin("<m>", "#000000", rng.normal(size=300)), Violin("nan", "#000000", np.full(5, np.nan)),
            Violin("flat", "#000000", np.zeros(9))]  # fmt: skip
    signed, absolute = axis_of(rows, "cosine", absolute=False), axis_of(rows, "cosine", absolute=True)
    assert signed.low == -signed.high
    assert absolute.low == 0.0
    drawn = panel(rows, signed, "v1")
    assert drawn.count("<title>") == 2
    assert "&lt;m&gt;: median" in drawn
    assert "nan: nothing" in drawn


def test_the_density_peaks_where_the_values_are() -> None:
    rng = np.random.default_rng(4)
    values = np.concatenate([rng.normal(0.3, 0.03, 3000), rng.normal(0.8, 0.02, 1000)])
    shape = density(values)
    assert abs(shape.argmax() / len(shape) - 0.3) < 0.03
    assert shape[int(0.55 * len(shape))] < 0.05


def test_ratios_beyond_the_axis_stand_at_its_end() -> None:
    assert Axis(0.01, 100.0, "", log=True).place(np.array([1e-9, 1e9])).tolist() == [0.0, 1.0]


def test_rows_are_models_or_the_largest_categories_of_one() -> None:
    frame = pd.concat([quads(5).assign(concept=f"c{k}") for k in range(20)] + [quads(9).assign(concept="many")])
    rows = parts.violin_rows(frame, ["m"], "m", "concepts")
    assert len(rows) == parts.MOST_ROWS
    assert "many" in [row.name for row in rows]
    assert [row.name for row in parts.violin_rows(frame, ["m"], "m", "models")] == ["m"]


def html(page: AppTest) -> str:
    return "".join(element.proto.body for element in page.get("html"))


@pytest.mark.slow
@pytest.mark.usefixtures("small")
def test_planes_of_three_kinds_stand_side_by_side(visit: Visit) -> None:
    page = visit("equivariance", model=results.STRONG, worst="swapped", planes=[])
    assert not page.exception
    assert "similarity (itc)</b>" not in html(page), "folded until somebody asks for it"
    page.session_state["_folds_open"] = {"equivariance-planes": True}
    page.run()
    for said in ("similarity (itc)", "matching (itm)", "generation (gen)"):
        assert f"{said}</b>" in html(page)
    assert "Read in the same way for every score kind" in html(page)
    one = visit("equivariance", planes=f"{results.SPEAKER}|gen")
    assert "matching (itm)</b>" not in html(one)


@pytest.mark.slow
@pytest.mark.usefixtures("small")
def test_a_kept_selection_reopens_from_its_address(visit: Visit) -> None:
    from backend.store.failures import selections
    from pages.shared.data import stored

    benchmark = stored.chosen()["small"]
    ids = list(stored.deviations(benchmark.runs[results.STRONG], "itc", "raw")["item_id"][:5])
    kept = selections.keep(benchmark.hash, ids, "a lasso")
    page = visit("equivariance", picked=kept.key)
    assert not page.exception
    assert "<b>5</b> <span>selected" in html(page)
    assert "selected in the plane" not in html(visit("equivariance", picked="no-such-set"))


@pytest.mark.slow
@pytest.mark.usefixtures("small")
def test_categories_are_subsets_and_concepts(visit: Visit) -> None:
    page = visit("equivariance", category="concept:relation")
    assert not page.exception
    assert "concept relation" in html(page)
    assert options.ALL in page.selectbox(key="category").options


def test_one_category_keeps_the_model_s_own_scale() -> None:
    """A category whose scores have collapsed fills no plane and no violin of its own: the axes are those of all quads,
    and the other quads lie faint behind."""
    rng = np.random.default_rng(0)
    cells = {name: np.concatenate([rng.normal(size=300), 0.01 * rng.normal(size=60)])
             for name in ("s11", "s12", "s21", "s22")}  # fmt: skip
    whole = pd.DataFrame(cells).assign(item_id=[f"a/{k}" for k in range(360)], text_score=True, image_score=True)
    part = whole.iloc[300:]
    alone, together = (view.scatter(part, "cosine", False, (), of) for of in (None, whole))
    assert together.across == view.scatter(whole, "cosine", False).across
    assert together.across.half > 20 * alone.across.half
    assert together.behind is not None
    behind, mark = together.behind
    assert (len(behind), mark.name) == (300, "other quads 300")
    assert set(together.points.ids) == set(part["item_id"]), "the others cannot be picked"
    box = {"box": [{"x": [-0.5, 0.5], "y": [-0.5, 0.5]}]}
    assert len(pick.selected(part, box, whole)) == 60
