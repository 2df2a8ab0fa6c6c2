import pytest

from backend.perturb import apply


def test_number_capitals_and_article():
    assert apply("synonym_noun", "Sofas.").text == "Couches."
    assert apply("synonym_noun", "A car").text in ("An auto", "An automobile", "A motorcar")
    assert apply("synonym_adjective", "BIG dogs").text == "LARGE dogs"


def test_a_word_that_mostly_means_something_else_is_no_synonym():
    found = {apply("synonym_noun", "a car", seed).what for seed in range(20)}
    assert found <= {"car → auto", "car → automobile", "car → motorcar"}  # not "machine"


@pytest.mark.parametrize("text", ["a red thing", "Two zebras", "a bat and a bike", "someone", "a black bird"])
def test_none_without_a_sure_synonym(text):
    assert apply("synonym_noun", text) is None
    assert apply("synonym_adjective", text) is None


def test_grey():
    assert apply("synonym_adjective", "a gray wall").text == "a grey wall"
