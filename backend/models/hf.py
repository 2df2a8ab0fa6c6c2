"""The border to transformers: loading a folder with its processor and tokenizer, strictly."""

import importlib
import logging
import warnings
from collections.abc import Callable, Iterable, Sequence
from fnmatch import fnmatchcase
from functools import cached_property
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from PIL import Image

from backend.errors import FlipsideError, UsageError
from backend.models import folders
from backend.models.base import Picture
from backend.models.pictures import decode
from backend.models.request import Request
from backend.models.torch_model import TorchModel
from backend.models.unloadable import REFUSALS, cannot_load, refuse_surplus, refuse_unknown, refuse_wordless, refused
from backend.models.unloadable import first_line as first_line

transformers: Any = importlib.import_module("transformers")
transformers.logging.set_verbosity_error()
transformers.utils.logging.disable_progress_bar()

#: For models whose config names no limit on positions.
DEFAULT_LIMIT = 2048


def load_module(
    request: Request, auto: Any, dtype: torch.dtype, device: torch.device, unused: Sequence[str] = ()
) -> Any:
    """The module behind a folder, all its weights found in the files, in evaluation mode.

    unused: patterns of parameters that no score passes through (a pooler, say), which files may therefore lack.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what torch says of a strange pickle stands in its error, too
            module, report = auto.from_pretrained(
                request.folder,
                dtype=dtype,
                output_loading_info=True,
                local_files_only=True,
                trust_remote_code=request.trust_remote_code,
            )
    except Exception as error:
        if not refused(error):
            raise
        raise cannot_load(request.spec, request.folder, error) from error
    missing = sorted(k for k in report["missing_keys"] if not any(fnmatchcase(k, p) for p in unused))
    if missing:
        raise FlipsideError(
            f"{request.spec}: the weights lack {len(missing)} parameters of {type(module).__name__} "
            f"({missing[0]}, …), so they belong to another architecture or are incomplete."
        )
    refuse_surplus(request.spec, request.folder, report["unexpected_keys"], dict(module.named_parameters()))
    return module.eval().to(device)


def architecture(request: Request) -> Any:
    """The transformers class that the config's `architectures` names."""
    name = (folders.architectures(request.config) or ("none",))[0]
    found = getattr(transformers, name, None)
    if found is None:
        raise FlipsideError(f"{request.spec}: transformers {transformers.__version__} has no class {name}.")
    return found


class Pictures:
    """A folder's own image processor."""

    def __init__(self, request: Request) -> None:
        self.spec = request.spec
        try:
            self.processor = transformers.AutoImageProcessor.from_pretrained(
                request.folder, local_files_only=True, trust_remote_code=request.trust_remote_code
            )
        except REFUSALS as error:
            raise UsageError(
                f"{request.spec}: {request.folder} has no usable image processor ({first_line(error)})."
            ) from error

    def __call__(self, images: Sequence[Picture]) -> dict[str, torch.Tensor]:
        """The processor's tensors for a batch; arrays go in as they are."""
        decoded = [decode(image) for image in images]
        if all(isinstance(image, np.ndarray) for image in decoded):
            return {"pixel_values": torch.from_numpy(np.stack(decoded))}  # type: ignore[arg-type]
        if any(isinstance(image, np.ndarray) for image in decoded):
            return {"pixel_values": torch.cat([self([image])["pixel_values"] for image in decoded])}
        # Given as (3, H, W) and said to be so: a picture 1 or 3 pixels high is not mistaken for its own channels.
        planes = [torch.from_numpy(np.array(image).transpose(2, 0, 1)) for image in decoded]
        batch = self.processor(images=planes, return_tensors="pt", input_data_format="channels_first")
        return {name: value for name, value in batch.items() if isinstance(value, torch.Tensor)}

    @cached_property
    def size(self) -> tuple[int, int] | None:
        """(height, width) of what comes out, or None where that depends on the image."""
        pixels = self([Image.new("RGB", (48, 32))])["pixel_values"]
        return (int(pixels.shape[-2]), int(pixels.shape[-1])) if pixels.ndim == 4 else None

    def alone(self) -> Callable[[Image.Image], NDArray[np.float32]] | None:
        """`Model.preparer`: one picture to its pixels; None where more than pixels of one fixed size comes out."""
        found = self([Image.new("RGB", (48, 32))])
        plain = type(self) is Pictures and set(found) == {"pixel_values"} and self.size is not None
        return self.pixels if plain else None

    def pixels(self, image: Image.Image) -> NDArray[np.float32]:
        """(3, height, width), normalised."""
        return np.asarray(self([image])["pixel_values"][0].numpy(), dtype=np.float32)

    def settings(self) -> dict[str, Any]:
        """The processor's settings as plain values, with the class that applies them."""
        plain: dict[str, Any] = folders.plain(self.processor.to_dict())
        return {**plain, "class": type(self.processor).__name__}


class Texts:
    """A folder's own tokenizer with the text tower's limit. Padding is always on the right and masked."""

    def __init__(self, request: Request, text_config: Any) -> None:
        try:
            self.tokenizer = transformers.AutoTokenizer.from_pretrained(
                request.folder, local_files_only=True, trust_remote_code=request.trust_remote_code
            )
        except REFUSALS as error:
            raise UsageError(
                f"{request.spec}: {request.folder} has no usable tokenizer ({first_line(error)})."
            ) from error
        refuse_wordless(request.spec, request.folder, self.tokenizer)
        logging.getLogger("transformers.tokenization_utils_base").setLevel(logging.ERROR)
        self.limit = text_limit(self.tokenizer, text_config)
        size = getattr(text_config, "vocab_size", None)
        self.spec, self.size = request.spec, size if isinstance(size, int) else None
        pad_id = self.tokenizer.pad_token_id
        # Padding is masked, so any id will do: a tokenizer's own may have no row in the embedding.
        self.pad_id = 0 if pad_id is None or (self.size is not None and pad_id >= self.size) else int(pad_id)

    def ids(self, texts: Sequence[str], special: bool = True) -> list[list[int]]:
        """Token ids of each text, untruncated; with the tokenizer's own special tokens or without any."""
        if not texts:
            return []
        found = self.tokenizer(list(texts), add_special_tokens=special, return_attention_mask=False, verbose=False)
        return self.known(found["input_ids"])

    def cut_ids(self, texts: Sequence[str]) -> list[list[int]]:
        """Token ids with special tokens, cut to the limit by the tokenizer, which keeps the closing token."""
        if not texts:
            return []
        found = self.tokenizer(list(texts), truncation=True, max_length=self.limit, return_attention_mask=False)
        return self.known(found["input_ids"])

    def known(self, rows: Iterable[Sequence[int]]) -> list[list[int]]:
        """The ids, all of which the model has an embedding for."""
        found = [list(row) for row in rows]
        refuse_unknown(self.spec, self.tokenizer, found, self.size)
        return found

    def lengths(self, texts: Sequence[str]) -> NDArray[np.int64]:
        """Tokens of each text, special ones included, after truncation."""
        return np.array([len(row) for row in self.cut_ids(texts)], dtype=np.int64)

    def truncated(self, texts: Sequence[str], framed: bool = False) -> NDArray[np.bool_]:
        """Which texts are longer than the limit; `framed` adds the start and end token to bare tokens."""
        rows = self.ids(texts, special=not framed)
        return np.array([len(row) + 2 * framed > self.limit for row in rows], dtype=np.bool_)

    def pieces(self, ids: Sequence[int]) -> list[str]:
        """The tokens behind some ids, as the vocabulary spells them; an id it does not know stands for itself."""
        found = self.tokenizer.convert_ids_to_tokens(list(ids))
        return [f"[{number}]" if piece is None else str(piece) for number, piece in zip(ids, found, strict=True)]


class FolderModel(TorchModel):
    """A model with its folder's image processor and tokenizer, which cut and describe what goes in."""

    pictures: Pictures
    texts: Texts

    def preparer(self) -> Callable[[Image.Image], NDArray[np.float32]] | None:
        return self.pictures.alone()

    def text_lengths(self, texts: Sequence[str]) -> NDArray[np.int64]:
        return self.texts.lengths(texts)

    def truncated(self, texts: Sequence[str]) -> NDArray[np.bool_]:
        return self.texts.truncated(texts)

    def preprocessing(self) -> dict[str, Any]:
        text = {"limit": self.texts.limit, "padding": "longest, masked"}
        return {**super().preprocessing(), "images": self.pictures.settings(), "texts": text}


def text_limit(tokenizer: Any, text_config: Any) -> int:
    """The most tokens, special ones included, that both the tokenizer and the position table allow."""
    positions = DEFAULT_LIMIT
    for name in ("max_position_embeddings", "n_positions", "max_seq_len"):
        value = getattr(text_config, name, None)
        if isinstance(value, int) and value > 0:
            positions = value
            break
    model_type = str(getattr(text_config, "model_type", ""))
    if any(name in model_type for name in ("roberta", "altclip", "camembert", "bridgetower")):
        positions -= (getattr(text_config, "pad_token_id", None) or 0) + 1  # their positions start after the padding id
    return int(min(positions, tokenizer.model_max_length))


def pad(rows: Sequence[Sequence[int]], pad_id: int, length: int = 0) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Ids padded on the right to the longest row (or to `length`), and the mask of what is real.

    >>> pad([[5, 6], [7]], 0)[0].tolist()
    [[5, 6], [7, 0]]
    """
    width = max(length, max(len(row) for row in rows))
    ids = np.full((len(rows), width), pad_id, dtype=np.int64)
    mask = np.zeros((len(rows), width), dtype=np.int64)
    for number, row in enumerate(rows):
        ids[number, : len(row)] = row
        mask[number, : len(row)] = 1
    return ids, mask


def pooled(output: Any) -> torch.Tensor:
    """The features in what `get_*_features` returns: a tensor in transformers 4, an output object in 5."""
    features = output if isinstance(output, torch.Tensor) else output.pooler_output
    return features if isinstance(features, torch.Tensor) else torch.as_tensor(features)
