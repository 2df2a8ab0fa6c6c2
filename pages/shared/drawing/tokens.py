"""The token strip: how likely each token was given the image, and how much of that the language prior decides."""

from collections.abc import Sequence
from html import escape
from math import exp

from pages.shared.drawing.colours import DIVERGING, along, ink_on
from pages.shared.drawing.numbers import score

#: Nats at which the colour of a gain is full.
REACH = 3.0


def token_strip(
    tokens: Sequence[str], given_image: Sequence[float], without_image: Sequence[float] | None = None, *, name: str = ""
) -> str:
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
        below = f"<em>{score(gain, signed=True) if gain is not None else score(seen)}</em>"
        parts.append(
            f'<span class="fs-token" title="{escape(hint)}"><b style="background:{colour};{ink}">{_shown(token)}</b>'
            f'<i class="fs-bar"><i style="width:{100 * min(1.0, exp(seen)):.0f}%"></i></i>{below}</span>'
        )
    head = f'<span class="fs-role">{escape(name)}</span>' if name else ""
    return f'<div class="fs-tokens">{head}<div class="fs-run">{"".join(parts)}</div></div>'


def _shown(token: str) -> str:
    """A token as it reads: the tokenizers' signs for a space and for a word's beginning or end are dropped."""
    plain = token.replace("Ġ", " ").replace("▁", " ").replace("</w>", "").removeprefix("##").strip()
    return escape(plain or token or "␣")
