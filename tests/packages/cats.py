"""The package flipside-cats: one thing of each kind that another package can bring (docs/plugins.md)."""

from collections.abc import Iterator, Sequence
from random import Random
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from backend.benchmarks.base import Declaration, Source
from backend.benchmarks.reading.records import each, json_object, text
from backend.items import SIMILARITIES, Item, Protocol, Skipped
from backend.metrics.core.compare import Outcomes, from_margins
from backend.metrics.core.registry import Metric
from backend.models.base import Model, Picture
from backend.models.registry import Family
from backend.models.request import Request
from backend.perturb.base import Edit, Effect, Perturbation


def read(source: Source) -> Iterator[Item | Skipped]:
    """One true caption and one foil an image."""

    def item(key: int | str, record: Any) -> Item:
        image = source.files.image(text(record, "image"))
        texts = (text(record, "caption"), text(record, "foil"))
        return Item(f"all/{key}", "all", Protocol.CHOICE, (image,), texts, ((0, 0),), {"concept": ("colour",)})

    for _, path in source.present({"all": "cats.json"}):
        yield from each(path.name, json_object(path), item)


CATS = Declaration(
    name="cats", title="Cats", source="a shelter", revision="1", licence="MIT", citation="none",
    protocols={"all": Protocol.CHOICE}, read=read, files={"all": "cats.json"}, expected={"all": 2},
)  # fmt: skip


def cat_to_dog(caption: str, rng: Random) -> Edit | None:
    """ "cat" by "dog"."""
    at = caption.find("cat")
    if at < 0:
        return None
    return Edit(f"{caption[:at]}dog{caption[at + 3 :]}", ((at, at + 3),), ((at, at + 3),), "cat → dog")


CAT_TO_DOG = Perturbation(
    name="cat_to_dog", title="Cat to dog", effect=Effect.CHANGING, family="replace", concepts=(),
    paper="ours", where="", what="Cat by dog.", example="A cat.", rule=cat_to_dog,
)  # fmt: skip


def by_a_margin(scores: ArrayLike, n_texts: ArrayLike | None = None) -> Outcomes:
    """Right only where the truth leads by more than 0.05. scores: (n, k+1), the truth first."""
    values = np.asarray(scores, dtype=np.float64)
    return from_margins(values[:, 0] - np.nanmax(values[:, 1:], axis=1) - 0.05)


CAT_MARGIN = Metric(
    "cat_margin", "By a cat's whisker", Protocol.CHOICE, SIMILARITIES, "higher", (0.0, 1.0), None,
    "s(I,truth) > s(I,foil) + 0.05", "flipside-cats", "its README",
    judge=lambda given: by_a_margin(given.scores, given.n_texts),
)  # fmt: skip


class Catlike(Model):
    """Scores by the number of letters: for tests, without torch."""

    family = "catlike"
    kinds = frozenset({"itc", "t2t"})

    @classmethod
    def load(cls, request: Request) -> "Catlike":
        """The name is part of the description."""
        return cls(request.spec)

    def encode_texts(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """By length."""
        return self._unit([[len(text), 1.0] for text in texts])

    def encode_images(self, images: Sequence[Picture]) -> NDArray[np.float32]:
        """All alike."""
        return self._unit([[12.0, 1.0] for _ in images])

    def text_lengths(self, texts: Sequence[str]) -> NDArray[np.int64]:
        """Words."""
        return np.array([len(text.split()) for text in texts], dtype=np.int64)

    def truncated(self, texts: Sequence[str]) -> NDArray[np.bool_]:
        """None is."""
        return np.zeros(len(texts), dtype=bool)

    def describe(self) -> dict[str, Any]:
        """For the run's record."""
        return {"spec": self.spec, "family": self.family, "class": "Catlike", "dtype": "float32", "device": "cpu",
                "weights_sha256": "ca7" * 21 + "c", "preprocessing": {}}  # fmt: skip

    @staticmethod
    def _unit(rows: list[list[float]]) -> NDArray[np.float32]:
        values = np.array(rows, dtype=np.float32).reshape(-1, 2)
        return values / np.linalg.norm(values, axis=1, keepdims=True)


CATLIKE = Family(
    "catlike", "flipside_cats:Catlike", frozenset({"itc", "t2t"}), "the letters of a caption", ("catlike:tabby",),
    architectures=("CatModel",),
)  # fmt: skip


def meow(times: int = 1) -> None:
    """Say meow."""
    print(" ".join(["meow"] * times))  # noqa: T201


def cat_counter() -> None:
    """The page."""
    import streamlit as st

    from backend.benchmarks import names

    st.title("How many cats?")
    st.write(f"{len(names())} benchmarks, cats among them: {'cats' in names()}")
