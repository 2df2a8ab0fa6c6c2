import doctest

import pytest

from backend import taxonomy
from backend.benchmarks import load_benchmark


def test_examples():
    assert doctest.testmod(taxonomy).failed == 0


@pytest.mark.parametrize("table", [taxonomy.CONCEPTS, taxonomy.PERTURBATIONS])
def test_every_parent_is_a_term_and_no_chain_is_a_circle(table):
    for term in table.values():
        assert term.parent == "" or term.parent in table
        assert term.what
        assert taxonomy.family(term.name) in table
    assert not taxonomy.CONCEPTS.keys() & taxonomy.PERTURBATIONS.keys()


def test_the_world_speaks_these_words():
    for item in load_benchmark("world"):
        taxonomy.check(item.tags["concept"], item.tags["perturbation"])
