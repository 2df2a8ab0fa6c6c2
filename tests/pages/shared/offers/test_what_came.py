"""What new results brought, in words."""

import doctest

from pages.shared.offers import what_came
from pages.shared.offers.what_came import Held


def test_examples() -> None:
    assert doctest.testmod(what_came).failed == 0


def test_of_many_runs_a_few_are_named_and_runs_that_are_gone_are_counted() -> None:
    before = Held({"old": ("fake:gone", "world", "w", "1")}, {"w": ("world", 9)})
    after = Held({f"r{k}": (f"fake:m{k}", "world", "w", "2") for k in range(5)}, before.benchmarks)
    said = what_came.came(before, after)
    assert said.startswith("Here now: scores of fake:m0 on world")
    assert "3 more" in said
    assert said.endswith("1 run fewer.")


def test_a_number_that_follows_what_is_there_is_no_other_choice() -> None:
    assert what_came.moved({"margin": (-0.3, 0.2), "page": 3}, {"margin": (-0.4, 0.2), "page": 1}) == ""
    said = what_came.moved({"model": "a", "concept": ["x", "y"]}, {"model": "b", "concept": ["x"]})
    assert said == "With them this page shows another model: b instead of a; another concept: x instead of x, y."
