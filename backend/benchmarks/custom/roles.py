"""What a column of a table of one's own can be, and the names by which it is recognised."""

import re
from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Role:
    """What a column can be. what: for people. names: those that are taken for it, as `plain` writes them; numbered: a
    pattern of further ones."""

    what: str
    names: tuple[str, ...]
    numbered: str = ""

    def fits(self, name: str) -> bool:
        """Whether a column's plain name says this role."""
        return name in self.names or bool(self.numbered and re.fullmatch(self.numbered, name))


@dataclass(frozen=True, slots=True)
class Shape:
    """How the rows of a table become items: the roles that they need, those that they may have besides, and those
    that several columns can have."""

    title: str
    needs: tuple[str, ...]
    may: tuple[str, ...] = ()
    several: tuple[str, ...] = ()

    @property
    def roles(self) -> tuple[str, ...]:
        """All roles of this shape."""
        return (*self.needs, *self.may, *(TAGS if self.needs else ()))


_NEGATIVE = r"(?:hard_|false_)?(?:neg|negative|foil|distractor)(?:_caption|_text|_sentence)?"
_IMAGE = ("image", "img", "picture", "photo")
_TEXT = ("caption", "text", "sentence", "cap", "sent")


def _of(stems: tuple[str, ...], *ends: str) -> tuple[str, ...]:
    return tuple(f"{stem}{joint}{end}" for stem in stems for end in ends for joint in ("_", ""))


ROLES: Mapping[str, Role] = {
    "image": Role(
        "the picture's file name",
        (*_IMAGE, "filename", "file_name", "file", "path", "filepath", "file_path", "image_name", "imagename",
         "images", "image_path", "image_file", "image_filename", "image_file_name", "img_path", "img_file", "img_name"),
    ),
    "caption": Role(
        "a true caption",
        ("caption", "text", "sentence", "captions", "texts", "positive", "pos", "true_caption", "positive_caption",
         "pos_caption", "correct_caption", "description", "paraphrase_1", "positive_1", "p1", "sentences"),
    ),
    "paraphrase": Role(
        "the same meaning in other words",
        ("paraphrase", "second_positive", "second_caption", "paraphrase_2", "positive_2", "positive_caption_2", "p2",
         "paraphrased_caption", "other_caption", "caption_paraphrase"),
    ),
    "negative": Role("a false caption", ("negatives", "foils", "negative_captions", "false_caption", "wrong_caption"),
        rf"{_NEGATIVE}(?:_?\d+)?|n"),
    "candidate": Role("a caption that the label says is true or false", ("candidates", "choices", "options")),
    "image_0": Role("the first picture", _of(_IMAGE, "0", "a")),
    "image_1": Role("the second picture", _of(_IMAGE, "1", "b")),
    "caption_0": Role("the first picture's caption", _of(_TEXT, "0", "a")),
    "caption_1": Role("the second picture's caption", _of(_TEXT, "1", "b")),
    "label": Role("which candidate is true: its position from 0, or its words", ("label", "answer", "target", "gold")),
    "id": Role("the row's own id", ("id", "item_id", "key", "uid", "example_id", "index", "idx")),
    "subset": Role("the part of the benchmark", ("subset", "part", "task")),
    "concept": Role("what is tested", ("concept", "concept_type", "category")),
    "perturbation": Role("what was done to the caption", ("perturbation", "perturbation_type", "edit", "edit_type")),
    "split": Role("train, test, …", ("split", "fold")),
}  # fmt: skip

#: Roles that tag an item and belong to every shape.
TAGS = ("id", "subset", "concept", "perturbation", "split")

#: What `Mapping.protocol` can be. "items" is the table that `export --what items` writes; it has no roles.
SHAPES: Mapping[str, Shape] = {
    "triplet": Shape("Triplet: two true captions and one false one", ("caption", "paraphrase", "negative"), ("image",)),
    "choice": Shape(
        "Choice: one true caption, one or more false ones", ("caption", "negative"), ("image",), ("negative",)
    ),
    "labelled": Shape(
        "Choice: captions, and a label that says which is true", ("candidate", "label"), ("image",), ("candidate",)
    ),
    "quad": Shape("Quad: two pictures, two captions", ("image_0", "image_1", "caption_0", "caption_1")),
    "retrieval": Shape("Pool: pictures with their captions", ("image", "caption"), (), ("caption",)),
    "items": Shape("Items as Flipside exports them", ()),
}


def plain(name: str) -> str:
    """A column's name for comparison.

    >>> plain(" Negative Caption#2 ")
    'negative_caption_2'
    """
    return re.sub(r"[^a-z0-9]+", "_", re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name.strip()).lower()).strip("_")
