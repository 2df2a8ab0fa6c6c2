"""The frames of a video clip, taken out of it beforehand: a folder a clip, a file a frame."""

from functools import lru_cache

from backend.benchmarks.reading.folder import Folder
from backend.benchmarks.reading.malformed import Malformed
from backend.items import ImageRef

#: Frames a second (EqSim paper, appendix A.6).
RATE = 5
FRAMES = (
    "<clip id>/000001.jpg, 000002.jpg, … at five a second (ffmpeg -i ID.mp4 -vf fps=5 ID/%06d.jpg), or by "
    "their second, <clip id>/0.200.jpg"
)
_SUFFIXES = (".jpg", ".png", ".jpeg", ".webp")
_DIGITS = (6, 5, 4, 3, 1)
#: No clip of Kinetics is longer than ten seconds; what says an hour is no clip.
LONGEST = 3600.0


def frames(files: Folder, clip: str, length: float) -> tuple[ImageRef, ...]:
    """The frames at 0, 0.2, … seconds, as many as `length` seconds surely have; the uri of those that are missing is
    empty. Their keys are clip and second, whatever their files are called. Malformed for fewer than two.
    """
    if length > LONGEST:
        raise Malformed(f"the clip ends after {length:g} s, no clip does")
    n = int(length * RATE + 1e-9)
    if n < 2:
        raise Malformed(f"the clip ends after {length:g} s, which is no two frames at {RATE} a second")
    return tuple(_all(files, clip, n))


@lru_cache(maxsize=4)
def _all(files: Folder, clip: str, n: int) -> tuple[ImageRef, ...]:
    named = _naming(files, clip)
    found = []
    for k in range(n):
        key = f"{clip}/{k / RATE:.3f}"
        uri = files.image(named.format(n=k, one=k + 1, second=k / RATE), by_name=False).uri if named else ""
        found.append(ImageRef(key, uri))
    return tuple(found)


def _naming(files: Folder, clip: str) -> str:
    """How this clip's frames are called, as a format of n (from 0), one (from 1) and second; "" where none is there."""
    escaped = clip.replace("{", "{{").replace("}", "}}")
    for suffix in _SUFFIXES:
        for digits in _DIGITS:
            for field in ("n", "one"):  # 000000 is there only where the numbers begin at 0
                pattern = f"{escaped}/{{{field}:0{digits}d}}{suffix}"
                if not files.image(pattern.format(n=0, one=1, second=0.0), by_name=False).missing:
                    return pattern
        pattern = f"{escaped}/{{second:.3f}}{suffix}"
        if not files.image(pattern.format(n=0, one=1, second=0.0), by_name=False).missing:
            return pattern
    return ""
