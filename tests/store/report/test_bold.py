"""Who competes for bold in a table: models, each once; people never."""

import json

import numpy as np
import pytest

from backend.store.build.reader import open_store
from backend.store.report.table import table
from backend.store.report.table_text import as_latex, markdown
from tests.store import writer
from tests.store.catalog.test_names import write

NAMES = ("best", "best-again", "bad", "people")


def a_table(root, models=NAMES):
    items = writer.items(40)
    for k, (name, skill) in enumerate({"best": 3.0, "best-again": 3.0, "bad": -1.0, "people": 9.0}.items()):
        public = {"name": name, "system": name, "repeats": "predictions:best" if name == "best-again" else ""}
        write(root, str(k + 1) * 16, f"predictions:{name}", items, public=public)
        folder = writer.write_run(root, items, str(k + 1) * 16, ["itc"], model=f"predictions:{name}", skill=skill)
        record = json.loads((folder / "run.json").read_text())
        record["model"] |= {"public": {"source": "S", "head": "h", "sharing": "everything", **public}}
        (folder / "run.json").write_text(json.dumps(record))
    store = open_store(follow=False, wait=True)
    return table(store, [f"predictions:{name}" for name in models], ["toy"], metrics=["text_score"])


def bold(found):
    best = [found.rows[row] for (row, _), cell in sorted(found.cells.items()) if cell.best]
    return [row.name or row.model for row in best]


def test_people_and_repeats_compete_with_nobody(flipside_cache):
    found = a_table(flipside_cache)
    assert bold(found) == ["best"]
    assert found.apart == {1: "repeat", 3: "people"}
    text = markdown(found)
    assert "Repeats of another model compete with no other for bold: best-again." in text
    assert "People's own scores compete with no other for bold: people." in text
    assert found.notes == (
        "best, best-again, bad and 1 more on toy: public scores (S), of which `flipside report` says more.",
    )


def test_what_is_repeated_competes_in_whatever_order_they_come(flipside_cache):
    assert bold(a_table(flipside_cache, ("people", "best-again", "bad", "best"))) == ["best"]


@pytest.mark.parametrize(("n", "best"), [(78, ["fake:some"]), (60, [])])
def test_a_rate_of_a_part_is_never_bold_beside_a_rate_of_all(flipside_cache, n, best):
    """Failed before: it was bold, and no page would have called it the best of its column."""
    items = writer.items(40)
    writer.write_run(flipside_cache, items, "1" * 16, ["itc"], model="fake:all", skill=-1.0)
    folder = writer.write_run(flipside_cache, items, "2" * 16, ["itc"], model="fake:some", skill=9.0)
    luck = np.random.default_rng(0)
    quads = [row for number, item in enumerate(items[:n]) for row in writer.score_rows("itc", number, item, luck, 9.0)]
    writer.add_part(folder, "itc", quads)
    found = table(open_store(follow=False, wait=True), ["fake:all", "fake:some"], ["toy"], metrics=["text_score"])
    assert bold(found) == best
    said = f"on toy: judged on {n} only, where others have 80{'' if best else ', so never bold'}."
    assert [note for note in found.notes if "judged on" in note] == [f"fake:some {said}"]
    for text, mark in ((markdown(found), "(n 60)"), (as_latex(found), "($n$ 60)")):
        assert (mark in text) == ("judged on less than 95" in text) == (n == 60), "a file keeps what it is of"


def test_what_is_not_there_keeps_its_column_and_says_which_metrics_are(flipside_cache):
    items = writer.items()
    writer.write_run(flipside_cache, items, "1" * 16, ["itc"])
    store = open_store(follow=False, wait=True)
    found = table(store, ["fake:ok"], ["toy", "visla"], metrics=["text_score"])
    assert [column.benchmark for column in found.columns] == ["toy", "visla"]
    assert markdown(found).splitlines()[2].endswith("| – |")
    found = table(store, ["fake:ok"], ["toy"], metrics=["answer_accuracy", "top1_accuracy"])
    assert "has no answer_accuracy or top1_accuracy under itc; it has" in found.missing[0, "toy"]


def test_a_model_that_judged_a_part_is_a_rival_on_what_both_have_judged(flipside_cache):
    """Failed before: a model was bold beside one that beat it on every item that both had judged."""
    items = writer.items(40)
    writer.write_run(flipside_cache, items, "1" * 16, ["itc"], model="fake:bad", skill=-1.0)
    writer.write_run(flipside_cache, items, "2" * 16, ["itc"], model="fake:good", skill=1.0)
    folder = writer.write_run(flipside_cache, items, "3" * 16, ["itc"], model="fake:some", skill=9.0)
    luck = np.random.default_rng(0)
    some = [row for number, item in enumerate(items[:60]) for row in writer.score_rows("itc", number, item, luck, 9.0)]
    writer.add_part(folder, "itc", some)
    store = open_store(follow=False, wait=True)
    models = ["fake:bad", "fake:good", "fake:some"]
    assert bold(table(store, models[:2], ["toy"], metrics=["text_score"])) == ["fake:good"]
    assert bold(table(store, models, ["toy"], metrics=["text_score"])) == []
