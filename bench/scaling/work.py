"""The work of a model on a benchmark by arithmetic: floating-point operations of its towers, seconds of a GPU, seconds
of the cores that decode for it. No torch.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Tower:
    """A transformer. positions: of one input. cross: (positions, width) of what its layers also attend to. past:
    positions that were read before and are attended to. vocabulary: rows of an output over words at each position, 0
    for none. feed: width of the inner layer over the outer one's; gated: it has a third matrix."""

    width: int
    layers: int
    positions: int
    cross: tuple[int, int] | None = None
    past: int = 0
    vocabulary: int = 0
    feed: float = 4.0
    gated: bool = False

    @property
    def flops(self) -> float:
        """Of one forward pass of one input: two for each multiplication with its addition; norms, activations and
        embeddings are left out (below one percent)."""
        d, n = self.width, self.positions
        matrices = 4 * d * d + (3 if self.gated else 2) * self.feed * d * d
        layer = 2 * n * matrices + 4 * n * (n + self.past) * d
        if self.cross is not None:
            m, _ = self.cross
            layer += 2 * n * 2 * d * d + 4 * n * m * d
        return self.layers * layer + self.keys + 2 * n * d * self.vocabulary

    @property
    def keys(self) -> float:
        """The part of them that makes keys and values of what its layers also attend to; it depends on that alone."""
        if self.cross is None:
            return 0.0
        m, other = self.cross
        return self.layers * 2 * m * 2 * other * self.width


@dataclass(frozen=True)
class Subject:
    """A model of the table. see: its work for an image, by itself. read: for a text, by itself. meet: for a pair.
    gigabytes: of its weights in half precision. kind: what is scored. keys: the part of `meet` that a processor does
    once for an image and a GPU once for a pair (backend/models/seen_once.py)."""

    name: str
    kind: str
    see: float
    read: float = 0.0
    meet: float = 0.0
    gigabytes: float = 1.0
    keys: float = 0.0


@dataclass(frozen=True)
class Inputs:
    """A benchmark. Counts of different images and texts, and of the pairs that are scored."""

    images: int
    texts: int
    pairs: int

    def share(self, of: int) -> "Inputs":
        """One of `of` equal parts."""
        return Inputs(-(-self.images // of), -(-self.texts // of), -(-self.pairs // of))


@dataclass(frozen=True)
class Machine:
    """One GPU with its part of the host.

    peak: operations a second in half precision by its maker's data sheet. reached: the part of it that a tower reaches.
    cores: that decode for it. decoded: pictures a second and core.
    """

    peak: float
    reached: float
    cores: int
    decoded: float

    def compute(self, subject: Subject, inputs: Inputs) -> float:
        """Seconds of the GPU."""
        work = subject.see * inputs.images + subject.read * inputs.texts + subject.meet * inputs.pairs
        return work / (self.peak * self.reached)

    def decode(self, inputs: Inputs) -> float:
        """Seconds of all its cores."""
        return inputs.images / (self.cores * self.decoded)

    def seconds(self, subject: Subject, inputs: Inputs, decoded: bool = False) -> float:
        """What the slower of both needs, for they work at the same time. decoded: pictures lie there decoded."""
        return self.compute(subject, inputs) if decoded else max(self.compute(subject, inputs), self.decode(inputs))


def vision(side: int, patch: int, width: int, layers: int) -> Tower:
    """A vision transformer with its class token."""
    return Tower(width, layers, (side // patch) ** 2 + 1)
