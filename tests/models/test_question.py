"""`#question=`: another question behind vqa, in the spec, in the run's id and in what is asked."""

import doctest
import json
from typing import Any

import numpy as np
import pytest
from PIL import Image

from backend.engine.storage.identity import run_id
from backend.errors import UsageError
from backend.models import fidelity, kinds_of, load, question
from backend.models.registry import reference_of
from backend.models.spec import parse
from tests.models.endpoint.conftest import server, tiny
from tests.zoo.chat import llava

__all__ = ["server", "tiny"]
NOTHING = {"split": None, "subset": None, "limit": None, "sample": None, "seed": 0}
IMAGES = [Image.new("RGB", (32, 32), colour) for colour in ("red", "blue")]


def test_examples_in_docstrings() -> None:
    assert doctest.testmod(question).failed == 0


@pytest.mark.parametrize(
    ("written", "name", "asked"),
    [
        ("hf:a/b#question=Is this {text}? Yes or no.", "a/b", "Is this {text}? Yes or no."),
        ("hf:a/b@main#question=Is%20{text}%2C%20it%3F", "a/b@main", "Is {text}, it?"),
        ("hf:/my folder#1/x#question=#1: {text} = 100%25?", "/my folder#1/x", "#1: {text} = 100%?"),
        ("endpoint:http://h/v1#m#question={text}?", "http://h/v1#m", "{text}?"),
        ("hf:a/b#question=vqascore", "a/b", 'Does this figure show "{text}"? Please answer yes or no.'),
        ("hf:a/b#question=default", "a/b", ""),
        ("hf:a/b#question=Does this figure show '{text}'? Please answer yes or no.", "a/b", ""),
    ],
)
def test_a_question_is_read_from_a_spec(written: str, name: str, asked: str) -> None:
    found = parse(written)
    assert (found.name, str(found)) == (name, written)
    assert question.question_of(written, found.question) == asked


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("vqascores", r"there is no question 'vqascores'; write one that holds \{text\}, or a name: default, vqascore"),
        ("", r"there is no question ''"),
        ("Is this a cat?", r"holds \{text\} nowhere"),
        ("{text} or {text}?", r"holds \{text\} 2 times"),
        ("{text}%0A?", r"one line of up to 1000"),
        ("{text}" + "?" * 1000, r"one line of up to 1000"),
        ("Is it {texts}?", r"holds \{text\} nowhere"),
    ],
)
def test_a_wrong_question_is_one_sentence(written: str, said: str) -> None:
    for ask in (load, kinds_of, parse):
        with pytest.raises(UsageError, match=said):
            ask(f"hf:a/b#question={written}")


@pytest.mark.parametrize("spec", ["bundled:clip", "bundled:captioner"])
def test_a_model_that_is_asked_nothing_refuses_it(spec: str) -> None:
    with pytest.raises(UsageError, match=r"is asked no question; leave #question= out"):
        load(f"{spec}#question=vqascore")


def identity(model: Any) -> str:
    return run_id(model.describe(), "0" * 64, NOTHING)


@pytest.fixture(scope="module")
def folder(torch: Any, tmp_path_factory: pytest.TempPathFactory) -> str:
    place = tmp_path_factory.mktemp("chat")
    llava.CASES[0].build(place)
    return f"hf:{place}"


@pytest.mark.long
def test_a_chat_model_is_asked_it_and_says_so(folder: str) -> None:
    plain, other = (
        load(folder, device="cpu"),
        load(f"{folder}#question=A picture of {{text}}, yes or no?", device="cpu"),
    )
    assert kinds_of(other.spec) == kinds_of(folder)
    texts = ["a red cube", "two dogs"]
    assert np.abs(plain.vqa_logits(IMAGES, texts) - other.vqa_logits(IMAGES, texts)).max() > 1e-4
    told = other.describe()["preprocessing"]
    assert told["question_template"] == "A picture of {text}, yes or no?"
    assert "A picture of {text}, yes or no?" in told["question"]
    assert identity(plain) != identity(other)
    assert [
        finding for finding in fidelity.check(other, reference_of(other)) if finding.kind == "vqa" and not finding.ok
    ] == []


def test_the_default_question_keeps_its_runs(folder: str) -> None:
    plain, same = load(folder, device="cpu"), load(f"{folder}#question=default", device="cpu")
    assert "question_template" not in plain.describe()["preprocessing"]
    assert identity(plain) == identity(same)


def test_a_server_is_asked_it_and_says_so(server: Any) -> None:
    plain, other = load(server.spec), load(f"{server.spec}#question=vqascore")
    server.asked.clear()
    other.vqa_logits(IMAGES[:1], ["a cat"])
    assert 'Does this figure show \\"a cat\\"?' in json.dumps(server.asked)
    assert identity(plain) != identity(other)
    assert "question_template" not in plain.describe()["preprocessing"]
    assert kinds_of(other.spec) == other.kinds
