"""Which edits are evidence on written runs, and whose verdict they flip, against a slow count, item by item."""

import json

import numpy as np
import pytest

from backend.items import Item, Protocol
from backend.perturb.base import Effect
from backend.store import queries as q
from backend.store.build.reader import open_store
from backend.store.labels import edited_captions
from backend.store.labels.edited_captions import scored_editions
from tests.store import writer

PARENT = "a" * 16
N_EDITIONS = 9


def edition_items(parent, number):
    """The parent's items with other captions; every fifth has none in this edition, retrieval stays as it is."""
    found = []
    for k, item in enumerate(parent):
        if item.protocol is Protocol.RETRIEVAL or k % 5 == number % 5:
            continue
        texts = tuple(f"{text} e{number}" for text in item.texts)
        tags = {**item.tags, "origin": (item.item_id,), "edit": ("test",)}
        found.append(Item(item.item_id, item.subset, item.protocol, item.images, texts, item.truth, tags, item.source))
    return found


def write_edition(root, parent_hash, items, run_id, name, *, effect="meaning-preserving", way="replace", **run):
    folder = writer.write_run(root, items, run_id, ["itc", "t2t"], name=name, **run)
    path = root / "benchmarks" / json.loads((folder / "run.json").read_text())["benchmark"]["hash"] / "benchmark.json"
    told = json.loads(path.read_text())
    told["about"] = {"parent": {"name": "toy", "hash": parent_hash}, "perturbation": {"effect": effect, "as": way}}
    path.write_text(json.dumps(told))


@pytest.fixture
def family(flipside_cache, items):
    writer.write_run(flipside_cache, items, PARENT, ["itc", "t2t"], skill=0.8)
    parent_hash = writer.write_benchmark(flipside_cache, items) + "0" * 48
    for number in range(N_EDITIONS):
        write_edition(flipside_cache, parent_hash, edition_items(items, number), f"{number:016x}", f"toy~test@{number}",
                      skill=0.8, seed=number + 1)  # fmt: skip
    return parent_hash


def margins(store, run_id, kind):
    """item id -> margin of its headline metric, from the stored outcomes."""
    metrics = ("t2t_accuracy",) if kind == "t2t" else ("group_score", "i2t_accuracy", "accuracy")
    frame = q.outcomes(store, run_id, q.Setting(kind))
    frame = frame[frame["metric"].isin(metrics)]
    return dict(zip(frame["item_id"], frame["margin"], strict=True))


def slow(store, kind):
    """Flipped items and numbers of edits by their definitions, one item after the other."""
    own = margins(store, PARENT, kind)
    edited = [margins(store, f"{number:016x}", kind) for number in range(N_EDITIONS)]
    flipped, counts = set(), set()
    for name, margin in own.items():
        there = [each[name] for each in edited if name in each]
        counts.add(len(there))
        if any((value > 0) != (margin > 0) for value in there):
            flipped.add(name)
    return flipped, counts


def found(store, kind):
    """(item ids whose verdict an edit flips, item id -> how many edits it has)."""
    run = store.run(PARENT)
    seen = edited_captions.verdicts(run, kind)
    if seen is None:
        return set(), {}
    ids = dict(store.cursor().execute("SELECT item_no, item_id FROM items WHERE benchmark = ?", [run.benchmark])
               .fetchall())  # fmt: skip
    names = np.array([ids[number] for number in seen.items["item_no"]])
    right = seen.items["margin"].to_numpy(float) > 0
    flipped = (~np.isnan(seen.margins) & ((seen.margins > 0) != right[:, None])).any(axis=1)
    edits = dict(zip(names.tolist(), (~np.isnan(seen.margins)).sum(axis=1).tolist(), strict=True))
    return set(names[flipped]), edits


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["itc", "t2t"])
def test_flips_are_those_of_the_definitions(family, kind):
    store = open_store()
    flipped, counts = slow(store, kind)
    assert counts == {7, 8}  # of nine editions each item misses one or two
    assert flipped
    assert found(store, kind)[0] == flipped
    edits = found(store, kind)[1]
    others = [margins(store, f"{n:016x}", kind) for n in range(N_EDITIONS)]
    assert edits == {name: sum(name in each for each in others) for name in edits}


@pytest.mark.long
def test_what_is_no_evidence(flipside_cache, items):
    """Another model's runs, meaning-changing editions, foils, and another benchmark's editions."""
    writer.write_run(flipside_cache, items, PARENT, ["itc"], skill=0.8)
    mine = writer.write_benchmark(flipside_cache, items) + "0" * 48
    write_edition(flipside_cache, mine, edition_items(items, 0), "1" * 16, "a", model="fake:other")
    write_edition(flipside_cache, mine, edition_items(items, 1), "2" * 16, "b", effect="meaning-changing")
    write_edition(flipside_cache, mine, edition_items(items, 2), "3" * 16, "c", way="foils")
    write_edition(flipside_cache, "f" * 64, edition_items(items, 3), "4" * 16, "d")
    store = open_store()
    assert scored_editions(store.run(PARENT), Effect.PRESERVING) == []
    assert found(store, "itc") == (set(), {})


@pytest.mark.slow
def test_the_same_captions_twice_are_one_edit(flipside_cache, items):
    writer.write_run(flipside_cache, items, PARENT, ["itc"], skill=0.8)
    mine = writer.write_benchmark(flipside_cache, items) + "0" * 48
    for number in range(8):
        again = [
            Item(i.item_id, i.subset, i.protocol, i.images, (*i.texts,), i.truth, {**i.tags, "n": (str(number),)})
            for i in edition_items(items, 0)
        ]
        again.append(Item(f"x/{number}", "x", Protocol.CHOICE, items[0].images[:1], ("a", "b"), ((0, 0),)))
        write_edition(flipside_cache, mine, again, f"{number:016x}", f"e{number}", seed=number)
    store = open_store()
    scored = scored_editions(store.run(PARENT), Effect.PRESERVING)
    assert [each.kind for each in scored] == ["itc"] * 8 + ["t2t"] * 8
    flipped, edits = found(store, "itc")
    assert flipped
    assert {edits[name] for name in flipped} == {1}


@pytest.mark.long
def test_flips_come_and_go_with_their_evidence(flipside_cache, items):
    writer.write_run(flipside_cache, items, PARENT, ["itc"], skill=0.8)
    mine = writer.write_benchmark(flipside_cache, items) + "0" * 48
    assert not found(open_store(), "itc")[0]
    write_edition(flipside_cache, mine, edition_items(items, 0), "1" * 16, "e0", seed=3)
    assert found(open_store(), "itc")[0]
    for path in (flipside_cache / "runs" / ("1" * 16)).iterdir():
        path.unlink()
    (flipside_cache / "runs" / ("1" * 16)).rmdir()
    assert not found(open_store(), "itc")[0]


@pytest.mark.long
def test_an_edition_that_was_made_before_its_parent_was_run(flipside_cache, items):
    mine = writer.write_benchmark(flipside_cache, items) + "0" * 48
    write_edition(flipside_cache, mine, edition_items(items, 0), "1" * 16, "e0", seed=3)
    open_store()
    writer.write_run(flipside_cache, items, PARENT, ["itc"], skill=0.8)
    assert found(open_store(), "itc")[0]
