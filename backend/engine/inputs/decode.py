"""One image, from its file to what a model is given: read, decoded, and in a worker process made into pixels."""

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
from PIL import Image

from backend.engine.inputs import image_bytes
from backend.engine.inputs.handed_over import Held, put
from backend.engine.inputs.processes import Prepare, Tools
from backend.engine.inputs.slots import InSlot, Slot, write
from backend.errors import FlipsideError
from backend.items import ImageRef


@dataclass(frozen=True, slots=True)
class Decoded:
    """An image, or the sentence why there is none. digest: of the bytes behind it, see image_bytes.py. An array: the
    model's own pixels, float32 (3, height, width), which it takes as they are. is_kept: another model of the study
    has decoded it."""

    ref: ImageRef
    picture: Image.Image | npt.NDArray[np.float32] | None
    problem: str = ""
    digest: str = ""
    is_kept: bool = False

    @property
    def n_bytes(self) -> int:
        if isinstance(self.picture, np.ndarray):
            return int(self.picture.nbytes)
        return 0 if self.picture is None else self.picture.width * self.picture.height * 3


def decode(ref: ImageRef) -> Decoded:
    """Open one image; whatever is wrong with the file becomes a sentence about this image alone."""
    from backend.models.pictures import decode as open_picture

    try:
        picture = open_picture(ref.uri)
    except FlipsideError as error:
        return Decoded(ref, None, str(error))
    except MemoryError:
        return Decoded(ref, None, f"{ref.uri}: does not fit into memory. Make the image smaller.")
    except Exception as error:  # noqa: BLE001 - a damaged file can raise anything inside its decoder
        return Decoded(ref, None, f"{ref.uri}: cannot be decoded ({type(error).__name__}: {error}). Replace the file.")
    if isinstance(picture, np.ndarray):
        raise TypeError(f"{ref.uri} opened as an array")
    return Decoded(ref, picture, digest=image_bytes.digest(ref.uri))


def prepared(image: Decoded, prepare: Prepare | None) -> Decoded:
    """With the model's own pixels in place of the picture; a picture that the model's code cannot take is left to the
    model, which says why."""
    if not isinstance(image.picture, Image.Image) or prepare is None:
        return image
    try:
        return replace(image, picture=prepare(image.picture))
    except Exception:  # noqa: BLE001 - asked for the same, the model raises it again, and the run names the item
        return image


def decode_and_prepare(ref: ImageRef, slot: Slot | None, tools: Tools) -> tuple[Decoded, Held | InSlot | None]:
    """Both, as a worker process does it; whatever is wrong with the picture is said as `decode` says it. Pixels may lie
    in the slot, or in a file, where the other process takes them."""
    image = prepared(decode(ref), tools.prepare)
    if not isinstance(image.picture, np.ndarray):
        return image, None
    if slot is not None and (written := write(image.picture, slot)) is not None:
        return replace(image, picture=None), written
    if isinstance(held := put(image.picture, tools.place), Held):
        return replace(image, picture=None), held
    return image, None
