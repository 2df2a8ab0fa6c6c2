"""Models that propose edits of captions: words for a hidden one, and sentences of the same meaning.

`load_proposer(needs, spec)` gives what `backend.perturb` asks for. Importing this package loads no torch.
"""

from collections import Counter
from typing import Any, Protocol

from backend.errors import UsageError
from backend.models.spec import parse


class Proposer(Protocol):
    """What both kinds have. refused: reason -> answers that were no proposals, since somebody last cleared it."""

    refused: Counter[str]

    def __call__(self, texts: Any, /) -> Any:
        """Proposals for each text, best first; an empty list where there is none."""
        ...

    def describe(self) -> dict[str, Any]:
        """What decides the proposals, for records."""
        ...


def load_proposer(needs: str, spec: str, device: str = "auto") -> Proposer:
    """The model of a spec as a proposer. needs: "fill-mask" or "analogy". UsageError for a model of another kind."""
    prefix = parse(spec).prefix
    if needs == "analogy" and prefix == "endpoint":
        from backend.models.proposers.server import ServerWriter

        return ServerWriter(spec)
    if prefix in ("fake", "endpoint", "openclip", "st"):
        raise UsageError(f"{spec} proposes nothing: {WANTED[needs]}.")
    from backend.models import load

    model = load(spec, device)
    if needs == "fill-mask" and model.family == "masked-lm":
        from backend.models.proposers.fill_mask import MaskFiller

        return MaskFiller(model)
    if needs == "analogy" and model.family in ("blind-lm", "seq2seq-lm"):
        from backend.models.proposers.writer import LocalWriter

        return LocalWriter(model)
    raise UsageError(f"{spec} is of the family {model.family}: {WANTED[needs]}.")


WANTED = {
    "fill-mask": "--fill-mask takes a masked language model, as in lm:bert-base-uncased or a folder of one",
    "analogy": "--proposer takes a server, as in endpoint:http://127.0.0.1:8000/v1#llama, or a causal or "
    "encoder-decoder language model, as in lm:facebook/opt-1.3b",
}
