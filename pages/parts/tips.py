"""Help tips: the formula of a metric and the paper it is from, taken from the metrics' own declarations."""

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
    "t2t": ("text–text", "cosine", "Cosine of the embeddings of two texts."),
    "prior": ("prior", "mean log P per token", "log P(t): how likely the caption is without the image."),
}


def kind_name(kind: str) -> str:
    """A score kind in words."""
    return KINDS[kind][0] if kind in KINDS else kind


def kind_unit(kind: str) -> str:
    """The unit of a score kind, for axes and matrices."""
    return KINDS[kind][1] if kind in KINDS else ""
