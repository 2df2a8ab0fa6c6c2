"""Numbers of other sources beside the Atlas' own, and what is known of why they differ."""

from backend.published.atlas.beside import Other
from backend.published.atlas.columns import columns
from backend.published.atlas.reading import Atlas
from pages.atlas import others
from pages.atlas.data import Own


def test_other_sources_and_fetched_scores_stand_beside(atlas: Atlas) -> None:
    own = [Own("predictions:clip", "itc", "CLIP ViT-B/32", {"winoground::text": (30.75, None)}),
           Own("predictions:x", "itc", "no such system", {"winoground::text": (1.0, None)})]  # fmt: skip
    found = others.with_own(atlas, own, {"predictions:clip": "clip", "predictions:x": "x"})
    fetched = [o for o in found if o.source == "fetched scores, clip"]
    assert [(o.row, o.value) for o in fetched] == [(0, 30.75)]
    assert not any("fetched scores, x" in o.source for o in found)
    said = others.sentence(found)
    assert f"{len(found)} numbers of other sources are known; {sum(o.agrees for o in found)} agree" in said
    assert others.sentence([]).startswith("No other source")
    html = str(others.html(atlas, fetched))
    assert "30.75" in html
    one = Other(0, columns()[0], 50.0, 50.04, 0.05, "s", "")
    assert one.agrees
    assert one.items is None


def test_two_scorings_of_the_same_weights_are_set_against_each_other(atlas: Atlas) -> None:
    own = [
        Own(
            f"predictions:{name}",
            "itc",
            "CLIP ViT-B/32",
            {"winoground::text": (t, None), "winoground::image": (i, None)},
        )
        for name, t, i in (("clip", 30.75, 10.5), ("clip_b32", 30.75, 10.25))
    ]
    found = others.with_own(atlas, own, {"predictions:clip": "clip", "predictions:clip_b32": "clip_b32"})
    (line,) = others.twice(atlas, found)
    assert (
        "ViT-B-32 openai was scored twice by others (clip, clip_b32): 0, 1 items apart on Winoground (text, image)"
        in line
    )
    assert others.twice(atlas, found[:1]) == []


def test_why_is_what_the_table_tells(atlas: Atlas) -> None:
    said = others.why(atlas)
    assert said[0].startswith("RN101 openai and RN101-quickgelu openai have the same rates in all 136 columns: ")
    counts = [abs(round((atlas.rates[0, atlas.column[f"winoground::{side}"]] - value) * 4))
              for side, value in (("text", 30.75), ("image", 10.5), ("group", 8.0))]  # fmt: skip
    assert any(f"{', '.join(map(str, counts))} of 400 items apart from Thrush et al. 2022" in line for line in said)
    task = atlas.rates[0, atlas.column["elevator::imagenet-1k"]]
    assert f"Its ImageNet rate here is {task:.1f} %" in said[-1]


def test_other_sources_are_copied_with_what_they_rest_on(atlas: Atlas) -> None:
    own = [Own("predictions:clip", "itc", "CLIP ViT-B/32", {"winoground::text": (30.75, (26.4, 35.4))})]
    found = others.with_own(atlas, own, {"predictions:clip": "clip"})
    apart = others.to_copy(found)
    assert f"(n = {len(found)} numbers; differences of published rates, no intervals; " in apart
    assert "1 set of fetched scores" in apart
    assert others.to_copy([]) == ""
