"""What an answer's status and headers say: whether it is the file, how long it is, and how it may be continued."""

import requests
from requests.structures import CaseInsensitiveDict

from backend.benchmarks.fetching.address import shown
from backend.benchmarks.fetching.table import SourceFile
from backend.benchmarks.fetching.trouble import FileError, PassingError

AGAIN = frozenset({408, 425, 429, 500, 502, 503, 504})
#: A server that asks for a longer pause than this many seconds is not waited for.
LONGEST_PAUSE = 60.0


def refuse_failure(answer: requests.Response, address: str) -> None:
    """PassingError where the server may do better soon, FileError where it has no such file."""
    code = answer.status_code
    if code in AGAIN:
        asked = answer.headers.get("Retry-After", "")
        pause = float(asked) if asked.isdecimal() else None
        if pause is not None and pause > LONGEST_PAUSE:
            raise FileError(f"{shown(address)}: HTTP {code}, and it asks to wait for {pause:,.0f} s; try again then")
        raise PassingError(f"HTTP {code}", pause)
    if code not in (200, 206):
        raise FileError(f"{shown(address)}: HTTP {code} {answer.reason}; the file may have moved")


def refuse_page(answer: requests.Response, address: str, file: SourceFile) -> None:
    """FileError where a web page was sent: a notice, a form, a login."""
    kind = answer.headers.get("Content-Type", "").partition(";")[0].strip().lower()
    if kind in ("text/html", "application/xhtml+xml") and not file.path.endswith((".html", ".htm")):
        raise FileError(f"{shown(address)}: a web page came instead of {file.path}; open the address in a browser")


def refuse_size(address: str, file: SourceFile, total: int | None) -> None:
    """FileError where the announced size is not the file's."""
    if total is None:
        return
    if file.size is not None and total != file.size:
        raise FileError(f"{shown(address)}: it has {total:,} bytes where {file.path} has {file.size:,}: another file")
    if file.most is not None and total > file.most:
        raise FileError(
            f"{shown(address)}: it has {total:,} bytes, more than the {file.most:,} that can be {file.path}"
        )


def validator(headers: CaseInsensitiveDict[str]) -> str:
    """What If-Range may carry: a strong ETag, else the date of the last change."""
    etag = headers.get("ETag", "")
    return etag if etag.startswith('"') else headers.get("Last-Modified", "")


def range_total(headers: CaseInsensitiveDict[str], offset: int) -> int | None:
    """The whole file's bytes from `Content-Range: bytes <offset>-<last>/<total>`; None where it begins elsewhere."""
    unit, _, rest = headers.get("Content-Range", "").partition(" ")
    span, _, total = rest.partition("/")
    begins = span.partition("-")[0]
    return int(total) if unit == "bytes" and begins == str(offset) and total.isdecimal() else None
