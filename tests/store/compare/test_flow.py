"""What became of what, recounted from the stored scores; and the difference of two changes."""

from dataclasses import replace

import numpy as np
import pytest

from backend.protocols import Protocol
from backend.store.build.reader import open_store
from backend.store.compare import flow, judged_anew
from backend.store.compare.compare import Side, against, shared
from backend.store.queries import Setting
from backend.store.reasons import runs
from tests.store import taught_runs, writer

RUNS = ("a" * 16, "c" * 16, "b" * 16)


@pytest.fixture
def three(flipside_cache):
    """Before, after and the plain training, and their sides."""
    taught_runs.write(flipside_cache, writer.items(40))
    return open_store(), [Side(run, Setting("itc")) for run in RUNS]


def by_hand(s) -> str:
    """The cell of one quad, from its four scores alone."""
    text = s[0][0] > s[0][1] and s[1][1] > s[1][0]
    image = s[0][0] > s[1][0] and s[1][1] > s[0][1]
    if not text and not image:
        return "outvoted_by_both" if s[0][0] + s[1][1] > s[0][1] + s[1][0] else "no_binding"
    return "right" if text and image else "outvoted_by_image" if text else "outvoted_by_caption"


def scores_of(store, run):
    rows = store.cursor().execute(
        "SELECT item_no, image_index, text_index, value FROM scores WHERE run_id = ? AND part = 'itc' ORDER BY ALL",
        [run],
    )
    found = {}
    for item, image, text, value in rows.fetchall():
        found.setdefault(item, {})[image, text] = value
    return {
        item: [[of[0, 0], of[0, 1]], [of[1, 0], of[1, 1]]]
        for item, of in found.items()
        if set(of) == {(0, 0), (0, 1), (1, 0), (1, 1)}
    }


@pytest.mark.long
def test_the_flow_of_quads_is_what_the_scores_say(three) -> None:
    store, sides = three
    found = flow.family(shared(store, sides), Protocol.QUAD)
    words = flow.words(store, found, sides, Protocol.QUAD)
    each = flow.ends(found, words, (0, 1), "cells")
    table = flow.links(each, Protocol.QUAD)
    before, after = (scores_of(store, run) for run in RUNS[:2])
    assert len(before) == len(found) == 80
    counted: dict[tuple[str, str], int] = {}
    for item in before:
        way = by_hand(before[item]), by_hand(after[item])
        counted[way] = counted.get(way, 0) + 1
    assert {(a, b): n for a, b, n in zip(table["a"], table["b"], table["n"], strict=True)} == counted
    right = table["a"].eq("right"), table["b"].eq("right")
    assert table["which"].tolist() == [flow.WHICH[a, b] for a, b in zip(*right, strict=True)]
    row = against(found, baseline=0, others=[1]).iloc[0]
    sums = table.groupby("which")["n"].sum()
    assert (sums.get("fixed", 0), sums.get("broke", 0)) == (row["only_b"], row["only_a"])
    assert (table["certified"] <= table["n"]).all()


@pytest.mark.long
@pytest.mark.parametrize("protocol", [Protocol.QUAD, Protocol.CHOICE, Protocol.TRIPLET, Protocol.RETRIEVAL])
def test_what_is_stored_says_the_same_as_what_is_judged_anew(three, monkeypatch, protocol) -> None:
    """Words of a default setting are read, and not made of all scores; in any order of the verdicts."""
    store, sides = three
    found = flow.family(shared(store, sides), protocol)
    order = np.random.default_rng(1).permutation(len(found))
    mixed = replace(found, frame=found.frame.iloc[order], correct=found.correct[order], margin=found.margin[order])
    calls = []
    anew = judged_anew._judged
    monkeypatch.setattr(judged_anew, "_judged", lambda *given: calls.append(given) or anew(*given))
    read = [flow.words(store, of, sides, protocol) for of in (found, mixed)]
    assert not calls
    monkeypatch.setattr(flow.one_side, "stored", lambda *_: None)
    for of, words in zip((found, mixed), read, strict=True):
        again = flow.words(store, of, sides, protocol)
        assert words.columns.tolist() == again.columns.tolist()
        for name in words:
            assert words[name].tolist() == again[name].tolist(), name
    assert calls


@pytest.mark.long
@pytest.mark.parametrize("protocol", [Protocol.QUAD, Protocol.CHOICE, Protocol.TRIPLET])
def test_decoys_are_those_of_the_whole_table_of_reasons(three, protocol) -> None:
    store, sides = three
    found = flow.family(shared(store, sides), protocol)
    words = flow.words(store, found, sides, protocol)
    for k, side in enumerate(sides):
        table = runs.of_run(store, side.run_id, side.setting, protocol)
        known = dict(zip(table["item_no"], table["mirrored"].fillna(""), strict=True)) if len(table) else {}
        assert words[f"mirrored_{k}"].tolist() == [known.get(number, "") for number in found.frame["item_no"]]
        assert (words[f"mirrored_{k}"] != "").any() == (protocol == Protocol.QUAD)


@pytest.mark.long
@pytest.mark.parametrize("by", flow.BY)
def test_ways_are_counted_one_by_one(three, by) -> None:
    store, sides = three
    found = flow.family(shared(store, sides), Protocol.QUAD)
    each = flow.ends(found, flow.words(store, found, sides, Protocol.QUAD), (0, 1), by)
    counted: dict[tuple[str, str, str], list[int]] = {}
    for a, b, which, sure in zip(each["a"], each["b"], each["which"], each["certified"], strict=True):
        of = counted.setdefault((a, b, which), [0, 0])
        of[0], of[1] = of[0] + 1, of[1] + int(sure)
    table = flow.links(each, Protocol.QUAD)
    order = flow.parts(Protocol.QUAD)
    place = {way: (order.index(way[0]), order.index(way[1]), way[2]) for way in counted}
    assert table.to_numpy().tolist() == [[*way, *counted[way]] for way in sorted(counted, key=place.__getitem__)]


@pytest.mark.long
def test_by_reasons_uncertain_items_are_never_certified(three) -> None:
    store, sides = three
    found = flow.family(shared(store, sides), Protocol.QUAD)
    words = flow.words(store, found, sides, Protocol.QUAD)
    table = flow.links(flow.ends(found, words, (0, 1), "reasons"), Protocol.QUAD)
    assert table["n"].sum() == len(found)
    unsure = table["a"].eq("uncertain") | table["b"].eq("uncertain")
    assert (table.loc[unsure, "certified"] == 0).all()
    assert (table.loc[~unsure, "certified"] == table.loc[~unsure, "n"]).all()
    by_cells = flow.links(flow.ends(found, words, (0, 1), "cells"), Protocol.QUAD)
    assert by_cells["certified"].sum() == table["certified"].sum()


@pytest.mark.long
def test_without_scores_under_other_images_choices_have_verdicts_alone(three) -> None:
    store, sides = three
    every = shared(store, sides)
    assert flow.families(every) == [Protocol.QUAD, Protocol.CHOICE, Protocol.TRIPLET, Protocol.RETRIEVAL]
    found = flow.family(every, Protocol.CHOICE)
    words = flow.words(store, found, sides, Protocol.CHOICE)
    assert not any(flow.measured(words, k) for k in range(3))
    table = flow.links(flow.ends(found, words, (2, 1), "cells"), Protocol.CHOICE)
    assert set(table["a"]) | set(table["b"]) <= set(flow.VERDICTS)
    assert table["n"].sum() == len(found)
    assert (table["certified"] == 0).all()
    row = against(found, baseline=2, others=[1]).iloc[0]
    assert table.set_index("which")["n"].to_dict().get("fixed", 0) == row["only_b"]


@pytest.mark.long
def test_the_method_s_own_part_is_the_difference_of_the_two_changes(three) -> None:
    """On the same verdicts before cancels: (after − before) − (plain − before) = after − plain, item by item."""
    store, sides = three
    for protocol in flow.families(shared(store, sides)):
        found = flow.family(shared(store, sides), protocol)
        changes = against(found, baseline=0).set_index("side")["gain"]
        own = against(found, baseline=2, others=[1]).iloc[0]
        assert own["gain"] == pytest.approx(changes[1] - changes[2])
        apart = found.correct.astype(int)
        item = (apart[:, 1] - apart[:, 0]) - (apart[:, 2] - apart[:, 0])
        assert own["gain"] == pytest.approx(item.mean())
        assert own["low"] <= own["gain"] <= own["high"]


@pytest.mark.long
def test_ties_are_those_of_the_stored_scores(flipside_cache) -> None:
    items = [item for item in writer.items(12) if item.protocol == Protocol.QUAD]
    for run, model in (("a" * 16, "fake:a"), ("b" * 16, "fake:b")):
        folder = writer.write_run(flipside_cache, items, run, [], model=model)
        flat = [(n, i, t, -1, -1, 0.5, -1) for n in range(len(items)) for i in (0, 1) for t in (0, 1)]
        writer.add_part(folder, "itc", flat)
    store = open_store()
    sides = [Side(run * 16, Setting("itc")) for run in "ab"]
    found = flow.family(shared(store, sides), Protocol.QUAD)
    words = flow.words(store, found, sides, Protocol.QUAD)
    assert (words["ties_0"] > 0).all()
    table = flow.links(flow.ends(found, words, (0, 1), "cells"), Protocol.QUAD)
    assert table[["a", "b", "which"]].to_numpy().tolist() == [["no_binding", "no_binding", "both"]]
    assert np.isfinite(found.margin).all()
