"""Live scores: every kind that a model gives, for a few images and captions, with tokens and priors."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass, field
from time import perf_counter
from typing import Final

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from scipy.special import expit

from backend.errors import FlipsideError, UsageError
from backend.images import open_image
from backend.kinds import PAIR_KINDS, PROBABILITIES, Kind
from backend.live.scoring.grid import every_pair, judged, table
from backend.live.scoring.memory import Remembering
from backend.live.scoring.pool import Pool
from backend.metrics.alpha import normalise
from backend.metrics.alpha.token_prior import chain
from backend.models import Picture, TokenScores

Array = NDArray[np.float64]
log = logging.getLogger(__name__)
#: A grid of captions would take two requests for every two of them and every image.
RUNS_ONLY = "It gives forced choices (kind verdict) only, which runs ask for: flipside run --kinds verdict."
SEED: Final = 0


@dataclass(frozen=True)
class Tokens:
    """One text's tokens and log P of each given what stands before it (and the image, if any)."""

    tokens: tuple[str, ...]
    logprobs: Array


@dataclass
class ModelScores:
    """What one model says.

    matrices: kind to (images, texts): cosine, probability, mean log-probability a token. log_odds: what `itm` and `vqa`
    are judged on, because probabilities saturate and tie. t2t: (texts, texts) cosines.
    gen_tokens[i][j]: image i, text j. prior: (texts,) on the scale of `matrices["gen"]`, estimated from `prior_source`;
    prior_tokens: for each text, only where its tokens are the model's own. truncated: texts that the model saw without
    their end. problem: one sentence where it could not score; nothing: where it has no kind that can be scored here.
    no_prior: why there is no prior, where it gives `gen`.
    """

    spec: str
    matrices: dict[str, Array] = field(default_factory=dict)
    log_odds: dict[str, Array] = field(default_factory=dict)
    t2t: Array | None = None
    gen_tokens: tuple[tuple[Tokens, ...], ...] = ()
    prior: Array | None = None
    prior_source: str = ""
    prior_tokens: tuple[Tokens, ...] = ()
    truncated: tuple[bool, ...] = ()
    seconds: float = 0.0
    problem: str = ""
    nothing: str = ""
    no_prior: str = ""

    def judged(self, kind: str) -> Array:
        """The matrix that decides verdicts of a kind, in its unit: log-odds for `itm` and `vqa`."""
        return self.log_odds.get(kind, self.matrices[kind])


def score(
    pool: Pool,
    spec: str,
    images: Sequence[Image.Image],
    texts: Sequence[str],
    prior: str,
    keys: Sequence[str] | None = None,
) -> ModelScores:
    """Every kind that the model gives, for all images with all texts; what the pool remembers is not asked again.

    prior: `lm:SPEC` (a blind model), `images:8` (so many scenes of the bundled world), `noise:3` (null images), or ""
    for none; `priors.sources` says which is the default.
    keys: what names each image's content, the hash of its pixels if not given.
    A model's failure becomes its `problem`: the other models' scores stand.
    """
    started, scores = perf_counter(), ModelScores(spec)
    named = {id(image): key for image, key in zip(images, keys, strict=True)} if keys is not None else None
    try:
        with pool.share(spec) as loaded:
            model = Remembering(loaded, spec, pool.memory, named)
            _matrices(model, images, texts, scores)
            scores.nothing = RUNS_ONLY if model.kinds == {Kind.VERDICT} else ""
            if scores.gen_tokens and prior and not prior.startswith("lm:"):
                _prior_from_images(model, texts, prior, scores)
        if scores.gen_tokens and prior.startswith("lm:"):
            source = prior.removeprefix("lm:")
            with pool.share(source) as loaded:
                blind = Remembering(loaded, source, pool.memory)
                _fill_prior(scores, [[_tokens(one) for one in blind.text_logprobs(texts)]], prior)
    except FlipsideError as error:
        return ModelScores(spec, problem=str(error))
    except (RuntimeError, ValueError, OSError, MemoryError) as error:
        log.exception("scoring with %s", spec)
        first = (str(error).strip().splitlines() or [type(error).__name__])[0][:160].rstrip(".")
        return ModelScores(spec, problem=f"{spec} failed while scoring ({first}); the other models are unaffected.")
    scores.seconds = perf_counter() - started
    return scores


def _matrices(model: Remembering, images: Sequence[Image.Image], texts: Sequence[str], scores: ModelScores) -> None:
    scores.truncated = tuple(bool(cut) for cut in model.truncated(texts))
    embedded = {Kind.ITC, Kind.T2T} & model.kinds - model.pairwise
    vectors = model.encode_texts(texts).astype(np.float64) if embedded else None
    if Kind.T2T in model.kinds and vectors is not None:
        scores.t2t = vectors @ vectors.T
    for kind in PAIR_KINDS if images else ():
        if kind not in model.kinds:
            continue
        if kind == Kind.GEN:
            scored = every_pair(model, kind, images, texts)
            scores.gen_tokens = tuple(tuple(_tokens(one.tokens) for one in row if one.tokens) for row in scored)
            scores.matrices[kind] = judged(scored)
            continue
        scores.matrices[kind] = table(model, kind, images, texts)
        if kind in PROBABILITIES:
            scores.log_odds[kind] = scores.matrices[kind]
            scores.matrices[kind] = np.asarray(expit(scores.log_odds[kind]), dtype=np.float64)
    if Kind.PRIOR in model.kinds and Kind.GEN not in scores.matrices:
        blind = tuple(_tokens(one) for one in model.text_logprobs(texts))
        scores.prior, scores.prior_tokens = np.array([_mean(one) for one in blind]), blind
        scores.prior_source = "itself"


def _prior_from_images(model: Remembering, texts: Sequence[str], prior: str, scores: ModelScores) -> None:
    """The prior under null or sampled images; a model that takes no null images keeps its other scores."""
    how, count = _parse(prior)
    try:
        samples: Sequence[Picture] = model.noise_images(count, SEED) if how == "noise" else _world_images(count)
    except UsageError as error:
        scores.no_prior = str(error)
        return
    each = every_pair(model, Kind.GEN, samples, texts)
    _fill_prior(scores, [[_tokens(one.tokens) for one in row if one.tokens] for row in each], prior)


def _fill_prior(scores: ModelScores, samples: list[list[Tokens]], source: str) -> None:
    """P(t) as the mean over samples (VisualGPTScore, Eq. 13), divided by the model's own token count.

    The tokens' priors are the chain rule of that mean, so that they sum to log P(t) (`token_prior.chain`).
    """
    own = scores.gen_tokens[0]
    counts = np.array([len(text.tokens) for text in own])
    sums = np.array([[text.logprobs.sum() for text in row] for row in samples])
    gen_sums = np.array([[text.logprobs.sum() for text in row] for row in scores.gen_tokens])
    _, scores.prior = normalise(gen_sums, counts, sums, "token")
    scores.prior_source = source
    if all(row[j].tokens == own[j].tokens for row in samples for j in range(len(own))):
        scores.prior_tokens = tuple(
            Tokens(own[j].tokens, chain(np.stack([row[j].logprobs for row in samples]))) for j in range(len(own))
        )


def _parse(prior: str) -> tuple[str, int]:
    name, _, number = prior.partition(":")
    count = int(number) if number.isdecimal() else 0
    if name in ("noise", "images") and 1 <= count <= 20:
        return name, count
    raise UsageError(f"“{prior[:60]}” is no prior source; use noise:3, images:8 or lm:SPEC.")


def _world_images(count: int) -> Sequence[Picture]:
    from backend.world import sample

    rng = np.random.default_rng(SEED)
    return [open_image(sample(rng, "train").uri) for _ in range(count)]


def _tokens(scored: TokenScores) -> Tokens:
    return Tokens(tuple(scored[0]), np.asarray(scored[1], dtype=np.float64))


def _mean(text: Tokens) -> float:
    return float(text.logprobs.mean()) if text.tokens else float("nan")
