"""How many other images and how many items a reason needs (docs/reasons.md): what a run says before it scores anything,
and what items are judged by."""

#: So many other images an item needs for a reason of its own; shares of a subset can do with 4.
OTHER_IMAGES = 16
#: With fewer items of one verdict that have evidence none of them is ever seen to have it: at least one in so many
#: counts as luck, and no more than one in twenty may.
ITEMS = 20


def too_few(items: int, other_images: int | None = None) -> str:
    """What no item of a subset can get, however it is scored, and what is needed; "" where there is enough.

    other_images: the most that one of the items is scored under, None of quads, which have their partner's.

    >>> too_few(400, 5), too_few(400, 16)
    ('every reason is uncertain, for 16 other images are needed and there are 5', '')
    >>> too_few(12)
    'no item can be seen to have evidence, for 20 items of one verdict are needed and there are 12'
    """
    if other_images is not None and other_images < OTHER_IMAGES:
        return f"every reason is uncertain, for {OTHER_IMAGES} other images are needed and there are {other_images}"
    if items < ITEMS:
        return (
            f"no item can be seen to have evidence, for {ITEMS} items of one verdict are needed and there are {items}"
        )
    return ""
