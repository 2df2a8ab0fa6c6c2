"""What a server is asked: the messages of a chat, with the image as a PNG in the request itself."""

import base64
import io
from typing import Any

import numpy as np
from PIL import Image

from backend.errors import UsageError
from backend.kinds import Kind
from backend.models.base import Picture
from backend.models.pictures import decode

#: The words of `chat/prompt.py`, which needs torch; a test keeps them the same.
INSTRUCTION = "Describe the image in one sentence."
QUESTION = Kind.VQA.info.template
#: For a model that sees nothing.
BLIND = "Write one sentence that describes an image."

Message = dict[str, Any]


def png(image: Picture) -> str:
    """The upright RGB image as a data: URL, losslessly. UsageError for normalised pixels, which are no picture."""
    rgb = decode(image)
    if isinstance(rgb, np.ndarray):
        raise UsageError("An endpoint takes pictures only, no normalised pixels: use --prior images:N or lm:SPEC.")
    file = io.BytesIO()
    rgb.save(file, "PNG")
    return f"data:image/png;base64,{base64.b64encode(file.getvalue()).decode()}"


def user(words: str, url: str = "") -> Message:
    """A user's turn: the image first, then the words."""
    if not url:
        return {"role": "user", "content": words}
    image = {"type": "image_url", "image_url": {"url": url}}
    return {"role": "user", "content": [image, {"type": "text", "text": words}]}


def assistant(text: str) -> Message:
    """The model's turn."""
    return {"role": "assistant", "content": text}


def sample() -> Image.Image:
    """What a server is shown when it is asked what it can do: a red square on white."""
    picture = Image.new("RGB", (64, 64), "white")
    picture.paste((220, 20, 20), (16, 16, 48, 48))
    return picture
