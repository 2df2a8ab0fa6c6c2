import pytest

from backend.perturb import apply, names
from backend.perturb.words.kinds import KIND_OF


def every(name, text, seeds=60):
    return {edit.text for seed in range(seeds) if (edit := apply(name, text, seed))}


def test_the_papers_own_example():
    found = every("negative_colour", "A big brown dog", 300)
    assert "A big yellow dog" in found
    assert "An" not in "".join(found)
    assert len(found) == 10


def test_articles_follow():
    assert every("negative_colour", "an orange car. A red bus", 300) >= {
        "a blue car. A red bus",
        "an orange car. A blue bus",
    }
    assert "An orange bus" in every("negative_colour", "A red bus", 300)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("negative_colour", "an orange on the table"),
        ("negative_colour", "a red, orange, yellow, green, blue, purple, pink, brown, black, white and gray flag"),
        ("negative_material", "a glass of wine"),
        ("negative_material", "a dog on the stone"),
        ("negative_size", "they play a little"),
        ("negative_size", "no longer there"),
        ("negative_state", "a hot dog"),
        ("negative_state", "he will open the door"),
        ("negative_action", "a laptop sitting on a desk"),
        ("negative_action", "people in a swimming pool"),
        ("negative_spatial", "a bus that left the station"),
        ("negative_spatial", "right here on Sunday"),
        ("swap_attributes", "a red car and a blue car"),
        ("swap_attributes", "a big dog and a large cat"),
        ("negation", "two dogs"),
        ("number", "one dog at 7 pm"),
        ("plurality", "a couple of water"),
        ("tense", "a man riding a bike"),
    ],
)
def test_not_applicable(name, text):
    assert every(name, text, 10) == set()


@pytest.mark.parametrize(
    ("name", "text", "possible"),
    [
        ("negative_material", "a wooden table", {"a plastic table", "a leather table"}),
        ("negative_material", "a toy made of wood", {"a toy made of plastic"}),
        ("negative_size", "a big dog", {"a small dog", "a tiny dog"}),
        ("negative_size", "a short man with short hair", {"a tall man with short hair", "a short man with long hair"}),
        ("negative_state", "an old man", {"a young man"}),
        ("negative_state", "an old house", {"a new house"}),
        ("negative_state", "the door is open", {"the door is closed"}),
        ("negative_action", "a man is holding a ball", {"a man is throwing a ball"}),
        ("negative_action", "a dog sits near a cat", {"a dog stands near a cat"}),
        ("negative_spatial", "a cat to the left of a dog", {"a cat to the right of a dog"}),
        ("negative_spatial", "a cat in front of a dog", {"a cat behind a dog"}),
        ("negative_spatial", "a cup on top of a box", {"a cup below a box"}),
        ("swap_attributes", "A red cup on an old, wooden table.", {"A wooden cup on an old, red table."}),
        ("swap_attributes", "an orange cup and a blue box", {"a blue cup and an orange box"}),
        ("negation", "a dog is here", {"a dog is not here"}),
        ("negation", "a dog isn't here", {"a dog is here"}),
        ("negation", "There are no dogs", {"There are some dogs"}),
        ("negation", "a man without a hat", {"a man with a hat"}),
        ("negation", "a dog runs fast", {"a dog does not run fast"}),
        ("number", "2 dogs", {"3 dogs", "4 dogs"}),
        ("plurality", "A dog sits on the grass", {"Several dogs sit on the grass"}),
        ("plurality", "Several women are eating", {"A woman is eating"}),
        ("tense", "a man rides a bike", {"a man rode a bike", "a man will ride a bike"}),
        ("tense", "dogs were playing", {"dogs are playing", "dogs will be playing"}),
    ],
)
def test_worked_examples(name, text, possible):
    assert every(name, text) >= possible


def test_no_negative_means_the_same():
    for name in (each for each in names() if each.startswith("negative_")):
        for word, kind in KIND_OF.items():
            for seed in range(5):
                edit = apply(name, f"the {word} box", seed)
                if edit is not None:
                    new = edit.text.removeprefix("the ").removesuffix(" box")
                    assert new not in KIND_OF or KIND_OF[new].group != kind.group


def test_a_denial_is_named_as_it_is_written():
    edit = apply("negation", "a dog runs fast")
    assert (edit.text, edit.what) == ("a dog does not run fast", "does not run")


def test_concepts_are_told():
    assert apply("negative_action", "a man is holding a ball").concept == "action"
    assert apply("negative_action", "a man is standing here").concept == "doing"
    assert apply("swap_attributes", "a red cup and a blue box").concept == "colour"
    assert apply("swap_attributes", "a red cup and a wooden box").concept == "attribute"
