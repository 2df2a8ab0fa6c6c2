"""The bundled models' tokenizer: words of the world whole, other words by characters, and slips for training."""

import string

import numpy as np

from backend.bundled.train import misspelling, samples, tokens
from backend.world.language.words import VOCABULARY

CODER = tokens.tokenizer()


def pieces(text: str) -> list[str]:
    return CODER.convert_ids_to_tokens(CODER(text)["input_ids"])[1:-1]


def test_every_word_of_the_world_is_one_token():
    for word in VOCABULARY:
        assert pieces(word) == [word]
        assert pieces(word.upper()) == [word]


def test_other_words_are_read_by_a_known_beginning_and_characters():
    assert pieces("squrae") == ["s", *(f"##{c}" for c in "qurae")]
    assert pieces("starr") == ["star", "##r"]
    assert pieces("it's 3-4!") == ["it", "'", "s", "3", "-", "4", "!"]
    assert CODER.decode(CODER("a squrae starr").input_ids, skip_special_tokens=True) == "a squrae starr"


def test_no_ascii_word_is_unknown_and_others_are():
    rng = np.random.default_rng(0)
    characters = list(string.ascii_letters + string.digits + string.punctuation)
    for _ in range(300):
        text = "".join(rng.choice(characters, size=rng.integers(1, 12)))
        assert tokens.UNK not in pieces(text), text
    assert pieces("naïve star") == [tokens.UNK, "star"]


def test_ids_are_those_of_the_list_and_end_of_text_is_not_two():
    assert [CODER.convert_tokens_to_ids(token) for token in tokens.vocabulary()] == list(range(len(CODER)))
    assert len(set(tokens.vocabulary())) == len(CODER)
    assert CODER("a").input_ids == [tokens.BOS_ID, CODER.convert_tokens_to_ids("a"), tokens.EOS_ID]


def test_misspelt_captions_are_rare_short_enough_and_known():
    rng = np.random.default_rng(0)
    said = samples.mixed(rng, 2000).captions
    slips = misspelling.some(rng, said)
    changed = [a != b for a, b in zip(said, slips, strict=True)]
    assert 0.15 < np.mean(changed) < 0.25
    ids = CODER(slips).input_ids
    assert max(map(len, ids)) < tokens.MAX_TOKENS
    assert not any(tokens.UNK_ID in row for row in ids)


def test_a_slip_touches_one_or_two_words_by_one_letter():
    said = "a big red circle left of two small hearts"
    for seed in range(200):
        words = misspelling.caption(np.random.default_rng(seed), said).split()
        differing = [(a, b) for a, b in zip(said.split(), words, strict=True) if a != b]
        assert len(differing) <= misspelling.MOST_WORDS
        for a, b in differing:
            assert abs(len(a) - len(b)) <= 1
            assert len(a) > 2
