"""What was edited in an item's captions: kept in its tag `change`, one JSON object a caption, read back for pages."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from backend import plain_json
from backend.perturb import Edit


@dataclass(frozen=True, slots=True)
class Change:
    """What was edited in one text of an item. spans: [start, end) in the text; was: what stood there before."""

    text: int
    spans: tuple[tuple[int, int], ...]
    was: tuple[str, ...]
    what: str

    def fits(self, text: str) -> bool:
        """Whether the places lie in this text, one after the other, each with what stood there before."""
        ends = [0, *(end for span in self.spans for end in span), len(text)]
        return len(self.spans) == len(self.was) and ends == sorted(ends)

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
    """What was edited in an item, from its tags; empty where nothing was. ValueError where a tag does not say it."""
    found = []
    for entry in tags.get("change", ()):
        try:
            told = plain_json.loads(entry)
            spans = tuple((int(a), int(b)) for a, b in told["spans"])
            was = tuple(str(words) for words in told["was"])
            found.append(Change(int(told["text"]), spans, was, str(told["what"])))
        except (ValueError, TypeError, KeyError) as error:
            raise ValueError(f"the tag 'change' says nothing that is understood ({str(error)[:80]})") from None
    return found


def readable(tags: Mapping[str, Sequence[str]], shown: Callable[[int], str | None]) -> list[Change]:
    """The same for pages: without what says nothing, and what is not of the texts that are shown (None: not there)."""
    try:
        found = changes(tags)
    except ValueError:
        return []
    return [change for change in found if (text := shown(change.text)) is not None and change.fits(text)]


def told(position: int, old: str, edit: Edit) -> str:
    """One change as a tag holds it."""
    was = [old[start:end] for start, end in edit.before]
    spans = [list(span) for span in edit.spans]
    return json.dumps({"text": position, "spans": spans, "was": was, "what": edit.what}, ensure_ascii=False)
