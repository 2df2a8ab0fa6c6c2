"""What a training is going to need is asked of `flipside teach` itself, so its words have to be such as the verb takes."""

from backend.verbs.shared import out
from pages.teach.train import needs


def test_the_verb_takes_the_place_of_a_training_that_is_only_measured(flipside_cache):
    assert out.folder(str(needs.place())) == needs.place()
    assert not needs.place().exists()
