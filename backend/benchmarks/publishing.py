"""What of a benchmark may be handed on to anybody, as `publish` does: captions, pictures, scores, tags."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from backend.benchmarks import known
from backend.benchmarks.items_folder.kept import CUSTOM, EDITED


@dataclass(frozen=True)
class Allowed:
    """What may be handed on. own: the benchmark is the user's own, so that its captions and pictures go along where the
    user asks for it; why_not: what is left out and why, a sentence each, for the page that lacks it; tags: concepts and
    perturbations of single items."""

    texts: bool
    pictures: bool
    scores: bool
    own: bool
    why_not: tuple[str, ...] = ()
    tags: bool = True


def allowed(name: str, about: Mapping[str, Any] | None = None, own_too: bool = False) -> Allowed:
    """What may be published of a benchmark, by its name; of an edited edition, what may be of the one it was made from.

    about: what the edition says of itself; its `scores_may_be_published: false` forbids scores. own_too: whether the
    user asked for captions and pictures of data of their own. What nobody knows counts as somebody else's: nothing of
    it but verdicts and item numbers is handed on.

    >>> allowed("world~typo@0").texts, allowed("winoground").texts, allowed("custom:mine", own_too=True).pictures
    (True, False, True)
    >>> allowed("winoground", {"scores_may_be_published": False}).scores
    False
    """
    parent = name.partition(EDITED)[0]
    own = parent.startswith(CUSTOM) or parent == CUSTOM.rstrip(":")
    declared = None if own else known(parent)
    texts = own_too if own else declared is not None and declared.texts_may_be_published
    pictures = own_too if own else declared is not None and declared.pictures_may_be_published
    scores = (declared is None or declared.scores_may_be_published) and scores_allowed(about)
    whose = (
        "they are your own: --own-data adds them"
        if own
        else "nobody has declared to Flipside that they may be handed on"
    )
    said = []
    if not texts and not pictures:
        said.append(f"Captions and pictures are not in here: {whose}.")
    elif not texts or not pictures:
        said.append(f"{'Captions' if not texts else 'Pictures'} are not in here: {whose}.")
    if not scores:
        said.append("Scores and margins are not in here: their owner has not said that they may be.")
    tags = declared is None or declared.tags_may_be_published
    if not tags:
        said.append("Concepts of single items are not in here: they stand in files that are gated.")
    return Allowed(texts, pictures, scores, own, tuple(said), tags)


def scores_allowed(said: Mapping[str, Any] | None) -> bool:
    """Whether the record of a run or of an edition lets its scores be handed on: yes, unless it says no.

    >>> scores_allowed({}), scores_allowed({"scores_may_be_published": False})
    (True, False)
    """
    return (said or {}).get("scores_may_be_published") is not False
