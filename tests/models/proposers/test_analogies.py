"""Sentences of the same meaning: what is asked, what counts as an answer, and what a local model writes."""

import json

import pytest

from backend.errors import UsageError
from backend.models.proposers import analogies, load_proposer
from backend.models.proposers.analogies import LONGEST, continued, conversation, proposal
from tests.models.endpoint.conftest import server, tiny  # noqa: F401
from tests.zoo.base import hf as library
from tests.zoo.base import save
from tests.zoo.texts.blind import seq2seq
from tests.zoo.texts.tokenizers import tokenizer

CAPTION = "A woman standing left to a sitting cat"
SAID = "A cat sitting to the right of a standing woman"
LONG = 2048


def says(text, **more):
    """The answer of a server whose model says this."""
    return 200, {}, {"choices": [{"index": 0, "message": {"role": "assistant", "content": text}, **more}]}


@pytest.mark.parametrize(
    ("answer", "chat", "reason"),
    [
        ("", True, "an empty answer"),
        (" \n ", False, "an empty answer"),
        ("...", True, "an empty answer"),
        (CAPTION.upper() + ".", True, "the caption itself"),
        ("I'm sorry, I can't help with that.", True, "a refusal"),
        ("As an AI language model I see no woman.", True, "a refusal"),
        (f"{SAID}\nIs there anything else?", True, "more than one line"),
        ("woman", True, "too short to say the same"),
        ("word " * 60, True, "too long to say the same"),
        ("Sentence: A dog.", False, "no sentence"),
        ("A cat \x00 and a woman stand here", False, "no sentence"),
    ],
)
def test_what_is_no_answer(answer, chat, reason):
    assert proposal(CAPTION, answer, chat) == ("", reason)


@pytest.mark.parametrize("answer", [SAID, f'"{SAID}"', f" {SAID} \n", f"Same meaning: {SAID}", f"“{SAID}”"])
def test_what_is_one(answer):
    assert proposal(CAPTION, answer, chat=True) == (SAID, "")


def test_a_model_that_continues_stops_at_the_line():
    assert proposal(CAPTION, f" {SAID}\n\nSentence: A dog\nSame meaning: x", chat=False) == (SAID, "")


def test_a_caption_that_reads_like_a_refusal_is_not_taken_for_one():
    caption = "A sign that says sorry, we are closed"
    assert proposal(caption, "A sign on which one reads: sorry, we are closed", chat=True)[1] == ""


def test_the_prompt_holds_the_paper_s_pair_and_the_caption_last():
    assert analogies.PAIRS[0] == (CAPTION, SAID)
    assert continued("A dog.").endswith("Sentence: A dog.\nSame meaning:")
    turns = conversation("A dog.")
    assert [turn["role"] for turn in turns] == ["system", *["user", "assistant"] * len(analogies.PAIRS), "user"]
    assert turns[-1]["content"] == "A dog."


def test_a_server_s_answers(server):  # noqa: F811
    writer = load_proposer("analogy", server.spec)
    server.script = [says(SAID), says("I cannot do that"), says(SAID, finish_reason="length"),
                     (400, {}, {"error": {"message": "bad"}}), (200, {}, {"choices": []})]  # fmt: skip
    found = [writer([CAPTION])[0] for _ in range(5)]
    assert found == [[SAID], [], [], [], []]
    assert writer.refused == {"a refusal": 1, "cut off": 1, "refused by the server": 1, "no text in the answer": 1}
    assert server.asked[0]["messages"] == conversation(CAPTION)
    assert (server.asked[0]["temperature"], server.asked[0]["model"]) == (0, "tiny")


@pytest.mark.long
def test_on_the_command_line(server, flipside, flipside_cache):  # noqa: F811
    server.after = lambda state: says(f"In other words: {state.asked[-1]['messages'][-1]['content']}")
    made = flipside("perturb", "--benchmark", "world", "--subset", "triplet", "--limit", 4, "--kinds", "analogy",
                    "--proposer", server.spec, "--json")  # fmt: skip
    assert made.code == 0, made.err
    (edition,) = made.json["editions"]
    assert (edition["n_items"], edition["as"], edition["coverage"]["texts_edited"]) == (4, "replace", 12)
    assert edition["proposer"] == {"spec": server.spec, "family": "endpoint", "temperature": 0, "refused": {}}
    lines = (flipside_cache / "own" / "world~analogy" / "items.jsonl").read_text().splitlines()
    assert all(text.startswith("In other words: ") for line in lines for text in json.loads(line)["texts"])
    server.after = lambda state: says("I'm sorry, but no.")
    none = flipside("perturb", "--benchmark", "world", "--subset", "triplet", "--limit", 4, "--kinds", "analogy",
                    "--proposer", server.spec, "--seed", 1)  # fmt: skip
    assert none.code == 1
    assert "a refusal" in none.err
    down = flipside("perturb", "--benchmark", "world", "--subset", "triplet", "--limit", 4, "--kinds", "analogy",
                    "--proposer", "endpoint:http://127.0.0.1:9/v1#tiny", "--seed", 2)  # fmt: skip
    assert down.code == 1
    assert "cannot be reached" in down.err
    assert not (flipside_cache / "own" / "world~analogy@2").exists()


@pytest.fixture(scope="module")
def gpt2(torch, tmp_path_factory):
    """A GPT-2 with room for the prompt."""
    folder = tmp_path_factory.mktemp("gpt2")
    config = library().GPT2Config(vocab_size=257, n_positions=LONG, n_embd=32, n_layer=1, n_head=2, bos_token_id=0,
                                  eos_token_id=0)  # fmt: skip
    save(folder, lambda: library().GPT2LMHeadModel(config), tokenizer("gpt2", model_max_length=LONG))
    return folder


@pytest.mark.slow
def test_a_causal_model_writes_what_is_likeliest_token_by_token(torch, gpt2):
    writer = load_proposer("analogy", f"lm:{gpt2}", "cpu")
    captions = ["A dog.", "A cat.", "Two red balls on a mat"]
    module, tokens = writer.model.module, writer.tokenizer
    found = writer.answers(captions)
    for caption, answer in zip(captions, found, strict=True):
        ids = [0, *tokens(continued(caption))["input_ids"]]
        begun = len(ids)
        with torch.no_grad():
            while len(ids) < begun + LONGEST:
                ids.append(int(module(torch.tensor([ids])).logits[0, -1].argmax()))
                if ids[-1] == 0:
                    break
        assert answer == tokens.decode(ids[begun:], skip_special_tokens=True)
    assert writer.answers(captions[:1]) == found[:1]
    assert sum(writer.refused.values()) == 0
    assert writer(captions) == [[text] if (text := proposal(c, a, False)[0]) else []
                                for c, a in zip(captions, found, strict=True)]  # fmt: skip


def test_a_caption_without_room_is_left_out(gpt2):
    writer = load_proposer("analogy", f"lm:{gpt2}", "cpu")
    assert writer(["word " * 400]) == [[]]
    assert writer.refused == {"longer than the model reads": 1}


def test_a_chat_model_is_asked_in_its_own_template(gpt2, tmp_path):
    tokens = library().AutoTokenizer.from_pretrained(gpt2)
    tokens.chat_template = "{% for m in messages %}{{ m.role }}: {{ m.content }}\n{% endfor %}assistant:"
    library().AutoModelForCausalLM.from_pretrained(gpt2).save_pretrained(tmp_path)
    tokens.save_pretrained(tmp_path)
    writer = load_proposer("analogy", f"lm:{tmp_path}", "cpu")
    text = tokens.decode(writer.question("A dog."))
    assert text.endswith("user: A dog.\nassistant:")
    assert text.startswith("system: Say the same")
    assert writer.describe()["asked_in"] == "its chat template"


@pytest.mark.slow
def test_an_encoder_decoder_reads_the_prompt_in_its_encoder(torch, tmp_path):
    seq2seq(tmp_path, "T5", model_max_length=LONG)
    writer = load_proposer("analogy", f"lm:{tmp_path}", "cpu")
    ids = writer.tokenizer(continued("a cat on the mat"))["input_ids"]
    module, written = writer.model.module, [0]
    with torch.no_grad():
        while len(written) <= LONGEST:
            table = module(input_ids=torch.tensor([ids]), decoder_input_ids=torch.tensor([written])).logits
            written.append(int(table[0, -1].argmax()))
            if written[-1] == 1:
                break
    expected = writer.tokenizer.decode(written, skip_special_tokens=True)
    assert writer.answers(["a cat on the mat"]) == [expected]


def test_other_models_are_refused(torch, tmp_path):
    from tests.zoo.texts.blind import masked

    masked(tmp_path, "BERT")
    for spec in (f"lm:{tmp_path}", "bundled:clip", "fake:ok"):
        with pytest.raises(UsageError, match="--proposer takes"):
            load_proposer("analogy", spec, "cpu")
