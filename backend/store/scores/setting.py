"""A score setting: what is applied to stored scores before an item is judged."""

from dataclasses import asdict, dataclass, replace
from typing import Any, Literal, get_args

from backend.errors import UsageError
from backend.items import Kind
from backend.prior_names import prior_name

Norm = Literal["token", "sum", "paper-score"]


@dataclass(frozen=True)
class Setting:
    """kind: a name of `Kind`. alpha, prior, norm: for gen (prior, norm: for prior too).

    prior: `noise:3`, `images:20`, `lm:SPEC` or `self`; None takes the run's own best one
    (`StoredRun.default_prior`).
    alpha: 0 keeps the language prior, 1 is pointwise mutual information. norm: see `metrics.alpha.normalise`.

    >>> Setting("gen", 0.5, "images:20").describe()
    'gen, α = 0.5, prior images:20, norm token'
    """

    kind: str = "itc"
    alpha: float = 0.0
    prior: str | None = None
    norm: Norm = "token"

    def __post_init__(self) -> None:
        if self.kind not in set(Kind):
            raise UsageError(f"unknown kind '{self.kind}'. Available: {', '.join(Kind)}.")
        if self.norm not in get_args(Norm):
            raise UsageError(f"unknown norm '{self.norm}'. Available: {', '.join(get_args(Norm))}.")
        if not -100.0 <= self.alpha <= 100.0:
            raise UsageError(f"alpha must be a number between 0 and 2 as a rule, not {self.alpha}.")
        if self.alpha and self.kind != Kind.GEN:
            raise UsageError(f"alpha applies to kind gen, not to {self.kind}. Leave it out, or ask for --kind gen.")

    @property
    def is_default(self) -> bool:
        """Whether this is what the store keeps outcomes for."""
        return self == Setting(self.kind)

    def with_(self, **changes: Any) -> "Setting":
        """The same setting with some fields changed."""
        return replace(self, **changes)

    def as_dict(self) -> dict[str, Any]:
        """The four fields, as `report --json` prints them."""
        return asdict(self)

    def describe(self) -> str:
        """For people, one line; only what applies."""
        if self.kind == Kind.GEN:
            prior = f", prior {self.prior or 'default'}" if self.alpha else ""
            return f"gen, α = {self.alpha:g}{prior}, norm {self.norm}"
        if self.kind == Kind.PRIOR:
            return f"prior {self.prior or 'default'}, norm {self.norm}"
        return self.kind

    def said(self) -> str:
        """The same for a page, its prior in words.

        >>> Setting("gen", 0.5, "images:20").said(), Setting("itc").said()
        ('gen, α = 0.5, P(t) from 20 sampled images, norm token', 'itc')
        """
        prior = prior_name(self.prior) if self.prior else "the run's default prior"
        if self.kind == Kind.GEN:
            return f"gen, α = {self.alpha:g}{f', P(t) from {prior}' if self.alpha else ''}, norm {self.norm}"
        return f"P(t) from {prior}, norm {self.norm}" if self.kind == Kind.PRIOR else self.kind


def as_norm(text: str | None) -> Norm | None:
    """The norm that an option names; UsageError for an unknown one.

    >>> as_norm("sum"), as_norm(None)
    ('sum', None)
    """
    for norm in get_args(Norm):
        if text == norm:
            found: Norm = norm
            return found
    if text is None:
        return None
    raise UsageError(f"unknown norm '{text}'. Available: {', '.join(get_args(Norm))}.")
