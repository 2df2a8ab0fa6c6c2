"""The table of a paper: which cells it has, what is bold, what stands beside, and its three forms."""

import csv
import io

import numpy as np
import pytest

from backend.errors import UsageError
from backend.metrics.paired.paired import pair
from backend.store import queries as q
from backend.store.build.reader import open_store
from backend.store.report import bold
from backend.store.report.table import Cell, Column, Row, Table, table
from backend.store.report.table_text import as_csv, as_latex, markdown
from backend.store.scores.setting import Setting
from tests.store import writer
from tests.store.conftest import ONE, TWO

ITC = Setting("itc")


def column(metric="group_score", chance=1 / 6, **more):
    said = {"benchmark": "world", "hash": "h" * 16, "subset": "", "share": True, "unit": "", "higher": True}
    return Column(metric=metric, chance=chance, **(said | more))


def cell(value, n=100, best=False, printed=()):
    return Cell("r" * 16, ITC, value, n, 0, (value - 0.1, value + 0.1), printed, best)


def test_cells_are_the_rates_of_each_run(asked):
    models = q.runs(asked).set_index("run_id")
    name = models.loc[ONE, "benchmark_name"]
    found = table(asked, [models.loc[ONE, "model"], models.loc[TWO, "model"]], [name], kinds=["itc"])
    assert [row.model for row in found.rows] == [models.loc[ONE, "model"], models.loc[TWO, "model"]]
    titles = [each.metric for each in found.columns]
    assert titles[:3] == ["text_score", "image_score", "group_score"]
    for number, run in enumerate((ONE, TWO)):
        own = q.rates(asked, run, ITC).set_index("metric")
        for at, each in enumerate(found.columns):
            if (number, at) in found.cells and not each.subset:
                assert found.cells[number, at].value == own.loc[each.metric, "value"]
                assert found.cells[number, at].n == own.loc[each.metric, "n"]


def test_bold_is_beyond_chance_alone(asked):
    models = q.runs(asked).set_index("run_id")
    pair_of = [models.loc[ONE, "model"], models.loc[TWO, "model"]]
    found = table(asked, pair_of, [models.loc[ONE, "benchmark_name"]], kinds=["itc"])
    for at, each in enumerate(found.columns):
        if (0, at) not in found.cells or (1, at) not in found.cells:
            continue
        both = q.shared(asked, [q.Side(ONE, ITC), q.Side(TWO, ITC)], each.metric)
        p = pair(both.correct[:, 0], both.correct[:, 1], both.frame["cluster"].to_numpy()).p
        values = [found.cells[row, at].value for row in (0, 1)]
        marked = [found.cells[row, at].best for row in (0, 1)]
        assert any(marked) == bool(p <= bold.LEVEL)
        assert not any(marked) or marked[int(np.argmax(values))]


def test_what_is_missing_has_its_reason(asked):
    model = q.runs(asked).set_index("run_id").loc[ONE, "model"]
    found = table(asked, [model, "hf:no/such"], [q.runs(asked).set_index("run_id").loc[ONE, "benchmark_name"]])
    assert "no run of model" in found.missing[1, q.runs(asked).set_index("run_id").loc[ONE, "benchmark_name"]]
    with pytest.raises(UsageError, match="unknown metric"):
        table(asked, [model], ["world"], metrics=["grup_score"])


SHOWN = Table(
    (Row("hf:a|b", "", ""), Row("bundled:clip", "Mine_1", "")),
    (column(), column("i2t_median_rank", None, share=False, unit="rank", higher=False)),
    {(0, 0): cell(0.615, best=True, printed=((0.6, "Paper", "Table 3", "A"),)), (1, 0): cell(0.2), (1, 1): cell(3.0)},
    {(0, "visla"): "no run"},
    (),
)


def test_markdown():
    lines = markdown(SHOWN).splitlines()
    assert lines[0] == "| model | world group score | world i2t median rank |"
    assert lines[2] == "| hf:a\\|b (itc) | **61.5** [51.5, 71.5] (printed 60.00) | – |"
    assert lines[3] == "| Mine_1 (itc) | 20.0 [10.0, 30.0] | 3.00 [2.90, 3.10] |"
    assert lines[4:6] == ["| chance | 16.7 | – |", "| n | 100 | 100 |"]
    assert "Holm's p ≤ .05" in lines[-1]
    assert "Printed: Paper, Table 3." in lines[-1]
    assert "Per cent with 95 % intervals. Not in per cent: i2t median rank (rank)." in lines[-1]


def test_latex_escapes_and_marks():
    text = as_latex(SHOWN, "50% of it")
    assert r"\textbf{61.5} {\scriptsize [51.5, 71.5]} {\scriptsize (printed 60.00)}" in text
    assert r"Mine\_1 (itc) & 20.0" in text
    assert r"50\% of it" in text
    assert text.count(r"\begin{tabular}{lrr}") == 1


def test_csv_has_a_line_a_cell_and_one_for_what_is_missing():
    rows = list(csv.DictReader(io.StringIO(as_csv(SHOWN))))
    assert [(row["model"], row["metric"], row["value"], row["best"]) for row in rows] == [
        ("hf:a|b", "group_score", "0.615", "yes"), ("bundled:clip", "group_score", "0.2", ""),
        ("bundled:clip", "i2t_median_rank", "3.0", ""), ("hf:a|b", "", "", ""),
    ]  # fmt: skip
    assert (rows[0]["printed"], rows[0]["printed_in"]) == ("0.6", "Paper, Table 3")
    assert (rows[-1]["benchmark"], rows[-1]["missing"]) == ("visla", "no run")


def test_each_version_of_a_benchmark_is_a_column_with_every_model_that_was_scored_on_it(flipside_cache):
    """Failed before: a model had its latest run alone, and another one was bold where it did not stand."""
    old, new = writer.items(12), writer.items(14)
    writer.write_run(flipside_cache, old, "1" * 16, ["itc"], model="fake:a", skill=1.0)
    writer.write_run(flipside_cache, old, "2" * 16, ["itc"], model="fake:b", skill=3.0)
    late = writer.write_run(flipside_cache, new, "3" * 16, ["itc"], model="fake:a", skill=1.0)
    store = open_store(follow=False, wait=True)
    found = table(store, ["fake:a", "fake:b"], ["toy"], metrics=["text_score"])
    assert [column.benchmark for column in found.columns] == ["toy", "toy"]
    runs = {place: cell.run_id[0] for place, cell in found.cells.items()}
    first, second = (0, 1) if runs[0, 0] == "1" else (1, 0)
    assert runs == {(0, first): "1", (1, first): "2", (0, second): "3"}
    assert late.name == "3" * 16
