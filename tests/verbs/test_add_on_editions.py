"""`flipside add-predictions` on an edition: answers to edited captions stand beside those to the originals."""

import pytest

from backend.store import queries
from backend.store.build.reader import open_store
from backend.store.labels import sensitive
from backend.store.robustness import editions, originals, robustness
from tests.verbs.adding import file

pytestmark = pytest.mark.slow
HEAD = "item_id,correct\n"


@pytest.fixture
def edition(flipside, own, add):
    """Adds answers to the set and to an edition of it, each as a table; gives the store and the set's hash."""

    def call(original: str, edited: str):
        add(file(own.parent, "original.csv", original))
        made = flipside("perturb", "--benchmark", "custom", "--data", own, "--kinds", "shuffle_all_words", "--json")
        assert made.code == 0, made.err
        name = made.json["editions"][0]["name"]
        said = flipside(
            "add-predictions", file(own.parent, "edited.csv", edited), "--as", "sys", "--benchmark", name, "--json"
        )
        assert said.code == 0, said.err
        store = open_store()
        known = queries.benchmarks(store)
        return store, str(known.loc[known["name"] == "custom:set", "hash"].iloc[0])

    return call


def test_answers_to_originals_and_to_edits_are_one_systems(edition):
    """Each run's digest is of its own answers: by that, no system was ever the same on two benchmarks."""
    store, parent = edition(HEAD + "1,1\n2,1\n3,0\n4,1\n", HEAD + "1,1\n2,0\n3,0\n")
    (line,) = editions.pairs(store, parent).itertuples()
    assert (line.model, line.kind) == ("predictions:sys", "verdict")
    found = robustness.verdicts(store, parent)
    assert {row.item_id: (row.was, row.now) for row in found.itertuples()} == {
        "set/1": (1, 1), "set/2": (1, 0), "set/3": (0, 0),
    }  # fmt: skip
    (counted,) = sensitive.counts(store, parent)
    assert counted.d_prime.d_prime is None, "verdicts that were added have no margins to move"


def test_choices_in_other_numbers_of_orders_do_not_compare(edition):
    store, parent = edition("item_id,correct,order\n1,1,a\n2,1,a\n1,1,b\n2,0,b\n", HEAD + "1,1\n2,0\n")
    assert editions.pairs(store, parent).empty
    assert sensitive.counts(store, parent) == []
    (left,) = editions.left_out(store, parent)
    assert (left.model, left.n, left.of) == ("predictions:sys", 2, 2)
    assert (left.was, left.now) == ("in the orders a, b", "once, in an order without a name")


def test_choices_in_orders_of_other_names_do_not_compare(edition):
    """An effect of the order alone stood as one of the edit: as many orders were enough, whichever they were."""
    asked = "item_id,correct,order\n1,1,a\n2,1,a\n"
    store, parent = edition(asked, asked.replace(",a", ",b"))
    assert editions.pairs(store, parent).empty
    assert robustness.verdicts(store, parent).empty
    assert sensitive.counts(store, parent) == []
    (left,) = editions.left_out(store, parent)
    assert (left.n, left.was, left.now) == (2, "in the order a", "in the order b")


def test_each_item_compares_by_its_own_orders(edition):
    """A system that was asked in one more order somewhere was not there at all."""
    asked = "item_id,correct,order\n1,1,a\n1,1,b\n2,1,a\n3,1,a\n3,1,b\n"
    edited = "item_id,correct,order\n1,1,A\n1,0,B\n2,0,B\n3,0,A\n"
    store, parent = edition(asked, edited)
    assert len(editions.pairs(store, parent)) == 1
    found = robustness.verdicts(store, parent)
    assert [(row.item_id, row.was, row.now) for row in found.itertuples()] == [("set/1", 1, 0)]
    (line,) = originals.originals(store, parent).itertuples()
    assert (line.n, line.chance) == (1, 0.25)
    (counted,) = sensitive.counts(store, parent)
    assert counted.lost.n == 1
    (left,) = editions.left_out(store, parent)
    assert (left.n, left.of, left.several) == (2, 3, True)


def test_where_one_side_names_no_order_the_number_of_orders_decides(edition):
    store, parent = edition("item_id,correct,order\n1,1,a\n2,1,a\n", HEAD + "1,1\n2,0\n")
    assert len(robustness.verdicts(store, parent)) == 2
    assert editions.left_out(store, parent) == []


def test_choices_in_as_many_orders_compare(edition):
    asked = "item_id,correct,order\n1,1,a\n2,1,a\n1,1,b\n2,0,b\n"
    store, parent = edition(asked, asked.replace("2,1,a", "2,0,a"))
    assert len(editions.pairs(store, parent)) == 1
    assert editions.left_out(store, parent) == []


def test_chance_on_the_originals_is_that_of_all_orders(edition):
    """Two coins are both right once in four; one half was printed, and 50 % right stood as chance."""
    asked = "item_id,correct,order\n1,1,a\n2,1,a\n1,1,b\n2,0,b\n"
    store, parent = edition(asked, asked)
    (line,) = originals.originals(store, parent).itertuples()
    assert (line.value, line.n, line.chance) == (0.5, 2, 0.25)
