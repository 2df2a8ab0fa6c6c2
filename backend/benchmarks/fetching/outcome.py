"""What became of one file of a benchmark that was to be fetched."""

from dataclasses import dataclass
from typing import Literal

#: How a file was verified. "size": as many bytes as the table says or the server announced, and it reads to its end.
#: "receipt": it is what was fetched here before. "none": nothing is known to compare it with.
Verified = Literal["sha256", "md5", "size", "receipt", "none"]
State = Literal["fetched", "already there", "failed"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one file. size and sha256: of the file that is there, None where none is. reason: why it failed,
    or what is to be known of it. unpacked: the folder it was unpacked to."""

    file: str
    size: int | None
    sha256: str | None
    state: State
    verified: Verified
    reason: str = ""
    unpacked: str = ""
