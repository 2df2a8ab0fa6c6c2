"""Proposed words against the library's own fill-mask pipeline, for every masked model of the zoo."""

import math
from string import ascii_letters, ascii_lowercase

import pytest

from backend.errors import UsageError
from backend.models import load
from backend.models.proposers import load_proposer
from backend.perturb import apply, get
from tests.zoo import base
from tests.zoo.texts.blind import MASKED, masked

TEXTS = ["a red [MASK] on the mat", "[MASK] red ball", "a dog chases a cat under the [MASK]"]


@pytest.fixture(scope="module")
def bert(torch, tmp_path_factory):
    folder = tmp_path_factory.mktemp("bert")
    masked(folder, "BERT")
    return load_proposer("fill-mask", f"lm:{folder}", "cpu")


@pytest.mark.parametrize("name", MASKED)
def test_words_and_scores_are_the_library_s(torch, hf, tmp_path, name):
    masked(tmp_path, name)
    filler = load_proposer("fill-mask", f"lm:{tmp_path}", "cpu")
    library = hf.pipeline("fill-mask", model=str(tmp_path), device="cpu")
    size = filler.model.module.config.vocab_size
    for text, found in zip(TEXTS, filler(TEXTS), strict=True):
        masked_text = text.replace("[MASK]", library.tokenizer.mask_token)
        theirs = library(masked_text, top_k=size)
        scores: dict[str, list[float]] = {}  # a word at the start of a text and behind a blank are two tokens
        for each in theirs:
            scores.setdefault(each["token_str"].strip(), []).append(math.log(each["score"]))
        assert len(found) >= 3
        assert [value for _, value in found] == sorted((value for _, value in found), reverse=True)
        for word, value in found:
            assert any(score == pytest.approx(value, abs=1e-4) for score in scores[word])
            assert library.tokenizer.mask_token not in word
        assert {word for word, _ in found} <= {*base.WORDS, *ascii_letters} or name == "RoBERTa"  # spelled in bytes


def test_alone_or_in_company_the_same(bert):
    together = bert(TEXTS)
    for text, expected in zip(TEXTS, together, strict=True):
        (alone,) = bert([text])
        assert [word for word, _ in alone] == [word for word, _ in expected]
        assert [value for _, value in alone] == pytest.approx([value for _, value in expected], abs=1e-4)


def test_pieces_of_words_and_special_tokens_are_no_proposals(bert):
    words = {word for words in bert(TEXTS) for word, _ in words}
    assert not {word for word in words if word.startswith("##")}
    assert not words & set(bert.tokenizer.all_special_tokens)


def test_a_text_that_is_too_long_has_no_proposal(bert):
    bert.refused.clear()
    assert bert(["the mat " * 200 + "[MASK]", TEXTS[0]])[0] == []
    assert bert.refused == {"longer than the model reads": 1}


def test_it_is_what_the_perturbation_asks_for(bert):
    kind = get("fill_mask_noun").with_proposer(bert)
    edits = [apply(kind, "A red ball on the blue mat.", seed) for seed in range(8)]
    made = [edit for edit in edits if edit is not None]
    assert made
    for edit in made:
        old = "A red ball on the blue mat."
        (start, end), (a, b) = edit.spans[0], edit.before[0]
        assert edit.text[:start] + old[a:b] + edit.text[end:] == old
        assert edit.text[start:end] in {*base.WORDS, *ascii_lowercase}
        assert old[a:b] in ("ball", "mat")
    told = bert.describe()
    assert told["weights_sha256"] == load(told["spec"], "cpu").describe()["weights_sha256"]


def test_other_models_are_refused(torch, tmp_path):
    from tests.zoo.texts.causal_lm import gpt2

    gpt2(tmp_path)
    for spec in (f"lm:{tmp_path}", "fake:ok", "bundled:clip", "endpoint:http://127.0.0.1:9/v1#x"):
        with pytest.raises(UsageError, match="masked language model"):
            load_proposer("fill-mask", spec, "cpu")


@pytest.mark.long
def test_on_the_command_line(bert, flipside):
    spec = bert.model.spec
    made = flipside("perturb", "--benchmark", "world", "--subset", "choice", "--limit", 20, "--kinds", "fill_mask",
                    "--fill-mask", spec, "--device", "cpu", "--json")  # fmt: skip
    assert made.code == 0, made.err
    (edition,) = made.json["editions"]
    assert edition["as"] == "foils"
    assert edition["proposer"]["weights_sha256"] == bert.model.weights_sha256()
    needed = flipside("perturb", "--benchmark", "world", "--limit", 2, "--kinds", "fill_mask")
    assert needed.code == 2
    assert "--fill-mask SPEC" in needed.err
