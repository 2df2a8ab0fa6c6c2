"""Several callers' questions to one model as one call: equal inputs asked once, answers dealt out again.

What a model says of one input depends on its company by rounding alone (docs/fidelity.md), never on whose it is. So
calls of one method may be joined; an answer goes by the place of its own input, and by nothing else.
"""

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from backend.errors import UsageError
from backend.models import Model, Picture

#: Inputs (texts, images or pairs) of joined calls at most; a call that alone has more goes alone.
MOST: Final = 256
PAIRS: Final = "pair_scores"
#: Methods of `Model` that are asked so.
METHODS: Final = ("encode_texts", "encode_images", "text_logprobs", "truncated", PAIRS)
#: One call's answers, one an input; or why it has none.
Answers: TypeAlias = list[Any] | Exception


@dataclass(frozen=True, eq=False)
class Call:
    """One question: a method, and its inputs. kind: of `pair_scores` alone. keys: what names each image's content;
    without, an image is known as the object that it is."""

    method: str
    images: Sequence[Picture] = ()
    texts: Sequence[str] = ()
    kind: str = ""
    keys: Sequence[Hashable] | None = None

    def __post_init__(self) -> None:
        if self.method not in METHODS:
            raise UsageError(f"{self.method[:60]} is nothing that models are asked here.")
        if self.method == PAIRS and len(self.images) != len(self.texts):
            raise ValueError(f"{len(self.images)} images with {len(self.texts)} texts: pairs need as many of each")

    @property
    def what(self) -> tuple[str, str]:
        """What calls must have in common to be joined."""
        return self.method, self.kind

    def inputs(self) -> list[tuple[Hashable, str]]:
        """(name of the image, text) of each input; what a method does not take is empty."""
        names: Sequence[Hashable] = (
            self.keys if self.keys is not None else [("object", id(image)) for image in self.images]
        )
        if self.method == PAIRS:
            return list(zip(names, self.texts, strict=True))
        if self.method == "encode_images":
            return [(name, "") for name in names]
        return [("", text) for text in self.texts]


def answered(model: Model, calls: Sequence[Call]) -> list[Answers]:
    """Each call's answers, in their order. All calls have the same `what`.

    Where joined calls fail, each is asked by itself, so that it gets its own error or none.
    """
    found: list[Answers] = []
    for part in parts(calls):
        try:
            found += _joined(model, part)
        except Exception as error:  # noqa: BLE001 - it is handed to whoever asked
            if len(part) == 1:
                found.append(error)
            else:
                found += [answered(model, [call])[0] for call in part]
    return found


def parts(calls: Sequence[Call], most: int = MOST) -> Iterator[list[Call]]:
    """The calls in order, so many at a time that they have at most `most` inputs together, and at least one.

    >>> [len(part) for part in parts([Call("truncated", texts=["a"] * n) for n in (2, 3, 9, 1)], most=5)]
    [2, 1, 1]
    """
    part: list[Call] = []
    held = 0
    for call in calls:
        n = len(call.inputs())
        if part and held + n > most:
            yield part
            part, held = [], 0
        part.append(call)
        held += n
    if part:
        yield part


def _joined(model: Model, calls: Sequence[Call]) -> list[Answers]:
    place: dict[tuple[Hashable, str], int] = {}
    objects: dict[Hashable, Picture] = {}
    images: list[Picture] = []
    texts: list[str] = []
    whose: list[list[int]] = []
    for call in calls:
        mine = []
        for k, one in enumerate(call.inputs()):
            if one not in place:
                place[one] = len(place)
                if call.images:  # one object for each content, so that the model encodes it once
                    images.append(objects.setdefault(one[0], call.images[k]))
                if call.texts:
                    texts.append(call.texts[k])
            mine.append(place[one])
        whose.append(mine)
    if not place:
        return [[] for _ in calls]
    given = _ask(model, calls[0], images, texts)
    if len(given) != len(place):
        raise ValueError(f"{model.spec} gave {len(given)} answers to {len(place)} inputs")
    return [[given[at] for at in mine] for mine in whose]


def _ask(model: Model, call: Call, images: list[Picture], texts: list[str]) -> list[Any]:
    if call.method == PAIRS:
        return model.pair_scores(call.kind, images, texts)
    asked: Callable[[Any], Any] = getattr(model, call.method)
    found = list(asked(images if call.method == "encode_images" else texts))
    return [bool(cut) for cut in found] if call.method == "truncated" else found
