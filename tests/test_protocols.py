"""What a protocol is stands in one row, and everything that reads shapes, names and roles follows it."""

import numpy as np
import pytest

from backend.live.scoring import judging
from backend.metrics.core import registry
from backend.metrics.core.scored import Scored
from backend.protocols import ALONE, Protocol, ProtocolInfo
from pages.shared.data.protocol_names import PROTOCOLS


def test_items_are_judged_one_by_one_where_the_row_says_so():
    assert ALONE == ("triplet", "choice", "quad", "answers")
    assert (*ALONE, "classify") == registry.BY_ITEM


@pytest.mark.parametrize("protocol", Protocol)
def test_a_row_fits_what_judges_it(protocol):
    info = protocol.info
    assert info.name == protocol
    assert all(image < (info.images or image + 1) and text < (info.texts or text + 1) for image, text in info.truth)
    assert PROTOCOLS[protocol] == info.title
    if protocol in ALONE and info.truth:  # what the right answer is stands with each item
        shape = (1, info.texts or 3) if info.images == 1 else (1, info.images, info.texts)
        scores = np.zeros(shape)
        for image, text in info.truth:
            scores[(0, text) if info.images == 1 else (0, image, text)] = 1.0
        headline = registry.by_name({"triplet": "i2t_accuracy", "choice": "accuracy", "quad": "group_score"}[protocol])
        assert headline.judge(Scored(scores)).correct.tolist() == [True]


def test_roles_and_truth_of_live_items_are_the_rows():
    assert judging.roles("triplet", 3) == ["P1", "P2", "N"]
    assert judging.roles("choice", 3) == ["true", "foil 1", "foil 2"]
    assert judging.roles("quad", 2) == judging.roles(judging.GRID, 2) == ["1", "2"]
    assert judging.truth("quad") == {(0, 0), (1, 1)}
    assert judging.truth(judging.GRID) == frozenset()


def test_a_row_that_no_array_could_hold_is_refused():
    with pytest.raises(ValueError, match="need a fixed number of images and of texts"):
        ProtocolInfo("pairs", "pairs", images=2)
    with pytest.raises(ValueError, match="roles names 1 texts, texts is 4"):
        ProtocolInfo("fours", "fours", texts=4, roles=("true",))
    with pytest.raises(ValueError, match="is not a valid Protocol"):
        Protocol("fours")
