"""A bundle that claims another system's name: refused where its id is made of something else."""

import pyarrow as pa
import pytest

from backend.items import Kind
from backend.store.exchange.claimed import check_claim
from tests.store.exchange.test_bundle import refused
from tests.store.forged import Forged
from tests.verbs.adding import file


def turned(table: pa.Table) -> pa.Table:
    """The table with every verdict the other way."""
    values = pa.array([1 - each for each in table.column("value").to_pylist()], pa.float32())
    return table.set_column(table.schema.get_field_index("value"), table.schema.field("value"), values)


@pytest.fixture
def predicted(flipside, tmp_path, monkeypatch):
    """A call that makes the bundle of a system with answers in two orders elsewhere."""

    def call(rows: str = "1,1,ab\n2,0,ab\n1,0,ba\n2,1,ba\n") -> Forged:
        own = file(tmp_path, "set.csv", "id,image,caption,foil\n1,a.png,a red cube,a blue cube\n2,b.png,left,right\n")
        monkeypatch.setenv("FLIPSIDE_CACHE", str(tmp_path / "elsewhere"))
        flipside("add-predictions", file(tmp_path, "v.csv", f"item_id,correct,order\n{rows}"), "--as", "own",
                 "--benchmark", "custom", "--data", own)  # fmt: skip
        flipside("export", "--model", "predictions:own", "--benchmark", "custom:set", "--what", "bundle", "--out",
                 tmp_path / "run.zip")  # fmt: skip
        monkeypatch.setenv("FLIPSIDE_CACHE", str(tmp_path / "here"))
        return Forged(tmp_path / "run.zip")

    return call


@pytest.mark.slow
@pytest.mark.parametrize(
    ("said", "words"),
    [
        ({"spec": "bundled:clip"}, "its record says that it is of bundled:clip, and of the family predictions"),
        ({"spec": "bundled:clip", "family": "dual-hf"}, "its id is that of predictions: no dtype is in it"),
        ({"spec": "predictions:other"}, "its id is not made of these scores of predictions:other"),
        ({"family": "dual-hf"}, "its record says that it is of predictions:own, and of the family dual-hf"),
        ({"orders": ["ab"]}, "asked in the orders ab, and its parts are those of the orders ab, ba"),
        ({"orders": []}, "asked in no order, and its parts are those of the orders ab, ba"),
        ({"orders": None}, "asked in no order"),
    ],
)
def test_a_run_of_predictions_is_only_its_own_system_s(predicted, flipside, tmp_path, said, words):
    """The name is no part of the id: `bundled:clip` stood in tables with a stranger's verdicts."""
    bundle = predicted()
    bundle.change("run.json", lambda record: record["model"].update(said))
    refused(flipside, bundle.write(tmp_path / "forged.zip"), "refused, nothing was imported", words)


@pytest.mark.slow
def test_rows_of_predictions_that_were_changed_are_refused(predicted, flipside, tmp_path):
    bundle = predicted()
    bundle.rows("verdict@ab", turned)
    refused(flipside, bundle.write(tmp_path / "forged.zip"), "its id is not made of these scores of predictions:own")


@pytest.mark.slow
@pytest.mark.parametrize(
    "rows", ["1,1,ab\n2,0,ab\n1,0,ba\n2,1,ba\n", "1,1,ab\n2,0,ab\n", "1,1,\n2,0,\n", "1,1,ab\n2,0,\n"]
)
def test_honest_ones_are_imported(predicted, flipside, tmp_path, rows):
    predicted(rows)
    assert flipside("import-results", tmp_path / "run.zip").code == 0


def test_what_runs_of_before_said_of_their_orders_is_taken():
    """Answers without an order were one of their own, with no name."""
    model = {"spec": "predictions:own", "family": "predictions", "dtype": None}
    for orders, parts in (
        ([""], ["verdict"]),
        (["", "a"], ["verdict"]),
        (["", "a"], ["verdict", "verdict@", "verdict@a"]),
    ):
        check_claim({"model": {**model, "orders": orders}}, dict.fromkeys(parts))
    check_claim({"model": model}, {str(Kind.ITC): {}})
