"""What every model can be asked, whatever stands behind it. No torch in here."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, NoReturn

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from backend.errors import UsageError
from backend.kinds import ASKED, IMAGE_KINDS, Kind, listed
from backend.models.own import identity

#: What a model takes for an image: a PIL image of any mode, a path or URI, or a float32 array (3, H, W) that is
#: already normalised and goes into the model as it is (a null image).
Picture = Image.Image | str | Path | NDArray[np.float32]

#: One text's scored tokens and their natural-log probabilities.
TokenScores = tuple[list[str], NDArray[np.float32]]

_OF_IMAGES = tuple(kind for kind in ASKED if kind in IMAGE_KINDS)


class PairScore(NamedTuple):
    """What a model says about one pair, as it is stored.

    value: cosine, log-odds, sum of the tokens' log-probabilities, or share chosen, as `KindInfo.scale` says. n_tokens,
    tokens: of log-probabilities only.
    """

    value: float
    n_tokens: int = -1
    tokens: TokenScores | None = None

    @property
    def per_token(self) -> float:
        """What is judged and shown: the mean of log-probabilities (NaN of no token), every other value as it is."""
        if self.tokens is None:
            return self.value
        return float(np.mean(self.tokens[1], dtype=np.float64)) if len(self.tokens[1]) else float("nan")


class Model:
    """One loaded model. A family overrides what its kinds need; everything else refuses in one sentence.

    kinds: what it can give. `prior` comes from `prior_from` where the model also gives `gen` (null images), and from
        `text_logprobs` where it does not (a blind language model).
    module: the torch.nn.Module behind it, or None.
    batch_size: pairs, texts or images in one forward pass; halved by itself when memory runs out.
    finds_batches: whether a batch may find its size, where one can and none was said; False where the plan alone forms
        them, so that scores are equal to the bit.
    image_size: (height, width) of the pixels that the vision tower sees, or None for a model without images.

    pairwise: kinds that are usually the product of one image vector and one text vector, and here are not: with `itc`
        in it the cosine is a number of the pair (`pair_cosines`), and `encode_images` refuses.

    sources, made_by: the files of its code, and names and arguments by which it was made: what the default `describe`
        tells two models of one's own apart by, besides their parameters.

    Lists of images may repeat an object or a path: each is decoded and encoded once a call.
    """

    family: ClassVar[str] = ""
    kinds: frozenset[str] = frozenset()
    pairwise: frozenset[str] = frozenset()
    module: Any = None
    batch_size: int = 64
    finds_batches: bool = True
    image_size: tuple[int, int] | None = None
    sources: Sequence[Path] = ()
    made_by: Sequence[str] = ()

    def __init__(self, spec: str) -> None:
        self.spec = spec

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.spec}: {', '.join(sorted(self.kinds))}>"

    @property
    def images_at_once(self) -> int:
        """How many pictures a call of `encode_images` should bring, so that a batch can be full."""
        return self.batch_size

    def found_batches(self) -> dict[str, int]:
        """The sizes that batches have found, by the method whose work it is; {} where none looks for one."""
        return {}

    def keep_features(self, *, keep: bool) -> None:
        """Whether what pictures bring to their pairs is kept from call to call, of those that `pictures_are` names.
        Scores are those of other batches then (docs/fidelity.md). Here nothing is kept."""

    def pictures_are(self, digests: Mapping[int, str]) -> None:
        """What the pictures of the next call show, by the identity of their objects: digests, equal for equal
        pictures."""

    def preparer(self) -> Callable[[Image.Image], NDArray[np.float32]] | None:
        """What turns one upright RGB picture into the pixels that the model is given, to the bit as it does so itself:
        for another process, so it can be pickled. None where pictures go in as they are."""
        return None

    def text_preparer(self) -> Callable[[Sequence[str]], NDArray[np.int64]] | None:
        """What cuts texts into the rows that `encode_tokens` takes, (n, width): for another process, so it can be
        pickled. None where the model cuts them fast enough itself."""
        return None

    def encode_tokens(self, tokens: NDArray[np.int64]) -> NDArray[np.float32]:
        """`encode_texts` of texts that `text_preparer` has cut, to the bit."""
        raise NotImplementedError

    def encode_images(self, images: Sequence[Picture]) -> NDArray[np.float32]:
        """L2-normalised image embeddings, one row an image, in the order given."""
        self.cannot(Kind.ITC)

    def encode_texts(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """L2-normalised text embeddings, one row a text."""
        self.cannot(Kind.T2T)

    def pair_cosines(self, images: Sequence[Picture], texts: Sequence[str]) -> NDArray[np.float32]:
        """The cosine of image i with text i, (n,) float32 in [-1, 1]: `itc` of every model that gives it."""
        check_pairs(images, texts)
        if Kind.ITC not in self.kinds:
            self.cannot(Kind.ITC)
        if not texts:
            return np.zeros(0, dtype=np.float32)
        uniques = list(dict.fromkeys(texts))
        place = {text: row for row, text in enumerate(uniques)}
        vectors = self.encode_texts(uniques)[[place[text] for text in texts]]
        return np.asarray(np.einsum("nd,nd->n", self.encode_images(images), vectors), dtype=np.float32)

    def itm_logits(self, images: Sequence[Picture], texts: Sequence[str]) -> NDArray[np.float32]:
        """Log-odds of "match" for image i with text i."""
        self.cannot(Kind.ITM)

    def itm(self, images: Sequence[Picture], texts: Sequence[str]) -> NDArray[np.float32]:
        """Probability of "match" for image i with text i."""
        return sigmoid(self.itm_logits(images, texts))

    def caption_logprobs(self, images: Sequence[Picture], texts: Sequence[str]) -> list[TokenScores]:
        """log P(token | earlier tokens, image i) for each token of text i, the closing token included."""
        self.cannot(Kind.GEN)

    def text_logprobs(self, texts: Sequence[str]) -> list[TokenScores]:
        """log P(token | earlier tokens) for each token of each text, without any image."""
        self.cannot(Kind.PRIOR)

    def prior_from(self, images: Sequence[Picture], texts: Sequence[str]) -> NDArray[np.float64]:
        """Sums of token log-probabilities, (n_images, n_texts): every text under every null or sampled image."""
        sums = np.zeros((len(images), len(texts)), dtype=np.float64)
        for row, image in enumerate(images):
            scored = self.caption_logprobs([image] * len(texts), texts)
            sums[row] = [logprobs.sum(dtype=np.float64) for _, logprobs in scored]
        return sums

    def vqa_logits(self, images: Sequence[Picture], texts: Sequence[str]) -> NDArray[np.float32]:
        """Log-odds of "Yes" to the question whether image i shows text i."""
        self.cannot(Kind.VQA)

    def vqa(self, images: Sequence[Picture], texts: Sequence[str]) -> NDArray[np.float32]:
        """Probability of "Yes" to the question whether image i shows text i."""
        return sigmoid(self.vqa_logits(images, texts))

    def prefer(self, images: Sequence[Picture], firsts: Sequence[str], seconds: Sequence[str]) -> NDArray[np.float32]:
        """Which of two texts the model chooses for image i, (n,) float32: 1 where it chose text i of `firsts` in both
        orders of asking, 0 where it chose that of `seconds` in both, 0.5 where the orders do not agree."""
        self.cannot(Kind.VERDICT)

    def pair_scores(
        self, kind: str, images: Sequence[Picture], texts: Sequence[str | tuple[str, str]]
    ) -> list[PairScore]:
        """The score of one kind for image i with text i: the one door from a kind's name to the method that gives it.

        texts: for a contest (`verdict`) pairs of texts, of which the first one's share is given. UsageError for a kind
        that is no score of an image, or that the model does not give.
        """
        asked = Kind(kind).info if kind in set(Kind) else None
        if asked is None or not asked.sees_images:
            raise UsageError(f"{kind} is no score of an image; those are {listed(_OF_IMAGES)}.")
        if not hasattr(self, asked.method):
            self.cannot(kind)
        is_contest = asked.compares == "contest"
        sides = [[one[side] for one in texts] for side in (0, 1)] if is_contest else [list(texts)]
        answers = getattr(self, asked.method)(images, *sides)
        if asked.scale == "log-probability":
            return [PairScore(float(one[1].sum(dtype=np.float64)), len(one[0]), one) for one in answers]
        return [PairScore(float(value)) for value in answers]

    def noise_images(self, n: int, seed: int) -> list[NDArray[np.float32]]:
        """n null images: Gaussian noise with the training images' mean and standard deviation per channel.

        The processor normalises with exactly these (its `image_mean` and `image_std`), so in normalised pixels the
        noise is N(0, 1) at input resolution; it is neither resized nor clipped. Image k depends on (seed, k) alone, so
        three samples are the first three of twenty.
        """
        if self.image_size is None:
            raise UsageError(f"{self.spec} has no fixed image size, so there are no noise images for it.")
        shape = (3, *self.image_size)
        return [np.random.default_rng((seed, k)).standard_normal(shape, dtype=np.float32) for k in range(n)]

    def text_lengths(self, texts: Sequence[str]) -> NDArray[np.int64]:
        """Tokens of each text as the model sees it, special tokens included, after truncation: for batching. Words,
        where a model does not say."""
        return np.array([len(text.split()) for text in texts], dtype=np.int64)

    def truncated(self, texts: Sequence[str]) -> NDArray[np.bool_]:
        """Which texts are longer than the text tower's limit and are therefore scored without their end.
        None, where a model does not say."""
        return np.zeros(len(texts), dtype=np.bool_)

    def describe(self) -> dict[str, Any]:
        """Everything that is needed to repeat this model's scores, as JSON-able values.

        What a model does not say otherwise: its weights are known by the files of its code and its parameters (its own
        or its module's `weights_id` or `state_dict()`), else unknown, and then its scores are never taken again.
        """
        weights = self if identity.says_its_weights(self) else self.module
        sha256, why = identity.identified(weights, self.sources or identity.sources_of(self), *self.made_by)
        return {
            "spec": self.spec,
            "family": self.family,
            "class": identity.class_name(self if self.module is None else self.module),
            "kinds": sorted(map(str, self.kinds)),
            "weights_sha256": sha256,
            **({} if sha256 else identity.unknown(self, why)),
            "preprocessing": {},
            "image_size": list(self.image_size) if self.image_size else None,
            "dtype": "its own",
            "device": "its own",
            "versions": {"numpy": np.__version__},
        }

    def remarks(self) -> dict[str, Any]:
        """What the scores given so far need as a footnote in the run's record; empty where they need none."""
        return {}

    def compile(self) -> None:
        """Let torch.compile make kernels for the module's parts; a model without a module refuses."""
        raise UsageError(f"{self.spec} has no torch module to compile: leave --compile out.")

    def check_weights(self) -> None:
        """Refuse weights that are no finite numbers; a model without a module has none."""

    def cannot(self, kind: str) -> NoReturn:
        """Refuse a kind this model does not have, naming those it has."""
        raise UsageError(f"{self.spec} gives no {kind!s}; it gives {', '.join(sorted(self.kinds))}.")


def sigmoid(logits: NDArray[np.float32]) -> NDArray[np.float32]:
    """Log-odds to probabilities, without overflow at either end.

    >>> sigmoid(np.array([0.0, -200.0, 200.0], dtype=np.float32)).tolist()
    [0.5, 0.0, 1.0]
    """
    wide = logits.astype(np.float64)
    with np.errstate(invalid="ignore"):  # NaN stays NaN: whoever stores scores refuses it by name
        return np.asarray(np.exp(-np.logaddexp(0.0, -wide)), dtype=np.float32)


def check_contests(images: Sequence[Picture], firsts: Sequence[str], seconds: Sequence[str]) -> None:
    """Contests take an image and two texts each."""
    if not len(images) == len(firsts) == len(seconds):
        raise ValueError(
            f"{len(images)} images with {len(firsts)} and {len(seconds)} texts: contests need as many of each"
        )


def check_pairs(images: Sequence[Picture], texts: Sequence[str]) -> None:
    """Pairwise calls take as many images as texts."""
    if len(images) != len(texts):
        raise ValueError(f"{len(images)} images with {len(texts)} texts: pairwise scores need as many of each")
