"""Bold where choices were asked in several orders: the mean of the orders is tested, and what a test lacks is said."""

import csv

import pytest

from backend.store.build.reader import open_store
from backend.store.report.table import table
from backend.store.report.table_text import as_csv, as_latex, by_two_rules, left_out, markdown
from tests.store import asked, writer
from tests.store.asked import ALIKE, HALF, ONCE, TWICE, N


@pytest.fixture
def store(flipside_cache):
    asked.write(flipside_cache)
    return open_store(follow=False, wait=True)


def bold(found):
    return {(found.rows[row].model, found.columns[at].metric) for (row, at), cell in found.cells.items() if cell.best}


def test_the_mean_of_the_orders_is_tested(store):
    """It was never bold, under “No model is beyond chance better than every other”."""
    found = table(store, [TWICE, HALF], ["toy"], metrics=["accuracy_mean_of_orders"])
    assert bold(found) == {(HALF, "accuracy_mean_of_orders")}
    (test,) = found.tests
    assert (test.n, test.unlike) == (N, 0)
    assert test.p <= 0.05
    assert "Bold: better than every other model of its column" in markdown(found)


def test_a_test_that_left_items_out_says_so_below_the_table(store):
    found = table(store, [TWICE, HALF], ["toy"], metrics=["accuracy"])
    said = (
        "Bold is tested on fewer items where the others were asked in different numbers of orders of the captions: "
        f"{HALF} against {TWICE} on {ALIKE} of {N} items (toy accuracy)."
    )
    assert left_out(found) == said
    assert said in markdown(found)
    assert said.replace("_", r"\_") in as_latex(found)
    assert left_out(table(store, [TWICE, HALF], ["toy"], metrics=["accuracy_mean_of_orders"])) == ""


def test_who_shares_no_way_of_asking_is_named_too(store):
    found = table(store, [TWICE, ONCE], ["toy"], metrics=["accuracy"])
    assert bold(found) == set()
    assert f"on 0 of {N} items (toy accuracy)" in left_out(found)


STRICT, SCORED = "predictions:strict", "predictions:scored"


@pytest.fixture
def scored(flipside_cache):
    """Choices between two captions: STRICT right in the first of two orders alone, SCORED on every second one."""
    pairs = [number for number, item in enumerate(asked.items()) if item.protocol == "choice" and len(item.texts) == 2]
    folder = writer.write_run(flipside_cache, asked.items(), "4" * 16, [], model=SCORED)
    rows = [(n, 0, text, -1, -1, float(text == k % 2), -1) for k, n in enumerate(pairs) for text in (0, 1)]
    writer.add_part(folder, "itc", rows)
    folder = writer.write_run(flipside_cache, asked.items(), "5" * 16, [], model=STRICT)
    for part, share in (("verdict", 0.5), ("verdict@ab", 1.0), ("verdict@ba", 0.0)):
        writer.add_part(folder, part, [(n, 0, 0, 1, -1, share, -1) for n in pairs])
    return open_store(follow=False, wait=True)


def test_no_number_is_bold_for_its_rule_is_the_easier_one(scored):
    """92.2 by scores was bold beside 87.6 in every order, of a system whose mean of the orders is 92.2 as well."""
    found = table(scored, [STRICT, SCORED], ["toy"], metrics=["accuracy"])
    values = {found.rows[row].model: cell.value for (row, _), cell in found.cells.items()}
    assert values == {STRICT: 0.0, SCORED: 0.5}
    (test,) = found.tests
    assert test.two_rules
    assert (test.even.difference, test.p) == (0.0, 1.0)
    assert bold(found) == set()
    said = by_two_rules(found)
    assert said.startswith(
        "One that has to be right in every order of asking against one that has not: bold is tested by"
    )
    assert f" By that: {STRICT} minus {SCORED} 0.0 points, p = 1 (toy accuracy)." in said
    assert said in markdown(found)
    assert "Nothing is bold." in markdown(found)
    assert "No model is beyond chance better" not in markdown(found), "by two rules the largest is no best"
    assert {row["rule"] for row in csv.DictReader(as_csv(found).splitlines())} == {
        "",
        "right only in every order of asking",
    }


def test_of_one_rule_nothing_is_said_of_two(store):
    assert by_two_rules(table(store, [TWICE, HALF], ["toy"], metrics=["accuracy"])) == ""
