import pytest

from backend.perturb import apply, apply_many, get
from backend.perturb.base import MASK


def proposing(*words):
    return lambda texts: [[(word, 1.0 / (k + 1)) for k, word in enumerate(words)] for _ in texts]


def test_a_noun_by_one_of_the_first_that_fit():
    known = get("fill_mask_noun").with_proposer(
        proposing("dog", "dogs", "animal", "canine", "the", "##x", "cat", "apple")
    )
    found = {apply(known, "A big dog", seed).text for seed in range(20)}
    assert found == {"A big cat", "A big apple"}  # neither itself, nor what a dog is, nor another word class
    assert apply(known, "A big dog").concept == "object"


def test_the_article_follows_the_word():
    known = get("fill_mask_noun").with_proposer(proposing("owl"))
    assert apply(known, "a dog").text == "an owl"


def test_only_the_first_five():
    known = get("fill_mask_adjective").with_proposer(proposing("green", "blue", "old", "new", "wet", "dry"))
    found = {apply(known, "a red car", seed).text for seed in range(60)}
    assert found == {f"{'an' if w == 'old' else 'a'} {w} car" for w in ("green", "blue", "old", "new", "wet")}
    assert apply(known, "a red car").concept == "colour"


def test_questions_hold_one_mask_and_batches_change_nothing():
    asked = []

    def model(texts):
        asked.append(list(texts))
        return [[("cat", 1.0), ("yellow", 0.5), ("near", 0.4), ("watching", 0.3)] for _ in texts]

    known = get("fill_mask").with_proposer(model)
    texts = ["A red car on a street", "!", "a man is riding a horse"] * 20
    many = list(apply_many(known, texts, seed=3, batch=16))
    assert [len(batch) for batch in asked] == [11, 10, 11, 8]
    assert all(text.count(MASK) == 1 for batch in asked for text in batch)
    assert many == [apply(known, text, 3) for text in texts]
    assert many[1] is None


def test_nothing_fits():
    assert apply(get("fill_mask").with_proposer(proposing()), "a red car") is None
    assert apply(get("fill_mask_verb").with_proposer(proposing("walks")), "a red car") is None


def test_a_proposer_that_loses_an_answer_is_named():
    with pytest.raises(ValueError, match="0 answers to 1 questions"):
        apply(get("analogy").with_proposer(lambda texts: []), "a red car")


def test_an_analogy_differs_in_more_than_marks():
    known = get("analogy").with_proposer(lambda texts: [["a  RED car.", " ", "the car is  red"] for _ in texts])
    edit = apply(known, "A red car")
    assert edit.text == "the car is red"
    assert edit.spans == ((0, 14),)
    assert apply(get("analogy").with_proposer(lambda texts: [["A red car!"]]), "a red car") is None
