"""Numbers out of a server's answers: the caption's tokens in a prompt's log-probabilities, and the odds of "Yes".

Pure functions; every number is checked to be one.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from backend.models.endpoint.client import EndpointError

#: Servers send float32 log-probabilities, of which a probability's distance to 1 is lost below this.
RESOLUTION = 1e-5
#: What is left where a server shows nothing but a certain "Yes": half a float32 step below 1.
LEAST = 2.0**-25


class Token(NamedTuple):
    """One token of a prompt; logprob is None for the first, which nothing precedes."""

    number: str
    text: str
    logprob: float | None


class Shown(NamedTuple):
    """The likeliest first tokens of an answer: spelling -> probability, and the least probability that is shown."""

    words: dict[str, float]
    least: float


class Odds(NamedTuple):
    """Log-odds of "Yes"; `bound` where it was not among those shown, and the value is the most that it can be."""

    value: float
    bound: bool


def prompt_tokens(answer: Mapping[str, Any], where: str) -> list[Token] | None:
    """The prompt's tokens with their log-probabilities, as vLLM's `prompt_logprobs=0` gives them: for each position an
    object with the one token that stands there. None where the server gives none.
    """
    entries = answer.get("prompt_logprobs")
    if entries is None and isinstance(answer.get("choices"), list) and answer["choices"]:
        first = answer["choices"][0]
        entries = first.get("prompt_logprobs") if isinstance(first, dict) else None
    if entries is None:
        return None
    if not isinstance(entries, list) or not entries:
        raise EndpointError(f"{where} gives prompt_logprobs that are no list of tokens.")
    numbers = answer.get("prompt_token_ids")
    given = numbers if isinstance(numbers, list) and len(numbers) == len(entries) else [None] * len(entries)
    return [_token(entry, number, where) for entry, number in zip(entries, given, strict=True)]


def _token(entry: Any, number: Any, where: str) -> Token:
    if entry is None:
        return Token("" if number is None else str(number), "", None)
    if not isinstance(entry, dict) or not entry or not all(isinstance(value, dict) for value in entry.values()):
        raise EndpointError(f"{where} gives prompt_logprobs of an unknown form.")
    key = next(iter(entry)) if len(entry) == 1 else str(number)
    if key not in entry:
        raise EndpointError(f"{where} gives several tokens for one place of the prompt and does not say which it is.")
    return Token(key, str(entry[key].get("decoded_token") or ""), number_of(entry[key].get("logprob"), where))


def number_of(value: Any, where: str) -> float:
    """A log-probability. EndpointError where it is none; -9999 is how vLLM writes minus infinity."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value) or value <= -9999:
        raise EndpointError(f"{where} gives a log-probability that is no finite number ({value!r}).")
    if value > 1e-3:
        raise EndpointError(f"{where} gives a log-probability above zero ({value!r}).")
    return float(value)


def behind(prefix: Sequence[Token], whole: Sequence[Token]) -> list[Token] | None:
    """What `whole` has behind `prefix`; None where it does not begin with it. The first token's number may be
    unknown in both."""
    if len(whole) < len(prefix) or any(a.number != b.number for a, b in zip(prefix, whole, strict=False)):
        return None
    return list(whole[len(prefix) :])


def common_end(rows: Sequence[Sequence[Token]]) -> list[Token]:
    """The tokens that all rows end with."""
    n = 0
    while n < min(map(len, rows)) and len({row[-1 - n].number for row in rows}) == 1:
        n += 1
    return list(rows[0][len(rows[0]) - n :])


def spells(tokens: Sequence[Token], text: str) -> bool:
    """Whether the tokens are those of the text, however their spaces are written."""
    return _bare("".join(token.text for token in tokens)) == _bare(text)


def _bare(text: str) -> str:
    return "".join(text.replace("Ġ", " ").replace("▁", " ").split())


def first_choices(answer: Mapping[str, Any], where: str) -> Shown | None:
    """What the answer's first token could have been; spellings that differ in spaces are added up. None where the
    server gives no `top_logprobs`.
    """
    try:
        entries = answer["choices"][0]["logprobs"]["content"][0]["top_logprobs"]
    except (KeyError, IndexError, TypeError):
        return None
    if not isinstance(entries, list) or not entries:
        return None
    words: dict[str, float] = {}
    least = 1.0
    for entry in entries:
        if not isinstance(entry, dict) or not isinstance(entry.get("token"), str):
            raise EndpointError(f"{where} gives top_logprobs of an unknown form.")
        word, p = _bare(entry["token"]), math.exp(number_of(entry.get("logprob"), where))
        words[word] = words.get(word, 0.0) + p
        least = min(least, p)
    if sum(words.values()) > 1.01:
        raise EndpointError(f"{where} gives top_logprobs that add up to more than 1.")
    return Shown(words, least)


def yes_odds(shown: Shown) -> Odds:
    """Log-odds of "Yes" among the whole vocabulary, from the tokens that are shown.

    P(not Yes) is 1 − P(Yes); where P(Yes) is too near to 1 for the server's float32, it is what the other shown tokens
    add up to. Where "Yes" is not shown it can have no more than the least that is shown, nor than what is left.

    >>> round(yes_odds(Shown({"Yes": 0.75, "No": 0.2}, 0.2)).value, 4)
    1.0986
    """
    others = sum(p for word, p in shown.words.items() if word != "Yes")
    if "Yes" in shown.words:
        p = min(shown.words["Yes"], 1.0)
        rest = 1.0 - p
        return Odds(math.log(p) - math.log(max(rest if rest > RESOLUTION else others, LEAST)), bound=False)
    most = max(min(shown.least, 1.0 - others), LEAST)
    return Odds(math.log(most) - math.log(max(1.0 - most, LEAST)), bound=True)
