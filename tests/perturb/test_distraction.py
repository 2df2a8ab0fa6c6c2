from backend.perturb import apply
from backend.perturb.rules.distraction import STATEMENTS
from backend.perturb.words.kinds import KIND_OF
from backend.perturb.words.tokens import tokens


def test_before_the_full_stop():
    assert apply("distraction", "A red car. ").text.startswith("A red car, and ")
    assert apply("distraction", "A red car. ").text.endswith(". ")
    assert not apply("distraction", "A red car").text.endswith(".")


def test_statements_name_nothing_that_a_picture_shows():
    words = {word.lower for statement in STATEMENTS for word in tokens(statement)}
    assert not words & KIND_OF.keys()
    assert not words & {"man", "dog", "two", "left", "no"}


def test_enough_of_them_for_a_near_miss():
    assert len({apply("distraction", "A red car", seed).what for seed in range(100)}) == len(STATEMENTS) >= 8
