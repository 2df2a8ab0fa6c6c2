"""What cells and reasons are called on screen and in print, and what each says in one line (docs/reasons.md)."""

from typing import Final

from backend.protocols import Protocol

#: The word of the columns `cell` and `reason` -> what a page calls it.
NAMES: Final = {
    "right": "right",
    "outvoted_by_caption": "outvoted by the caption",
    "outvoted_by_image": "outvoted by the image",
    "outvoted_by_both": "outvoted by both",
    "no_binding": "no binding seen",
    "grounded": "grounded",
    "by_bias": "right by bias",
    "outvoted": "outvoted",
    "no_evidence": "no evidence for the truth",
    "reversed": "read the other way round",
    "uncertain": "uncertain",
}

#: The same word -> what it means, one line.
MEANINGS: Final = {
    "right": "binding is larger than both biases: each image prefers its caption, each caption its image",
    "outvoted_by_caption": "binding is above zero, but one caption gets more under both images by at least as much",
    "outvoted_by_image": "binding is above zero, but one image gets more with both captions by at least as much",
    "outvoted_by_both": "binding is above zero, but caption bias and image bias are both at least as large",
    "no_binding": "exchanging the captions does not lower the score: the model does not tell who belongs to whom",
    "grounded": "right, and this image raises the margin over what other images give",
    "by_bias": "right, but this image is not seen to raise the margin over what other images give",
    "outvoted": "wrong, though this image speaks for the truth: what the captions get anyway outweighs it",
    "no_evidence": "wrong, and this image is not seen to move the model towards the truth more than other images do",
    "reversed": "the exchanged pairs score higher than luck allows: the model reads the pair the other way round",
    "uncertain": "the evidence does not tell this item from luck",
}

#: Cells of each protocol in the order in which a bar stacks them.
CELLS: Final = {
    Protocol.QUAD: ("right", "outvoted_by_caption", "outvoted_by_image", "outvoted_by_both", "no_binding"),
    Protocol.CHOICE: ("grounded", "by_bias", "outvoted", "no_evidence"),
    Protocol.TRIPLET: ("grounded", "by_bias", "outvoted", "no_evidence"),
}


#: What a reason is called where it is another thing than the cell of the same word: items of which the scores alone
#: show nothing, and those of which they show no more than luck gives. A cell has the name of `NAMES`, always.
_BEYOND_LUCK: Final = {
    "no_binding": "no binding beyond luck", "by_bias": "right without evidence beyond luck",
    "no_evidence": "no evidence beyond luck",
}  # fmt: skip
#: What that means: of an item, and of all items of the reason.
_LUCK_MEANS: Final = {
    "no_binding": "exchanging the captions lowers the score by no more than luck would: the model is not seen to tell "
    "who belongs to whom",
    "by_bias": "right, but this image raises the margin over what other images give by no more than luck would, if at "
    "all",
    "no_evidence": "wrong, and this image moves the model towards the truth by no more than luck would, if at all",
    "reversed": "of a quad the exchanged pairs score higher than luck allows: the model reads it the other way round; "
    "of a choice or triplet the image lowers the margin by more than luck allows",
}
#: The cells of items without evidence: the decoys there are the items that have some, so their number is no luck.
NOTHING_SEEN: Final = ("no_binding", "by_bias", "no_evidence")


def said_of(cell: str, reason: str) -> str:
    """What a page calls the reason of one item: as `of_group` calls all of them, whatever its cell, but where a choice
    or triplet is read the other way round, for which there is a plainer word.

    >>> said_of("by_bias", "by_bias"), said_of("no_binding", "no_binding"), said_of("outvoted", "reversed")
    ('right without evidence beyond luck', 'no binding beyond luck', 'its image speaks against the truth')
    """
    if reason == "reversed" and cell in CELLS[Protocol.CHOICE]:
        return "its image speaks against the truth"
    return of_group(reason)


def of_group(reason: str) -> str:
    """What a page calls a reason, and all items that have it. Those without evidence are of two kinds: the scores alone
    show none (their cell has the same word), or no more than luck gives; of both it holds that none is beyond luck.

    >>> of_group("no_binding"), of_group("outvoted")
    ('no binding beyond luck', 'outvoted')
    """
    return _BEYOND_LUCK.get(reason) or NAMES.get(reason, reason)


def meaning_of_group(reason: str) -> str:
    """What `of_group` means, in one line.

    >>> meaning_of_group("no_binding").partition(":")[0]
    'exchanging the captions lowers the score by no more than luck would'
    """
    return _LUCK_MEANS.get(reason) or MEANINGS[reason]


def with_cell(cell: str, reason: str) -> str:
    """What a page calls an item's reason, with its arithmetic cell beside it wherever that is another one; "" without a
    cell. Every chip, card and table says it this way. A reason that names its cell is said once, whatever it is called.

    >>> with_cell("outvoted", "outvoted"), with_cell("outvoted_by_image", "uncertain"), with_cell("", "")
    ('outvoted', 'uncertain (scores alone: outvoted by the image)', '')
    >>> with_cell("no_binding", "no_binding")
    'no binding beyond luck'
    """
    if not cell:
        return ""
    said = said_of(cell, reason)
    return said if cell == reason else f"{said} (scores alone: {NAMES[cell]})"


def meaning_of(cell: str, reason: str) -> str:
    """What both words mean, in one line; "" without a cell.

    >>> meaning_of("no_binding", "uncertain").partition(" (")[0], meaning_of("", "")
    ('the evidence does not tell this item from luck; its scores alone say: no binding seen', '')
    >>> meaning_of("outvoted_by_both", "no_binding").partition(":")[0]
    'exchanging the captions lowers the score by no more than luck would'
    """
    if not cell:
        return ""
    against = reason == "reversed" and cell in CELLS[Protocol.CHOICE]
    said = "this image lowers the margin by more than luck allows" if against else MEANINGS[reason]
    if reason in _BEYOND_LUCK:
        said = _LUCK_MEANS[reason]
    same = said_of(cell, reason) == NAMES[cell]
    return said if same else f"{said}; its scores alone say: {NAMES[cell]} ({MEANINGS[cell]})"


def reasons_of(protocol: Protocol) -> tuple[str, ...]:
    """The reasons that an item of a protocol may have, its cells first; none for other protocols.

    >>> reasons_of(Protocol.CHOICE)
    ('grounded', 'by_bias', 'outvoted', 'no_evidence', 'reversed', 'uncertain')
    """
    cells = CELLS.get(protocol, ())
    return (*cells, "reversed", "uncertain") if cells else ()
