"""HTTP to an OpenAI-compatible server: retries, time limits, and one sentence for each way in which it can fail."""

import logging
import random
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, TypeVar

import requests

from backend import deadline, environment, plain_json
from backend.errors import FlipsideError, UsageError
from backend.models.endpoint.address import KEY, Address

#: Seconds for one answer, where the owner has set no other.
TIMEOUT = "FLIPSIDE_ENDPOINT_TIMEOUT"
#: No answer is longer than this: a prompt's log-probabilities take some 100 bytes a token.
MOST_BYTES = 64 << 20
AGAIN = frozenset({408, 425, 429, 500, 502, 503, 504})
#: A server that asks for a longer pause than this many seconds is not waited for.
LONGEST_PAUSE = 120.0

log = logging.getLogger(__name__)
Result = TypeVar("Result")
Body = Mapping[str, Any]


class EndpointError(FlipsideError):
    """The server does not answer, or nonsense. `whole_call`: another input would fare no better."""

    whole_call = True


class RefusedError(FlipsideError):
    """The server says that it does not take this request (400, 413, 422), or fails at it again and again (500)."""


@dataclass(frozen=True)
class Patience:
    """attempts: how often a request is sent. first: seconds before the second attempt, doubled each time.
    connect, read: seconds for a connection and for a whole answer. slow: attempts where an answer took too long.
    """

    attempts: int = 5
    first: float = 0.5
    connect: float = 10.0
    read: float = 120.0
    slow: int = 2

    @classmethod
    def of_environment(cls) -> "Patience":
        """The defaults, with the owner's FLIPSIDE_ENDPOINT_TIMEOUT."""
        return cls(read=environment.seconds(TIMEOUT, cls.read))


class Client:
    """Asks one server. Safe to use from several threads: each has its own connection."""

    def __init__(self, address: Address, patience: Patience | None = None) -> None:
        self.address = address
        self.patience = patience or Patience.of_environment()
        self._own = threading.local()

    def models(self) -> list[str]:
        """The names of the server's models; empty where it lists none."""
        try:
            found = self.send("GET", "/models")
        except RefusedError:
            return []
        entries = found.get("data")
        return [str(e["id"]) for e in entries if isinstance(e, dict) and "id" in e] if isinstance(entries, list) else []

    def chat(self, **body: Any) -> dict[str, Any]:
        """The answer to a /chat/completions request, with the model's name added."""
        return self.send("POST", "/chat/completions", {"model": self.address.model, **body})

    def send(self, method: str, path: str, body: Body | None = None) -> dict[str, Any]:
        """One request, sent again after a pause where that may help, and its JSON object."""
        slow = 0
        for attempt in range(self.patience.attempts):
            last = attempt + 1 == self.patience.attempts
            pause = self.patience.first * 2**attempt * random.uniform(1.0, 1.25)  # noqa: S311 - spreads the retries
            try:
                status, headers, content = self._once(method, path, body)
            except requests.Timeout:
                slow += 1
                if last or slow >= self.patience.slow:
                    raise EndpointError(
                        f"{self.address.base} gave no answer within {self.patience.read:g} s: it is too slow or too "
                        f"busy. Try again, or allow more seconds with {TIMEOUT}."
                    ) from None
            except (requests.RequestException, ConnectionError) as error:
                if last or isinstance(error, requests.exceptions.SSLError | requests.exceptions.InvalidURL):
                    raise EndpointError(
                        f"{self.address.base} cannot be reached ({_why(error)}). Start the server, or mend the address."
                    ) from None
            else:
                if status not in AGAIN or last:
                    return self._judge(status, headers, content, path)
                pause = max(pause, retry_after(headers.get("Retry-After", "")))
                if pause > LONGEST_PAUSE:
                    raise EndpointError(f"{self.address.base} asks for a pause of {pause:.0f} s. Run again after that.")
            log.info("%s%s: attempt %d failed, next in %.1f s", self.address.base, path, attempt + 1, pause)
            time.sleep(pause)
        raise AssertionError  # the last attempt returns or raises

    def _once(self, method: str, path: str, body: Body | None) -> tuple[int, Mapping[str, str], bytes]:
        """Status, headers and content of one answer. No redirect is followed: it could lead anywhere."""
        with (
            deadline.whole(self.patience.read),
            self._session().request(
                method,
                self.address.base + path,
                json=body,
                timeout=(self.patience.connect, self.patience.read),
                allow_redirects=False,
                stream=True,
                auth=self._authorise,
            ) as answer,
        ):
            parts, size = [], 0
            for part in answer.iter_content(1 << 16):
                parts.append(part)
                size += len(part)
                if size > MOST_BYTES:
                    raise EndpointError(f"{self.address.base} sends an answer without end: it is no such server.")
            return answer.status_code, answer.headers, b"".join(parts)

    def _session(self) -> requests.Session:
        found: requests.Session | None = getattr(self._own, "session", None)
        if found is None:
            found = self._own.session = requests.Session()
            for scheme in ("http://", "https://"):
                found.mount(scheme, deadline.Adapter())
        return found

    def _authorise(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        """The key, from the environment; also where there is none, or requests would look into ~/.netrc."""
        if self.address.key:
            request.headers["Authorization"] = f"Bearer {self.address.key}"
        return request

    def _judge(self, status: int, headers: Mapping[str, str], content: bytes, path: str) -> dict[str, Any]:
        base, said = self.address.base, self._said(content)
        if 300 <= status < 400:
            raise EndpointError(f"{base} sends us elsewhere ({headers.get('Location', '?')[:120]}); give that address.")
        if status in (401, 403):
            raise EndpointError(f"{base} asks for a key, or for another one ({status}): put it into {KEY}.")
        if status == 404 and "does not exist" in said:
            raise UsageError(f"{base} has no model {self.address.model!r}{self._others(path)}.")
        if status in (400, 413, 415, 422, 500, 501) or (status in (404, 405) and path == "/models"):
            raise RefusedError(f"{base} refuses the request ({status}{': ' + said if said else ''}).")
        if status != 200:
            hint = " Does its address end in /v1?" if status in (404, 405) else ""
            raise EndpointError(f"{base} answers {status}{': ' + said if said else ''}.{hint}")
        try:
            found = plain_json.loads(content, any_number=True)
        except ValueError:
            what = "a web page" if content.lstrip()[:1] == b"<" else "no whole JSON"
            raise EndpointError(f"{base}{path} answers with {what}, so it is no OpenAI-compatible server.") from None
        if not isinstance(found, dict):
            raise EndpointError(f"{base}{path} answers with no JSON object, so it is no OpenAI-compatible server.")
        return found

    def _others(self, path: str) -> str:
        names = self.models() if path != "/models" else []
        return f"; it serves {', '.join(names[:20])}" if names else ""

    def _said(self, content: bytes) -> str:
        """The server's own reason, short, and without the key if it should repeat that."""
        try:
            found = plain_json.loads(content, any_number=True)
        except ValueError:
            return ""
        for name in ("error", "message", "detail"):
            if isinstance(found, dict) and name in found:
                found = found[name]
        if isinstance(found, dict):
            found = found.get("message", "")
        text = " ".join(str(found).split())[:200] if isinstance(found, str) else ""
        return text.replace(self.address.key, "…") if self.address.key else text


def together(work: Callable[[int], Result], n: int, workers: int) -> list[Result]:
    """`work(0) … work(n - 1)`, a few at a time. The first failure, or Ctrl-C, drops what has not begun."""
    if n <= 1 or workers <= 1:
        return [work(i) for i in range(n)]
    with ThreadPoolExecutor(min(workers, n), thread_name_prefix="endpoint") as threads:
        try:
            return list(threads.map(work, range(n)))
        except BaseException:
            threads.shutdown(wait=False, cancel_futures=True)
            raise


def retry_after(text: str) -> float:
    """Seconds that a Retry-After header asks for, given as seconds or as a date; 0 where it says neither.

    >>> retry_after("3"), retry_after("soon")
    (3.0, 0.0)
    """
    try:
        return max(0.0, float(text))
    except ValueError:
        pass
    try:
        until = parsedate_to_datetime(text)
    except (ValueError, OverflowError):
        return 0.0
    return max(0.0, (until.replace(tzinfo=until.tzinfo or UTC) - datetime.now(UTC)).total_seconds())


def _why(error: BaseException) -> str:
    """Refused, unknown host, broken off: in two words where the library takes ten lines."""
    text = str(error)
    known: Sequence[tuple[str, str]] = (
        ("refused", "connection refused"),
        ("Name or service not known", "no such host"),
        ("getaddrinfo failed", "no such host"),
        ("nodename nor servname", "no such host"),
        ("Temporary failure in name resolution", "no such host"),
        ("Failed to resolve", "no such host"),
        ("unreachable", "no route to it"),
        ("CERTIFICATE_VERIFY_FAILED", "its certificate is not trusted"),
        ("WRONG_VERSION_NUMBER", "it speaks no https"),
        ("Connection aborted", "it broke off"),
        ("Connection broken", "it broke off"),
    )
    return next((said for part, said in known if part in text), type(error).__name__)
