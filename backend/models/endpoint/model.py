"""A model behind an OpenAI-compatible server: log P(caption | image) where the server shows its prompt's
log-probabilities (vLLM), P("Yes") where it shows its likeliest first tokens, else its choice between two captions. No
torch in here."""

import hashlib
import logging
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from typing import Any, ClassVar, NoReturn, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from backend.errors import FlipsideError, UsageError
from backend.items import Kind
from backend.models.base import Model, Picture, TokenScores, check_contests, check_pairs
from backend.models.endpoint import address
from backend.models.endpoint.answers import Odds, Token, first_choices, yes_odds
from backend.models.endpoint.client import Client, EndpointError, together
from backend.models.endpoint.contests import CHOICE, Contests
from backend.models.endpoint.kinds import kinds_given, remember
from backend.models.endpoint.messages import BLIND, INSTRUCTION, QUESTION, png, user
from backend.models.endpoint.probe import QUIET, Ability, probe, prompt, scored
from backend.models.pictures import unique_by_identity
from backend.models.question import asked
from backend.models.request import Request

#: Requests on their way at a time, unless `--batch` says otherwise.
AT_ONCE = 4
#: Answers that are remembered, so that a call that fails half-way does not ask everything again.
REMEMBERED = 4096

log = logging.getLogger(__name__)
Value = TypeVar("Value")


class EndpointModel(Model):
    """What the server gives is asked of it when the model is loaded: `kinds` is true to the server.

    batch_size: requests on their way at a time. module: None, the weights are the server's.
    """

    family: ClassVar[str] = "endpoint"
    batch_size = AT_ONCE

    def __init__(self, request: Request) -> None:
        super().__init__(request.spec)
        if (request.device, request.dtype) not in (("auto", "auto"), ("cpu", "auto")):
            log.info("%s: device and dtype are the server's own", request.spec)
        self.seed = request.seed
        self.question = request.question or QUESTION
        self.client = Client(address.parse(request.name))
        self.ability: Ability = probe(self.client)
        self.kinds = kinds_given(self.ability)
        if not self.kinds:
            reasons = "; ".join(dict.fromkeys(self.ability.missing.values()))
            raise FlipsideError(f"{self.spec}: no score can be had from it: {reasons}.")
        remember(self.spec, self.kinds)
        self._answers: OrderedDict[Hashable, Any] = OrderedDict()
        self._lock = threading.Lock()
        self._bounded = 0
        self.contests = Contests(self.client, self.ability.limit, QUIET)

    @classmethod
    def load(cls, request: Request) -> Self:
        return cls(request)

    def caption_logprobs(self, images: Sequence[Picture], texts: Sequence[str]) -> list[TokenScores]:
        if Kind.GEN not in self.kinds:
            self.lacks(Kind.GEN)
        check_pairs(images, texts)
        urls, index = self.urls(images)
        return self.captions([urls[i] for i in index], texts)

    def text_logprobs(self, texts: Sequence[str]) -> list[TokenScores]:
        if Kind.PRIOR not in self.kinds or Kind.GEN in self.kinds:
            self.lacks(Kind.PRIOR)
        return self.captions([""] * len(texts), texts)

    def captions(self, urls: Sequence[str], texts: Sequence[str]) -> list[TokenScores]:
        """Each text's tokens behind the prompt with its image, which is asked for once an image."""
        distinct = list(dict.fromkeys(urls))
        asked = together(lambda i: self.prompt_of(distinct[i]), len(distinct), self.batch_size)
        prefixes = dict(zip(distinct, asked, strict=True))

        def one(i: int) -> TokenScores:
            return self.once(
                ("gen", _key(urls[i]), texts[i]), lambda: self.caption(prefixes[urls[i]], urls[i], texts[i])
            )

        return together(one, len(texts), self.batch_size)

    def prompt_of(self, url: str) -> list[Token]:
        found = self.once(("prompt", _key(url)), lambda: prompt(self.client, url, self.ability.limit))
        return found if found is not None else self.nonsense("no longer gives prompt_logprobs")

    def caption(self, prefix: Sequence[Token], url: str, text: str) -> TokenScores:
        whole = prompt(self.client, url, self.ability.limit, text, self.ability.caption)
        if whole is None:
            self.nonsense("no longer gives prompt_logprobs")
        tokens = scored(prefix, whole, self.ability.closing)
        if tokens is None or any(token.logprob is None for token in tokens):
            raise FlipsideError(
                f"{self.spec}: the tokens of {text[:80]!r} cannot be told from its prompt's, which the server's "
                "template writes otherwise with this text than without."
            )
        values = np.array([token.logprob for token in tokens], dtype=np.float32)
        return [token.text or f"[{token.number}]" for token in tokens], values

    def vqa_logits(self, images: Sequence[Picture], texts: Sequence[str]) -> NDArray[np.float32]:
        if Kind.VQA not in self.kinds:
            self.lacks(Kind.VQA)
        check_pairs(images, texts)
        urls, index = self.urls(images)

        def one(i: int) -> Odds:
            url = urls[index[i]]
            return self.once(("vqa", _key(url), texts[i]), lambda: self.answer(url, texts[i]))

        return np.array([odds.value for odds in together(one, len(texts), self.batch_size)], dtype=np.float32)

    def answer(self, url: str, text: str) -> Odds:
        """The odds of "Yes" as the answer's first token."""
        messages = [user(asked(self.question, text), url)]
        asks = {
            "messages": messages,
            "logprobs": True,
            "top_logprobs": self.ability.top,
            self.ability.limit: 1,
            **QUIET,
        }
        shown = first_choices(self.client.chat(**asks), self.client.address.base)
        if shown is None:
            self.nonsense("no longer gives top_logprobs")
        odds = yes_odds(shown)
        with self._lock:
            self._bounded += odds.bound
        return odds

    def prefer(self, images: Sequence[Picture], firsts: Sequence[str], seconds: Sequence[str]) -> NDArray[np.float32]:
        if Kind.VERDICT not in self.kinds:
            self.lacks(Kind.VERDICT)
        check_contests(images, firsts, seconds)
        urls, index = self.urls(images)

        def one(i: int) -> float:
            url, pair = urls[index[i]], (firsts[i], seconds[i])
            return self.once(("verdict", _key(url), pair), lambda: self.contests.share(url, *pair))

        return np.array(together(one, len(firsts), self.batch_size), dtype=np.float32)

    def urls(self, images: Sequence[Picture]) -> tuple[list[str], NDArray[np.int64]]:
        """Each distinct image once, as it is sent, and which of them stands where."""
        uniques, index = unique_by_identity(images)
        return [png(image) for image in uniques], index

    def once(self, key: Hashable, ask: Callable[[], Value]) -> Value:
        """The remembered answer, or a new one."""
        with self._lock:
            if key in self._answers:
                self._answers.move_to_end(key)
                known: Value = self._answers[key]
                return known
        value = ask()
        with self._lock:
            self._answers[key] = value
            while len(self._answers) > REMEMBERED:
                self._answers.popitem(last=False)
        return value

    def noise_images(self, n: int, seed: int) -> NoReturn:
        raise UsageError(
            f"{self.spec}: an endpoint takes pictures, and null images are no pictures but noise in normalised pixels. "
            "Use --prior images:N or lm:SPEC."
        )

    def lacks(self, kind: str) -> NoReturn:
        """Refuse a kind, with the server's reason."""
        why = self.ability.missing.get(str(kind)) or self.ability.missing.get("images")
        raise UsageError(
            f"{self.spec} gives no {kind!s}{f' ({why})' if why else ''}; it gives {', '.join(sorted(self.kinds))}."
        )

    def nonsense(self, what: str) -> NoReturn:
        raise EndpointError(f"{self.client.address.base} {what}; has it been restarted with other settings?")

    def text_lengths(self, texts: Sequence[str]) -> NDArray[np.int64]:
        """Words: the server's tokenizer is not here, and nothing is padded."""
        return np.array([len(text.split()) for text in texts], dtype=np.int64)

    def truncated(self, texts: Sequence[str]) -> NDArray[np.bool_]:
        """None: a server refuses what is too long, and says so."""
        return np.zeros(len(texts), dtype=np.bool_)

    def remarks(self) -> dict[str, Any]:
        """What the scores of this session need as a footnote."""
        verdicts = self.contests.remarks()
        bounds = {"vqa_bounds": self._bounded} if self._bounded else {}
        return bounds | ({"verdict": verdicts} if verdicts else {})

    def describe(self) -> dict[str, Any]:
        known = self.client.address
        return {
            "spec": self.spec,
            "family": self.family,
            "class": None,
            "kinds": sorted(map(str, self.kinds)),
            "weights_sha256": hashlib.sha256(f"endpoint {known.base}#{known.model}".encode()).hexdigest(),
            "weights": "the server's: not seen, known by address and name only (weights_sha256 is a hash of these)",
            "server": known.base,
            "model": known.model,
            "preprocessing": self.preprocessing(),
            "image_size": None,
            "dtype": "the server's",
            "device": "endpoint",
            "probed": {
                "images": self.ability.sees,
                "prompt_logprobs": self.ability.caption,
                "tokens_behind_a_caption": self.ability.closing,
                "top_logprobs": self.ability.top,
                "chooses": self.ability.chooses,
                "missing": self.ability.missing,
            },
            "versions": {},
            "seed": self.seed,
        }

    def preprocessing(self) -> dict[str, Any]:
        """How images and texts are sent, and what of the answer is scored."""
        end = "with the token that ends the turn" if self.ability.closing else "without an end token"
        return {
            "images": "upright RGB, as a PNG in a data: URL, in its own size" if self.ability.sees else None,
            "prompt": INSTRUCTION if self.ability.sees else BLIND,
            "question": self.question,
            # Only where it is another than ours: the runs of ours keep their ids.
            **({"question_template": self.question} if self.question != QUESTION else {}),
            "scored": f"the caption's tokens as the assistant's turn, {end}" if self.ability.caption else None,
            "vqa": f"P(Yes) as the answer's first token, from its {self.ability.top} likeliest"
            if self.ability.top
            else None,
            "choice": CHOICE if self.ability.chooses else None,
            "verdict": "the letter that its answer names, asked in both orders" if self.ability.chooses else None,
        }


def _key(url: str) -> str:
    """An image's hash in place of its megabytes."""
    return hashlib.sha256(url.encode()).hexdigest() if url else ""
