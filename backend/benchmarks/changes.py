"""What was edited in an item's captions: kept in its tag `change`, one JSON object a caption, read back for pages."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from backend.perturb import Edit


@dataclass(frozen=True, slots=True)
class Change:
    """What was edited in one text of an item. spans: [start, end) in the text; was: what stood there before."""

    text: int
    spans: tuple[tuple[int, int], ...]
    was: tuple[str, ...]
    what: str

    def before(self, text: str) -> tuple[str, tuple[tuple[int, int], ...]]:
        """The caption before the edit, and the places in it.

        >>> Change(0, ((2, 6),), ("red",), "red → blue").before("a blue car")
        ('a red car', ((2, 5),))
        """
        pieces, places, end, length = [], [], 0, 0
        for (start, stop), old in zip(self.spans, self.was, strict=True):
            length += start - end
            places.append((length, length + len(old)))
            length += len(old)
            pieces += [text[end:start], old]
            end = stop
        return "".join([*pieces, text[end:]]), tuple(places)


def changes(tags: Mapping[str, Sequence[str]]) -> list[Change]:
    """What was edited in an item, from its tags; empty where nothing was."""
    found = []
    for entry in tags.get("change", ()):
        told = json.loads(entry)
        spans = tuple((int(a), int(b)) for a, b in told["spans"])
        found.append(Change(int(told["text"]), spans, tuple(told["was"]), str(told["what"])))
    return found


def told(position: int, old: str, edit: Edit) -> str:
    """One change as a tag holds it."""
    was = [old[start:end] for start, end in edit.before]
    spans = [list(span) for span in edit.spans]
    return json.dumps({"text": position, "spans": spans, "was": was, "what": edit.what}, ensure_ascii=False)
