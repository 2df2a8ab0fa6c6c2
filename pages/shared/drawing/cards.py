"""The item card: why first, images left, captions right with their differences, one chip per model, labels below."""

from collections.abc import Sequence

from markupsafe import Markup

from pages.shared.drawing.thumbnails import picture
from pages.shared.drawing.verdicts import chips
from pages.shared.drawing.words import differences

#: Captions on a tile; the item has all.
MOST = 3


def item_card(
    images: Sequence[str],
    texts: Sequence[str],
    roles: Sequence[str],
    verdicts: Sequence[Markup] = (),
    labels: Sequence[Markup] = (),
    *,
    why: Markup | str = "",
    heading: str = "",
    width: int = 112,
) -> Markup:
    """One item. why: the line that says why the verdict is what it is; images: data URIs; roles: what each text is
    (`P1`, `true`, `foil`, `1`); verdicts and labels: HTML of `verdicts.chip` and `verdicts.label`. Where there are no
    images or texts, nothing stands in their place."""
    pictures = Markup().join(picture(image, f"image {i + 1} of the item", width) for i, image in enumerate(images))
    head = Markup('<p class="fs-card-head">{}</p>').format(heading) if heading else ""
    return Markup(
        '<article class="fs-card">{pictures}<div class="fs-card-body">{why}'
        "{head}{captions_list}{chips}"
        "{chips2}</div></article>"
    ).format(
        pictures=Markup('<div class="fs-card-images">{}</div>').format(pictures) if images else "",
        head=head,
        why=why,
        captions_list=captions_list(texts, roles) if texts else "",
        chips=chips(list(verdicts)) if verdicts else "",
        chips2=chips(list(labels)) if labels else "",
    )


def tile(
    images: Sequence[str],
    texts: Sequence[str],
    roles: Sequence[str],
    *,
    ticks: Markup | str = "",
    labels: Sequence[Markup] = (),
    why: Markup | str = "",
    heading: Markup | str = "",
) -> Markup:
    """One item in a gallery of large pictures: they stand first and side by side, whole; below them the captions, one
    row of marks (`ticks.row`), the line that says why, labels and what the item is. See `item_card`."""
    shown = Markup().join(
        Markup('<span class="fs-tile-picture">{}</span>').format(picture(image, f"image {i + 1} of the item", 0))
        for i, image in enumerate(images)
    )
    many = "" if len(images) == 1 else " fs-two-pictures" if len(images) == 2 else " fs-many-pictures"
    return Markup(
        '<article class="fs-card fs-tile">{pictures}<div class="fs-card-body">{captions}{ticks}{why}{labels}'
        '<p class="fs-card-head">{heading}</p></div></article>'
    ).format(
        pictures=Markup('<div class="fs-tile-pictures{}">{}</div>').format(many, shown) if images else "",
        captions=_few(texts, roles) if texts else "",
        ticks=ticks, why=why, labels=chips(list(labels)) if labels else "", heading=heading,
    )  # fmt: skip


def _few(texts: Sequence[str], roles: Sequence[str]) -> Markup:
    """The captions of a tile: of many the first ones, and how many more there are."""
    rest = len(texts) - MOST
    if rest <= 0:
        return captions_list(texts, roles)
    return captions_list(texts[:MOST], roles[:MOST]) + Markup('<p class="fs-tile-more">and {:,} more</p>').format(rest)


def captions_list(texts: Sequence[str], roles: Sequence[str]) -> Markup:
    """Captions under each other with their roles, the words that differ set off: those of a triplet against its
    negative, all others against the first."""
    base = list(roles).index("N") if "N" in roles else 0
    lines = Markup().join(
        Markup('<li><span class="fs-role">{}</span><span>{}</span></li>').format(role, text)
        for role, text in zip(roles, differences(texts, base), strict=True)
    )
    return Markup('<ol class="fs-texts">{}</ol>').format(lines)
