"""Generated captions as the bytes of a file, as a page keeps and hands them on."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from backend.teach.pairs import generated
from backend.teach.pairs.generated import Captions as Captions
from backend.teach.pairs.generated import Generated as Generated

#: What such a file is called.
FILE = "captions.jsonl"


def read(data: bytes) -> Captions:
    """What `flipside teach --generate` wrote. FlipsideError, with the line, for anything else."""
    with TemporaryDirectory(prefix="flipside-captions-") as folder:
        path = Path(folder) / FILE
        path.write_bytes(data)
        return generated.read(path)


def written(captions: Captions) -> bytes:
    """The same as a file again, which `--captions` takes."""
    with TemporaryDirectory(prefix="flipside-captions-") as folder:
        path = Path(folder) / FILE
        generated.write(captions, path)
        return path.read_bytes()


def kept(captions: Captions, keep: Callable[[int, Generated], bool]) -> Captions:
    """The captions with `keep` as a question of place and row says."""
    rows = tuple(replace(row, keep=keep(n, row)) for n, row in enumerate(captions.rows))
    return Captions(rows, captions.about)
