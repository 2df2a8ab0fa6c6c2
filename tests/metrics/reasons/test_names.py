"""Every word of the columns has a name and a meaning, and no name is an internal key."""

from backend.metrics.reasons import names
from backend.metrics.reasons.counterfactual import CHOICE_CELLS
from backend.metrics.reasons.mirror import STATES
from backend.metrics.reasons.quads import QUAD_CELLS


def test_every_word_has_a_name_and_a_meaning():
    words = {*QUAD_CELLS, *CHOICE_CELLS, *STATES} - {"seen", "not_seen"}
    assert set(names.NAMES) == set(names.MEANINGS) == words
    assert not [name for name in names.NAMES.values() if "_" in name]


def test_the_cells_of_a_bar_are_those_of_the_metric():
    assert {protocol: set(cells) for protocol, cells in names.CELLS.items()} == {
        "quad": set(QUAD_CELLS), "choice": set(CHOICE_CELLS), "triplet": set(CHOICE_CELLS)}  # fmt: skip
