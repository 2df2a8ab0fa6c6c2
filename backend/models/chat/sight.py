"""A picture with its prompt as the processor gives them; null images; other prompts about the same picture."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from PIL import Image

from backend.errors import FlipsideError, UsageError
from backend.models.base import Picture
from backend.models.chat.prompt import Dialogue, Prompt
from backend.models.hf import first_line
from backend.models.pictures import decode

#: (width, height) of the picture in whose place a null image stands, for models that see every size as it is.
REFERENCE = (448, 448)
#: One number, or one row, for each token of the prompt; everything else that a processor gives belongs to the picture.
MARKS = ("attention_mask", "token_type_ids", "mm_token_type_ids", "cross_attention_mask")
UNUSED = ("input_ids", "labels")
#: Masks over tiles or patches: 1 for picture, 0 for padding.
MASKS = ("aspect_ratio_mask", "pixel_attention_mask")


@dataclass(frozen=True)
class Seen:
    """One picture under one prompt.

    ids: the prompt's tokens, the image's placeholders included. picture: what the vision tower takes.
    marks: the processor's token types of the prompt, each (1, len(ids), …). size: its (width, height) in pixels.
    """

    ids: list[int]
    prompt: Prompt
    picture: dict[str, torch.Tensor]
    marks: dict[str, torch.Tensor]
    size: tuple[int, int] = REFERENCE

    def repeated(self, times: int) -> dict[str, torch.Tensor]:
        """The picture for a batch of `times` rows: processors concatenate pictures along the first axis."""
        if times == 1:
            return self.picture
        return {name: value.repeat(times, *[1] * (value.ndim - 1)) for name, value in self.picture.items()}


class Sight:
    """Turns pictures and prompts into tensors on the model's device, pixels in its dtype."""

    def __init__(self, dialogue: Dialogue, device: torch.device, dtype: torch.dtype) -> None:
        self.dialogue = dialogue
        self.spec = dialogue.spec
        self.processor = dialogue.processor
        self.device = device
        self.dtype = dtype
        self.parts, self.real = self.pixels()
        self.fixed = self.always_same()

    def look(self, picture: Picture, prompt: Prompt) -> Seen:
        """A picture, or a null image as `noise` makes it."""
        image = picture
        if isinstance(picture, np.ndarray):
            if picture.shape != self.noise_shape or picture.dtype != np.float32:
                raise UsageError(
                    f"{self.spec}: an array of shape {picture.shape} and type {picture.dtype} is no null image here; "
                    f"noise_images gives float32 of shape {self.noise_shape}. Give a PIL image or a path otherwise."
                )
            image = Image.new("RGB", REFERENCE)
        upright = decode(image)
        batch = self.process(upright, prompt)
        if isinstance(picture, np.ndarray):
            batch |= self.filled(picture)
        ids = [int(i) for i in batch["input_ids"][0]]
        moved = {n: v.to(self.device, self.dtype if v.is_floating_point() else None) for n, v in batch.items()}
        picture_parts = {n: v for n, v in moved.items() if n not in MARKS + UNUSED}
        marks = {n: v for n, v in moved.items() if n in MARKS}
        return Seen(ids, prompt, picture_parts, marks, upright.size)  # type: ignore[arg-type]

    def process(self, image: Any, prompt: Prompt) -> dict[str, torch.Tensor]:
        more = {} if self.dialogue.adds_special(prompt) else {"add_special_tokens": False}
        try:
            batch = self.processor(text=[prompt.text], images=[[image]], return_tensors="pt", **more)
        except (ValueError, TypeError, KeyError, IndexError, ArithmeticError) as error:
            raise FlipsideError(
                f"{self.spec}: its processor refuses an image of {image.width} × {image.height} pixels "
                f"({first_line(error)})."
            ) from error
        return {name: value for name, value in batch.items() if isinstance(value, torch.Tensor)}

    def other_prompts(self, seen: Seen, prompts: Sequence[Prompt]) -> list[list[int]] | None:
        """The tokens of other prompts about the same picture, without processing the picture again.

        What the processor does to a prompt (writing out the image's placeholders) happens before the words that
        differ: its tokens end like the tokenizer's own of the plain prompt, and the common end can be exchanged.
        None where the beginnings differ.
        """
        special = self.dialogue.adds_special(seen.prompt)
        plain = self.dialogue.ids([seen.prompt.plain], special)[0]
        end = 0
        while end < min(len(plain), len(seen.ids)) and plain[-1 - end] == seen.ids[-1 - end]:
            end += 1
        kept = plain[: len(plain) - end]
        head = seen.ids[: len(seen.ids) - end]
        rows = self.dialogue.ids([prompt.plain for prompt in prompts], special)
        if any(row[: len(kept)] != kept for row in rows):
            return None
        return [head + row[len(kept) :] for row in rows]

    def pixels(self) -> tuple[dict[str, tuple[int, ...]], dict[str, NDArray[np.bool_]]]:
        """Names and shapes of the pixel tensors for the reference picture (one in most models; DeepSeek-VL's hybrid
        sees a picture at two resolutions), and which of their values are picture and not padding."""
        first = self.process(Image.new("RGB", REFERENCE), self.dialogue.caption())
        parts = {name: value for name, value in first.items() if is_pixels(name, value)}
        if not parts:
            raise UsageError(
                f"{self.spec}: its processor gives {', '.join(sorted(first))} for an image, where a tensor "
                "'pixel_values' was expected; this model cannot be scored here."
            )
        real = {}
        for name, value in parts.items():
            masks = [first[m] for m in MASKS if m in first and first[m].shape == value.shape[: first[m].ndim]]
            mask = masks[0] if masks else torch.ones((), dtype=torch.bool)
            wide = mask.bool().reshape(*mask.shape, *[1] * (value.ndim - mask.ndim)).expand(value.shape)
            real[name] = np.asarray(wide.numpy())
        return {name: tuple(value.shape) for name, value in parts.items()}, real

    def always_same(self) -> bool:
        """Whether every picture gets the shape of the reference picture."""
        other = self.process(Image.new("RGB", (300, 120)), self.dialogue.caption())
        return len(self.shape) == 4 and self.shape[0] == 1 and tuple(other["pixel_values"].shape) == self.shape

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of `pixel_values` for the reference picture; of several pixel tensors their values in a row."""
        shapes = list(self.parts.values())
        return shapes[0] if len(shapes) == 1 else (sum(math.prod(shape) for shape in shapes),)

    @property
    def normalised(self) -> bool:
        """Whether pixels leave the processor normalised."""
        return bool(getattr(self.processor.image_processor, "do_normalize", True))

    @property
    def noise_shape(self) -> tuple[int, ...]:
        """Shape of one null image: (3, height, width) where pixels come as one picture."""
        return self.shape[1:] if len(self.shape) == 4 and self.shape[0] == 1 else self.shape

    def filled(self, null: NDArray[np.float32]) -> dict[str, torch.Tensor]:
        """A null image as the processor's pixel tensors."""
        found, start = {}, 0
        flat = torch.from_numpy(null).reshape(-1)
        for name, shape in self.parts.items():
            found[name] = flat[start : start + math.prod(shape)].reshape(shape)
            start += math.prod(shape)
        return found

    def noise(self, seed: int, number: int) -> NDArray[np.float32]:
        """N(0, 1) in the place of every normalised pixel that the processor gives for the reference picture: in each
        tile, crop or patch, so that nothing is resized or clipped; zero where it pads (Llama 3.2 Vision's tiles without
        picture, which its towers see). Depends on (seed, number) alone.

        Qwen-VL's patches hold a still image twice, as two equal frames; so do these. Where pixels leave the processor
        as numbers from 0 to 1 and the model maps them to −1…1 (Gemma 4), the noise is standard normal after that.
        """
        rng = np.random.default_rng((seed, number))
        frames = int(getattr(self.processor.image_processor, "temporal_patch_size", 1) or 1)
        if len(self.shape) != 2 or frames == 1:
            real = np.concatenate([mask.ravel() for mask in self.real.values()]).reshape(self.noise_shape)
            noise = rng.standard_normal(self.noise_shape, dtype=np.float32)
            if not self.normalised:
                noise = noise * np.float32(0.5) + np.float32(0.5)
            return np.where(real, noise, np.float32(0))
        patches, width = self.shape
        one = rng.standard_normal((patches, 3, 1, width // (3 * frames)), dtype=np.float32)
        return np.repeat(one, frames, axis=2).reshape(self.shape)


def is_pixels(name: str, value: torch.Tensor) -> bool:
    """Whether a processor's tensor holds pixels."""
    return "pixel_values" in name and "mask" not in name and value.is_floating_point()
