"""What a family is asked to load."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class Request:
    """What a family's `load` gets."""

    spec: str
    name: str
    folder: Path
    config: dict[str, Any] = field(default_factory=dict)
    device: str = "auto"
    dtype: str = "auto"
    seed: int = 0
    trust_remote_code: bool = False
    option: str = ""
    question: str = ""
