"""What changed: the flow's picture, the sentences and tables, without a page."""

import doctest
import re
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from markupsafe import Markup

from backend.metrics.reasons.names import CELLS, NAMES, of_group
from backend.protocols import Protocol
from backend.store.compare import compare
from backend.store.compare import flow as stored_flow
from backend.store.compare.lineage import Lineage
from backend.store.queries import Checkpoint, Setting, Shared, Side
from pages.compare.sides import Named
from pages.shared.data.frames import lines_of
from pages.shared.drawing.numbers import fixed
from pages.shared.frame.style import checked
from pages.teach.changed import by_concept, curves, flow, items, lacking, ledger, said
from pages.teach.changed.choice import ANY, FIRST, LAST, TWIN, Asked, Change
from tests.pages.scripts import Script

ODD = '<b>&"x"'
QUADS = Asked(TWIN, Protocol.QUAD, ANY, "cells")


def change(twin: bool = True, before: str = "base", recipe: str = "eqsim") -> Change:
    names = ["base", ODD, *(["plain"] if twin else [])]
    named = tuple(Named(f"itc {n}", n, Side(n, Setting("itc")), n, "#0072b2") for n in names)
    lineage = Lineage("base", recipe, 300.0, '[{"world": 9600}]')
    return Change("s", Checkpoint(0.0, before, "r"), Checkpoint(300.0, ODD, "r"), "itc", named, lineage)


def verdicts(n: int = 240, k: int = 3) -> Shared:
    """Before, after and the plain training: the later ones are better at counting."""
    rng = np.random.default_rng(4)
    concept = np.where(np.arange(n) % 3 == 0, ODD, "count")
    margin = rng.normal(size=(n, 1)) + 0.6 * rng.normal(size=(n, k)) + np.outer(concept == "count", [0.0, 0.5, 0.2][:k])
    frame = pd.DataFrame(
        {"item_no": range(n), "query": -1, "metric": "group_score", "pool": "", "item_id": [f"a/{i}" for i in range(n)],
         "subset": "a", "concept": concept, "perturbation": "", "cluster": [i // 2 for i in range(n)]}
    )  # fmt: skip
    return Shared(frame, margin > 0, margin, (n,) * k, ())


def worded(found: Shared) -> pd.DataFrame:
    """Cells that fit the verdicts, as `flow.words` gives them."""
    rng = np.random.default_rng(1)
    columns: dict[str, Any] = {}
    for k in range(found.correct.shape[1]):
        wrong = rng.choice(CELLS[Protocol.QUAD][1:], len(found))
        cell = np.where(found.correct[:, k], "right", wrong).astype(object)
        sure = rng.random(len(found)) < 0.7
        columns |= {f"cell_{k}": cell, f"reason_{k}": np.where(sure, cell, "uncertain").astype(object)}
        columns |= {f"mirrored_{k}": rng.permutation(cell), f"ties_{k}": 0}
    return pd.DataFrame(columns)


@pytest.mark.parametrize("module", [by_concept, curves, flow, lacking, ledger, said])
def test_examples_in_docstrings(module: Any) -> None:
    assert doctest.testmod(module).failed == 0


@pytest.mark.parametrize("parts", stored_flow.BY)
def test_the_picture_holds_every_item_once(parts: str) -> None:
    found = verdicts()
    words = worded(found)
    asked = replace(QUADS, parts=parts)
    each = stored_flow.ends(found, words, (TWIN, LAST), parts)
    spec = flow.view(each, stored_flow.links(each, Protocol.QUAD), words, change(), asked, "")
    assert spec["measured"]
    assert spec["luck"] == (parts == "cells")
    for side, name in zip(spec["sides"], "ab", strict=True):
        assert {part["key"]: part["n"] for part in side["parts"]} == each[name].value_counts().to_dict()
        assert all(part["luck"] <= part["n"] for part in side["parts"])
        assert [part["key"] for part in side["parts"]] == [
            part for part in stored_flow.parts(Protocol.QUAD) if (each[name] == part).any()
        ]
        assert all(part["hatched"] == (part["key"] == "uncertain") for part in side["parts"])
    assert sum(way["n"] for way in spec["ways"]) == spec["total"] == len(found)
    for way in spec["ways"]:
        rows = (each["a"] == way["a"]) & (each["b"] == way["b"]) & (each["which"] == way["which"])
        assert (way["n"], way["sure"]) == (rows.sum(), (rows & each["certified"]).sum())
        assert f"{way['sure']:,} of them the reason is certified" in way["tip"]
        assert (NAMES[way["a"]] if parts == "cells" else of_group(way["a"])) in way["tip"]
    assert spec["sides"][1]["title"] == ODD  # a text: the script sets it as such


def test_without_cells_there_are_two_parts_and_no_word_of_luck() -> None:
    found = verdicts()
    words = worded(found).assign(cell_1="", reason_1="")
    each = stored_flow.ends(found, words, (TWIN, LAST), "reasons")
    spec = flow.view(each, stored_flow.links(each, Protocol.QUAD), words, change(), QUADS, "")
    assert not spec["measured"]
    assert {part["key"] for side in spec["sides"] for part in side["parts"]} == {"right", "wrong"}
    tips = [part["tip"] for side in spec["sides"] for part in side["parts"]]
    assert all(tip.endswith("why was not measured on both sides.") for tip in tips), "“right” is a cell of quads, too"
    assert all("certified" not in way["tip"] and way["sure"] == way["n"] for way in spec["ways"])
    assert "not measured for both: x." in flow.caption(False, QUADS, "x")


def test_the_bands_fill_the_height_and_none_leaves_its_part() -> None:
    """The script's own arithmetic: at its scale both sides fit, and hardly more would."""
    found = verdicts()
    words = worded(found)
    each = stored_flow.ends(found, words, (TWIN, LAST), "cells")
    spec = flow.view(each, stored_flow.links(each, Protocol.QUAD), words, change(), QUADS, "")
    script = Script("shared/drawing/flow/flow.js")
    scale = script("scaleOf(a, 420)", spec)
    ends = script(
        "a.sides.map((side) => { const last = [...placed(side, b).values()].at(-1); return last.y + last.height; })",
        spec, scale,
    )  # fmt: skip
    assert max(ends) <= 420
    assert max(ends) > 380
    larger = script("a.sides.map((side) => [...placed(side, b).values()].at(-1).y)", spec, scale * 1.2)
    assert max(larger) > 380


def test_the_gallery_shows_the_items_of_a_band() -> None:
    found = verdicts()
    each = stored_flow.ends(found, worded(found), (TWIN, LAST), "cells")
    for link in lines_of(stored_flow.links(each, Protocol.QUAD)):
        which = next(key for key, of in items.WHICH.items() if of == link.which)
        identity = flow.identity(str(link.a), str(link.b), str(link.which))
        rows = items._rows(each, which, identity)
        assert rows.sum() == link.n
        assert (each.loc[rows, ["a", "b"]].to_numpy() == [link.a, link.b]).all()
    every = {key: int(items._rows(each, key, ANY).sum()) for key in items.WHICH}
    assert sum(every.values()) == len(found)


def said_of(asked: Asked, found: Shared, twin: bool = True, **more: Any) -> tuple[str, Any]:
    of = change(twin, **more)
    row = lines_of(compare.against(found, "", asked.left, [LAST]))[0]
    return str(said.headline(row, of, asked)), row


def test_the_sentence_is_of_the_numbers_of_the_test() -> None:
    found = verdicts()
    html, row = said_of(QUADS, found)
    assert ODD not in html
    assert f"{fixed(100 * abs(row.gain))} points" in html
    assert "than plain, the same 300 steps without its method" in html
    assert f"<b>{row.only_b:,} right</b>" in html
    assert f"<b>{row.only_a:,} wrong</b>" in html
    before, row = said_of(replace(QUADS, left=FIRST), found)
    assert "After 300 steps" in before
    assert f"<b>fixed {row.only_b:,}</b> of {row.only_b + row.neither:,} wrong" in before
    assert f"<b>broke {row.only_a:,}</b> of {row.both + row.only_a:,} right" in before


def test_what_is_within_chance_says_so_and_has_no_colour() -> None:
    found = verdicts()
    same = replace(found, correct=np.repeat(found.correct[:, :1], 3, axis=1))
    html, row = said_of(QUADS, same)
    assert row.gain == 0
    assert "as often as plain" in html
    assert "a difference of" in html
    assert "within chance" in html
    assert "fs-gain" not in html + str(said.look(0.5, 0.2))


def test_a_direction_is_claimed_only_beyond_chance() -> None:
    def told(p: float) -> str:
        row = said_of(QUADS, verdicts())[1]._replace(gain=-0.003, low=-0.009, high=0.004, p=p)
        return str(said.headline(row, change(), QUADS))

    assert "neither surely more nor surely less often than plain" in told(0.41)
    assert "−0.3 points</b> [−0.9, +0.4]" in told(0.41)
    assert "less often than plain" in told(0.01)
    assert "by <b" in told(0.01)
    assert "0.3 points</b> [−0.4, 0.9]" in told(0.01)


def test_the_table_has_the_change_of_both_and_what_is_the_method_s() -> None:
    found, of = verdicts(), change()
    changes = compare.against(found, "", FIRST, [1, 2])
    extra = lines_of(compare.against(found, "", TWIN, [LAST]))[0]
    html = checked(said.table(compare.rates(found), changes, extra, of, {0: 3}))
    assert ODD not in html
    assert "the method’s own: after − plain training" in html
    assert "3 ties, which count as wrong" in html
    own, plain = (changes[changes["side"] == k]["gain"].iloc[0] for k in (LAST, TWIN))
    assert extra.gain == pytest.approx(own - plain)
    for value in (own, plain, extra.gain):
        assert fixed(100 * value, signed=True) in html
    assert "before is the same for both" in said.warning(of, changes, extra)


def test_a_plain_training_of_another_beginning_has_no_change_from_here() -> None:
    found, of = verdicts(), change(before="a checkpoint between")
    changes = compare.against(found, "", FIRST, [1, 2])
    extra = lines_of(compare.against(found, "", TWIN, [LAST]))[0]
    html = checked(said.table(compare.rates(found), changes, extra, of, {}))
    assert html.count('class="tc-none"') == 2  # before itself, and the plain training
    assert "did not begin with what stands before here" in said.warning(of, changes, extra)


def test_without_a_plain_training_nothing_is_called_the_method_s() -> None:
    found, of = verdicts(k=2), change(twin=False)
    changes = compare.against(found, "", FIRST, [1])
    html = checked(said.table(compare.rates(found), changes, None, of, {}))
    assert "method’s own" not in html
    assert "nothing of it can be called the method’s" in said.warning(of, changes, None)
    assert "a plain training itself" in said.warning(change(twin=False, recipe="baseline"), changes, None)


@pytest.mark.parametrize(
    ("sources", "words"),
    [
        ("[]", ""), ('[{"file": "a.csv"}]', "the file a.csv"),
        ('[{"benchmark": "w", "items": null}]', "some items of w"), ('[{"world": "many"}, [], null]', ""),
        ('[{"file":"1"},{"file":"2"},{"file":"3"},{"file":"4"},{"file":"5"}]',
         "the file 1, the file 2, the file 3 and 2 more"),
    ],
)  # fmt: skip
def test_what_was_trained_on_is_said_as_far_as_it_can_be_read(sources: str, words: str) -> None:
    assert said.sourced(Lineage("b", "svlc", 9.0, sources)) == words


def test_the_finding_says_what_the_difference_is_of() -> None:
    found = verdicts()
    row = lines_of(compare.against(found, "", TWIN, [LAST]))[0]
    text = said.finding(row, change(), QUADS, "world")
    assert "difference of the changes by the recipes eqsim and baseline after 300 equal steps" in text
    assert f"n = {len(found)} items" in text
    assert re.search(r"\[[−\d.]+, [−\d.]+\]", text)
    before = said.finding(row, change(), replace(QUADS, left=FIRST), "world")
    assert "which holds what any training does" in before


def test_the_table_by_concept_escapes_and_marks_what_is_chosen() -> None:
    from unittest.mock import patch

    tests = compare.against(verdicts(), "concept", TWIN, [LAST])
    shown: list[Markup] = []
    with patch.object(by_concept, "show", shown.append):
        by_concept.table(tests, change(), replace(QUADS, group="count"))
    html = checked(shown[0])
    assert ODD not in html
    assert html.count('<tr class="tc-here"><th scope="row">count') == 1


def test_better_and_worse_are_those_beyond_chance() -> None:
    table = pd.DataFrame({"group": ["a", "b_c", "d"], "gain": [0.3, -0.2, 0.1], "holm": [0.001, 0.04, np.nan]})
    assert by_concept.ups_and_downs(table).endswith("better at a; worse at b c.")


def test_gains_and_losses_are_added_up_apart() -> None:
    rows = pd.DataFrame(
        {"gain": [0.2, 0.1, -0.05, -0.3], "holm": [0.01, 0.01, 0.01, 0.5], "subset": ["a", "b", "c", "d"],
         "metric": "accuracy", "benchmark": "w"}
    )  # fmt: skip
    assert ledger.summary(rows, "m") == (
        "Of 4 rows m gained on 2 beyond chance, +30.0 points added up (most: a, +20.0), and lost on 1, −5.0 points "
        "(c); on 1 no change is shown."
    )
    none = ledger.summary(rows.assign(holm=1.0), "m")
    assert none == "Of 4 rows m changed on none beyond chance (Holm, p ≤ .05)."
    assert ledger.summary(rows.head(2), "m").startswith("Of 2 rows m gained on 2 beyond chance, +30.0 points added up")
    assert ledger.summary(rows.head(2), "m").endswith("and lost on none.")


def test_a_curve_is_a_density_of_its_values() -> None:
    rng = np.random.default_rng(0)
    narrow, wide = rng.normal(0, 0.02, 2000), rng.normal(0, 0.1, 2000)
    each = [curves.Curve("a", "#000", "", narrow), curves.Curve(ODD, "#111", "2 3", wide)]
    half = curves.half_axis(each)
    assert np.quantile(np.abs(wide), 0.99) < half < 0.4
    lines = [curves.density(curve.values, half) for curve in each]
    for line in lines:
        assert line.sum() * 2 * half / curves.BINS == pytest.approx(1.0, abs=0.03)
    assert lines[0].max() > 3 * lines[1].max()  # the tighter curve stands higher
    html = checked(curves.panel("v1", "s12 − s21", each, "cosine"))
    assert ODD not in html
    assert "mean size" in html
    assert html.count("tc-curve") == 2
    flat = checked(curves.panel("v1", "", [curves.Curve("a", "#000", "", np.zeros(0))], ""))
    assert "n = 0" in flat
