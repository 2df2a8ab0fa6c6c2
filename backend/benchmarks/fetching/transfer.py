"""One file over https into its part: continued where it stopped, tried again where that may help, never too long."""

import shutil
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import NoReturn
from urllib.parse import urljoin, urlsplit

import requests
import urllib3

from backend import __version__, deadline
from backend.benchmarks.fetching.address import check_redirect, shown
from backend.benchmarks.fetching.answers import range_total, refuse_failure, refuse_page, refuse_size, validator
from backend.benchmarks.fetching.part import Part
from backend.benchmarks.fetching.table import SourceFile
from backend.benchmarks.fetching.trouble import FileError, FullDiskError, PassingError, UnreachableError
from backend.durable import is_full, not_written

REDIRECTS = frozenset({301, 302, 303, 307, 308})
MOST_REDIRECTS = 5
#: A try that brought this many bytes was no failure, so that a long file over a bad line comes through.
WORTH = 1 << 20
CHUNK = 1 << 18
#: Left free on the disk beside the file.
ROOM = 64 << 20

#: Told after each chunk: bytes that are there, and bytes of the whole file where that is known.
Tick = Callable[[int, int | None], None]


@dataclass(frozen=True, slots=True)
class Settings:
    """timeout: seconds to connect, and without a byte; headers come within both together. least: bytes a second over
    the second of these, below which a connection counts as broken: a server that sends a byte now and then would be
    waited for without end. tries: in a row without progress. pause: seconds, doubled."""

    timeout: tuple[float, float] = (15.0, 60.0)
    least: int = 1_000
    tries: int = 5
    pause: float = 1.0


def session() -> requests.Session:
    """A session that obeys the environment's proxies and sends no password, not one of a .netrc file either."""
    opened = requests.Session()
    opened.headers["User-Agent"] = f"flipside/{__version__}"
    opened.auth = lambda request: request
    for scheme in ("http://", "https://"):
        opened.mount(scheme, deadline.Adapter())
    return opened


def transfer(
    http: requests.Session,
    address: str,
    file: SourceFile,
    part: Part,
    tick: Tick,
    settings: Settings,
    dead: Collection[str] = (),
) -> bool:
    """Bring the whole file into its part. True where it was continued from an earlier part. dead: hosts that have not
    answered before, and are not asked again where a server sends on to them.

    FileError where that cannot be done; what has come is kept wherever it can be continued.
    """
    failures, continued = 0, False
    while True:
        before = part.size
        try:
            return _once(http, address, file, part, tick, settings, dead) or continued
        except PassingError as error:
            continued = True
            failures = 1 if part.size - before >= WORTH else failures + 1
            if failures >= settings.tries:
                kept = f"; {part.size:,} bytes are kept, the same command goes on from there" if part.size else ""
                why = f"{shown(address)}: {error}, {settings.tries} times in a row{kept}"
                raise (UnreachableError(why, error.unreachable) if error.unreachable else FileError(why)) from None
            time.sleep(settings.pause * 2 ** (failures - 1) if error.pause is None else error.pause)


def _once(
    http: requests.Session,
    address: str,
    file: SourceFile,
    part: Part,
    tick: Tick,
    settings: Settings,
    dead: Collection[str],
) -> bool:
    origin = part.origin(address, file)
    offset = part.size if origin else 0
    whole = (origin.total if origin else None) or file.size
    if offset and offset == whole:
        return True
    headers = {"Accept-Encoding": "identity"}
    if origin:
        headers["Range"] = f"bytes={offset}-"
        if origin.validator:
            headers["If-Range"] = origin.validator
    with _asked(http, address, headers, settings, dead) as answer:
        if origin and answer.status_code == 416:
            part.discard()
            raise PassingError(f"it has nothing after byte {offset:,}, so that the file is fetched anew", 0.0)
        refuse_failure(answer, address)
        refuse_page(answer, address, file)
        encoded = answer.headers.get("Content-Encoding", "identity") != "identity"
        if answer.status_code == 206:
            total = range_total(answer.headers, offset)
            if total is None or encoded or (whole is not None and total != whole):
                part.discard()
                raise PassingError("it continued another file than was begun, which is fetched anew", 0.0)
        else:
            offset = 0
            length = answer.headers.get("Content-Length", "")
            total = int(length) if length.isdecimal() and not encoded else None
        refuse_size(address, file, total)
        _refuse_full_disk(part, file, total, offset)
        if not offset:
            _begin(part, address, file, "" if encoded else validator(answer.headers), total)
        _receive(answer, address, file, part, tick, total, settings)
    return offset > 0


def _begin(part: Part, address: str, file: SourceFile, validator: str, total: int | None) -> None:
    try:
        part.begin(address, file, validator, total)
    except OSError as error:
        _refuse_write(error, part)


def _receive(
    answer: requests.Response,
    address: str,
    file: SourceFile,
    part: Part,
    tick: Tick,
    total: int | None,
    settings: Settings,
) -> None:
    done, most = part.size, file.most
    since, then, window = time.monotonic(), done, settings.timeout[1]
    try:
        with part.appending() as out:
            # read1 gives what is there; read would wait for a full chunk, and lose it where the connection breaks.
            while chunk := answer.raw.read1(CHUNK, decode_content=True):
                done += len(chunk)
                if most is not None and done > most:
                    break
                out.write(chunk)
                tick(done, total if total is not None else file.size)
                if (now := time.monotonic()) - since >= window:
                    if done - then < settings.least * (now - since) and done != total:
                        raise PassingError(f"only {done - then:,} bytes came in {now - since:.0f} s")
                    since, then = now, done
    except urllib3.exceptions.TimeoutError:
        raise PassingError(f"nothing more came after {done:,} bytes") from None
    except urllib3.exceptions.HTTPError:
        raise PassingError(f"the connection broke after {done:,} bytes") from None
    except OSError as error:
        _refuse_write(error, part)
    if most is not None and done > most:
        part.discard()
        raise FileError(f"{shown(address)}: more than {most:,} bytes came, which are all that belong to {file.path}")
    if total is not None and done != total:
        raise PassingError(f"the connection ended after {done:,} of {total:,} bytes")


@contextmanager
def _asked(
    http: requests.Session, address: str, headers: dict[str, str], settings: Settings, dead: Collection[str]
) -> Iterator[requests.Response]:
    """The answer to one request, its redirects followed one by one so that each can be refused."""
    here = address
    for _ in range(MOST_REDIRECTS + 1):
        host = urlsplit(here).netloc
        if host in dead:
            raise UnreachableError(f"{shown(address)} sends on to {host}, which does not answer; not tried again", host)
        try:
            with deadline.whole(sum(settings.timeout)):
                answer = http.get(here, headers=headers, stream=True, allow_redirects=False, timeout=settings.timeout)
        except requests.RequestException as error:
            sent = f"sends on to {host}: " if here != address else ""
            raise PassingError(f"{sent}{_why(error)}", unreachable=host) from None
        except ValueError:  # requests looks at a redirect's address, too
            raise FileError(f"{shown(here)} sends on to an address that is none") from None
        with answer:
            if answer.status_code not in REDIRECTS or "Location" not in answer.headers:
                yield answer
                return
            there = urljoin(here, answer.headers["Location"])
        check_redirect(here, there)
        here = there
    raise FileError(f"{shown(address)} sends on from address to address, more than {MOST_REDIRECTS} times")


def _refuse_full_disk(part: Part, file: SourceFile, total: int | None, offset: int) -> None:
    whole = total if total is not None else file.size
    free = shutil.disk_usage(part.path.parent).free
    if whole is not None and whole - offset + ROOM > free:
        raise FullDiskError(
            f"{part.path.parent}: {file.path} needs {whole - offset + ROOM:,} more bytes and {free:,} are free; "
            "make room or choose another folder with --to"
        )


def _refuse_write(error: OSError, part: Part) -> NoReturn:
    if is_full(error):
        raise FullDiskError(
            f"{part.path}: the disk is full; {part.size:,} bytes are kept, make room and give the same command again"
        ) from None
    raise FileError(not_written(error, part.path, "choose another --to").rstrip(".")) from None


def _why(error: requests.RequestException) -> str:
    if isinstance(error, requests.exceptions.SSLError):
        return "its certificate is not accepted, or the connection is not encrypted as it should be"
    if isinstance(error, requests.Timeout):
        return "it does not answer in time"
    return "it cannot be reached"
