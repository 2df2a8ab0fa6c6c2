"""`flipside add-predictions`: what an order of asking may be called, and how many there may be."""

import pytest

from backend import paths
from backend.engine.storage.identity import is_part
from tests.verbs.adding import file

ALLOWED = "letters, digits, spaces and . + - _ ( )"


@pytest.mark.parametrize("name", ["A/B", "a|b", "A > B", "a@b", "🙂", '"a\nb"', "\x1b[31mred", "x" * 81, "x" * 5000,
                                  "先" * 24, "ж" * 36])  # fmt: skip
def test_a_name_that_no_bundle_could_have_refuses_the_whole_call(add, own, name):
    """They were added; then the run could not be read, or its bundle was refused elsewhere, or writing it broke.

    Not the row alone: what is left of an order without its refused rows would stand as an answer to fewer items.
    """
    said = add(file(own.parent, "v.csv", f"item_id,correct,order\n1,1,{name}\n2,0,ab\n"))
    assert said.code == 2
    assert "v.csv:2" in said.err
    assert ALLOWED in said.err or "the names of its files would be too long" in said.err
    assert "Nothing was added" in said.err
    assert len(said.err) <= 300
    assert not any(paths.runs_dir().glob("*"))


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["first (A)", "x" * 80, "先" * 23, "ж" * 35, "A. b-c_d+e", "e\N{COMBINING ACUTE ACCENT}t"]
)
def test_whatever_is_added_goes_elsewhere_and_comes_back(add, own, flipside, monkeypatch, tmp_path, name):
    both = f"item_id,correct,order\n1,1,{name}\n2,0,{name}\n1,0,ba\n2,1,ba\n"
    found = add(file(own.parent, "v.csv", both)).json
    assert len(found["parts"]) == 3
    assert all(map(is_part, found["parts"]))
    bundle = tmp_path / "run.zip"
    done = flipside("export", "--model", "predictions:sys", "--benchmark", "custom:set", "--what", "bundle", "--out",
                    bundle)  # fmt: skip
    assert done.code == 0, done.err
    monkeypatch.setenv("FLIPSIDE_CACHE", str(tmp_path / "elsewhere"))
    there = flipside("import-results", bundle, "--json")
    assert there.code == 0, there.err
    assert set(there.json["new"]) == set(found["parts"])


@pytest.mark.slow
def test_orders_whose_files_are_named_alike_and_hold_the_same_come_back(add, own, flipside, monkeypatch, tmp_path):
    """Files have ASCII names, so two orders of other scripts share one: what answered both alike was refused."""
    add(file(own.parent, "v.csv", "item_id,correct,order\n1,1,先\n2,0,先\n1,1,后\n2,0,后\n"))
    bundle = tmp_path / "run.zip"
    flipside("export", "--model", "predictions:sys", "--benchmark", "custom:set", "--what", "bundle", "--out", bundle)
    monkeypatch.setenv("FLIPSIDE_CACHE", str(tmp_path / "elsewhere"))
    there = flipside("import-results", bundle, "--json")
    assert there.code == 0, there.err
    assert set(there.json["new"]) == {"verdict", "verdict@先", "verdict@后"}


def test_more_orders_than_captions_can_have_are_refused_whole(add, own):
    """A column of row numbers made 10,000 parts, and a run that nothing could read."""
    rows = "".join(f"1,1,o{n}\n" for n in range(30))
    said = add(file(own.parent, "many.csv", f"item_id,correct,order\n{rows}"))
    assert said.code == 2
    assert "many.csv:26" in said.err
    assert "at most 24" in said.err
    assert not any(paths.runs_dir().glob("*"))


@pytest.mark.slow
def test_orders_of_several_calls_are_counted_together(add, own):
    for first in (0, 20):
        rows = "".join(f"1,1,o{n}\n" for n in range(first, first + 20))
        said = add(file(own.parent, f"{first}.csv", f"item_id,correct,order\n{rows}"))
        assert said.code == (1 if first else 0)
    assert "40 orders of asking" in said.err
    assert "at most 24" in said.err
    assert len(list(paths.runs_dir().iterdir())) == 1, "nothing half-written"


def test_an_order_that_is_no_word_refuses_the_whole_call(add, own):
    """Its row was left out, and the other order's answers stood as all that the system was asked."""
    path = file(own.parent, "v.jsonl", '{"item_id": "1", "correct": 1, "order": "ab"}\n'
                                       '{"item_id": "1", "correct": 0, "order": ["ba"]}\n')  # fmt: skip
    said = add(path)
    assert said.code == 2
    assert "v.jsonl:2" in said.err
    assert "Nothing was added" in said.err
    assert not any(paths.runs_dir().glob("*"))


@pytest.mark.parametrize("column", ["orders", "caption_order", "ordering"])
def test_a_column_that_may_be_an_order_and_is_not_read_is_named(add, own, column):
    """Its second order was refused row by row as a contradiction of the first, and nothing said why."""
    said = add(file(own.parent, "v.csv", f"item_id,correct,{column}\n1,1,ab\n2,0,ab\n1,0,ba\n"))
    assert said.code == 1
    assert f"v.csv: the column '{column}' is not read" in said.err
    assert "call it order" in said.err


def test_a_column_of_orders_by_its_longer_name_is_read(add, own):
    said = add(file(own.parent, "v.csv", "item_id,correct,order_of_asking\n1,1,ab\n2,0,ab\n1,0,ba\n2,1,ba\n"))
    assert set(said.json["parts"]) == {"verdict", "verdict@ab", "verdict@ba"}
    assert "is not read" not in said.err


@pytest.mark.parametrize(("orders", "said"), [(["ab"], False), (["ab", "ba"], True)])
def test_an_export_of_outcomes_says_by_which_rule_they_are_right(add, own, flipside, tmp_path, orders, said):
    """The mean of `correct` was no number of `report`'s headline, and nothing said why."""
    rows = "".join(f"{item},{right},{order}\n" for order in orders for item, right in ((1, 1), (2, 0)))
    add(file(own.parent, "v.csv", f"item_id,correct,order\n{rows}"))
    done = flipside("export", "--model", "predictions:sys", "--benchmark", "custom:set", "--what", "outcomes", "--out",
                    tmp_path / "o.csv")  # fmt: skip
    assert done.code == 0, done.err
    assert ("right only in every order of asking" in done.err) == said


def test_two_that_were_asked_in_other_orders_are_compared_with_a_word_on_it(add, own, flipside):
    """Answers in a second order “beat” those of the same system in the first, p < .001, and nothing named an order."""
    for name, order, right in (("sys", "ab", (1, 0)), ("other", "ba", (0, 1))):
        rows = "".join(f"{item},{each},{order}\n" for item, each in zip((1, 2), right, strict=True))
        path = file(own.parent, f"{name}.csv", f"item_id,correct,order\n{rows}")
        flipside("add-predictions", path, "--as", name, "--benchmark", "custom", "--data", own)
    said = "The captions stood in the order ab for predictions:sys and in the order ba for predictions:other"
    pair = ("predictions:sys", "predictions:other", "--benchmark", "custom:set")
    assert said in flipside("compare", *pair).out
    assert any(line.startswith(said) for line in flipside("compare", *pair, "--json").json["notes"])
    table = flipside("table", "--models", "predictions:sys,predictions:other", "--benchmarks", "custom:set")
    assert "The captions stood in the order " in table.out
