"""A batch's loss under a recipe, term by term, with the γ, c and r of its quads."""

from typing import Any, NamedTuple, cast

import torch
from torch import Tensor

from backend.teach.losses import binding, eqsim, retrieval, svlc
from backend.teach.pairs.batches import Batch
from backend.teach.students.base import Student
from backend.teach.training.recipes import Recipe


class Objective(NamedTuple):
    """total: what is minimised. terms: each loss before its weight, by name. quads: raw scores of the batch's minimal
    pairs (q, 2, 2), detached."""

    total: Tensor
    terms: dict[str, Tensor]
    quads: Tensor

    def told(self) -> dict[str, float | None]:
        """For the log: the loss, its terms, and the means of γ, |γ|, |c| and |r| of the batch's quads in the raw
        score's unit, None without a quad."""
        found = binding.terms(self.quads)
        values = {"gamma": found.gamma, "abs_gamma": found.gamma.abs(), "abs_c": found.c.abs(), "abs_r": found.r.abs()}
        means = {name: value.mean().item() if len(value) else None for name, value in values.items()}
        return {"loss": self.total.item(), **{name: value.item() for name, value in self.terms.items()}, **means}


def objective(student: Student[Any, Any], batch: Batch, recipe: Recipe) -> Objective:
    """The retrieval loss and what the recipe adds. The towers run over the batch once; generated captions are read only
    where the recipe has a use for them."""
    images, texts = student.see(batch.images), student.read(batch.texts)
    scores = student.grid(images, texts)
    same = torch.as_tensor(batch.same, device=scores.raw.device)
    quads = binding.of_batch(scores.raw, torch.as_tensor(batch.partners, device=same.device))
    ranks = retrieval.contrastive if student.kind == "itc" else retrieval.matching
    terms = {"retrieval": ranks(scores.logits, same)}
    weights = {"retrieval": 1.0}
    if recipe.eqsim:
        terms["eqsim"] = eqsim.equivariance(scores.logits, settings(recipe, student.kind), same)
        weights["eqsim"] = recipe.eqsim
    if recipe.negatives:
        terms["negatives"] = _negatives(student, images, batch, scores.logits.diagonal())
        weights["negatives"] = recipe.negatives
    if recipe.analogies:
        terms |= _analogies(student, images, texts, batch, same)
        weights |= dict.fromkeys(("analogy_text", "analogy_image"), recipe.analogies)
    if recipe.binding:
        terms["binding"] = binding.binding(quads, margin(recipe, student.kind))
        weights["binding"] = recipe.binding
    total = torch.stack([weights[name] * value for name, value in terms.items()]).sum()
    return Objective(total, {name: value.detach() for name, value in terms.items()}, quads.detach())


def settings(recipe: Recipe, kind: str) -> eqsim.EqSim:
    """EqSim's settings: without a normalisation of its own, the one that the paper trains the kind with."""
    how = recipe.normalisation or ("softmax" if kind == "itc" else "sigmoid")
    return eqsim.EqSim(
        recipe.alpha, recipe.k, cast(eqsim.Pairs, recipe.v1), cast(eqsim.Pairs, recipe.v2),
        cast(eqsim.Normalisation, how),
    )  # fmt: skip


def margin(recipe: Recipe, kind: str) -> float:
    """The hinge's m, in cosine or log-odds."""
    return recipe.margin or (binding.MARGIN_COSINE if kind == "itc" else binding.MARGIN_LOGODDS)


def _negatives(student: Student[Any, Any], images: Any, batch: Batch, own: Tensor) -> Tensor:
    """SVLC, Eq. 3; an image without a negative does not count."""
    rows = [k for k, text in enumerate(batch.negatives) if text is not None]
    if not rows:
        return own.sum() * 0.0
    at = torch.tensor(rows, device=own.device)
    wrong = student.paired(images, at, student.read([text for text in batch.negatives if text is not None]))
    return svlc.negatives(own[at], wrong.logits[:, None])


def _analogies(student: Student[Any, Any], images: Any, texts: Any, batch: Batch, same: Tensor) -> dict[str, Tensor]:
    """SVLC, Eq. 4 and 5. A matching head compares no texts, so it has the second alone."""
    rows = [k for k, text in enumerate(batch.positives) if text is not None]
    names = ["analogy_text"] * student.compares_texts + ["analogy_image"]
    if not rows:
        return {name: torch.zeros((), device=same.device) for name in names}
    at = torch.tensor(rows, device=same.device)
    read = student.read([text for text in batch.positives if text is not None])
    shown = student.grid(images, read).logits.T
    # What is true of an image whose caption the positive was made from, and the other way round, is no wrong answer.
    alike = (same | same.T)[at]
    found = {"analogy_image": svlc.analogy_image(shown, at, alike)}
    if student.compares_texts:
        found["analogy_text"] = svlc.analogy_text(student.alike(read, texts), at, alike)
    return {name: found[name] for name in names}
