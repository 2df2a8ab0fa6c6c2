"""What a study found, as JSON under gzip: a clone is held under 85 MB, and such a file shrinks to a tenth."""

import gzip
import json
from pathlib import Path
from typing import Any

from backend import durable


def write(file: Path, found: Any, indent: int | None = 1) -> None:
    """Put `found` into `file` (`….json.gz`) as a whole; the same findings always give the same bytes."""
    file.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps(found, indent=indent, ensure_ascii=False) + "\n"
    durable.replaced(file, gzip.compress(text.encode(), 9, mtime=0))


def read(file: Path) -> Any:
    """What `write` put into `file`; FileNotFoundError where it is not there."""
    return json.loads(gzip.decompress(file.read_bytes()))
