"""What holds of every perturbation: spans, determinism, None, the contract with proposers."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import backend.perturb as perturb
from backend import taxonomy
from backend.errors import UsageError
from backend.perturb.base import Edit, Effect

ROOT = Path(__file__).resolve().parents[2]
RULES = [name for name in perturb.names() if not perturb.get(name).needs]
WORDS = [
    "a",
    "an",
    "the",
    "two",
    "three",
    "some",
    "several",
    "no",
    "not",
    "red",
    "blue",
    "wooden",
    "metal",
    "big",
    "small",
    "old",
    "open",
    "man",
    "dogs",
    "dog",
    "woman",
    "children",
    "table",
    "orange",
    "cups",
    "glass",
    "is",
    "are",
    "was",
    "sits",
    "riding",
    "holding",
    "standing",
    "on",
    "under",
    "left",
    "of",
    "the",
    "right",
    "in",
    "front",
    "behind",
    "with",
    "without",
    "Has",
    "She",
    "it's",
    "can't",
    "T-shirt",
    ",",
    ".",
    "!",
    '"',
    "(",
    ")",
    "2",
    "7",
    "and",
    "or",
    "near",
    "to",
]
CAPTIONS = st.lists(st.sampled_from(WORDS), max_size=14).map(" ".join) | st.text(max_size=60)


def outside(text: str, spans) -> list[str]:
    ends = [0, *(end for _, end in spans)]
    starts = [*(start for start, _ in spans), len(text)]
    return [text[a:b] for a, b in zip(ends, starts, strict=True)]


def check(text: str, edit: Edit) -> None:
    assert edit.text.casefold() != text.casefold()
    assert edit.text.strip()
    assert len(edit.spans) == len(edit.before) > 0
    for spans, whole in ((edit.spans, edit.text), (edit.before, text)):
        flat = [offset for span in spans for offset in span]
        assert flat == sorted(flat)
        assert 0 <= flat[0] <= flat[-1] <= len(whole)
    assert outside(edit.text, edit.spans) == outside(text, edit.before)
    assert edit.what
    assert edit.concept == "" or edit.concept in taxonomy.CONCEPTS


@pytest.mark.parametrize("name", RULES)
@settings(max_examples=40, deadline=None)
@given(text=CAPTIONS, seed=st.integers(0, 5))
def test_spans_hold_and_an_edit_edits(name, text, seed):
    edit = perturb.apply(name, text, seed)
    assert edit == perturb.apply(name, text, seed)
    if edit is not None:
        check(text, edit)
        known = perturb.get(name)
        assert edit.concept in ("", *known.concepts)


@pytest.mark.parametrize("name", RULES)
def test_the_example_shows_it_and_what_holds_no_word_is_left_alone(name):
    known = perturb.get(name)
    edit = perturb.apply(name, known.example)
    assert edit is not None
    check(known.example, edit)
    for text in ("", " ", "...", "!", "🙂"):
        assert perturb.apply(name, text) is None


@pytest.mark.parametrize("name", perturb.names())
def test_every_perturbation_says_what_it_is(name):
    known = perturb.get(name)
    assert known.name == name
    assert known.title
    assert known.what.endswith(".")
    assert known.paper in ("brittleness", "ARO", "SVLC", "ours")
    assert (known.where == "") == (known.paper == "ours")
    preserving = {"typo", "synonym", "distraction", "analogy"}
    assert (known.effect is Effect.PRESERVING) == (known.family in preserving)


def test_only_two_typos_are_the_papers():
    typos = [perturb.get(name) for name in perturb.names() if perturb.get(name).family == "typo"]
    assert [known.name for known in typos if known.paper == "brittleness"] == ["character_swap", "missing_character"]


@pytest.mark.slow
def test_the_same_in_another_process_under_another_hash_seed():
    code = (
        "import json, backend.perturb as p\n"
        "names = [n for n in reversed(p.names()) if not p.get(n).needs]\n"
        "edits = {n: [p.apply(n, p.get(n).example, s) for s in (3, 1)] for n in names}\n"
        "print(json.dumps({n: [e and e.text for e in both] for n, both in edits.items()}))"
    )
    environment = {**os.environ, "PYTHONHASHSEED": "4242"}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env=environment, capture_output=True, text=True, check=True
    )
    there = json.loads(done.stdout)
    for name in RULES:
        example = perturb.get(name).example
        assert there[name] == [e.text if (e := perturb.apply(name, example, s)) else None for s in (3, 1)]


def test_seeds_differ():
    text = "A brown horse stands beside the wooden fence of a large garden."
    assert len({perturb.apply("character_swap", text, seed).text for seed in range(8)}) > 4


def test_many_is_each_alone_and_lazy():
    texts = [f"A red car and {n} dogs" for n in range(150)]
    many = list(perturb.apply_many("negative_colour", iter(texts), seed=2, batch=7))
    assert many == [perturb.apply("negative_colour", text, 2) for text in texts]

    def endless():
        while True:
            yield "A red car"

    assert next(perturb.apply_many("negative_colour", endless())) is not None


def test_a_wrong_name_is_told_the_near_ones():
    with pytest.raises(UsageError, match="Did you mean negative_colour"):
        perturb.get("negative_color")


def test_a_rule_takes_no_proposer_and_a_proposal_needs_one():
    with pytest.raises(UsageError, match="takes no proposer"):
        perturb.get("negation").with_proposer(lambda texts: [])
    with pytest.raises(UsageError, match="needs a fill-mask model"):
        perturb.apply("fill_mask", "A red car")
