"""Examples to start from: scenes that no bundled model was trained on, with the captions to choose between."""

from dataclasses import dataclass
from typing import Final

from backend.items import Protocol


@dataclass(frozen=True)
class Example:
    """name: what stands in the address; asks: what it puts to the test, in one sentence."""

    name: str
    title: str
    asks: str
    layout: str
    images: tuple[str, ...]
    texts: tuple[str, ...]


EXAMPLES: Final = (
    Example(
        "binding",
        "Binding",
        "Same words, same colours, same shapes: only which colour belongs to which shape differs.",
        Protocol.QUAD,
        ("world:2.crbpKO.sbbpig", "world:2.cbbpKO.srbpig"),
        ("a red circle and a blue star", "a blue circle and a red star"),
    ),
    Example(
        "relation",
        "Relation",
        "The same two objects with their places exchanged: a model that ignores order scores both captions alike.",
        Protocol.QUAD,
        ("world:5.qpbpJc.cobpkc", "world:5.qpbpkc.cobpJc"),
        ("a purple square to the left of an orange circle", "a purple square to the right of an orange circle"),
    ),
    Example(
        "count",
        "Count",
        "One star more or less.",
        Protocol.QUAD,
        ("world:0.sispIP.sispUk", "world:0.sispIP.sispjN.sispUk"),
        ("two pink stars", "three pink stars"),
    ),
    Example(
        "paraphrase",
        "Paraphrase",
        "Two captions say the same in other words, the third changes the meaning with few letters: is meaning closer "
        "than wording?",
        Protocol.TRIPLET,
        ("world:1.hgbpLK.tbbsgi",),
        (
            "a green heart and a striped blue triangle",
            "there is a blue triangle with stripes and a heart in green",
            "a striped green heart and a blue triangle",
        ),
    ),
    Example(
        "prior-trap",
        "Prior trap",
        "Three hearts are drawn, but “a pair of hearts” is the likelier sentence in the captioner's training: take the "
        "prior away with α and see where its answer flips.",
        Protocol.CHOICE,
        ("world:B.hrbdpU.hrbdKS.hrbdGl",),
        ("the scene has three hearts", "the scene has a pair of hearts"),
    ),
)

BY_NAME: Final = {example.name: example for example in EXAMPLES}
