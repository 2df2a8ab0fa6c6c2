"""A run of some items says that it is complete: its own selection tells which they are, and a bundle is held to it."""

import json

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

from backend.engine.inputs.selection import Selection
from backend.engine.storage import identity
from backend.items import set_digest
from backend.protocols import Protocol
from backend.store.exchange import coverage
from backend.store.exchange.coverage import PROTOCOLS, Admitted, Shapes
from backend.store.exchange.write import write_bundle
from tests.store import writer
from tests.store.forged import Forged

ITEMS = writer.items(4)
NONE = {"split": None, "subset": None, "limit": None, "sample": None, "seed": 0}


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """The bundle of an honest run of all items, made elsewhere."""
    root = tmp_path_factory.mktemp("elsewhere")
    folder = writer.write_run(root, ITEMS, "", ["itc", "t2t", "prior@noise:3"])
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FLIPSIDE_CACHE", str(root))
        write_bundle(folder.name, next((root / "benchmarks").iterdir()).name, root / "run.zip")
    return root / "run.zip"


def numbers(said: dict) -> list[int]:
    """The items that a run with this selection scores, told from the items themselves."""
    items = [n for n, item in enumerate(ITEMS) if said.get("split") in (None, *item.tags["split"])]
    names = (said.get("subset") or "").split(",")
    items = [n for n in items if names == [""] or ITEMS[n].subset in names]
    order = {name: k for k, name in enumerate(dict.fromkeys(item.subset for item in ITEMS))}
    strata = np.array([order[ITEMS[n].subset] for n in items])
    wanted = Selection(limit=said["limit"], sample=said["sample"], seed=said["seed"])
    return wanted.choose(np.array(items, np.int32), strata).tolist()


def limited(bundle, said: dict, rows: list[int]) -> Forged:
    """The bundle as one of a run with this selection, with rows of these items alone."""
    forged = Forged(bundle)
    forged.change("run.json", lambda record: record.update(selection=said))
    record = json.loads(forged.files[f"{forged.run}/run.json"])
    for part in ("itc", "t2t", "prior@noise:3", "embeddings:image", "embeddings:text"):
        forged.rows(part, lambda table: table.filter(pc.is_in(table["item_no"], value_set=pa.array(rows, pa.int32()))))
    forged.call(identity.run_id(record["model"], record["benchmark"]["hash"], said))
    return forged


SELECTIONS = {
    "limit": NONE | {"limit": 10},
    "sample": NONE | {"sample": 9, "seed": 3},
    "split": NONE | {"split": "dev"},
    "subset": NONE | {"subset": "choice,relation"},
    "both": NONE | {"subset": "attribute", "limit": 3},
}


@pytest.mark.parametrize("said", SELECTIONS.values(), ids=SELECTIONS)
def test_a_run_of_some_items_has_them_all_or_is_refused(flipside, whole, tmp_path, said):
    chosen = numbers(said)
    lacking = limited(whole, said, chosen[1:]).write(tmp_path / "lacking.zip")
    answer = flipside("import-results", lacking)
    assert answer.code == 1
    assert "says that it is complete, and has no scores of 1 items" in answer.err
    answer = flipside("import-results", limited(whole, said, chosen).write(tmp_path / "honest.zip"))
    assert answer.code == 0, answer.err


def test_rows_of_other_items_than_the_selected_are_refused(flipside, whole, tmp_path):
    said = SELECTIONS["limit"]
    forged = limited(whole, said, [*numbers(said), 12])
    answer = flipside("import-results", forged.write(tmp_path / "more.zip"))
    assert "part itc has rows of item 12, which the run's selection leaves out" in answer.err


@pytest.mark.parametrize("change", [lambda part: part.update(shards=[]), lambda part: part.update(left_out={"x": 99})])
def test_a_part_without_shards_is_not_complete(flipside, whole, tmp_path, change):
    forged = limited(whole, SELECTIONS["limit"], numbers(SELECTIONS["limit"]))
    manifest = json.loads(forged.files[f"{forged.run}/manifest.json"])
    file = manifest["parts"]["itc"]["shards"][0]["file"]
    forged.change("manifest.json", lambda m: change(m["parts"]["itc"]))
    if not json.loads(forged.files[f"{forged.run}/manifest.json"])["parts"]["itc"]["shards"]:
        del forged.files[f"{forged.run}/{file}"]
    answer = flipside("import-results", forged.write(tmp_path / "hollow.zip"))
    assert answer.code == 1
    assert "part itc" in answer.err
    assert "10 items" in answer.err or "the run is of 10" in answer.err


def test_a_record_does_not_call_a_run_whole_that_is_not(flipside, whole, tmp_path):
    """Pages call a run whole of which as many items were selected as there are."""
    said = SELECTIONS["limit"]
    forged = limited(whole, said, numbers(said))
    forged.change("run.json", lambda r: (r.update(n_selected=20), r["benchmark"].update(n_items=20)))
    answer = flipside("import-results", forged.write(tmp_path / "whole.zip"))
    assert "run.json says that 20 items were selected, and its selection is of 10" in answer.err
    forged.change("run.json", lambda r: (r.update(n_selected=10), r["benchmark"].update(n_items=10)))
    answer = flipside("import-results", forged.write(tmp_path / "small.zip"))
    assert "run.json says that its benchmark has 10 items, and it has 20" in answer.err


@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        ({"limit": 3, "sample": 3}, "--limit and --sample exclude each other"),
        ({"limit": 0}, "must be at least 1"),
        ({"sample": 3, "seed": -1}, "--seed -1: expected a whole number"),
        ({"subset": "nowhere"}, "admits none"),
        ({"items": {"n": 99, "sha256": "0" * 16}}, "99 picked items"),
    ],
)
def test_a_selection_that_no_run_can_have_is_refused(said, sentence):
    with pytest.raises(ValueError, match=sentence):
        admitted(NONE | said)


@pytest.mark.parametrize(
    ("said", "rows", "lacking"),
    [({}, [1, 5], 1), ({}, [1, 5, 9], 0), ({"limit": 2}, [1, 5], 0), ({"limit": 2}, [], 2), ({"split": "dev"}, [], 1)],
)
def test_of_picked_items_their_number_is_known(said, rows, lacking):
    """And not which they are: the record has a digest of them. Of a split it is not known how many it leaves."""
    items = [item for item in ITEMS if item.protocol != Protocol.RETRIEVAL]
    picked = {"n": 3, "sha256": set_digest(items[n].item_id for n in (1, 5, 9))}
    selected, n = admitted(NONE | said | {"items": picked}, items)
    ones = np.ones(len(items), np.int64)
    shapes = Shapes(ones, 2 * ones, 2 * ones, np.full(len(items), PROTOCOLS.index(Protocol.CHOICE)), selected, n)
    entry = {"complete": True, "shards": []}
    if not lacking:
        assert coverage.check_part("itc", entry, np.array(rows, np.int64), shapes) is None
        return
    with pytest.raises(ValueError, match=f"has no scores of {lacking} items"):
        coverage.check_part("itc", entry, np.array(rows, np.int64), shapes)


def admitted(said, items=ITEMS):
    """What a selection admits of some items."""
    found = Admitted({"selection": said})
    for item in items:
        found.see(item)
    return found.result()


def test_parts_are_owed_what_the_engine_scores():
    """One item of each protocol, a choice without an image among them."""
    protocols = [*Protocol, Protocol.CHOICE]
    texts = [{Protocol.TRIPLET: 3}.get(protocol, 2) for protocol in protocols]
    shapes = Shapes(
        np.array([*[1] * len(Protocol), 0]), np.array(texts), np.array(texts),
        np.array([PROTOCOLS.index(each) for each in protocols]), np.ones(len(protocols), np.bool_),
    )  # fmt: skip

    def owed(part):
        found = coverage._owed(part, shapes)
        return None if found is None else [protocols[n] for n in np.flatnonzero(found)]

    alone = [each for each in Protocol if each != Protocol.RETRIEVAL]
    assert owed("itc") == owed("gen") == alone
    assert owed("prior@self") == [*alone, Protocol.CHOICE]
    assert owed("t2t") == [Protocol.TRIPLET]
    assert set(owed("verdict")) == {Protocol.TRIPLET, Protocol.CHOICE, Protocol.QUAD}
    assert owed("embeddings:image") == owed("embeddings:text") == [Protocol.RETRIEVAL]
    for part in ("itc", "gen", "prior@self", "t2t", "verdict", "embeddings:image", "tokens:gen", "counterfactual:itm"):
        assert coverage.owes(part) == (owed(part) is not None)
    assert owed("tokens:gen") is owed("counterfactual:itm") is owed("vectors:image") is None
