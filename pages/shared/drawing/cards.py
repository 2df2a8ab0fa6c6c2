"""The item card: images left, captions right with their differences, one chip per model, diagnosis labels below."""

from collections.abc import Sequence
from html import escape

from pages.shared.drawing.thumbnails import picture
from pages.shared.drawing.verdicts import chips
from pages.shared.drawing.words import differences


def item_card(
    images: Sequence[str],
    texts: Sequence[str],
    roles: Sequence[str],
    verdicts: Sequence[str] = (),
    labels: Sequence[str] = (),
    *,
    heading: str = "",
    width: int = 112,
) -> str:
    """One item. images: data URIs; roles: what each text is (`P1`, `true`, `foil`, `1`); verdicts and labels: HTML of
    `verdicts.chip` and `verdicts.label`."""
    pictures = "".join(picture(image, f"image {i + 1} of the item", width) for i, image in enumerate(images))
    head = f'<p class="fs-card-head">{escape(heading)}</p>' if heading else ""
    return (
        f'<article class="fs-card"><div class="fs-card-images">{pictures}</div><div class="fs-card-body">{head}'
        f"{captions_list(texts, roles)}{chips(list(verdicts)) if verdicts else ''}"
        f"{chips(list(labels)) if labels else ''}</div></article>"
    )


def captions_list(texts: Sequence[str], roles: Sequence[str]) -> str:
    """Captions under each other with their roles, the words that differ set off."""
    lines = "".join(
        f'<li><span class="fs-role">{escape(role)}</span><span>{text}</span></li>'
        for role, text in zip(roles, differences(texts), strict=True)
    )
    return f'<ol class="fs-texts">{lines}</ol>'
