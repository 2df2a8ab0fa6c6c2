import pytest

from backend.perturb import apply
from backend.perturb.rules.typos import NEARBY
from backend.perturb.words.tokens import spelt

TEXT = "A brown horse from the farm stands beside the wooden fence"


@pytest.mark.parametrize("seed", range(20))
def test_a_swap_keeps_the_letters(seed):
    edit = apply("character_swap", TEXT, seed)
    assert sorted(edit.text) == sorted(TEXT)
    assert sum(a != b for a, b in zip(edit.text, TEXT, strict=True)) == 2


@pytest.mark.parametrize("seed", range(20))
def test_one_letter_less_or_more(seed):
    (start, end), *_ = apply("missing_character", TEXT, seed).before
    assert TEXT[start:end].isalpha()
    assert len(apply("missing_character", TEXT, seed).text) == len(TEXT) - 1
    assert len(apply("extra_character", TEXT, seed).text) == len(TEXT) + 1


@pytest.mark.parametrize("seed", range(20))
def test_a_nearby_key_is_beside_the_right_one(seed):
    edit = apply("nearby_key", TEXT, seed)
    (start, end), *_ = edit.spans
    assert edit.text[start:end] in NEARBY[TEXT[start]]


def test_the_keyboard():
    assert set(NEARBY["a"]) == set("qwsz")
    assert set(NEARBY["g"]) == set("tyfhvb")
    assert all(a in NEARBY[b] for a, near in NEARBY.items() for b in near)


@pytest.mark.parametrize("name", ["character_swap", "missing_character", "extra_character", "nearby_key"])
def test_never_another_word_and_never_a_short_one(name):
    for seed in range(40):
        edit = apply(name, "form from trail board", seed)
        if edit is not None:
            assert not spelt(edit.what.split(" → ")[1])
    assert apply(name, "a red cat, 2019!") is None
