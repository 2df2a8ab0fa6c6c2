"""Forced choice: what counts as an answer, both orders, and servers that name no letter."""

import re
from typing import Any

import numpy as np
import pytest

from backend.errors import FlipsideError, UsageError
from backend.models import load
from backend.models.endpoint import messages
from backend.models.endpoint.contests import PATIENCE, content_of, letter_of
from backend.models.fidelity import check
from tests.models.endpoint.server import Server, taste

TEXTS = ("a red cube", "two dogs on the beach", "a cat", "", "Ein Bär", "a red cube and a ball", "Yes")


@pytest.mark.parametrize("letter", ["A", "B"])
@pytest.mark.parametrize(
    "form",
    [
        "{}", "{}.", "({})", "{})", " {}\n", "**{}**", "`{}`", '"{}"', "{}) a red cube", "{}: a dog", "{}\nbecause",
        "Answer: {}", "The answer is {}.", "the correct answer is **{}**", "Option {}", "Caption {}.", "{} - the cube",
    ],
)  # fmt: skip
def test_an_answer_that_names_a_letter(form: str, letter: str) -> None:
    assert letter_of(form.format(letter)) == letter
    if form == "{}":
        assert letter_of(letter.lower()) == letter


@pytest.mark.parametrize(
    "answer",
    [
        "", " ", "A red cube", "a red cube on", "B movies are", "A or B", "A/B", "B and A", "Both", "Neither", "C",
        "I cannot see images", "Absolutely", "The answer is a red cube", "Yes", "AB", "1", "Because",
    ],
)  # fmt: skip
def test_an_answer_that_names_none(answer: str) -> None:
    assert letter_of(answer) == ""


def test_content() -> None:
    assert content_of({"choices": [{"message": {"content": None}}]}, "x") == ""
    for nonsense in ({}, {"choices": []}, {"choices": [{}]}, {"choices": [{"message": "A"}]}, {"choices": "A"}):
        with pytest.raises(FlipsideError, match="x gives an answer without a message"):
            content_of(nonsense, "x")


def test_a_taste_is_found_whichever_caption_comes_first(server: Server, images: list[Any]) -> None:
    server.chooses = taste
    mine = load(server.spec)
    assert mine.kinds == {"gen", "prior", "vqa", "verdict"}
    seconds = [*TEXTS[1:], TEXTS[0]]
    found = mine.prefer(images, TEXTS, seconds)
    seen = [server.chat.sight(messages.png(image)) for image in images]
    want = [float(taste(*case) == "A") for case in zip(seen, TEXTS, seconds, strict=True)]
    assert found.dtype == np.float32
    assert found.tolist() == want
    assert {0.0, 1.0} == set(want)
    np.testing.assert_array_equal(mine.prefer(images, seconds, TEXTS), 1 - found)
    assert mine.remarks()["verdict"]["undecided"] == 0
    assert mine.describe()["preprocessing"]["choice"].startswith("Which of the two captions describes the image?")


def test_two_requests_a_contest_both_orders_and_once(server: Server, images: list[Any]) -> None:
    server.chooses = taste
    mine = load(server.spec)
    server.asked.clear()
    mine.prefer(images[:1], ["a cat"], ["a dog"])
    said = [body["messages"][0]["content"][1]["text"] for body in server.asked]
    assert [re.findall(r"[AB]\) (.*)", text) for text in said] == [["a cat", "a dog"], ["a dog", "a cat"]]
    assert all(body["temperature"] == 0 and body["max_tokens"] == 8 for body in server.asked)
    mine.prefer(images[:1], ["a cat"], ["a dog"])
    assert len(server.asked) == 2
    assert mine.prefer(images[:2], ["a cat", "a  dog"], ["a cat", "a dog\n"]).tolist() == [0.5, 0.5]
    assert len(server.asked) == 2  # equal captions are not asked about


@pytest.mark.parametrize("letter", ["A", "B"])
def test_one_letter_for_everything_decides_nothing(letter: str, server: Server, images: list[Any]) -> None:
    server.chooses = lambda *_: letter
    mine = load(server.spec)
    assert mine.prefer(images, TEXTS, [f"{text} not" for text in TEXTS]).tolist() == [0.5] * len(TEXTS)
    told = mine.remarks()["verdict"]
    assert told == {
        "contests": 7, "undecided": 7, "answered_a": 14 * (letter == "A"), "answered_b": 14 * (letter == "B"),
        "answered_neither": 0,
    }  # fmt: skip


def test_an_answer_that_names_neither_decides_nothing(server: Server, images: list[Any]) -> None:
    server.chooses = lambda seen, a, b: "Neither of them." if "dog" in a else taste(seen, a, b)
    mine = load(server.spec)
    found = mine.prefer(images[:2], ["a dog", "a cat"], ["a cat", "a car"])
    assert found[0] == 0.5
    assert found[1] in (0.0, 1.0)
    assert mine.remarks()["verdict"]["answered_neither"] == 1


@pytest.mark.slow
def test_prose_is_refused_when_it_is_loaded(server: Server, images: list[Any]) -> None:
    server.chooses = lambda *_: "A red square can be seen"
    mine = load(server.spec)
    assert mine.kinds == {"gen", "prior", "vqa"}
    with pytest.raises(UsageError, match=r"gives no verdict .asked to choose between A and B, the model answers 'A"):
        mine.prefer(images[:1], ["a"], ["b"])
    server.shows_prompt, server.tops = False, 0
    with pytest.raises(FlipsideError, match=r"no score can be had from it: .*the model answers 'A red square can"):
        load(server.spec)
    server.chooses = taste
    assert load(server.spec).kinds == {"verdict"}
    server.sees = False
    with pytest.raises(FlipsideError, match=r"no score can be had from it: .*not a multimodal model"):
        load(server.spec)


@pytest.mark.slow
def test_prose_that_begins_later_ends_the_work(server: Server, images: list[Any]) -> None:
    server.chooses = taste
    mine = load(server.spec)
    server.chooses = lambda *_: "The image shows a cat"
    mine.batch_size = 1
    server.asked.clear()
    with pytest.raises(FlipsideError, match=r"20 of 20 answers to a choice between A and B name neither, such as 'The"):
        mine.prefer([images[0]] * 40, [f"a {n}" for n in range(40)], ["b"] * 40)
    assert len(server.asked) == PATIENCE


@pytest.mark.long
def test_company_is_checked_by_doctor(server: Server) -> None:
    server.chooses = taste
    server.shows_prompt = False
    findings = [finding for finding in check(load(server.spec), None) if finding.kind == "verdict"]
    assert {finding.check for finding in findings} == {"finite", "company", "batch of 1", "batch of 7"}
    assert all(finding.ok for finding in findings)
