"""Flips beyond a model's own, d' and near misses against a slow count over the same stored margins, item by item."""

import json

import numpy as np
import pytest

from backend.store.build.reader import open_store
from backend.store.labels import sensitive
from backend.store.labels.edited_captions import read_alike
from backend.store.queries import FailureFilter, Setting, failures
from pages.robustness import sensitive as page
from tests.store import writer
from tests.store.labels.test_edited_captions import edition_items, margins, write_edition

PARENT = "a" * 16
KEEPING, CHANGING = 9, 3


@pytest.fixture
def family(flipside_cache, items):
    """A run, nine editions that keep the meaning and three that change it; every fifth item misses in each."""
    writer.write_run(flipside_cache, items, PARENT, ["itc"], skill=0.8)
    parent_hash = writer.write_benchmark(flipside_cache, items) + "0" * 48
    for number in range(KEEPING + CHANGING):
        effect = "meaning-preserving" if number < KEEPING else "meaning-changing"
        write_edition(flipside_cache, parent_hash, edition_items(items, number), f"{number:016x}", f"toy~test@{number}",
                      effect=effect, skill=0.8, seed=number + 1)  # fmt: skip
    return parent_hash[:16]


def per_item(store):
    """item id -> (margin, margins under edits that keep, under edits that change the meaning)."""
    own = margins(store, PARENT, "itc")
    edited = [margins(store, f"{number:016x}", "itc") for number in range(KEEPING + CHANGING)]
    parts = edited[:KEEPING], edited[KEEPING:]
    return {name: (m, *([e[name] for e in part if name in e] for part in parts)) for name, m in own.items()}


@pytest.mark.slow
def test_flips_are_those_of_a_slow_count(family):
    store = open_store()
    (found,) = sensitive.counts(store, family)
    assert (found.texts, len(found.kept), len(found.changed)) == ("all", KEEPING, CHANGING)
    both = {name: each for name, each in per_item(store).items() if each[1] and each[2]}
    for flips, right in ((found.lost, True), (found.won, False)):

        def share(own, edited, right=right):
            return sum((own > 0) == right and (value > 0) != right for value in edited) / len(edited)

        kept = [share(own, keeping) for own, keeping, _ in both.values()]
        changed = [share(own, changing) for own, _, changing in both.values()]
        assert flips.n == flips.beyond.n == len(both)
        assert flips.kept == pytest.approx(sum(kept) / len(both))
        assert flips.changed == pytest.approx(sum(changed) / len(both))
        assert flips.beyond.difference == pytest.approx(flips.changed - flips.kept)
        assert flips.beyond.ci95[0] < flips.beyond.difference < flips.beyond.ci95[1]
    assert found.lost.kept != found.won.kept


@pytest.mark.slow
def test_d_prime_and_near_misses_are_those_of_a_slow_count(family):
    store = open_store()
    (found,) = sensitive.counts(store, family)
    each = per_item(store)
    moved = [[value - own for own, *parts in each.values() for value in parts[k]] for k in (0, 1)]
    spread = np.sqrt((np.var(moved[0], ddof=1) + np.var(moved[1], ddof=1)) / 2)
    assert found.d_prime.d_prime == pytest.approx((np.mean(moved[0]) - np.mean(moved[1])) / spread)
    assert (found.d_prime.n_preserving, found.d_prime.n_changing) == tuple(map(len, moved))
    wrong = {name: part for name, part in each.items() if part[0] <= 0 and len(part[1]) >= 8}
    near = {
        name for name, (own, edits, _) in wrong.items()
        if abs(own) < np.percentile([max(value - own, 0.0) for value in edits], 90)
    }  # fmt: skip
    assert set(found.near) == near
    assert 0 < len(near) < len(wrong) == found.near_miss.n
    assert found.near_miss.value == pytest.approx(len(near) / len(wrong))
    html = page.table([found])
    assert html.count("<tr>") == 3
    assert "meaning kept" in html


@pytest.mark.slow
def test_the_histogram_of_failures_has_the_same_near_misses(family):
    """Bar by bar among what the other filters leave, and nowhere where the definition does not apply."""
    store = open_store()
    (found,) = sensitive.counts(store, family)
    own = margins(store, PARENT, "itc")
    every = failures(store, FailureFilter(PARENT, Setting("itc"))).spread
    assert sum(every.near) == len(found.near)
    assert all(near <= wrong for near, wrong in zip(every.near, every.wrong, strict=True))
    lows = np.searchsorted(every.edges, sorted(own[name] for name in found.near)) - 1
    assert np.repeat(np.arange(len(every.near)), every.near).tolist() == lows.tolist()
    quads = [name for name in found.near if name.startswith(("relation", "attribute"))]
    some = FailureFilter(PARENT, Setting("itc"), metrics=("group_score",))
    assert sum(failures(store, some).spread.near) == len(quads) > 0
    right = failures(store, FailureFilter(PARENT, Setting("itc"), correct=True)).spread
    assert right.near == every.near  # the verdict that is listed narrows no bar
    (subset,) = {name.partition("/")[0] for name in quads[:1]}
    listed = failures(store, FailureFilter(PARENT, Setting("itc"), subsets=(subset,))).spread
    assert sum(listed.near) == sum(name.startswith(f"{subset}/") for name in found.near)
    assert failures(store, FailureFilter(PARENT, Setting("itc"), metrics=("image_score",))).spread.near == ()
    assert failures(store, FailureFilter("0" * 16, Setting("itc"))).spread.near == ()  # an edition has no edits


@pytest.mark.slow
def test_editions_of_the_true_caption_go_first(flipside_cache, items):
    """Only editions of the same captions are set against each other: true ones where there are some of both effects."""
    writer.write_run(flipside_cache, items, PARENT, ["itc"], skill=0.8)
    mine = writer.write_benchmark(flipside_cache, items) + "0" * 48
    for number, (effect, texts) in enumerate(
        [("meaning-preserving", "all"), ("meaning-preserving", "truth"), ("meaning-changing", "truth")]
    ):
        write_edition(flipside_cache, mine, edition_items(items, number), f"{number:016x}", f"e{number}", effect=effect)
        record = json.loads((flipside_cache / "runs" / f"{number:016x}" / "run.json").read_text())
        path = flipside_cache / "benchmarks" / record["benchmark"]["hash"] / "benchmark.json"
        told = json.loads(path.read_text())
        told["about"]["perturbation"]["texts"] = texts
        path.write_text(json.dumps(told))
    (found,) = sensitive.counts(open_store(), mine[:16])
    assert (found.texts, found.kept, found.changed) == ("truth", ("e1",), ("e2",))


@pytest.mark.slow
def test_without_edits_that_change_the_meaning_nothing_is_beyond(flipside_cache, items):
    writer.write_run(flipside_cache, items, PARENT, ["itc"], skill=0.8)
    mine = writer.write_benchmark(flipside_cache, items) + "0" * 48
    write_edition(flipside_cache, mine, edition_items(items, 0), "1" * 16, "e0", seed=3)
    (found,) = sensitive.counts(open_store(), mine[:16])
    assert found.lost.kept is not None
    assert (found.lost.changed, found.lost.beyond.difference, found.d_prime.d_prime) == (None, None, None)
    assert found.near_miss.n == 0
    assert "no edit that changes the meaning" in page.table([found])


def test_captions_that_a_model_scores_alike_are_one_edit():
    table = np.array([[0.30, 0.30, 0.10, np.nan, 0.1000001], [0.1, 0.2, 0.3, 0.4, 0.5]])
    alike = read_alike(table, 1e-6)
    assert [len({int(a) for a, v in zip(row, values, strict=True) if v == v})
            for row, values in zip(alike, table, strict=True)] == [2, 5]  # fmt: skip
    assert [len(set(row)) for row in read_alike(table[1:], 0.0)] == [5]
    own = np.array([-0.05])
    repeated = sensitive.Edited(None, np.array([[0.4] * 8]), ["e"] * 8, ["all"] * 8)
    assert not sensitive.near_misses(own, repeated, 1e-6)[1][0]  # eight typos of one unknown token are one edit
    differ = sensitive.Edited(None, np.linspace(0.1, 0.4, 8)[None, :], ["e"] * 8, ["all"] * 8)
    assert sensitive.near_misses(own, differ, 1e-6)[0][0]
