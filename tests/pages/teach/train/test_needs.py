"""What a training is going to need is asked of `flipside teach` itself: in words that the verb takes."""

import pytest

from backend.verbs.shared import out
from pages.teach.train import needs


@pytest.mark.usefixtures("flipside_cache")
def test_the_verb_takes_the_place_of_a_training_that_is_only_measured():
    assert out.folder(str(needs.place())) == needs.place()
    assert not needs.place().exists()
