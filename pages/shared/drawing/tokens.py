"""The token strip: how likely each token was given the image, and how much of that the language prior decides."""

from collections.abc import Sequence
from math import exp

from markupsafe import Markup, escape

from pages.shared.drawing.colours import DIVERGING, along, ink_on
from pages.shared.drawing.numbers import score

#: Nats at which the colour of a gain is full.
REACH = 3.0


def token_strip(
    tokens: Sequence[str], given_image: Sequence[float], without_image: Sequence[float] | None = None, *, name: str = ""
) -> Markup:
    """One caption. given_image: log P(token | before, image); without_image: log P(token | before), the prior.

    The bar under a token is its probability with the image; the colour is what the image adds to the prior (brown: more
    likely with the image; blue: less likely), so a pale token is one that the prior decides alone.
    """
    parts = []
    for k, token in enumerate(tokens):
        seen = float(given_image[k])
        prior = float(without_image[k]) if without_image is not None and k < len(without_image) else None
        gain = seen - prior if prior is not None else None
        colour = along(DIVERGING, 0.5 + gain / (2 * REACH)) if gain is not None else "transparent"
        ink = f"color:{ink_on(colour)};" if gain is not None else ""
        hint = f"log P with the image {score(seen)}" + (
            f", without it {score(prior)}, the image adds {score(gain, signed=True)}" if gain is not None else ""
        )
        below = Markup("<em>{}</em>").format(score(gain, signed=True) if gain is not None else score(seen))
        parts.append(
            Markup(
                '<span class="fs-token" title="{hint}"><b style="background:{colour};{ink}">{shown}</b>'
                '<i class="fs-bar"><i style="width:{width:.0f}%"></i></i>{below}</span>'
            ).format(
                hint=hint, colour=colour, ink=ink, shown=_shown(token), width=100 * min(1.0, exp(seen)), below=below
            )
        )
    head = Markup('<span class="fs-role">{}</span>').format(name) if name else ""
    return Markup('<div class="fs-tokens">{}<div class="fs-run">{}</div></div>').format(head, Markup().join(parts))


def _shown(token: str) -> Markup:
    """A token as it reads: the tokenizers' signs for a space and for a word's beginning or end are dropped."""
    plain = token.replace("Ġ", " ").replace("▁", " ").replace("</w>", "").removeprefix("##").strip()
    return escape(plain or token or "␣")
