"""The adapter's numbers against the model behind the server, read directly."""

import base64
import io
from typing import Any

import numpy as np
import pytest
from PIL import Image

from backend.engine.inputs.prior import load_blind
from backend.errors import FlipsideError, UsageError
from backend.models import kinds_of, load
from backend.models.chat import prompt as chat_prompt
from backend.models.endpoint import messages
from backend.models.fidelity import check
from backend.models.odd_pictures import ODD, plain
from tests.models.endpoint.server import Server

TEXTS = ("a red cube", "two dogs on the beach", "a", "", "Ein Bär – déjà vu!", "a red cube and a ball", "Yes")


def caption_by_hand(server: Server, image: Image.Image | None, text: str) -> np.ndarray:
    """log P of each token between the assistant's header and the end of its turn, that one included."""
    chat = server.chat
    url = messages.png(image) if image is not None else ""
    asked = messages.user(messages.INSTRUCTION if url else messages.BLIND, url)
    prompt = chat.render([asked])
    end = chat.tokenizer.convert_tokens_to_ids("<|im_end|>")
    ids = [*prompt, *chat.tokenizer(text)["input_ids"], end]
    table = chat.table(ids)
    return np.array([table[k - 1, ids[k]].item() for k in range(len(prompt), len(ids))])


def odds_by_hand(server: Server, image: Image.Image, text: str) -> float:
    chat = server.chat
    asked = messages.user(messages.QUESTION.format(text=text), messages.png(image))
    p = chat.table(chat.render([asked]))[-1, chat.tokenizer.convert_tokens_to_ids("Yes")].exp()
    return float((p / (1 - p)).log())


def test_captions_are_scored_as_the_model_itself_says(server: Server, images: list[Any]) -> None:
    mine = load(server.spec)
    assert mine.kinds == {"gen", "prior", "vqa"} == kinds_of(server.spec)
    for image, text, (tokens, values) in zip(images, TEXTS, mine.caption_logprobs(images, TEXTS), strict=True):
        np.testing.assert_allclose(values, caption_by_hand(server, image, text), atol=1e-4)
        assert values.dtype == np.float32
        assert tokens[-1] == "<|im_end|>"
        assert "".join(tokens[:-1]) == text or "�" in "".join(tokens)


def test_the_caption_depends_on_its_image_and_the_prompt_is_asked_once_an_image(
    server: Server, images: list[Any]
) -> None:
    mine = load(server.spec)
    server.asked.clear()
    scored = mine.caption_logprobs([images[0]] * 3 + [images[1]], [*TEXTS[:3], TEXTS[0]])
    assert len(server.asked) == 4 + 2
    assert np.abs(scored[0][1] - scored[3][1]).max() > 0.001
    server.asked.clear()
    mine.caption_logprobs([images[0]], [TEXTS[0]])
    assert server.asked == []


def test_p_yes_is_the_models_own(server: Server, images: list[Any]) -> None:
    mine = load(server.spec)
    found = mine.vqa_logits(images, TEXTS)
    want = [odds_by_hand(server, image, text) for image, text in zip(images, TEXTS, strict=True)]
    np.testing.assert_allclose(found, want, atol=1e-4)
    assert found.dtype == np.float32
    np.testing.assert_allclose(mine.vqa(images, TEXTS), 1 / (1 + np.exp(-np.array(want))), atol=1e-4)
    assert mine.remarks() == {}


@pytest.mark.long
def test_company_and_odd_images(server: Server) -> None:
    """`doctor --model` runs the same checks; there is no reference library behind an address."""
    mine = load(server.spec)
    findings = check(mine, None)
    assert {finding.check for finding in findings} >= {"finite", "company", "batch of 1", "batch of 7"}
    assert [finding for finding in findings if not finding.ok] == []


def test_pictures_arrive_upright_on_white_and_in_their_own_size() -> None:
    for image in ODD.values():
        head, _, data = messages.png(image).partition(",")
        assert head == "data:image/png;base64"
        sent = Image.open(io.BytesIO(base64.b64decode(data)))
        assert sent.mode == "RGB"
        assert sent.size == plain(image).size
        apart = np.abs(np.asarray(sent, dtype=int) - np.asarray(plain(image), dtype=int))
        assert apart.max() <= 1  # rounding of what is half transparent


def test_a_few_requests_at_once_and_no_more(server: Server, images: list[Any]) -> None:
    mine = load(server.spec)
    server.script = [0.1] * 12
    mine.batch_size = 3
    mine.vqa_logits([images[0]] * 12, [f"a {n}" for n in range(12)])
    assert 2 <= server.most_at_once <= 3


def test_the_words_are_the_chat_familys() -> None:
    assert messages.INSTRUCTION == chat_prompt.INSTRUCTION
    assert messages.QUESTION == chat_prompt.QUESTION


def test_a_model_without_eyes_is_a_blind_one(server: Server, images: list[Any]) -> None:
    server.sees = False
    mine = load_blind(server.spec, "cpu", "auto", 0)
    assert mine.kinds == {"prior"}
    for text, (_, values) in zip(TEXTS, mine.text_logprobs(TEXTS), strict=True):
        np.testing.assert_allclose(values, caption_by_hand(server, None, text), atol=1e-4)
    with pytest.raises(UsageError, match=r"gives no gen \(.*not a multimodal model.*\); it gives prior"):
        mine.caption_logprobs(images[:1], ["a"])


def test_each_ability_is_the_servers(server: Server, images: list[Any]) -> None:
    server.shows_prompt = False
    mine = load(server.spec)
    assert mine.kinds == {"vqa"}
    with pytest.raises(UsageError, match=r"gives no gen \(the server gives no prompt_logprobs \(vLLM does\)\)"):
        mine.caption_logprobs(images[:1], ["a"])
    server.tops = 0
    with pytest.raises(
        FlipsideError,
        match=r"no score can be had from it: the server gives no top_logprobs; asked to choose.*; the server",
    ):
        load(server.spec)
    server.shows_prompt = True
    assert load(server.spec).kinds == {"gen", "prior"}


def test_fewer_likeliest_tokens_where_the_server_allows_fewer(server: Server, images: list[Any]) -> None:
    server.tops = 5
    mine = load(server.spec)
    assert mine.describe()["probed"]["top_logprobs"] == 5
    np.testing.assert_allclose(
        mine.vqa_logits(images[:1], ["a cat"]), [odds_by_hand(server, images[0], "a cat")], atol=1e-4
    )


def test_a_yes_that_is_not_shown_is_bounded_and_counted(server: Server, images: list[Any]) -> None:
    mine = load(server.spec)

    def hide(answer: dict[str, Any]) -> dict[str, Any]:
        shown = answer["choices"][0]["logprobs"]["content"][0]
        shown["top_logprobs"] = [entry for entry in shown["top_logprobs"] if "Yes" not in entry.values()]
        return answer

    server.script = [hide]
    (found,) = mine.vqa_logits(images[:1], ["a cat"])
    probabilities = server.chat.table(
        server.chat.render([messages.user(messages.QUESTION.format(text="a cat"), messages.png(images[0]))])
    )[-1].exp()
    yes = server.chat.tokenizer.convert_tokens_to_ids("Yes")
    others = np.delete(probabilities.numpy(), yes)
    shown = np.sort(others)[::-1][:19]
    bound = min(shown[-1], 1 - shown.sum())
    assert found == pytest.approx(np.log(bound / (1 - bound)), abs=1e-3)
    assert mine.remarks() == {"vqa_bounds": 1}


def test_a_template_that_changes_captions_is_not_believed(server: Server, images: list[Any]) -> None:
    """It upper-cases the assistant's turn; continued from the prompt, the caption stays as it is, without an end."""
    server.template = "trims"
    mine = load(server.spec)
    assert mine.kinds >= {"gen"}
    ((tokens, values),) = mine.caption_logprobs(images[:1], ["a red cube"])
    np.testing.assert_allclose(values, caption_by_hand(server, images[0], "a red cube")[:-1], atol=1e-4)
    assert "".join(tokens) == "a red cube"
    assert mine.describe()["preprocessing"]["scored"].endswith("without an end token")


def test_null_images_cannot_be_sent(server: Server) -> None:
    mine = load(server.spec)
    with pytest.raises(UsageError, match=r"takes pictures.*Use --prior images:N or lm:SPEC"):
        mine.noise_images(3, 0)
    with pytest.raises(UsageError, match="takes pictures only"):
        mine.caption_logprobs([np.zeros((3, 8, 8), dtype=np.float32)], ["a"])


@pytest.mark.long
def test_the_record_says_what_is_not_known(server: Server) -> None:
    record = load(server.spec).describe()
    assert record["model"] == "tiny"
    assert record["server"] == f"http://127.0.0.1:{server.port}/v1"
    assert record["weights"].startswith("the server's: not seen")
    assert len(record["weights_sha256"]) == 64
    other = load(server.spec.replace("#tiny", "#other")).describe()
    assert other["weights_sha256"] != record["weights_sha256"]
    assert other["preprocessing"] == record["preprocessing"]
