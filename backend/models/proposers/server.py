"""Sentences of the same meaning from a model behind an OpenAI-compatible server."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from backend.models.endpoint import address
from backend.models.endpoint.client import Client, RefusedError, together
from backend.models.proposers.analogies import LONGEST, conversation, proposal
from backend.models.spec import parse

#: Requests that are on their way at a time.
WORKERS = 4


class ServerWriter:
    """Asks once a caption, at temperature 0. What the server gives is its owner's affair: the same model may answer
    differently tomorrow, so an edition keeps the answers and not the way to them."""

    def __init__(self, spec: str) -> None:
        self.spec = spec
        self.client = Client(address.parse(parse(spec).name))
        self.refused: Counter[str] = Counter()

    def __call__(self, captions: Sequence[str], /) -> list[list[str]]:
        """One sentence a caption, or none. EndpointError where the server is down; nothing is made up for it."""
        answers = together(lambda k: self._ask(captions[k]), len(captions), WORKERS)
        found = []
        for text, reason in answers:
            self.refused.update([reason] if reason else [])
            found.append([text] if text else [])
        return found

    def _ask(self, caption: str) -> tuple[str, str]:
        try:
            answer = self.client.chat(messages=conversation(caption), temperature=0, max_tokens=LONGEST)
        except RefusedError:
            return "", "refused by the server"
        choices = answer.get("choices")
        first = choices[0] if isinstance(choices, list) and choices and isinstance(choices[0], dict) else {}
        message = first.get("message")
        content = message.get("content") if isinstance(message, dict) else None
        if not isinstance(content, str):
            return "", "no text in the answer"
        if first.get("finish_reason") == "length":
            return "", "cut off"
        return proposal(caption, content, chat=True)

    def describe(self) -> dict[str, Any]:
        """The server's model and what came of its answers; never the key."""
        return {"spec": self.spec, "family": "endpoint", "temperature": 0, "refused": self.refused}
