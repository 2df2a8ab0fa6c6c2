"""Forced choice: of two captions, which one describes the image; asked in both orders, so that a model that prefers a
letter decides nothing.
"""

import re
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from backend.models.endpoint.client import Client, EndpointError
from backend.models.endpoint.messages import user

#: The answer's most tokens: room for "The correct answer is B.", and for little else.
ROOM = 8
#: A model that answers with prose is left after so many answers, if more than half of them name no letter.
PATIENCE = 20
CHOICE = (
    "Which of the two captions describes the image? Answer with the letter A or B only.\n"
    "A) {first}\n"
    "B) {second}"
)  # fmt: skip

#: "A", "B.", "(A)", "**B**", "B) a red square", "The answer is A." A letter that is followed by a word is none: in
#: "A red square" it is an article, and B is held to the same rule, or the rule would favour one of the two.
_LETTER = re.compile(
    r"\W*(?:(?:the\s+)?(?:(?:correct|right|best)\s+)?(?:answer|option|choice|caption|letter)\b(?:\s+is\b)?\W*)?"
    r"(?P<letter>[AB])(?=\s*(?:[^\w\s]|\n|$))",
    re.IGNORECASE,
)
#: "A or B", "A/B": both are named.
_BOTH = re.compile(r"\W*A\W*(?:or|and)?\W*B\W*|\W*B\W*(?:or|and)?\W*A\W*", re.IGNORECASE)


def letter_of(answer: str) -> str:
    """Which letter an answer names; "" where it names neither, or both.

    >>> [letter_of(text) for text in ("A", "b)", "The answer is B.", "A red square", "A or B", "")]
    ['A', 'B', 'B', '', '', '']
    """
    found = _LETTER.match(answer)
    return found["letter"].upper() if found and not _BOTH.fullmatch(answer) else ""


def content_of(answer: Mapping[str, Any], where: str) -> str:
    """The words of a chat answer, "" where there are none. EndpointError where it is no chat answer."""
    choices = answer.get("choices")
    first = choices[0] if isinstance(choices, list) and choices else None
    message = first.get("message") if isinstance(first, dict) else None
    if not isinstance(message, dict):
        raise EndpointError(f"{where} gives an answer without a message, so it is no OpenAI-compatible server.")
    content = message.get("content")
    return content if isinstance(content, str) else ""


def line(text: str) -> str:
    """A caption on one line, so that none can look like the other choice.

    >>> line("a dog\\nB) a cat")
    'a dog B) a cat'
    """
    return " ".join(text.split())


@dataclass
class Contests:
    """Asks one server, and counts what it answers. asks: further arguments of each request. Safe to use from threads.

    answers: letter -> how often; "" counts the answers that name none. undecided: contests without a winner.
    """

    client: Client
    limit: str
    asks: Mapping[str, Any]
    answers: dict[str, int] = field(default_factory=lambda: {"A": 0, "B": 0, "": 0})
    n: int = 0
    undecided: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def share(self, url: str, first: str, second: str) -> float:
        """1 where the model names `first` in both orders, 0 where it names `second` in both, else 0.5: the order
        decided, or an answer named neither. Equal captions are not asked about."""
        a, b = line(first), line(second)
        if a == b:
            return 0.5
        forward, backward = self.ask(url, a, b), self.ask(url, b, a)
        found = {("A", "B"): 1.0, ("B", "A"): 0.0}.get((forward, backward), 0.5)
        with self._lock:
            self.n += 1
            self.undecided += found == 0.5
        return found

    def ask(self, url: str, first: str, second: str) -> str:
        """The letter that the model names, or ""."""
        letter, said = self.answer(url, first, second)
        with self._lock:
            self.answers[letter] += 1
            asked, none = sum(self.answers.values()), self.answers[""]
        if not letter and asked >= PATIENCE and none > asked / 2:
            raise EndpointError(
                f"{self.client.address.base}: {none} of {asked} answers to a choice between A and B name neither, such "
                f"as {said[:40]!r}; {self.client.address.model} cannot be judged by verdict."
            )
        return letter

    def answer(self, url: str, first: str, second: str) -> tuple[str, str]:
        """The letter, and the words themselves."""
        messages = [user(CHOICE.format(first=first, second=second), url)]
        found = self.client.chat(messages=messages, **{self.limit: ROOM}, **self.asks)
        said = content_of(found, self.client.address.base)
        return letter_of(said), said

    def remarks(self) -> dict[str, Any]:
        """How often each letter was named, and how many contests had no winner; empty where none was held."""
        if not self.n:
            return {}
        return {
            "contests": self.n,
            "undecided": self.undecided,
            "answered_a": self.answers["A"],
            "answered_b": self.answers["B"],
            "answered_neither": self.answers[""],
        }
