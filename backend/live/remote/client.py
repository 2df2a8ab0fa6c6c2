"""HTTP to the live backend: bounded in size and time, no redirects, one sentence for each way in which it can fail."""

import logging
import os
import threading
import time
from http.cookiejar import DefaultCookiePolicy
from typing import Any, Final

import requests

from backend import deadline, plain_json
from backend.errors import FlipsideError, UsageError
from backend.live.remote import wire
from backend.live.remote.address import LIMIT, TIMEOUT, TOKEN, Backend

#: Seconds in which a backend that could not be reached is not tried again, so that five models do not wait five times.
REST: Final = 2.0
#: Connections that are kept.
AT_ONCE: Final = 32
#: Bytes of an answer that is no message.
WORDS: Final = 1_000_000
UNAFFECTED: Final = "Stored results are unaffected, and it is asked again by itself."

log = logging.getLogger(__name__)


class UnreachableError(FlipsideError):
    """Nobody answers, or not in time."""


class Client:
    """Asks one backend. Safe for several threads."""

    def __init__(self, backend: Backend) -> None:
        self.backend = backend
        self._session = requests.Session()
        self._session.cookies.set_policy(DefaultCookiePolicy(allowed_domains=[]))
        self._session.trust_env = not backend.is_near  # a proxy of the environment is none for this machine
        self._session.verify = os.environ.get("REQUESTS_CA_BUNDLE") or True
        for scheme in ("http://", "https://"):
            self._session.mount(scheme, deadline.Adapter(pool_maxsize=AT_ONCE))
        self._lock = threading.Lock()
        self._failed: tuple[float, str] | None = None

    def state(self, read: float = 5.0) -> dict[str, Any]:
        """What the backend says of itself. FlipsideError where it does not."""
        status, content = self._once("GET", "/v1/state", None, WORDS, read)
        if status != 200:
            raise self._refused(status, content)
        return self._document(content)

    def open(self, spec: str) -> dict[str, Any]:
        """Have it load a model: what that gives. FlipsideError where it does not offer one."""
        status, content = self._once("POST", "/v1/open", wire.packed({"spec": spec}), WORDS, self.backend.read)
        if status != 200:
            raise self._refused(status, content)
        return self._document(content)

    def ask(self, question: bytes) -> tuple[dict[str, Any], list[Any]]:
        """Head and arrays of the answer to a question (`calls.question`)."""
        limit = self.backend.limit
        if len(question) > limit:
            raise FlipsideError(
                f"This takes {len(question) / 1e6:.0f} MB to ask, more than the {limit / 1e6:.0f} MB that go to "
                f"{self.backend.base} at once ({LIMIT}); use a smaller picture."
            )
        status, content = self._once("POST", "/v1/ask", question, limit, self.backend.read)
        if status != 200:
            raise self._refused(status, content)
        try:
            head, arrays = wire.unpacked(content, limit)
        except wire.BrokenError as error:
            raise self.nonsense(str(error)) from None
        self._same_format(head)
        return head, arrays

    def nonsense(self, why: str) -> FlipsideError:
        """The error for an answer that is not believed."""
        return FlipsideError(
            f"{self.backend.base} gives an answer that is not believed: {why}. Is it a backend of this Flipside?"
        )

    def _once(self, method: str, path: str, body: bytes | None, most: int, read: float) -> tuple[int, bytes]:
        """Status and content of one answer, which is at most `most` bytes and complete within `read` seconds."""
        with self._lock:
            if self._failed and time.monotonic() < self._failed[0]:
                raise UnreachableError(self._failed[1])
        base = self.backend.base
        try:
            with deadline.whole(read), self._session.request(
                method, base + path, data=body, headers={"Content-Type": wire.MEDIA, "Accept-Encoding": "identity"},
                timeout=(self.backend.connect, read), allow_redirects=False, stream=True, auth=self._authorise,
            ) as answer:  # fmt: skip
                content = self._content(answer, most)
                with self._lock:
                    self._failed = None
                return answer.status_code, content
        except requests.ReadTimeout:
            more = f"Try again, or allow more seconds with {TIMEOUT}." if read == self.backend.read else "Try again."
            raise UnreachableError(
                f"{base} gave no answer within {read:g} s: it is too busy, or loads a large model. {more}"
            ) from None
        except FlipsideError:
            raise
        except (requests.RequestException, OSError, ValueError) as error:
            said = f"{base} does not answer ({_why(error)}): start it there with flipside serve. {UNAFFECTED}"
        except Exception as error:  # noqa: BLE001 - urllib3's own, where an answer breaks off while it is read
            said = f"{base} broke off while it answered ({type(error).__name__}). {UNAFFECTED}"
        with self._lock:
            self._failed = time.monotonic() + REST, said
        raise UnreachableError(said)

    def _content(self, answer: requests.Response, most: int) -> bytes:
        parts, size = [], 0
        for part in answer.raw.stream(1 << 16, decode_content=False):
            size += len(part)
            if size > most:
                raise self.nonsense(f"it has more than {most:,} bytes")
            parts.append(part)
        if (said := answer.headers.get("Content-Length", "")).isdecimal() and int(said) != size:
            raise ConnectionError("Connection broken")
        return b"".join(parts)

    def _authorise(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        """The token; given here, so that requests does not look into ~/.netrc."""
        request.headers["Authorization"] = f"Bearer {self.backend.token}"
        return request

    def _document(self, content: bytes) -> dict[str, Any]:
        try:
            found = plain_json.loads(content)
        except ValueError:
            raise self.nonsense("it is no JSON") from None
        if not isinstance(found, dict):
            raise self.nonsense("it is no JSON object")
        self._same_format(found)
        return found

    def _same_format(self, found: dict[str, Any]) -> None:
        if found.get("format") != wire.FORMAT:
            raise FlipsideError(
                f"{self.backend.base} speaks format {str(found.get('format'))[:20]}, these pages format {wire.FORMAT}: "
                "install the same version of Flipside on both sides."
            )

    def _refused(self, status: int, content: bytes) -> FlipsideError:
        base, said, wrong_use = self.backend.base, *self._said(content)
        if status in (401, 403):
            return FlipsideError(f"{base} does not take the token: {TOKEN} must be the same on both sides.")
        if 300 <= status < 400:
            return FlipsideError(f"{base} sends us elsewhere ({status}), which is not followed: give the last address.")
        if status == 413:
            return FlipsideError(f"{base} takes no question of this size ({said or '413'}): use a smaller picture.")
        if status == 422 and said:
            return UsageError(said) if wrong_use else FlipsideError(said)
        if status in (429, 502, 503, 504):
            return UnreachableError(
                f"{base} is too busy or not ready ({status}{f': {said}' if said else ''}). Try again."
            )
        if status == 400 and said:
            return FlipsideError(f"{base} does not take this: {said}.")
        return FlipsideError(
            f"{base} answers {status}{f': {said}' if said else ''}: it is no live backend of this version of Flipside."
        )

    def _said(self, content: bytes) -> tuple[str, bool]:
        """The backend's own sentence, printable and short, never with the token; and whether it is wrong use."""
        try:
            found = plain_json.loads(content)
        except ValueError:
            return "", False
        if not isinstance(found, dict) or not isinstance(found.get("error"), str):
            return "", False
        text = "".join(letter if letter.isprintable() else " " for letter in found["error"])
        return " ".join(text.split())[:500].replace(self.backend.token, "…"), found.get("usage") is True


def _why(error: BaseException) -> str:
    text = str(error)
    if isinstance(error, requests.ConnectTimeout):
        return "nobody takes the connection"
    known = {
        "refused": "connection refused", "Name or service not known": "no such host",
        "getaddrinfo failed": "no such host", "nodename nor servname": "no such host",
        "Failed to resolve": "no such host", "name resolution": "no such host", "unreachable": "no route to it",
        "CERTIFICATE_VERIFY_FAILED": "its certificate is not trusted", "WRONG_VERSION_NUMBER": "it speaks no https",
        "Connection aborted": "it broke off", "Connection broken": "it broke off",
    }  # fmt: skip
    return next((said for part, said in known.items() if part in text), type(error).__name__)
