"""Questions to models and their answers as messages: the one place that both sides read and write them with."""

from collections.abc import Sequence
from hashlib import sha256
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from backend.kinds import PAIR_KINDS
from backend.live.remote import wire
from backend.live.remote.wire import BrokenError
from backend.live.scoring.joining import METHODS, PAIRS, Call
from backend.models import Picture
from backend.models.base import PairScore
from backend.models.pictures import decode, unique_by_identity

#: Inputs of one question, characters of one text, pixels of one picture, and numbers of one vector at most.
INPUTS, CHARACTERS, PIXELS, WIDTH = 4096, 20_000, 100_000_000, 65_536
_SPOKEN: Final = "log-probability"


def pixels(image: Picture) -> NDArray[Any]:
    """A picture as it is sent, with every bit that a model sees: (height, width, 3) uint8, or a null image's own
    (3, height, width) float32."""
    found = decode(image)
    return found if isinstance(found, np.ndarray) else np.asarray(found)


def question(spec: str, call: Call, *, small: bool) -> bytes:
    """A call to the model of that spec; each picture and text goes once."""
    pictures, image_of = unique_by_identity(call.images)
    texts = list(dict.fromkeys(call.texts))
    place = {text: k for k, text in enumerate(texts)}
    head = {
        "spec": spec, "method": call.method, "kind": call.kind, "texts": texts,
        "text_of": [place[text] for text in call.texts], "image_of": image_of.tolist(),
    }  # fmt: skip
    return wire.packed(head, [pixels(each) for each in pictures], small=small)


def read_question(head: dict[str, Any], arrays: Sequence[NDArray[Any]]) -> Call:
    """The call of a question. BrokenError for what is none that a model is asked here."""
    method, kind = head.get("method"), head.get("kind")
    texts, text_of, image_of = (_list(head, name) for name in ("texts", "text_of", "image_of"))
    if not all(isinstance(text, str) and len(text) <= CHARACTERS for text in texts) or len(texts) > INPUTS:
        raise BrokenError(f"a text is none, or longer than {CHARACTERS:,} characters")
    images = [_picture(array) for array in arrays]
    named = [sha256(f"{array.shape}{array.dtype}".encode() + array.tobytes()).hexdigest() for array in arrays]
    for of, n in ((text_of, len(texts)), (image_of, len(images))):
        if len(of) > INPUTS or not all(type(k) is int and 0 <= k < n for k in of):
            raise BrokenError(f"it asks about what it does not bring, or about more than {INPUTS:,} inputs")
    takes = {PAIRS: (True, True), "encode_images": (False, True)}.get(str(method), (True, False))
    if (
        method not in METHODS
        or (kind not in PAIR_KINDS if method == PAIRS else kind != "")
        or takes != (bool(text_of), bool(image_of))
    ):
        raise BrokenError("it asks what models are not asked")
    if method == PAIRS and len(text_of) != len(image_of):
        raise BrokenError("its pairs are no pairs")
    try:
        return Call(
            str(method), [images[k] for k in image_of], [texts[k] for k in text_of], kind or "",
            [named[k] for k in image_of],
        )  # fmt: skip
    except ValueError as error:
        raise BrokenError(str(error)) from None


def _list(head: dict[str, Any], name: str) -> list[Any]:
    found = head.get(name)
    if not isinstance(found, list):
        raise BrokenError(f"it has no {name}")
    return found


def _picture(array: NDArray[Any]) -> Picture:
    side = 0 if array.dtype == np.float32 else 2
    if array.dtype not in (np.uint8, np.float32) or array.ndim != 3 or array.shape[side] != 3:
        raise BrokenError("a picture is none")
    if not 0 < array.size <= 3 * PIXELS:
        raise BrokenError(f"a picture has none, or more than {PIXELS:,} pixels")
    return array.copy() if array.dtype == np.float32 else Image.fromarray(array)


def answer(call: Call, given: Sequence[Any], load: str, *, small: bool) -> bytes:
    """What a model says to a call. load: which loading of the model said it."""
    head: dict[str, Any] = {"load": load}
    if call.method == "truncated":
        return wire.packed(head, [np.array(given, dtype=np.bool_)])
    if call.method in ("encode_texts", "encode_images"):
        return wire.packed(head, [np.stack(given).astype(np.float32, copy=False)], small=small)
    spoken: list[Any] = [one.tokens if isinstance(one, PairScore) else one for one in given]
    arrays = [np.array([one.value for one in given], dtype=np.float64)] if call.method == PAIRS else []
    if spoken and spoken[0] is not None:
        head["tokens"] = [list(tokens) for tokens, _ in spoken]
        arrays.append(np.concatenate([np.asarray(logprobs, dtype=np.float32) for _, logprobs in spoken]))
    return wire.packed(head, arrays, small=small)


def read_answer(call: Call, head: dict[str, Any], arrays: Sequence[NDArray[Any]]) -> list[Any]:
    """The answers to a call, as the model gives them. BrokenError for what cannot be such."""
    n = len(call.inputs())
    if call.method == "truncated":
        return [bool(cut) for cut in _array(arrays, 0, np.bool_, (n,))]
    if call.method in ("encode_texts", "encode_images"):
        width = arrays[0].shape[1] if arrays and arrays[0].ndim == 2 else 0
        if not 0 < width <= WIDTH:
            raise BrokenError("it holds no vectors")
        return list(_array(arrays, 0, np.float32, (n, width)))
    tokens = head.get("tokens")
    if call.method != PAIRS:
        return _spoken(n, tokens, arrays, 0)
    values = _array(arrays, 0, np.float64, (n,)).tolist()
    if (tokens is not None) != (_scale(call.kind) == _SPOKEN):
        raise BrokenError("it has tokens where there are none, or lacks them")
    if tokens is None:
        return [PairScore(value) for value in values]
    said = zip(values, _spoken(n, tokens, arrays, 1), strict=True)
    return [PairScore(value, len(one[0]), one) for value, one in said]


def _scale(kind: str) -> str:
    return next((each.info.scale for each in PAIR_KINDS if each == kind), "")


def _array(arrays: Sequence[NDArray[Any]], k: int, dtype: Any, shape: tuple[int, ...]) -> NDArray[Any]:
    if len(arrays) <= k or arrays[k].dtype != dtype or arrays[k].shape != shape:
        raise BrokenError("its numbers are not those that were asked for")
    return arrays[k]


def _spoken(n: int, tokens: Any, arrays: Sequence[NDArray[Any]], k: int) -> list[tuple[list[str], NDArray[Any]]]:
    if not isinstance(tokens, list) or len(tokens) != n:
        raise BrokenError("it has not as many texts as were asked for")
    if not all(isinstance(one, list) and all(isinstance(token, str) for token in one) for one in tokens):
        raise BrokenError("its tokens are no texts")
    counts = [len(one) for one in tokens]
    flat = _array(arrays, k, np.float32, (sum(counts),))
    return list(zip(tokens, np.split(flat, np.cumsum(counts)[:-1]), strict=True))
