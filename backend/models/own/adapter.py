"""An object of the user's own as a `Model`: it is asked in batches, and its rows and numbers become scores (`asked`
says what it can be asked).
"""

import contextlib
import sys
from collections.abc import Callable, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from backend.errors import FlipsideError, UsageError
from backend.kinds import PROBABILITIES, Kind
from backend.models.base import Model, PairScore, Picture, check_pairs
from backend.models.own import arrays, asked, code, identity
from backend.models.own.settings import settings_of
from backend.models.pictures import decode, unique_by_identity

#: Farther from 0 and 1 than this a probability is kept, so that its log-odds are finite.
EPSILON = 1e-12
LIBRARIES = ("torch", "transformers", "open_clip_torch", "pillow", "numpy")

Found = TypeVar("Found")


class OwnModel(Model):
    """An object with encoders, or with `score` (see `asked`). It stays on its device, and as it was made."""

    family: ClassVar[str] = "py"

    def __init__(
        self,
        spec: str,
        thing: Any,
        sources: Sequence[Path] = (),
        *,
        made_by: Sequence[str] = (),
        preprocess: Callable[[Image.Image], Any] | None = None,
        tokenizer: Callable[[list[str]], Any] | None = None,
        seed: int = 0,
        loud: bool = False,
        known: bool = True,
    ) -> None:
        """sources: files of its code. made_by: names and arguments that decide what it is. preprocess, tokenizer: in
        place of its attributes. loud: what it prints goes where it goes. known: whether its weights may be read for
        the record; False leaves them unknown."""
        super().__init__(spec)
        self.thing, self.sources, self.made_by, self.seed, self.loud = thing, tuple(sources), tuple(made_by), seed, loud
        self.file = self.sources[0] if self.sources else None
        self.kinds = frozenset(asked.kinds_in(thing, spec))
        self.module = thing if callable(getattr(thing, "named_parameters", None)) else None
        self.preprocess = preprocess or getattr(thing, "preprocess", None)
        self.tokenizer = tokenizer or getattr(thing, "tokenizer", None) or getattr(thing, "tokenize", None)
        self.scored, self.unit = (
            asked.scored(thing, spec) if Kind.ITM in self.kinds or asked.has_score(thing) else ("", "")
        )
        self.pairwise = frozenset({Kind.ITC}) if self.scored == Kind.ITC else frozenset()
        self.raised: BaseException | None = None
        self._given = (preprocess, tokenizer)
        self._known = known
        self._described: dict[str, Any] = {}
        self._width = 0

    def encode_images(self, images: Sequence[Picture]) -> NDArray[np.float32]:
        if Kind.ITC not in self.kinds:
            self.cannot(Kind.ITC)
        if self.pairwise:
            raise UsageError(f"{self.spec}: its cosine is a number of the pair; ask pair_cosines(images, texts).")
        uniques, index = unique_by_identity(images)
        pictures = [self._picture(image) for image in uniques]
        found = self._rows(asked.IMAGES, pictures, self._seen)
        return found[index] if len(found) else found

    def encode_texts(self, texts: Sequence[str]) -> NDArray[np.float32]:
        if Kind.T2T not in self.kinds:
            self.cannot(Kind.T2T)
        return self._rows(asked.TEXTS, list(texts), self._read)

    def pair_cosines(self, images: Sequence[Picture], texts: Sequence[str]) -> NDArray[np.float32]:
        if not self.pairwise:
            return super().pair_cosines(images, texts)
        found = self._pairs(images, texts)
        if (np.abs(found) > 1.001).any():
            far = found[np.abs(found) > 1.001][0]
            raise FlipsideError(
                f"{self._said('score')} gave {far:.4g}, but its kind 'itc' is a cosine from -1 to 1; declare "
                "kind = 'itm' for any other number."
            )
        return found.astype(np.float32)

    def itm_logits(self, images: Sequence[Picture], texts: Sequence[str]) -> NDArray[np.float32]:
        if self.scored != Kind.ITM:
            self.cannot(Kind.ITM)
        return self._log_odds(images, texts)

    def vqa_logits(self, images: Sequence[Picture], texts: Sequence[str]) -> NDArray[np.float32]:
        if self.scored != Kind.VQA:
            self.cannot(Kind.VQA)
        return self._log_odds(images, texts)

    def pair_scores(
        self, kind: str, images: Sequence[Picture], texts: Sequence[str | tuple[str, str]]
    ) -> list[PairScore]:
        if kind != self.scored or hasattr(self, Kind(kind).info.method):
            return super().pair_scores(kind, images, texts)
        pairs = [str(text) for text in texts]
        work = self._log_odds if kind in PROBABILITIES else self._pairs
        return [PairScore(float(value)) for value in work(images, pairs)]

    def check_weights(self) -> None:
        """FlipsideError where a parameter of a torch module is NaN or infinite."""
        if self.module is None or "torch" not in sys.modules:
            return
        with code.answering(self.spec, "asking for its parameters", self.file):
            parameters = list(self.module.named_parameters())
        for name, value in parameters:
            if value.device.type != "meta" and not bool(sys.modules["torch"].isfinite(value).all()):
                raise FlipsideError(f"{self.spec}: its weights hold NaN or infinite values ({name}).")

    def compile(self) -> None:
        raise UsageError(f"{self.spec}: code of your own compiles itself where it wants to; leave --compile out.")

    def describe(self) -> dict[str, Any]:
        if not self._described:
            self._described = self._describe()
        return dict(self._described)

    def _describe(self) -> dict[str, Any]:
        first = next(iter(self._parameters()), None)
        sha256, why = None, "unknown: not read, for nothing of it is kept"
        if self._known:
            with code.answering(self.spec, "asking for its weights", self.file):
                sha256, why = self._identified()
        return {
            "spec": self.spec,
            "family": self.family,
            "class": identity.class_name(self.thing),
            "kinds": sorted(map(str, self.kinds)),
            "weights_sha256": sha256,
            **({} if sha256 else identity.unknown(self, why)),
            "preprocessing": self._preprocessing(),
            "image_size": None,
            "dtype": str(first.dtype).removeprefix("torch.") if first is not None else "its own",
            "device": _device(first),
            "logit_scale": None,
            "logit_bias": None,
            "versions": {name: found for name in LIBRARIES if (found := _version(name))},
            "seed": self.seed,
            "files": [{"file": file.name, "sha256": _sha256(file)} for file in self.sources],
        }

    def _identified(self) -> tuple[str | None, str]:
        """As `identity.identified`. A `weights_id` stands for the object, so only what was given beside it is added."""
        said = identity.weights_id(self.thing, self.spec)
        things = (None if said is not None else self.thing, *self._given)
        decided = [] if said is not None and self._given == (None, None) else [settings_of(*things)]
        return identity.identified(self.thing, self.sources, *self.made_by, *decided)

    def _preprocessing(self) -> dict[str, Any]:
        """What it is given, and what is made of its answers."""
        encoders = {
            name: asked.first(self.thing, names) for name, names in (("images", asked.IMAGES), ("texts", asked.TEXTS))
        }
        given = {"images": self.preprocess, "texts": self.tokenizer}
        told: dict[str, Any] = {
            name: f"{found} of {'tensors made by its ' + ('preprocess' if name == 'images' else 'tokenizer') if given[name] else 'RGB pictures' if name == 'images' else 'strings'}, rows normalised"  # noqa: E501
            for name, found in encoders.items()
            if found
        }
        return told | ({"score": {"kind": str(self.scored), "unit": self.unit}} if self.scored else {})

    def _rows(self, names: Sequence[str], things: list[Any], made: Callable[[list[Any]], Any]) -> NDArray[np.float32]:
        name = asked.first(self.thing, names)
        ask = getattr(self.thing, name)
        parts = self._in_batches(
            len(things),
            lambda a, b: arrays.rows(self._ask(name, lambda: ask(made(things[a:b]))), b - a, self._said(name)),
        )
        found = np.concatenate(parts) if parts else np.zeros((0, self._width), dtype=np.float32)
        if len(found):
            if self._width not in (0, found.shape[1]):
                raise FlipsideError(
                    f"{self._said(name)} gave rows of {found.shape[1]} numbers where there were {self._width} before: "
                    "images and texts need vectors of one length."
                )
            self._width = found.shape[1]
        return found

    def _pairs(self, images: Sequence[Picture], texts: Sequence[str]) -> NDArray[np.float64]:
        check_pairs(images, texts)
        uniques, index = unique_by_identity(images)
        pictures = [self._picture(image) for image in uniques]
        ask = getattr(self.thing, "score", self.thing)

        def part(a: int, b: int) -> NDArray[np.float64]:
            some, words = [pictures[i] for i in index[a:b]], list(texts[a:b])
            return arrays.one_each(self._ask("score", lambda: ask(some, words)), b - a, self._said("score"))

        parts = self._in_batches(len(texts), part)
        return np.concatenate(parts) if parts else np.zeros(0)

    def _log_odds(self, images: Sequence[Picture], texts: Sequence[str]) -> NDArray[np.float32]:
        found = self._pairs(images, texts)
        if self.unit == asked.PROBABILITY:
            if ((found < 0) | (found > 1)).any():
                wrong = found[(found < 0) | (found > 1)][0]
                raise FlipsideError(
                    f"{self._said('score')} gave {wrong:.4g}, but its unit is a probability; leave unit out, which "
                    "means log-odds, or any number of which more is better."
                )
            inside = np.clip(found, EPSILON, 1 - EPSILON)
            found = np.log(inside) - np.log1p(-inside)
        with np.errstate(over="ignore"):  # what is too large becomes infinite, which is refused with its item
            return found.astype(np.float32)

    def _in_batches(self, n: int, work: Callable[[int, int], Found]) -> list[Found]:
        """`work(first, end)` on successive parts; where memory runs out the batch is halved."""
        found: list[Found] = []
        start = 0
        while start < n:
            end = min(n, start + self.batch_size)
            try:
                found.append(work(start, end))
            except (RuntimeError, MemoryError) as error:
                if not _out_of_memory(error):
                    raise
                if end - start == 1:
                    said = f"{self.spec}: a single image or text does not fit into memory; use a smaller model."
                    raise FlipsideError(said) from error
                self.batch_size = (end - start) // 2
            else:
                start = end
        return found

    def _ask(self, name: str, call: Callable[[], Found]) -> Found:
        """An answer of the user's code: without gradients, and without anything printed among ours."""
        torch = sys.modules.get("torch")
        try:
            with (
                contextlib.nullcontext() if self.loud else code.quietly(),
                torch.no_grad() if torch is not None else contextlib.nullcontext(),
            ):
                return call()
        except (FlipsideError, KeyboardInterrupt):
            raise
        except BaseException as error:
            if isinstance(error, RuntimeError | MemoryError) and _out_of_memory(error):
                raise
            self.raised = error
            raise code.failed(self.spec, name, error, self.file) from error

    def _seen(self, pictures: list[Image.Image]) -> Any:
        if self.preprocess is None:
            return pictures
        ready = [self.preprocess(picture) for picture in pictures]
        return self._placed(sys.modules["torch"].stack(ready)) if "torch" in sys.modules else ready

    def _read(self, texts: list[str]) -> Any:
        return texts if self.tokenizer is None else self._placed(self.tokenizer(texts))

    def _placed(self, tensor: Any) -> Any:
        first = next(iter(self._parameters()), None)
        return tensor.to(first.device) if first is not None and hasattr(tensor, "to") else tensor

    def _parameters(self) -> Any:
        return self.module.parameters() if self.module is not None and hasattr(self.module, "parameters") else ()

    def _picture(self, image: Picture) -> Image.Image:
        found = decode(image)
        if isinstance(found, np.ndarray):
            raise UsageError(f"{self.spec}: it takes pictures, no normalised pixels: use --prior images:N or lm:SPEC.")
        return found

    def _said(self, name: str) -> str:
        return f"{self.spec}: {name}"


def _device(first: Any) -> str:
    if first is None:
        return "its own"
    if first.device.type != "cuda":
        return str(first.device)
    return f"{first.device} ({sys.modules['torch'].cuda.get_device_name(first.device)})"


def _out_of_memory(error: BaseException) -> bool:
    """Whether a device, or the machine, has no memory left."""
    torch = sys.modules.get("torch")
    is_torchs = torch is not None and isinstance(error, torch.OutOfMemoryError)
    return isinstance(error, MemoryError) or is_torchs or "can't allocate memory" in str(error)


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def _sha256(file: Path) -> str:
    import hashlib

    return hashlib.sha256(file.read_bytes()).hexdigest()
