"""Help tips: the formula of a metric and the paper it is from, taken from the metrics' own declarations."""

from backend.metrics.registry import by_name

#: What the pages show beside a score kind: its name in words, its unit, its formula.
KINDS = {
    "itc": ("similarity", "cosine", "Cosine of the L2-normalised embeddings of image and text."),
    "itm": ("matching", "probability", "The matching head's probability that image and text belong together."),
    "gen": (
        "generation",
        "mean log P per token",
        "log P(t | i) by teacher forcing, divided by the number of tokens; natural log.",
    ),
    "vqa": ("question", "probability", "P(“Yes” | image, “Does this figure show '…'? Please answer yes or no.”)."),
    "verdict": (
        "forced choice",
        "share chosen",
        "Asked which of two captions describes the image, in both orders: 1 where the caption was chosen both times, ½ "
        "where the order decided (a tie, which counts as wrong).",
    ),
    "t2t": ("text–text", "cosine", "Cosine of the embeddings of two texts."),
    "prior": ("prior", "mean log P per token", "log P(t): how likely the caption is without the image."),
}


def kind_name(kind: str) -> str:
    """A score kind in words."""
    return KINDS[kind][0] if kind in KINDS else kind


def kind_unit(kind: str) -> str:
    """The unit of a score kind, for axes and matrices."""
    return KINDS[kind][1] if kind in KINDS else ""


def metric_tip(name: str) -> str:
    """A metric's title, formula and source in one line, from its declaration.

    >>> metric_tip("text_score")
    'Text score: s11 > s12 and s22 > s21 (Winoground, also EqSim, section 5.1)'
    """
    metric = by_name(name)
    return f"{metric.title}: {metric.formula} ({metric.paper}, {metric.where})"


def metric_title(name: str) -> str:
    """A metric's name for people."""
    return by_name(name).title
