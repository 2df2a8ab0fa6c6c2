"""The simulated schedule against real studies on Ray: how often models are loaded, nothing lost and nothing twice."""

import pytest

from bench.scaling import side_by_side


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_real_studies_load_models_as_often_as_simulated(tmp_path):
    """One study of two models on two nodes, then two of one model each at once on two clusters, in one cache."""
    found = side_by_side.seen(tmp_path, 200, ("north", "east"), kill=False)
    assert found.wrong == []
    assert found.loads == found.simulated == (2 * (1 + 2), 2 * (1 + 1))
    assert found.rows > 2 * side_by_side.CELLS  # of each model windows enough for both nodes
