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
from pages.shared.drawing import component
from tests.pages.atlas.conftest import X, Y
from tests.published.atlas import made


def test_the_plane_draws_the_numbers_of_the_file(atlas: Atlas) -> None:
    shown = View(X, Y, entry=3)
    spec = plane.drawing(shown, atlas, [], {})
    drawn = {key: (x, y) for group in spec["groups"]
             for key, x, y in zip(group["keys"], group["x"], group["y"], strict=True)}  # fmt: skip
    place = [atlas.column[key] for key in ("winoground::text", "winoground::image")]
    assert {key: tuple(atlas.rates[row, place]) for key, row in atlas.place.items()} == drawn
    looks = [(*group["colours"], group["shape"]) for group in spec["groups"]]
    assert len(set(looks)) == len(looks) == 5
    assert [arrow["from"] for arrow in spec["arrows"]] == [list(atlas.rates[0, place])] * 3
    assert [arrow["to"] for arrow in spec["arrows"]] == [list(atlas.rates[row, place]) for row in (3, 4, 5)]
    assert [arrow["keys"] for arrow in spec["arrows"]] == [
        [atlas.entries[row].key for row in (0, k)] for k in (3, 4, 5)
    ]
    assert [name["key"] for name in spec["names"]] == [atlas.entries[row].key for row in (3, 4, 5, 0)]
    assert spec["key"] == atlas.entries[3].key
    assert spec["front"] == [list(view.points(shown, atlas)[row]) for row in view.front(shown, atlas)]
    assert spec["chosen"] == list(atlas.rates[3, place])
    for of, low, high in zip((0, 1), spec["low"], spec["high"], strict=True):
        assert low < min(at[of] for at in drawn.values()) < max(at[of] for at in drawn.values()) < high
    assert json.loads(json.dumps(spec)) == spec
    few = plane.drawing(replace(shown, families=("SLIP",), front=False, arrows=True, entry=None), atlas, [], {})
    assert [group["name"] for group in few["groups"]] == ["SLIP 2"]
    assert [n["text"] for n in spec["names"]] == ["NegCLIP coco-ft", "CE-CLIP", "DAC-LLM", "ViT-B-32 openai"]
    assert [n["taught"] for n in spec["names"]] == [False, True, True, True]
    assert few["names"] == few["arrows"] == few["front"] == []
    assert few["chosen"] is None


def test_the_frame_holds_what_is_chosen_and_what_arrows_begin_at_where_their_family_is_not_drawn(atlas: Atlas) -> None:
    family = atlas.entries[3].family
    assert atlas.entries[0].family != family  # the base of the arrows
    spec = plane.drawing(View(X, Y, families=(family,), entry=14), atlas, [], {})
    assert atlas.entries[14].family != family
    for at in ([arrow["from"] for arrow in spec["arrows"]], [spec["chosen"]]):
        assert at
        for of, low, high in zip((0, 1), spec["low"], spec["high"], strict=True):
            assert low < min(place[of] for place in at) <= max(place[of] for place in at) < high


def test_what_a_browser_has_hidden_and_zoomed_into_stays_while_the_points_are_the_same(atlas: Atlas) -> None:
    first, chosen = (plane.drawing(View(X, Y, entry=entry), atlas, [], {})["version"] for entry in (None, 3))
    assert first == chosen
    assert plane.drawing(View(Y, X), atlas, [], {})["version"] != first


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
    spec = plane.drawing(seen, atlas, own, names)
    (drawn,) = (group for group in spec["groups"] if group["star"])
    assert drawn["keys"] == [each.key for each in own[:20]]  # people are left out
    assert drawn["name"] == "stored here 20"
    assert drawn["shape"] == "star"  # as the page calls them; no family has that shape
    assert "star" not in plane._SHAPES
    assert len(set(drawn["words"])) == 20
    assert len(drawn["colours"]) == 20
    few = plane.drawing(seen, atlas, own[:3], names)
    assert [next(g for g in s["groups"] if g["star"])["size"] for s in (few, spec)] == [15, 11]
    assert spec["chosen"] == [21.0, 19.5]
    said = {name["text"] for name in spec["names"]}
    assert "m19" in said
    assert "m0" in said  # the best of them
    assert len(said) <= 7
    with_people = plane.drawing(replace(seen, people=True), atlas, own, names)
    assert any("crowd" in str(group["words"]) for group in with_people["groups"])
    assert "People, at 89.5 % and 88.5 %, are left out" in view.stars_said(seen, own)
    assert "Stars: 20 results" in view.stars_said(seen, own)


def test_chance_is_a_line_on_both_axes(atlas: Atlas) -> None:
    assert plane.drawing(View(X, Y), atlas, [], {})["chance"] == [25.0, 25.0]
    known = {key: chance.of_measure(measures.measures()[key]) for key in ("eqben::eqbensd::group", "aro::COCO_Order")}
    assert known == pytest.approx({"eqben::eqbensd::group": 100 / 6, "aro::COCO_Order": 20})
    assert chance.of_measure(measures.measures()["mean:mmvp_vlm"]) == pytest.approx(100 / 6)
    group = measures.measures()["winoground::group"]
    assert view.chance_said(View(group, Y)) == "Thin broken lines: chance, 16.7 % across and 25.0 % up."
    tasks = measures.measures()[measures.TASKS]
    assert view.chance_said(View(tasks, tasks)) == ""
    assert plane.drawing(View(tasks, tasks), atlas, [], {})["chance"] == [None, None]


def test_names_are_data_in_the_plane(tmp_path: Path) -> None:
    table = made.rows()
    table[4][0] = "<b>x"
    table[4][1] = "&y"
    atlas = reading.read(made.write(tmp_path / "odd.csv", table))
    spec = plane.drawing(View(X, Y, entry=3), atlas, [Own("m", "itc")], {"m": "<i>"})
    assert "<b>x &y" in [name["text"] for name in spec["names"]]  # as it is: plane.js makes no markup of it
    script = component.joined(Path(plane.__file__).with_suffix(".js"))
    assert "setHtml(" not in script.replace("function setHtml(", "")
    assert script.count("innerHTML") == 1  # in setHtml itself
    assert "<b>" not in card.profile(atlas, 3) + correlation.html(data.correlations(atlas, (X, Y), None))
