"""Where log P(t) comes from: null images, sampled images, a blind language model, or a blind model itself."""

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from backend.engine.inputs.prior_folder import draw
from backend.engine.storage.identity import label_of
from backend.errors import FlipsideError, UsageError
from backend.items import ImageRef, Kind
from backend.models.base import Model, Picture, TokenScores
from backend.names import FITS, in_file_names

MOST = 1000
#: How a source begins, where a comma may stand before it.
_BEGINS = re.compile(r"\s*(?:noise:|images:|lm:|self\s*$)")
#: A source that may end in a folder's name.
_FOLDERS = re.compile(r"lm:|images:\d+@")
FORMS = f"noise:N, images:N, images:N@FOLDER (N from 1 to {MOST}), lm:SPEC, or self for a blind language model"


class PriorRow(NamedTuple):
    """log P(t) of one text under one sample; tokens only where they are stored."""

    sample: int
    value: float
    n_tokens: int
    tokens: TokenScores | None


@dataclass(frozen=True, slots=True)
class PriorSource:
    """One parsed source: `how` is noise, images, lm or self; `n` samples, or the `spec` of a blind model.

    folder: where images are drawn from, "" for the benchmark's own. pictures, digest: what was drawn there, and a
    sha256 over its bytes (see `drawn`). links: what to say of links in the folder that were not followed, "" without.
    """

    how: str
    n: int = 1
    spec: str = ""
    folder: str = ""
    pictures: tuple[ImageRef, ...] = ()
    digest: str = ""
    links: str = ""

    @classmethod
    def parse(cls, text: str) -> "PriorSource":
        """The source that `--prior` names.

        >>> PriorSource.parse("images:20").part, PriorSource.parse("lm:bundled:lm").part
        ('prior@images:20', 'prior@lm:bundled:lm')
        """
        how, _, rest = text.partition(":")
        number, _, folder = rest.partition("@")
        if how == "images" and number.isdecimal() and 1 <= int(number) <= MOST and folder.strip():
            return cls(how, n=int(number), folder=folder.strip())
        if how in ("noise", "images") and rest.isdecimal() and 1 <= int(rest) <= MOST:
            return cls(how, n=int(rest))
        if how == "lm" and rest:
            spec = _blind_spec(rest)
            if (took := in_file_names(spec)) > FITS:
                raise UsageError(
                    f"--prior {text}: too long for the names of files, where it takes {took} characters (a / three), "
                    f"and {FITS} fit. Give a shorter name, for example a link to the folder."
                )
            return cls(how, spec=spec)
        if text == "self":
            return cls("self")
        raise UsageError(f"--prior {text}: expected {FORMS}; for example noise:3.")

    @classmethod
    def parse_all(cls, texts: Sequence[str]) -> "list[PriorSource]":
        """The sources that several `--prior` name, each once; a value may name several with commas between them, but
        a comma in the name of a language model's folder, or of one of images, is the folder's.

        >>> [source.part for source in PriorSource.parse_all(["noise:3,lm:a,b", "images:20, self"])]
        ['prior@noise:3', 'prior@lm:lm:a,b', 'prior@images:20', 'prior@self']
        """
        found: list[str] = []
        for text in texts:
            pieces: list[str] = []
            for piece in text.split(","):
                if pieces and _FOLDERS.match(pieces[-1]) and not _BEGINS.match(piece):
                    pieces[-1] += f",{piece}"
                else:
                    pieces.append(piece.strip())
            found += pieces
        return [cls.parse(text) for text in dict.fromkeys(found)]

    @property
    def part(self) -> str:
        detail = {"lm": f":{self.spec}", "self": ""}.get(self.how, f":{self.n}")
        return f"prior@{self.how}{detail}{self._from}"

    @property
    def _from(self) -> str:
        """`@` and what names a folder: its last name and a digest of what was drawn, the same on every machine."""
        if not self.folder:
            return ""
        return f"@{label_of(self.folder)}{'-' if self.digest else ''}{self.digest[:8]}"

    def drawn(self, seed: int) -> "PriorSource":
        """The source with the images that it draws from its folder; itself where it has none. UsageError where the
        folder is not there or has too few."""
        if not self.folder:
            return self
        pictures, digest, links = draw(self.folder, self.n, seed)
        return replace(self, pictures=pictures, digest=digest, links=links)

    @property
    def has_tokens(self) -> bool:
        """Whether the tokens are stored: a blind model's are; null images would multiply them without need."""
        return self.how in ("lm", "self")

    def check(self, spec: str, gives: Collection[str]) -> None:
        """An error where the model of this spec, which gives these kinds, cannot use this source, or where its blind
        model is none or is not there: told before a model is loaded."""
        if self.how == "lm":
            _check_blind(self.spec)
        if self.how in ("noise", "images") and Kind.GEN not in gives:
            raise UsageError(f"--prior {self.part[6:]}: {spec} gives no gen, so it has no prior under images.")
        if self.how == "self" and (Kind.PRIOR not in gives or Kind.GEN in gives):
            raise UsageError(f"--prior self: {spec} is no blind model. Use noise:N, images:N or lm:SPEC.")


def _blind_spec(name: str) -> str:
    """The spec of what stands after `lm:`: itself where it begins as one does, else a language model's name or folder,
    so that `lm:facebook/opt-1.3b` needs no second `lm:`.

    >>> _blind_spec("bundled:lm"), _blind_spec("facebook/opt-1.3b"), _blind_spec("lm:facebook/opt-1.3b")
    ('bundled:lm', 'lm:facebook/opt-1.3b', 'lm:facebook/opt-1.3b')
    """
    from backend.models.spec import PREFIXES

    return name if name.partition(":")[0] in PREFIXES else f"lm:{name}"


def default_source(gives: Collection[str]) -> PriorSource:
    """noise:3 for a model that captions images, its own score for a blind one."""
    return PriorSource("noise", n=3) if Kind.GEN in gives else PriorSource("self")


#: Scores texts: for each text one row a sample.
TextScorer = Callable[[Sequence[str]], list[list[PriorRow]]]


def text_scorer(
    source: PriorSource, model: Model, blind: Model | None, pictures: Sequence[Picture], seed: int
) -> TextScorer:
    """How to score texts from this source. pictures: the decoded sample of `images:N`."""
    if source.how in ("lm", "self"):
        speaker = model if source.how == "self" else blind
        if speaker is None:
            raise FlipsideError(f"prior {source.part}: its language model has not been loaded.")
        return lambda texts: [[_row(0, scores, keep=True)] for scores in speaker.text_logprobs(texts)]
    nulls: Sequence[Picture] = model.noise_images(source.n, seed) if source.how == "noise" else pictures

    def score(texts: Sequence[str]) -> list[list[PriorRow]]:
        """Sums under each image. Through caption_logprobs, because a row also says how many tokens it is a sum of."""
        images = [image for image in nulls for _ in texts]
        scored = model.caption_logprobs(images, list(texts) * len(nulls))
        return [[_row(k, scored[k * len(texts) + t], keep=False) for k in range(len(nulls))] for t in range(len(texts))]

    return score


def _row(sample: int, scores: TokenScores, *, keep: bool) -> PriorRow:
    tokens, logprobs = scores
    return PriorRow(sample, total(logprobs), len(tokens), scores if keep else None)


def total(logprobs: npt.NDArray[np.float32]) -> float:
    """The sum of a text's token log-probabilities, added in float64."""
    return float(logprobs.sum(dtype=np.float64))


def load_blind(spec: str, device: str, dtype: str, seed: int) -> Model:
    """The blind language model of an `lm:` source."""
    from backend.models import load

    blind = load(spec, device=device, dtype=dtype, seed=seed)
    _refuse_seeing(spec, blind.kinds)
    return blind


def _check_blind(spec: str) -> None:
    """What can be known of a blind model from its config."""
    from backend.models import kinds_of

    try:
        gives = kinds_of(spec)
    except FlipsideError as error:
        kind = UsageError if isinstance(error, UsageError) else FlipsideError
        raise kind(f"--prior {_said(spec)}: {error}") from error
    _refuse_seeing(spec, gives)


def _said(spec: str) -> str:
    """The source as one types it."""
    return spec if spec.startswith("lm:") else f"lm:{spec}"


def _refuse_seeing(spec: str, gives: Collection[str]) -> None:
    if Kind.PRIOR not in gives or Kind.GEN in gives:
        raise UsageError(f"--prior {_said(spec)}: is no blind language model; it gives {', '.join(sorted(gives))}.")
