"""An experiment as it is played with: its captions as edited, its pictures as covered, set against what it was."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from itertools import chain

from PIL import Image

from backend.live.playing import covering, meaning
from backend.live.playing.covering import Box


@dataclass(frozen=True)
class Play:
    """texts: the captions as they are now, as many as there were; covers: image number -> box; told: caption number ->
    what somebody said of their own edit of it (an Effect's value), which goes before what is known of it."""

    texts: tuple[str, ...]
    covers: Mapping[int, Box] = field(default_factory=dict)
    told: Mapping[int, str] = field(default_factory=dict)

    def edited(self, base: Sequence[str]) -> list[int]:
        """Numbers of the captions that are not what they were."""
        return [j for j, (old, new) in enumerate(zip(base, self.texts, strict=True)) if old != new]

    def changed(self, base: Sequence[str]) -> bool:
        """Whether anything is edited or covered."""
        return bool(self.edited(base) or self.covers)

    def effect(self, base: Sequence[str]) -> str:
        """What the edits of the captions do to their meaning, all together: an Effect's value or `meaning.UNKNOWN`;
        "" where no caption is edited."""
        edited = self.edited(base)
        return meaning.together([self.effect_on(base, j) for j in edited]) if edited else ""

    def effect_on(self, base: Sequence[str], j: int) -> str:
        """The same of one caption."""
        known = meaning.effect(base[j], self.texts[j])
        return self.told.get(j, meaning.UNKNOWN) if known == meaning.UNKNOWN else known

    def pictures(self, images: Sequence[Image.Image], keys: Sequence[str]) -> tuple[list[Image.Image], list[str]]:
        """The pictures as they are now, and what names the content of each."""
        shown, named = list(images), list(keys)
        for i, box in self.covers.items():
            shown[i], named[i] = covering.covered(images[i], box), covering.key(keys[i], box)
        return shown, named

    def area(self, sizes: Sequence[tuple[int, int]]) -> float:
        """The share of the pictures that is covered, summed over them, from 0 to as many as there are."""
        return sum(covering.share(box, sizes[i]) for i, box in self.covers.items())


def words_changed(before: str, after: str) -> int:
    """How many words an edit changes: of each stretch that differs the longer side counts.

    >>> words_changed("a red cube", "a blue cube"), words_changed("a cat", "a big black cat"), words_changed("a", "a")
    (1, 2, 0)
    """
    return sum(max(len(old), len(new)) for old, new in stretches(before, after))


def stretches(before: str, after: str) -> list[tuple[list[str], list[str]]]:
    """The stretches of words in which two captions differ, as they were and as they are.

    >>> stretches("a red cube", "a blue cube")
    [(['red'], ['blue'])]
    """
    old, new = before.split(), after.split()
    matched = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    return [(old[a:b], new[c:d]) for how, a, b, c, d in matched if how != "equal"]


def told(base: Sequence[str], play: Play, sizes: Sequence[tuple[int, int]]) -> str:
    """What was done, in a few words: "red → blue", "covers 6 %".

    >>> told(["a red cube"], Play(("a blue cube",), {0: (0, 0, 5, 5)}), [(10, 10)])
    'red → blue, covers 25 %'
    """
    parts = chain.from_iterable(stretches(base[j], play.texts[j]) for j in play.edited(base))
    said = [f"{' '.join(old) or '+'} → {' '.join(new) or '–'}" if old else f"+ {' '.join(new)}" for old, new in parts]
    area = play.area(sizes)
    if area:
        said.append(f"covers {max(1, round(100 * area / max(1, len(play.covers))))} %")
    return ", ".join(said)
