"""A scripted model for tests of engine, store and pages: real calls, scores hashed from pixels and text, no torch.

`fake:ok` gives every kind; `fake:ok/itc,t2t` only these. `constant` gives one score to everything (all ties), `nan`
gives NaN, `raise` fails at the first score, `slow` takes 20 ms for each image or text it scores. `pairwise` is `ok`
but for `itc`: the best cosine of three image vectors with the text's (as BLIP-2's is), and so a number of the pair.

Of two texts the one with the higher hash is chosen; where the two are close, the order of asking decides (in the mode
`constant` always).
"""

import hashlib
import time
from collections.abc import Sequence
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from backend.errors import UsageError
from backend.kinds import ASKED, PAIR_KINDS, Kind
from backend.models.base import Model, PairScore, Picture, TokenScores, check_contests, check_pairs
from backend.models.pictures import decode, unique_by_identity
from backend.models.request import Request
from backend.models.spec import did_you_mean, parse

MODES = ("ok", "constant", "nan", "raise", "slow", "pairwise")
DIMENSIONS = 16
#: Vectors of one image in the mode `pairwise`.
QUERIES = 3
LIMIT = 64
#: Two texts nearer than this are told apart by their order only.
BIAS = 0.3
SECONDS_EACH = 0.02


class FakeModel(Model):
    """Scores depend on the pixels, the text and the seed, and on nothing else."""

    family: ClassVar[str] = "fake"
    image_size = (8, 8)

    def __init__(self, request: Request) -> None:
        super().__init__(request.spec)
        self.kinds = kinds_in(request.spec)
        self.mode = request.name.partition("/")[0]
        self.pairwise = frozenset({Kind.ITC}) & self.kinds if self.mode == "pairwise" else frozenset()
        self.seed = request.seed

    @classmethod
    def load(cls, request: Request) -> Self:
        return cls(request)

    def encode_images(self, images: Sequence[Picture]) -> NDArray[np.float32]:
        self.need(Kind.ITC)
        if self.pairwise:
            raise UsageError(f"{self.spec}: its cosine is a number of the pair; ask pair_cosines(images, texts).")
        uniques, index = unique_by_identity(images)
        vectors = [self.vector(self.pixels(image)) for image in uniques]
        return np.stack(vectors)[index] if vectors else np.zeros((0, DIMENSIONS), dtype=np.float32)

    def encode_texts(self, texts: Sequence[str]) -> NDArray[np.float32]:
        if Kind.ITC not in self.kinds:
            self.need(Kind.T2T)
        vectors = [self.vector(text.encode()) for text in texts]
        return np.stack(vectors) if vectors else np.zeros((0, DIMENSIONS), dtype=np.float32)

    def pair_cosines(self, images: Sequence[Picture], texts: Sequence[str]) -> NDArray[np.float32]:
        if not self.pairwise:
            return super().pair_cosines(images, texts)
        check_pairs(images, texts)
        uniques, index = unique_by_identity(images)
        seen = [self.pixels(image) for image in uniques]
        queries = [np.stack([self.vector(pixels + bytes([k])) for k in range(QUERIES)]) for pixels in seen]
        best = [(queries[i] @ self.vector(text.encode())).max() for i, text in zip(index, texts, strict=True)]
        return np.array(best, dtype=np.float32)

    def itm_logits(self, images: Sequence[Picture], texts: Sequence[str]) -> NDArray[np.float32]:
        self.need(Kind.ITM)
        return self.pair_logits("itm", images, texts)

    def vqa_logits(self, images: Sequence[Picture], texts: Sequence[str]) -> NDArray[np.float32]:
        self.need(Kind.VQA)
        return self.pair_logits("vqa", images, texts)

    def prefer(self, images: Sequence[Picture], firsts: Sequence[str], seconds: Sequence[str]) -> NDArray[np.float32]:
        self.need(Kind.VERDICT)
        check_contests(images, firsts, seconds)
        apart = self.pair_logits("verdict", images, firsts) - self.pair_logits("verdict", images, seconds)
        return np.asarray(np.where(np.abs(apart) < BIAS, 0.5, np.heaviside(apart, 0.5)), dtype=np.float32)

    def caption_logprobs(self, images: Sequence[Picture], texts: Sequence[str]) -> list[TokenScores]:
        self.need(Kind.GEN)
        check_pairs(images, texts)
        uniques, index = unique_by_identity(images)
        seen = [self.pixels(image) for image in uniques]
        return [self.tokens(seen[i], text) for i, text in zip(index, texts, strict=True)]

    def text_logprobs(self, texts: Sequence[str]) -> list[TokenScores]:
        self.need(Kind.PRIOR)
        return [self.tokens(b"", text) for text in texts]

    def pair_scores(
        self, kind: str, images: Sequence[Picture], texts: Sequence[str | tuple[str, str]]
    ) -> list[PairScore]:
        """Kinds whose method is not above are scored, too: a new one needs no change here."""
        if kind not in PAIR_KINDS or hasattr(self, Kind(kind).info.method):
            return super().pair_scores(kind, images, texts)
        self.need(Kind(kind))
        return [PairScore(float(value)) for value in self.pair_logits(kind, images, [str(text) for text in texts])]

    def text_lengths(self, texts: Sequence[str]) -> NDArray[np.int64]:
        return np.array([min(len(text.split()) + 2, LIMIT) for text in texts], dtype=np.int64)

    def truncated(self, texts: Sequence[str]) -> NDArray[np.bool_]:
        return np.array([len(text.split()) + 2 > LIMIT for text in texts], dtype=np.bool_)

    def describe(self) -> dict[str, Any]:
        return {
            "spec": self.spec,
            "family": self.family,
            "class": type(self).__name__,
            "kinds": sorted(map(str, self.kinds)),
            "weights_sha256": hashlib.sha256(f"fake:{self.mode}:{self.seed}".encode()).hexdigest(),
            "preprocessing": {"images": "pixels hashed", "texts": {"limit": LIMIT}},
            "image_size": list(self.image_size or ()),
            "dtype": "float32",
            "device": "cpu",
            "logit_scale": 1.0,
            "logit_bias": None,
            "versions": {"numpy": np.__version__},
            "seed": self.seed,
        }

    def need(self, kind: Kind) -> None:
        if kind not in self.kinds:
            self.cannot(kind)

    def pixels(self, image: Picture) -> bytes:
        return np.asarray(decode(image)).tobytes()

    def numbers(self, n: int, *parts: bytes) -> NDArray[np.float32]:
        """n standard normal numbers that depend on the parts; or what the mode makes of them."""
        if self.mode == "raise":
            raise RuntimeError(f"{self.spec} fails on purpose")
        if self.mode == "slow":
            time.sleep(SECONDS_EACH)
        if self.mode == "constant":
            return np.full(n, 0.25, dtype=np.float32)
        if self.mode == "nan":
            return np.full(n, np.nan, dtype=np.float32)
        digest = hashlib.sha256(b"\0".join((str(self.seed).encode(), *parts))).digest()
        return np.random.default_rng(list(digest)).standard_normal(n, dtype=np.float32)

    def vector(self, content: bytes) -> NDArray[np.float32]:
        raw = self.numbers(DIMENSIONS, content)
        return np.asarray(raw / np.linalg.norm(raw), dtype=np.float32)

    def pair_logits(self, kind: str, images: Sequence[Picture], texts: Sequence[str]) -> NDArray[np.float32]:
        check_pairs(images, texts)
        uniques, index = unique_by_identity(images)
        seen = [self.pixels(image) for image in uniques]
        pairs = zip(index, texts, strict=True)
        scores = [self.numbers(1, kind.encode(), seen[i], text.encode())[0] for i, text in pairs]
        return np.array(scores, dtype=np.float32)

    def tokens(self, pixels: bytes, text: str) -> TokenScores:
        words = [*text.split()[: LIMIT - 2], "<eos>"]
        return words, -np.abs(self.numbers(len(words), b"gen", pixels, text.encode()))


def kinds_in(spec: str) -> frozenset[str]:
    """The kinds that a fake spec asks for: all of them, or those after the slash."""
    mode, slash, listed = parse(spec).name.partition("/")
    if mode not in MODES:
        raise UsageError(f"There is no fake mode {mode!r}.{did_you_mean(mode, MODES)} Modes: {', '.join(MODES)}.")
    chosen = listed.split(",") if slash else list(ASKED)
    unknown = [kind for kind in chosen if kind not in ASKED]
    if unknown:
        raise UsageError(f"{spec}: unknown kind {unknown[0]!r}; kinds: {', '.join(ASKED)}.")
    return frozenset(Kind(kind) for kind in chosen)
