"""Atlas: its numbers against the file and the store, its sentences, and the page without a browser."""

import doctest
import hashlib
import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import streamlit as st
from scipy import stats
from streamlit.testing.v1 import AppTest

from backend import written
from backend.benchmarks import winoground_stub
from backend.live import real_results
from backend.metrics.paired.multiplicity import holm
from backend.published.atlas import measures, reading
from backend.published.atlas.beside import Other
from backend.published.atlas.columns import columns
from backend.published.atlas.reading import Atlas
from pages.atlas import card, chance, correlation, data, labels, options, others, plane, taught, view
from pages.atlas.data import Own
from pages.atlas.view import View
from tests.pages.opening import unfolded
from tests.published.atlas import made
from tests.store.writer import write_run

Visit = Callable[..., AppTest]
SPEC = "openclip:ViT-B-32/openai"
X, Y = measures.measures()["winoground::text"], measures.measures()["winoground::image"]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return made.write(tmp_path / "atlas.csv")


@pytest.fixture
def atlas(path: Path) -> Atlas:
    st.cache_resource.clear()
    return reading.read(path)


@pytest.fixture
def there(path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file as if it had been fetched."""
    st.cache_resource.clear()
    known = hashlib.sha256(path.read_bytes()).hexdigest()
    monkeypatch.setattr(real_results, "atlas_file", lambda: (path, known))
    return path


@pytest.fixture
def scored(flipside_cache: Path, nothing_shipped: None) -> None:
    """A run of the same weights as a row on all of Winoground, one of half of it, and one of another benchmark."""
    items = list(winoground_stub.stub())
    write_run(flipside_cache, items, "1" * 16, ["itc"], model=SPEC, skill=0.3, seed=1, name="winoground")
    other = [replace(item, subset="else") for item in items[:40]]
    write_run(flipside_cache, other, "2" * 16, ["itc"], model="fake:ok", seed=2, name="other")


def test_examples_hold() -> None:
    assert [doctest.testmod(module).failed for module in (chance, correlation, labels, plane)] == [0, 0, 0, 0]


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


def test_the_best_stars_are_those_that_none_beats() -> None:
    own = [(Own(f"m{k}", "itc"), x, y) for k, (x, y) in enumerate([(1.0, 1.0), (9.0, 2.0), (2.0, 9.0), (8.0, 1.0)])]
    assert sorted(view.best_stars(own, 2)) == [1, 2]
    assert view.best_stars(own, 3)[2] == 3
    assert view.best_stars([], 3) == []


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


def test_the_front_is_said_with_its_n(atlas: Atlas) -> None:
    shown = View(X, Y)
    rows = view.front(shown, atlas)
    points = view.points(shown, atlas)
    assert (np.diff(points[rows, 0]) >= 0).all()
    assert (np.diff(points[rows, 1]) <= 0).all()
    said = view.said(shown, atlas)
    assert f"{len(rows)} of {len(atlas.entries)}" in said
    assert atlas.entries[rows[0]].name in said
    only = view.said(replace(shown, families=("MobileCLIP",)), atlas)
    assert "stands 1 of 1: MobileCLIP-B-LT datacomp-dr." in only


def test_both_axes_are_copied_with_what_they_rest_on(atlas: Atlas) -> None:
    one, other = X, Y
    found = data.correlations(atlas, (one, other), None)
    said = view.to_copy(View(one, other), atlas, found)
    rho = stats.spearmanr(one.of(atlas), other.of(atlas)).statistic
    assert f"alike to ρ = {rho:.2f}".replace("-", "−") in said
    assert f"(n = {len(atlas.entries)} models; Spearman; 95 % interval by leaving out whole families, 5; " in said
    alone = view.to_copy(View(one, one), atlas, None)
    best = int(np.argmax(one.of(atlas)))
    assert f"{atlas.entries[best].name} has the highest rate in {one.title}: {one.of(atlas)[best]:.1f} % [" in alone
    assert "not tested against the next ones" in alone


@pytest.mark.parametrize(
    ("low", "high", "claimed", "not_claimed"),
    [
        (-0.03, 0.55, "in orders that are not told from unrelated, ρ = 0.41 [−0.03, 0.55]", "alike"),
        (0.0, 0.55, "in orders that are not told from unrelated", "alike"),
        (0.02, 0.55, "alike to ρ = 0.41 [0.02, 0.55]", "unrelated"),
        (-0.8, -0.1, "the other way round, ρ = 0.41", "alike"),
        (np.nan, np.nan, "in orders that are not told from unrelated, ρ = 0.41", "alike"),
    ],
)
def test_agreement_is_claimed_only_where_the_interval_leaves_out_0(
    atlas: Atlas, low: float, high: float, claimed: str, not_claimed: str
) -> None:
    ends = [np.full((2, 2), end) for end in (low, high)]
    found = data.Correlations((X, Y), np.full((2, 2), 0.41), ends[0], ends[1], (0, 1), 202, 15)
    for said in (view.together(found), view.to_copy(View(X, Y), atlas, found)):
        assert claimed in said
        assert not_claimed not in said
    assert (correlation.sentence(found).count("1 is not to be told") == 1) == (
        not_claimed == "alike" and not low < -0.5
    )


def test_models_that_share_the_highest_rate_are_counted(atlas: Atlas) -> None:
    rates = atlas.rates.copy()
    rates[:, atlas.column["winoground::text"]] = 25.0
    said = view.to_copy(View(X, X), replace(atlas, rates=rates), None)
    assert f"{atlas.entries[0].name} and {len(atlas.entries) - 1} others have the highest rate" in said


def test_every_section_is_copied_with_what_it_rests_on(atlas: Atlas) -> None:
    n = len(atlas.entries)
    changed = taught.changes(atlas, X, Y)
    said = taught.to_copy(changed, atlas)
    assert said.startswith(taught.sentence(changed).removesuffix("."))
    least = min(p for pair in taught.adjusted(changed) for p in pair if p is not None)
    assert "(n = 3 models; exact two-sided sign tests over benchmarks and over tasks" in said
    assert f"Holm over 6 tests; the smallest is {written.p_value(least)}, " in said
    own = [Own("predictions:clip", "itc", "CLIP ViT-B/32", {"winoground::text": (30.75, (26.4, 35.4))})]
    names = {"predictions:clip": "clip"}
    model = card.to_copy(atlas, 0, (X, Y), own, names)
    rate, place = X.of(atlas)[0], data.ranks(X, atlas)[0]
    assert f"ViT-B-32 openai: Winoground: text {rate:.2f} % [" in model
    assert f"], place {place} of {n}; Winoground: image " in model
    assert "of 1 rate stored here clip is farthest from print in Winoground: text, 30.75 % [26.4, 35.4] here" in model
    mine = card.own_to_copy(own[0], atlas, names)
    assert mine.startswith("clip: Winoground: text 30.75 % [26.4, 35.4], place ")
    assert f"of {n + 1} (n = {n + 1} models; stored here; " in mine
    found = others.with_own(atlas, own, names)
    apart = others.to_copy(found)
    assert f"(n = {len(found)} numbers; differences of published rates, no intervals; " in apart
    assert "1 set of fetched scores" in apart
    assert others.to_copy([]) == ""


def test_the_correction_is_named_in_the_header(atlas: Atlas) -> None:
    html = str(taught.html(taught.changes(atlas, X, Y), atlas, X, Y))
    assert html.count(">p, Holm</th>") == 2
    assert ">p</th>" not in html


def test_how_fine_an_axis_is_is_said(atlas: Atlas) -> None:
    said = view.precision(View(X, measures.measures()[measures.TASKS]), atlas)
    assert "Across: n = 400 items" in said
    assert "Up: each task once; its sampling error cannot be told" in said
    low, high = data.ends(X, 50.0) or (0, 0)
    assert (low, high) == pytest.approx((45.12, 54.88), abs=0.01)  # Wilson, 200 of 400
    assert data.ends(measures.measures()[measures.TASKS], 50.0) is None


def test_correlations_are_scipys_and_the_sentence_names_the_extremes(atlas: Atlas) -> None:
    chosen = correlation.chosen(correlation.BENCHMARKS)
    assert len(chosen) == 15
    found = data.correlations(atlas, chosen, None)
    values = np.column_stack([each.of(atlas) for each in chosen])
    assert found.rho == pytest.approx(stats.spearmanr(values).statistic)
    assert (found.n, found.clusters) == (len(made.ENTRIES), 5)
    said = correlation.sentence(found)
    off = np.where(np.eye(15, dtype=bool), np.nan, found.rho)
    for pick in (np.nanargmax, np.nanargmin):
        a, b = np.unravel_index(pick(off), off.shape)
        assert correlation.short(chosen[a]) in said
        assert correlation.short(chosen[b]) in said
    opened = sum(not (found.low[a, b] > 0 or found.high[a, b] < 0) for a in range(15) for b in range(a + 1, 15))
    assert f"Of 105 pairs, {opened} " in said
    copied = correlation.to_copy(found)
    assert copied.startswith(said.partition(". Of ")[0])
    assert f"; of 105 pairs, {opened} " in copied
    assert (
        f"(n = {len(made.ENTRIES)} models; Spearman’s ρ of published rates; 95 % intervals by leaving out "
        "whole families, 5; " in copied
    )
    html = correlation.html(found)
    assert html.count("<tr>") == 16
    assert html.count("○") == 2 * opened
    less = data.correlations(atlas, chosen, measures.measures()[measures.TASKS])
    assert len(less.measures) == 14
    assert measures.TASKS not in {each.key for each in less.measures}


def test_the_switch_for_people_says_where_it_does_nothing() -> None:
    both = {"winoground::text": (89.5, None), "winoground::image": (88.5, None)}
    crowd = Own("predictions:people", "score", data.PEOPLE, both)
    assert options._stands(crowd, "winoground::text", "winoground::image")
    assert not options._stands(crowd, "winoground::text", measures.TASKS)
    assert not options._stands(crowd, measures.TASKS, measures.COMPOSITION)


def test_every_choice_of_columns_can_be_correlated(atlas: Atlas) -> None:
    for of in correlation.choices():
        chosen = correlation.chosen(of)
        assert len(chosen) == len({each.key for each in chosen}) >= 3
    assert correlation.chosen("sugarcrepe")[-1].key == measures.TASKS


def test_teaching_is_counted_from_the_file(atlas: Atlas) -> None:
    found = taught.changes(atlas, X, Y)
    assert [atlas.entries[each.pair.taught].arch for each in found] == ["NegCLIP", "CE-CLIP", "DAC-LLM"]
    tasks = [atlas.column[each.key] for each in columns() if each.benchmark == "elevator"]
    change = atlas.rates[3, tasks] - atlas.rates[0, tasks]
    first = found[0]
    assert (first.zero_shot.rose, first.zero_shot.fell) == ((change > 0).sum(), (change < 0).sum())
    assert first.zero_shot.median == pytest.approx(np.median(change))
    assert (first.composition.n, first.zero_shot.n, first.retrieval.n) == (12, 21, 12)
    assert first.x == pytest.approx(X.of(atlas)[3] - X.of(atlas)[0])
    raw = [p for each in found for p in (each.composition.p, each.zero_shot.p)]
    assert [p for pair in taught.adjusted(found) for p in pair] == pytest.approx(holm(raw).tolist())
    assert taught.sentence(found).startswith("Of 3 taught models ")
    drawn = taught.html(found, atlas, X, Y)
    assert drawn.count("<tr>") == 4
    assert not re.search("fs-gain|fs-loss", drawn), "what the axes gained is not tested"


def test_a_model_without_a_change_has_no_p(atlas: Atlas) -> None:
    same = taught.directions([1.0], [1.0])
    still = [replace(each, composition=same, zero_shot=same) for each in taught.changes(atlas, X, Y)]
    assert taught.adjusted(still) == [(None, None)] * 3
    assert "(0 beyond chance)" in taught.sentence(still)


@pytest.mark.usefixtures("scored")
def test_own_rates_are_those_of_the_store_where_all_is_the_same() -> None:
    (found,) = data.own()
    assert (found.model, found.kind) == (SPEC, "itc")
    assert set(found.rates) == {f"winoground::{side}" for side in ("text", "image", "group")}
    from backend.store import queries
    from pages.shared.data import stored

    run = stored.chosen()["winoground"].runs[SPEC]
    rates = queries.rates(stored.store(), run, queries.Setting("itc"), "subset").set_index("metric")["value"]
    for side in ("text", "image", "group"):
        value, ends = found.rates[f"winoground::{side}"]
        assert value == pytest.approx(100 * rates[f"{side}_score"])
        assert ends is not None
        assert ends[0] < value < ends[1]
    assert view.stars(View(X, Y), [found]) == [(found, found.of(X), found.of(Y))]
    assert view.stars(View(X, measures.measures()[measures.TASKS]), [found]) == []


@pytest.mark.usefixtures("nothing_shipped")
def test_a_part_of_a_benchmark_is_not_the_same(flipside_cache: Path) -> None:
    items = list(winoground_stub.stub())[:200]
    write_run(flipside_cache, items, "1" * 16, ["itc"], model=SPEC, seed=1, name="winoground")
    assert data.own() == []


def test_the_difference_to_print_and_what_is_missing(atlas: Atlas) -> None:
    own = [
        Own(SPEC.replace("32", "32-quickgelu"), "itc", "", {"winoground::text": (30.75, (26.4, 35.4))}),
        Own(SPEC, "itm", "", {"winoground::image": (99.0, None)}), Own("fake:ok", "itc", "", {}),
    ]  # fmt: skip
    fetched = Own("predictions:clip", "itc", "CLIP ViT-B/32", {"winoground::text": (31.0, None)})
    mine = card.of_weights([*own, fetched], atlas.entries[0])
    assert mine == [own[0], fetched]  # the same weights by the Atlas' own kind, whoever scored them
    printed = atlas.rates[0, atlas.column["winoground::text"]]
    html = str(card.differences(atlas, 0, mine, {own[0].model: "quick", "predictions:clip": "clip"}))
    assert "<td>quick</td>" in html
    assert "<td>clip</td>" in html
    assert f"{printed:.2f}" in html
    assert f"{abs(30.75 - printed):.2f}" in html
    assert "[26.4, 35.4]" in html
    lines = card.commands(SPEC, ["winoground::text"])
    assert len(lines) == 7  # Winoground, too: two of its three columns are missing
    assert all(f"--model {SPEC} --benchmark" in line and "--kinds itc" in line for line in lines)
    whole = {f"winoground::{side}" for side in ("text", "image", "group")}
    assert not any("winoground" in line for line in card.commands(SPEC, whole))


def test_what_is_known_of_a_model(atlas: Atlas) -> None:
    base, negclip = card.known(atlas, 0), card.known(atlas, 3)
    assert "The base of NegCLIP, CE-CLIP, DAC-LLM." in base
    assert any(line.startswith("Taught from ViT-B-32 openai: captions of COCO") for line in negclip)
    ranks = {each.title: int(data.ranks(each, atlas)[3]) for each in measures.benchmarks()}
    assert f"Ranks best, {min(ranks.values())} of {len(atlas.entries)}, by " in negclip[-1]
    assert data.ranks(X, atlas)[int(X.of(atlas).argmax())] == 1


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


def texts(page: AppTest) -> str:
    html = "".join(str(part.proto.body) for part in page.get("html"))
    return html + " ".join(str(each.value) for each in (*page.markdown, *page.caption, *page.code))


@pytest.mark.usefixtures("nothing_shipped")
def test_without_the_file_it_says_what_comes_and_starts_the_fetch(
    flipside_cache: Path, visit: Visit, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[Any] = []
    monkeypatch.setattr(real_results, "begin", lambda names: begun.append(names) or real_results.jobs.Job)
    monkeypatch.setattr(real_results.jobs.Job, "job_id", "x", raising=False)
    page = visit("atlas")
    assert not page.exception
    said = texts(page)
    for words in (
        "1 file",
        "411.2 kB",
        "https://github.com",
        "ytaek",
        "none stated",
        "136 columns",
        "fetch results --only atlas --yes",
    ):
        assert words in said, words
    next(each for each in page.button if each.label == "Agree and fetch").click().run()
    assert begun == [["atlas"]]


@pytest.mark.usefixtures("scored", "there")
def test_the_page_shows_all_and_keeps_its_state_in_its_address(visit: Visit) -> None:
    page = visit("atlas", x="winoground::text", y="winoground::image", entry="OpenCLIP/ViT-B-32/openai")
    assert not page.exception
    assert "Of 3 taught models" not in texts(page)  # folded
    unfolded(page, "atlas-fold-how", "atlas-fold-taught", "atlas-fold-alike", "atlas-fold-others")
    assert not page.exception
    assert not page.error
    said = texts(page)
    for words in (
        "15 models of 5 families", "Pareto front", "Stars: 1 result", "Of 3 taught models", "Highest over 15 models",
        "Score it here", "Here against print", "What is known of why", "arXiv 2406.09388", "none stated",
    ):  # fmt: skip
        assert words in said, words
    assert "--benchmark sugarcrepe" in said
    assert "--benchmark winoground" not in said  # it has been scored
    page.selectbox(key="y").set_value("mean:zero-shot").run()
    assert not page.exception
    assert page.query_params["y"] == "mean:zero-shot"
    assert "No run can stand here" in texts(page)
    page.selectbox(key="given").set_value("zero-shot").run()
    assert "Of 91 pairs" in texts(page)
    page.selectbox(key="entry").set_value("StructuredCLIP/NegCLIP/coco-ft").run()
    assert "No spec runs these weights here by name" in texts(page)
    page.selectbox(key="entry").set_value(f"stored:itc {SPEC}").run()
    assert not page.exception
    assert page.query_params["entry"] == [f"stored:itc {SPEC}"] or page.query_params["entry"] == f"stored:itc {SPEC}"
    assert "The same weights in the Atlas" in texts(page)
    assert " of 16</td>" in texts(page)


@pytest.mark.usefixtures("nothing_shipped", "there")
def test_a_link_with_nonsense_opens(visit: Visit, flipside_cache: Path) -> None:
    page = visit("atlas", x="no::such", y="winoground::text", families="<b>", hide="all", entry="x", of="y", given="z")
    assert not page.exception
    assert page.session_state["x"] == measures.TASKS
    assert page.session_state["entry"] == ""
    both = visit("atlas", x="winoground::text", y="winoground::text")
    assert not both.exception


@pytest.mark.usefixtures("nothing_shipped")
def test_a_changed_file_is_refused_in_a_sentence(visit: Visit, there: Path, flipside_cache: Path) -> None:
    there.write_text(there.read_text().replace("ViT-B-32", "ViT-B-33"))
    page = visit("atlas")
    assert not page.exception
    assert "another file than the one that was fetched" in page.error[0].value


@pytest.mark.slow
def test_what_the_docs_say_of_the_real_file_is_so(shared_data: Path) -> None:
    path = shared_data / "vl_compo" / "individual_results.csv"
    if not path.is_file():
        pytest.skip("the Atlas' file is not in ../shared/data")
    st.cache_resource.clear()
    atlas = reading.read(path)
    docs = " ".join((Path(__file__).parents[3] / "docs" / "pages" / "atlas.md").read_text(encoding="utf-8").split())
    first = View(measures.measures()[measures.TASKS], measures.measures()[measures.COMPOSITION])
    alike = view.together(data.correlations(atlas, (first.x, first.y), None))
    assert re.search(r"ρ = \d\.\d\d \[.*?\]", alike)[0] in docs  # type: ignore[index]
    assert len(view.front(first, atlas)) == 4
    assert "four models are on their front" in docs
    chosen = correlation.chosen(correlation.BENCHMARKS)
    found = data.correlations(atlas, chosen, None)
    assert "Of 105 pairs, 7 are not" in correlation.sentence(found)
    whatsup = [each.key for each in found.measures].index("mean:whatsup")
    opened = (found.low <= 0) & (found.high >= 0)
    assert opened[whatsup].sum() == np.triu(opened, 1).sum() == 7  # all seven are What'sUp's
    assert "Of 91 pairs, 54 are not" in correlation.sentence(data.correlations(atlas, chosen, first.x))
    assert "of 91 pairs, 54 are not told" in docs
    changed = taught.changes(atlas, first.x, first.y)
    assert taught.sentence(changed) == (
        "Of 6 taught models 6 rose on more of the 12 compositionality benchmarks than they fell on (0 beyond chance), "
        "and 6 fell on more of the 21 zero-shot tasks than they rose on (1 beyond chance)."
    )
    beyond = [c for c, tests in zip(changed, taught.adjusted(changed), strict=True) if min(tests) <= taught.LEVEL]  # type: ignore[type-var]
    assert [atlas.entries[c.pair.taught].arch for c in beyond] == ["CE-CLIP"]
    said = " ".join(others.why(atlas))
    for words in ("2, 2, 3 of 400 items", "RN101-quickgelu openai have the same rates in all 136", "but of 5,000"):
        assert words in said
