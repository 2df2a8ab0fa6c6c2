"""Models that propose edits, loaded once for a whole command: what --fill-mask and --proposer name."""

from typing import Any, Self

from backend.errors import UsageError
from backend.perturb import Perturbation

_OPTION = {
    "fill-mask": ("--fill-mask", "a masked language model, as in --fill-mask lm:bert-base-uncased"),
    "analogy": (
        "--proposer",
        "a model that rewrites captions, as in --proposer endpoint:http://127.0.0.1:8000/v1#llama",
    ),
}


class Proposers:
    """fill_mask, writer: specs, or None. Nothing is loaded before a perturbation needs it."""

    def __init__(self, fill_mask: str | None, writer: str | None, device: str = "auto") -> None:
        self.specs = {"fill-mask": fill_mask, "analogy": writer}
        self.device = device
        self._loaded: dict[str, Any] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._loaded.clear()

    def equipped(self, kind: Perturbation) -> tuple[Perturbation, dict[str, Any]]:
        """The perturbation with its proposer, and what is kept about that; UsageError where none was named."""
        if not kind.needs:
            return kind, {}
        option, what = _OPTION[kind.needs]
        spec = self.specs[kind.needs]
        if spec is None:
            raise UsageError(f"{kind.name} needs {option} SPEC: {what}.")
        if kind.needs not in self._loaded:
            from backend.models.proposers import load_proposer

            self._loaded[kind.needs] = load_proposer(kind.needs, spec, self.device)
        proposer = self._loaded[kind.needs]
        return kind.with_proposer(proposer), proposer.describe()
