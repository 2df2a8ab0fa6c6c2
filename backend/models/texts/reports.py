"""What transformers found in a folder's weight files when another library did the loading."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from threading import Lock
from typing import Any

from backend.errors import FlipsideError
from backend.models.hf import transformers

#: A module, and what transformers reports of its loading.
Report = tuple[Any, Mapping[str, Any]]
#: Heads that pooled token vectors never pass through; checkpoints for masked tokens come without.
UNUSED = "pooler."

_one_at_a_time = Lock()


@contextmanager
def loading_reports() -> Iterator[list[Report]]:
    """Collects a report of each transformers model that is loaded inside: sentence-transformers asks for none, and
    would go on with random numbers where weights are missing."""
    found: list[Report] = []
    base = transformers.PreTrainedModel
    with _one_at_a_time:
        own = base.__dict__["from_pretrained"]

        def from_pretrained(cls: Any, *args: Any, **kwargs: Any) -> Any:
            if kwargs.get("output_loading_info"):
                return own.__func__(cls, *args, **kwargs)
            module, report = own.__func__(cls, *args, output_loading_info=True, **kwargs)
            found.append((module, report))
            return module

        base.from_pretrained = classmethod(from_pretrained)
        try:
            yield found
        finally:
            base.from_pretrained = own


def refuse_missing(spec: str, reports: Sequence[Report]) -> None:
    """FlipsideError where a weight that is used was in no file."""
    for module, report in reports:
        name = type(module).__name__
        missing = sorted(k for k in report["missing_keys"] if not k.startswith(UNUSED) and f".{UNUSED}" not in k)
        if missing:
            raise FlipsideError(
                f"{spec}: the weights lack {len(missing)} parameters of {name} ({missing[0]}, …), so they belong to "
                "another architecture or are incomplete."
            )
