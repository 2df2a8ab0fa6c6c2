"""The Atlas' plane: the numbers of the file, a look for each family, stars, chance, and names as data."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from backend.published.atlas import measures, reading
from backend.published.atlas.reading import Atlas
from pages.atlas import card, chance, correlation, data, plane, view
from pages.atlas.data import Own
from pages.atlas.view import View
from tests.pages.atlas.conftest import X, Y
from tests.published.atlas import made


def test_the_plane_draws_the_numbers_of_the_file(atlas: Atlas) -> None:
    shown = View(X, Y, entry=3)
    spec = plane.figure(shown, atlas, [], {}, dark=False)
    drawn = {key[0]: (x, y) for trace in spec["data"] if "customdata" in trace
             for key, x, y in zip(trace["customdata"], trace["x"], trace["y"], strict=True)}  # fmt: skip
    place = [atlas.column[key] for key in ("winoground::text", "winoground::image")]
    assert {key: tuple(atlas.rates[row, place]) for key, row in atlas.place.items()} == drawn
    looks = [(t["marker"]["color"], t["marker"]["symbol"]) for t in spec["data"] if "customdata" in t]
    assert len(set(looks)) == len(looks) == 5
    arrows = [n for n in spec["layout"]["annotations"] if n["name"] == "arrow"]
    assert {(n["ax"], n["ay"]) for n in arrows} == {tuple(atlas.rates[0, place])}
    assert [(n["x"], n["y"]) for n in arrows] == [tuple(atlas.rates[row, place]) for row in (3, 4, 5)]
    json.dumps(spec, default=lambda value: value.tolist())
    few = plane.figure(replace(shown, families=("SLIP",), front=False, arrows=True, entry=None), atlas, [], {}, True)
    assert [trace["name"] for trace in few["data"]] == ["SLIP  2"]
    named = [n["text"] for n in spec["layout"]["annotations"] if n["name"] == "label"]
    assert named == ["NegCLIP coco-ft", "CE-CLIP", "DAC-LLM", "ViT-B-32 openai"]
    assert few["layout"]["annotations"] == []


def test_every_family_has_its_own_look() -> None:
    looks = [plane.look(family) for family in plane.models.FAMILIES]
    assert len(set(looks)) == len(looks) == 15


def test_stars_are_told_apart_named_and_chosen(atlas: Atlas) -> None:
    rates = [(40.0 - k, 10.0 + k / 2) for k in range(20)]
    own = [Own(f"predictions:m{k}", "itc", "", {"winoground::text": (x, None), "winoground::image": (y, None)})
           for k, (x, y) in enumerate(rates)]  # fmt: skip
    own.append(
        Own(
            "predictions:crowd",
            "score",
            data.PEOPLE,
            {"winoground::text": (89.5, None), "winoground::image": (88.5, None)},
        )
    )
    names = {each.model: each.model.removeprefix("predictions:") for each in own}
    seen = View(X, Y, arrows=False, star=own[19].key)
    spec = plane.figure(seen, atlas, own, names, dark=False)
    trace = next(t for t in spec["data"] if t["name"].startswith("stored here"))
    assert trace["customdata"] == [[each.key] for each in own[:20]]  # people are left out
    assert trace["marker"]["symbol"] == "star"  # as the page calls them; no family has that shape
    assert "star" not in plane._SHAPES
    assert len(set(trace["text"])) == 20
    few = plane.figure(seen, atlas, own[:3], names, dark=False)
    sizes = [next(t for t in s["data"] if t["name"].startswith("stored here"))["marker"]["size"] for s in (few, spec)]
    assert sizes == [15, 11]
    ring = next(t for t in spec["data"] if t["name"] == "chosen")
    assert (ring["x"], ring["y"]) == ([21.0], [19.5])
    said = {note["text"] for note in spec["layout"]["annotations"]}
    assert "m19" in said
    assert "m0" in said  # the best of them
    assert len(said) <= 7
    with_people = plane.figure(replace(seen, people=True), atlas, own, names, dark=False)
    assert any("crowd" in str(t.get("text")) for t in with_people["data"])
    assert "People, at 89.5 % and 88.5 %, are left out" in view.stars_said(seen, own)
    assert "Stars: 20 results" in view.stars_said(seen, own)


def test_chance_is_a_line_on_both_axes(atlas: Atlas) -> None:
    spec = plane.figure(View(X, Y), atlas, [], {}, dark=False)
    assert [(s["xref"], s["x0"], s["y0"]) for s in spec["layout"]["shapes"]] == [("x", 25.0, 0), ("paper", 0, 25.0)]
    known = {key: chance.of_measure(measures.measures()[key]) for key in ("eqben::eqbensd::group", "aro::COCO_Order")}
    assert known == pytest.approx({"eqben::eqbensd::group": 100 / 6, "aro::COCO_Order": 20})
    assert chance.of_measure(measures.measures()["mean:mmvp_vlm"]) == pytest.approx(100 / 6)
    group = measures.measures()["winoground::group"]
    assert view.chance_said(View(group, Y)) == "Thin broken lines: chance, 16.7 % across and 25.0 % up."
    tasks = measures.measures()[measures.TASKS]
    assert view.chance_said(View(tasks, tasks)) == ""
    assert plane.figure(View(tasks, tasks), atlas, [], {}, dark=False)["layout"]["shapes"] == []


def test_names_are_data_in_the_plane(tmp_path: Path) -> None:
    table = made.rows()
    table[4][0] = "<b>x"
    table[4][1] = "&y"
    atlas = reading.read(made.write(tmp_path / "odd.csv", table))
    spec = plane.figure(View(X, Y, entry=3), atlas, [Own("m", "itc")], {"m": "<i>"}, dark=False)
    said = json.dumps([[t.get("text") for t in spec["data"]], spec["layout"]], default=str)
    assert "&lt;b&gt;x &amp;y" in said
    assert "<b>x" not in said
    assert "<b>" not in card.profile(atlas, 3) + correlation.html(data.correlations(atlas, (X, Y), None))
