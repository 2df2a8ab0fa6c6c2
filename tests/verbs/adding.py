"""A file of predictions, as tests write them."""

import json
from pathlib import Path


def file(folder: Path, name: str, content: object) -> Path:
    path = folder / name
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return path
