"""Recipes: what is added to the retrieval loss, with which weight. All see the same batches. No torch in here."""

import difflib
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, Final

from backend.errors import UsageError
from backend.teach.pairs.examples import Data
from backend.teach.pairs.generated import Captions


@dataclass(frozen=True)
class Recipe:
    """One way to teach; total = retrieval + the weighted terms.

    eqsim: β of EqSim's L_Eq (paper, end of section 3); alpha, k, v1, v2, normalisation: as in `losses.eqsim.EqSim`, ""
    for what the paper trains the kind of model with: a softmax for cosines, a sigmoid for a matching head. negatives:
    SVLC's α, analogies: its β (Eq. 6). binding: the weight of our own hinge; margin: its m in units of the raw score,
    0 for the default of the kind.
    """

    name: str
    what: str
    eqsim: float = 0.0
    alpha: float = 0.0
    k: int = 8
    v1: str = "all"
    v2: str = "close"
    normalisation: str = ""
    negatives: float = 0.0
    analogies: float = 0.0
    binding: float = 0.0
    margin: float = 0.0

    def __post_init__(self) -> None:
        """UsageError for a weight below 0 or without an end."""
        for name in ("eqsim", "alpha", "negatives", "analogies", "binding", "margin"):
            if not 0 <= getattr(self, name) < float("inf"):
                raise UsageError(f"recipe {self.name}: {name} {getattr(self, name)} must be a number from 0.")

    def document(self) -> dict[str, Any]:
        """Everything that decides the loss, as JSON."""
        return asdict(self)


#: β of EqSim is the middle one of those that the paper chose from (appendix C), its α is 0.
RECIPES: Final = {
    each.name: each
    for each in (
        Recipe("baseline", "The retrieval loss alone, on the same batches: what the steps themselves do."),
        Recipe("eqsim", "EqSim: v1 on all pairs, v2 on the close ones (EqSim paper, sections 3 and 5.4).", eqsim=0.5),
        Recipe("neg", "SVLC's negatives loss (Eq. 3), without analogies.", negatives=1.0),
        Recipe("svlc", "SVLC: negatives and analogies (Eq. 6).", negatives=1.0, analogies=0.5),
        Recipe("binding", "Ours: a hinge on max(|c|, |r|) - γ of the batch's quads.", binding=1.0),
    )
}


def recipe(name: str, /, **changes: Any) -> Recipe:
    """The recipe of that name, with some of its numbers changed. UsageError for one that there is not, with near
    matches, and for a number that recipes do not have."""
    if name not in RECIPES:
        near = difflib.get_close_matches(name, RECIPES, n=1)
        hint = f" Did you mean {near[0]}?" if near else ""
        raise UsageError(f"unknown recipe {name!r}.{hint} Available: {', '.join(RECIPES)}.")
    known = {field.name for field in fields(Recipe)} - {"name", "what"}
    if wrong := sorted(set(changes) - known):
        raise UsageError(f"recipe {name} has no {wrong[0]!r}; it has {', '.join(sorted(known))}.")
    return replace(RECIPES[name], **changes)


def refuse_data(chosen: Recipe, data: Data, captions: Captions | None = None) -> None:
    """UsageError, before anything trains, where the data holds nothing that the recipe adds a loss on."""
    texts = {each.text for each in data.examples}
    made = {effect: bool(captions and texts & captions.kept(effect).keys()) for effect in ("negative", "positive")}
    if chosen.binding and not data.quads:
        raise UsageError(
            f"recipe {chosen.name} needs minimal pairs of two images and two captions (quads), and the data has none: "
            "give items of winoground, eqben or world, or take the recipe neg."
        )
    if chosen.negatives and not (data.with_foils or made["negative"]):
        raise UsageError(
            f"recipe {chosen.name} needs pairs with negatives, and the data has none: give a benchmark with foils, or "
            "generate negative captions first."
        )
    if chosen.analogies and not (made["positive"] or any(each.paraphrases for each in data.examples)):
        raise UsageError(
            f"recipe {chosen.name} needs positives, captions that say the same in other words, and the data has none: "
            "generate some first, or take the recipe neg."
        )
