"""Every edit of a rule, and foils by group."""

from random import Random

import pytest

from backend import perturb
from backend.perturb import foils, objects
from backend.perturb.base import Edit, Effect
from backend.perturb.every import every
from backend.perturb.words.tokens import tokens

CAPTIONS = (
    "a red circle and a blue star", "A man in a red shirt is riding a brown horse near two dogs.", "two pink stars",
    "an old man sits on top of a small wooden table", "a purple square to the left of an orange circle",
)  # fmt: skip
RULES = [name for names in (*foils.CHANGING.values(), *foils.PRESERVING.values()) for name in names]


@pytest.mark.parametrize("name", RULES)
def test_every_edit_holds_all_that_seeds_draw(name: str) -> None:
    """What a rule draws under 60 seeds is among the enumerated edits, and nothing else is drawn."""
    for text in CAPTIONS:
        found = {edit.text for edit in every(name, text)}
        drawn = {edit.text for seed in range(60) if (edit := perturb.apply(name, text, seed))}
        assert drawn <= found
        assert text not in found


def test_the_branches_of_a_rule_are_each_walked_once() -> None:
    asked: list[tuple[int, int]] = []

    def rule(text: str, rng: Random) -> Edit | None:
        a, b = int(rng.random() * 2), int(rng.random() * 3)
        asked.append((a, b))
        return Edit(f"{text} {a} {b}", (), (), "")

    known = perturb.get("negation")
    made = perturb.Perturbation(
        "x", "x", Effect.CHANGING, known.family, (), "ours", "", "", "", rule
    )  # fmt: skip
    assert [edit.text for edit in every(made, "t")] == [f"t {a} {b}" for a in range(2) for b in range(3)]
    assert len(asked) == 6
    assert len(every(made, "t", 2)) == 2


def test_foils_change_the_meaning_and_are_given_by_group() -> None:
    found = foils.foils(CAPTIONS[0])
    assert [p.edit.text for p in found["swap"]] == ["a blue circle and a red star"]
    assert {"colour", "object", "plurality"} <= set(found)
    assert all(p.effect is Effect.CHANGING for own in found.values() for p in own)
    without = foils.foils(CAPTIONS[0], without=["a blue circle and a red star"])
    assert "swap" not in without
    places = {p.edit.before[-1] for p in found["colour"]}
    assert len(places) == 2  # both colours are offered something


def test_a_word_is_offered_what_may_stand_there() -> None:
    text = CAPTIONS[1]
    red = next(word for word in tokens(text) if word.text == "red")
    offered = foils.at(text, red.start, red.end)
    assert {p.group for p in offered} == {"swap", "colour"}
    assert all((red.start, red.end) in p.edit.before for p in offered)


def test_preserving_and_changing_are_apart() -> None:
    assert foils.effect_of("a big dog", "a large dog") is Effect.PRESERVING
    assert foils.effect_of("a big dog", "a small dog") is Effect.CHANGING
    assert foils.effect_of("a big dog", "a strange dog") is None


@pytest.mark.parametrize("text", ["", "   ", "<b>&nbsp;</b>", "\u4e00\u4e8c", "x" * 5000, "'''\"\"\"", "a " * 190])
def test_odd_captions_are_offered_something_or_nothing(text: str) -> None:
    assert all(p.edit.text != text for p in foils.proposals(text))


def test_nouns_of_the_same_kind_never_name_the_same_thing() -> None:
    assert "square" in objects._of("circle")
    assert "hound" not in objects._of("dog")
    assert "animal" not in objects._of("dog")
    assert objects._of("zzz") == ()
    texts = [edit.text for edit in objects.edits("a circle and a star")]
    assert "a star and a star" not in texts
    assert "a square and a star" in texts
