"""`run` needs a known part of the operations that a loop needs, and hardly more than unique inputs cost: counted, so
that the result is the same on a busy machine. The same comparisons by CPU seconds: `make bench`."""

import pytest

from bench.paired import counting
from bench.paired.cases import CASES

#: Size of each comparison, and how many times `run`'s operations the loop needs there. Small models on small
#: pictures, so the figures are not those of docs/performance.md.
SMALL = {
    "itc": ((16, 77), 5.2),
    "gen": ((9, 16), 7.0),
    "pool-itm": ((4, 120), 14.0),
    "t2t": ((40, 0), 4.5),
    "counterfactual": ((20, 2), 8.0),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", SMALL)
def test_run_costs_a_part_of_the_loop_and_hardly_more_than_the_bound(name, tmp_path):
    size, least = SMALL[name]
    found = counting.count(CASES[name], size, tmp_path)
    assert found.ratio >= least
    assert found.share >= 0.97
    assert found.passes <= found.bound.passes + 3
