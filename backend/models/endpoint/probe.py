"""What a server can give, asked of the server itself: a handful of small requests when a model is loaded."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from backend.errors import UsageError
from backend.models.endpoint.answers import Token, behind, common_end, first_choices, prompt_tokens, spells
from backend.models.endpoint.client import Client, RefusedError
from backend.models.endpoint.contests import Contests
from backend.models.endpoint.messages import BLIND, INSTRUCTION, QUESTION, assistant, png, sample, user
from backend.models.spec import did_you_mean

#: Two captions of different lengths that share neither their first nor their last word.
CAPTIONS = ("a red square", "two dogs on the beach")
#: How many of the likeliest tokens are asked for; servers differ in how many they allow.
TOPS = (20, 10, 5)
#: How the caption is put into the prompt: as a whole turn, or as the beginning of one that goes on.
TURN: dict[str, Any] = {"add_generation_prompt": False}
CONTINUED: dict[str, Any] = {"add_generation_prompt": False, "continue_final_message": True}
QUIET: dict[str, Any] = {"temperature": 0, "seed": 0}


@dataclass(frozen=True)
class Ability:
    """sees: takes images. caption: the extra arguments by which a caption's tokens can be scored, or None. closing: how
    many tokens the chat template writes behind a caption. top: how many of the likeliest first tokens it shows, or 0.
    chooses: answers with A or B where it is asked to choose.
    limit: the argument that names the most tokens of an answer. missing: what it does not give, and why.
    """

    sees: bool
    caption: dict[str, Any] | None
    closing: int
    top: int
    limit: str = "max_tokens"
    chooses: bool = False
    missing: dict[str, str] = field(default_factory=dict)


def check_model(client: Client) -> None:
    """UsageError where the server lists its models and this is none of them."""
    names = client.models()
    model = client.address.model
    if names and model not in names:
        near = did_you_mean(model, names)
        raise UsageError(f"{client.address.base} has no model {model!r}.{near} It serves {', '.join(names[:20])}.")


def probe(client: Client) -> Ability:
    """The model's abilities on this server. EndpointError where there is no usable server at all."""
    check_model(client)
    missing: dict[str, str] = {}
    url = png(sample())
    limit = _limit(client)
    sees = _takes(client, missing, "images", messages=[user("What is this?", url)], **{limit: 1})
    top = _top(client, url, limit, missing) if sees else 0
    chooses = sees and _chooses(client, url, limit, missing)
    caption, closing = _caption(client, url if sees else "", limit, missing)
    return Ability(sees, caption, closing, top, limit, chooses, missing)


def _limit(client: Client) -> str:
    """`max_tokens`, or its new name where the server knows only that; also finds out whether it answers at all."""
    messages = [user("Hello")]
    try:
        client.chat(messages=messages, max_tokens=1)
    except RefusedError as error:
        if "max_completion_tokens" not in str(error):
            raise
        client.chat(messages=messages, max_completion_tokens=1)
        return "max_completion_tokens"
    return "max_tokens"


def _takes(client: Client, missing: dict[str, str], what: str, **body: Any) -> bool:
    try:
        client.chat(**body)
    except RefusedError as error:
        missing[what] = str(error)
        return False
    return True


def _top(client: Client, url: str, limit: str, missing: dict[str, str]) -> int:
    """How many first tokens it shows; 0 where it shows none, or neither "Yes" nor "No" to a plain question."""
    messages = [user(QUESTION.format(text="a red square"), url)]
    for top in TOPS:
        try:
            answer = client.chat(messages=messages, logprobs=True, top_logprobs=top, **{limit: 1}, **QUIET)
        except RefusedError as error:
            missing["vqa"] = str(error)
            continue
        shown = first_choices(answer, client.address.base)
        if shown is None:
            missing["vqa"] = "the server gives no top_logprobs"
        elif not {"Yes", "No"} & set(shown.words):
            likely = ", ".join(repr(word) for word in list(shown.words)[:5])
            missing["vqa"] = f"the model's answers begin with neither Yes nor No, but with {likely}"
        else:
            missing.pop("vqa", None)
            return top
        return 0
    return 0


def _chooses(client: Client, url: str, limit: str, missing: dict[str, str]) -> bool:
    """Whether it names A or B, in at least one of both orders; which one is its own affair."""
    contests = Contests(client, limit, QUIET)
    try:
        answers = [contests.answer(url, *pair) for pair in (CAPTIONS, CAPTIONS[::-1])]
    except RefusedError as error:
        missing["verdict"] = str(error)
        return False
    if any(letter for letter, _ in answers):
        return True
    missing["verdict"] = f"asked to choose between A and B, the model answers {answers[0][1][:40]!r}"
    return False


def _caption(client: Client, url: str, limit: str, missing: dict[str, str]) -> tuple[dict[str, Any] | None, int]:
    """By which arguments a caption's tokens can be told from the prompt's, and how many close its turn."""
    for how in (TURN, CONTINUED):
        try:
            prefix = prompt(client, url, limit)
            rows = [prompt(client, url, limit, text, how) for text in CAPTIONS]
        except RefusedError as error:
            missing["gen"] = str(error)
            continue
        if prefix is None or None in rows:
            missing["gen"] = "the server gives no prompt_logprobs (vLLM does)"
            return None, 0
        tails = [behind(prefix, row) for row in rows if row is not None]
        if None in tails or not all(tails):
            missing["gen"] = "its chat template writes an answer in another way than it asks for one"
            continue
        found = [tail for tail in tails if tail is not None]
        end = common_end(found)
        own = [tail[: len(tail) - len(end)] for tail in found]
        if all(spells(tokens, text) for tokens, text in zip(own, CAPTIONS, strict=True)):
            missing.pop("gen", None)
            if not end:
                missing["end of turn"] = "its chat template closes no turn, so captions are scored without an end token"
            return how, len(end)
        missing["gen"] = "its chat template changes a caption's words"
    return None, 0


def prompt(
    client: Client, url: str, limit: str, text: str | None = None, how: dict[str, Any] | None = None
) -> list[Token] | None:
    """The tokens of the prompt that waits for a caption, or of the one that holds it."""
    messages = [user(INSTRUCTION if url else BLIND, url)]
    if text is not None:
        messages.append(assistant(text))
    asks = {"messages": messages, limit: 1, "prompt_logprobs": 0, **QUIET, **(how or {})}
    return prompt_tokens(client.chat(**asks), client.address.base)


def scored(prefix: Sequence[Token], whole: Sequence[Token], closing: int) -> list[Token] | None:
    """The caption's tokens with the first of those that close its turn; None where the prompt is not the caption's."""
    tail = behind(prefix, whole)
    if tail is None or len(tail) < closing:
        return None
    return tail[: len(tail) - closing + 1] if closing else tail
