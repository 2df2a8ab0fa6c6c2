"""open_clip's dual encoders: any architecture it names, with its weights, a checkpoint file, or random weights."""

import importlib
import importlib.util
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
import torch
from numpy.typing import NDArray
from PIL import Image

from backend import extras
from backend.errors import FlipsideError, UsageError
from backend.items import Kind
from backend.models import folders
from backend.models.base import Picture
from backend.models.pictures import decode, unique_by_identity
from backend.models.request import Request
from backend.models.spec import Spec, did_you_mean
from backend.models.torch_model import TorchModel, by_length
from backend.models.unit_rows import UnitRows
from backend.models.unloadable import FOREIGN, first_line
from backend.paths import existing

#: On a GPU texts are cut behind a multiple of so many tokens.
WIDTHS = 8
PRECISIONS = {torch.float32: "fp32", torch.float16: "fp16", torch.bfloat16: "bf16"}


class OpenClip(TorchModel):
    """`<architecture>/<tag>`, `<architecture>/<checkpoint file>`, `<architecture>/none` (random weights from the seed),
    or a hub name or folder with an open_clip_config.json."""

    family: ClassVar[str] = "dual-openclip"
    kinds = frozenset({Kind.ITC, Kind.T2T})
    libraries = ("open_clip_torch", "timm")

    def __init__(self, request: Request) -> None:
        super().__init__(request)
        if not importlib.util.find_spec("open_clip"):
            raise FlipsideError(
                f"{request.spec}: needs the package open_clip_torch, which is not installed here; install it with "
                f"{extras.install('openclip')}."
            )
        open_clip: Any = importlib.import_module("open_clip")
        name, pretrained = self.source(request, open_clip)
        self.quick_gelu = needs_quick_gelu(open_clip, name, pretrained)
        refuse_unreachable(request.spec, open_clip.get_pretrained_cfg(name, pretrained) if pretrained else {})
        model = self.create(open_clip, name, pretrained)
        finish_cast(model, self.dtype)
        self.module: Any = model.to(self.device).eval()
        self.checkpoint = checkpoint_file(open_clip, name, pretrained)
        self.tokenizer: Any = self.tokenizer_of(open_clip, name)
        transform: Any = importlib.import_module("open_clip.transform")
        self.settings = dict(model.visual.preprocess_cfg)
        self.transform = transform.image_transform_v2(transform.PreprocessCfg(**self.settings), is_train=False)
        size = model.visual.image_size
        self.image_size = (size, size) if isinstance(size, int) else (int(size[0]), int(size[1]))
        self.limit = int(self.tokenizer.context_length)
        self.cuttable = can_cut(model)

    @classmethod
    def load(cls, request: Request) -> Self:
        return cls(request)

    def source(self, request: Request, open_clip: Any) -> tuple[str, str | None]:
        """open_clip's own name for the model and what weights it gets."""
        if self.folder is not None:  # `hf:` or `bundled:` found a folder with an open_clip_config.json
            return f"local-dir:{self.folder}", None
        name, slash, tag = request.name.partition("/")
        known = open_clip.list_models()
        if name in known and slash:
            tags = open_clip.list_pretrained_tags_by_model(name)
            if tag == "none":
                return name, None
            if tag in tags:
                return name, tag
            if (file := existing(tag)) is not None and file.is_file():
                return name, str(file)
            listed = ", ".join([*tags, "none"])
            raise UsageError(f"{request.spec}: {name} has no weights {tag!r}.{did_you_mean(tag, tags)} Tags: {listed}.")
        if name in known:
            raise UsageError(f"{request.spec}: name the weights after a slash, as in openclip:{name}/none.")
        spec = Spec("openclip", request.name)
        near = did_you_mean(name, known)
        folder = existing(request.name)
        if (not slash or tag == "none" or near) and (folder is None or not folder.is_dir()):
            raise UsageError(
                f"{spec}: open_clip has no architecture {name!r}.{near} `open_clip.list_models()` names all."
            )
        self.folder = folders.resolve(spec)
        if not (self.folder / "open_clip_config.json").is_file():
            raise UsageError(f"{spec}: {self.folder} has no open_clip_config.json; load it as hf:{spec.name}.")
        return f"local-dir:{self.folder}", None

    def create(self, open_clip: Any, name: str, pretrained: str | None) -> Any:
        """open_clip's model, on the processor; random weights come from the seed and leave torch's own state alone."""
        spec = self.spec
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(self.seed)
            try:
                model = open_clip.create_model(
                    name,
                    pretrained,
                    precision=PRECISIONS[self.dtype],
                    require_pretrained=pretrained is not None or self.folder is not None,
                    pretrained_text=False,
                    weights_only=True,
                    force_quick_gelu=self.quick_gelu,
                )
            except Exception as error:
                line = first_line(error)
                if "download" in line:
                    raise unreachable(spec, line) from error
                if any(mark in str(error) for mark in FOREIGN):
                    raise FlipsideError(
                        f"{spec}: its checkpoint is a pickle that holds more than tensors, and loading that could run "
                        "code; it was refused. Use safetensors, or a file of tensors alone."
                    ) from error
                raise FlipsideError(f"{spec}: open_clip cannot load it ({line}).") from error
        if pretrained is None and self.folder is None:
            draw_decoder(model, self.seed)
        return model

    def tokenizer_of(self, open_clip: Any, name: str) -> Any:
        """The architecture's own tokenizer, which for some lies on the hub."""
        try:
            return open_clip.get_tokenizer(name)
        except Exception as error:
            config = open_clip.get_model_config(name) or {}
            wanted = config.get("text_cfg", {}).get("hf_tokenizer_name") or "of its folder"
            raise FlipsideError(
                f"{self.spec}: its tokenizer {wanted} is not in the local cache and could not be loaded. Try again "
                f"with a network, or put it into the cache with `hf download`. ({first_line(error)})"
            ) from error

    def preparer(self) -> Callable[[Image.Image], NDArray[np.float32]] | None:
        return Transformed(self.transform)

    def encode_images(self, images: Sequence[Picture]) -> NDArray[np.float32]:
        uniques, index = unique_by_identity(images)
        rows = UnitRows(len(uniques))

        def work(part: NDArray[np.int64]) -> None:
            pixels = self.on_device([self.pixels(uniques[i]) for i in part])
            rows.put(part, self.module.encode_image(pixels))

        self.in_batches(np.arange(len(uniques)), work)
        return rows.array()[index] if len(images) else rows.array()

    def pixels(self, image: Picture) -> torch.Tensor:
        decoded = decode(image)
        pixels = torch.from_numpy(decoded) if isinstance(decoded, np.ndarray) else self.transform(decoded)
        return torch.as_tensor(pixels)

    def encode_texts(self, texts: Sequence[str]) -> NDArray[np.float32]:
        if self.pads_with_zeros:
            return self.encode_tokens(self.tokenizer(list(texts)).numpy())
        lengths = self.text_lengths(texts) if self.cuttable else np.full(len(texts), self.limit, dtype=np.int64)
        return self.encode_tokens(self.tokenizer(list(texts)).numpy(), lengths)

    @property
    def pads_with_zeros(self) -> bool:
        """Whether the tokenizer is open_clip's own, which is slow, and leaves no words out: what a row holds before the
        zeros at its end is the text, with its special tokens."""
        return getattr(self.tokenizer, "reduction_fn", self) is None

    def text_preparer(self) -> Callable[[Sequence[str]], NDArray[np.int64]] | None:
        return Tokens(self.tokenizer) if self.pads_with_zeros else None

    def encode_tokens(self, tokens: NDArray[np.int64], lengths: NDArray[np.int64] | None = None) -> NDArray[np.float32]:
        """lengths: of the texts; None where zeros behind a row tell its own."""
        if lengths is None:
            places = np.arange(1, tokens.shape[1] + 1)
            own = np.where(tokens != 0, places, 0).max(axis=1, initial=0)
            lengths = own if self.cuttable else np.full_like(own, self.limit)
        ends: NDArray[np.int64] = lengths
        rows = UnitRows(len(tokens))

        def work(part: NDArray[np.int64]) -> None:
            ids = torch.from_numpy(tokens[part]).to(self.device)
            if self.cuttable:
                features = encode_cut(self.module, ids[:, : self.width(int(ends[part].max()))])
            else:
                features = self.module.encode_text(ids)
            rows.put(part, features)

        self.in_batches(by_length(ends), work)
        return rows.array()

    def width(self, longest: int) -> int:
        """Where the rows of a batch are cut, its longest text being so long. On a GPU at few different places, since
        its libraries choose their kernels anew for every shape."""
        if self.device.type != "cuda":
            return longest
        return min(-(-longest // WIDTHS) * WIDTHS, self.limit)

    def text_lengths(self, texts: Sequence[str]) -> NDArray[np.int64]:
        return np.minimum(self.full_lengths(texts), self.limit)

    def truncated(self, texts: Sequence[str]) -> NDArray[np.bool_]:
        return np.asarray(self.full_lengths(texts) > self.limit, dtype=np.bool_)

    def full_lengths(self, texts: Sequence[str]) -> NDArray[np.int64]:
        """Tokens of each text, special ones included, before truncation."""
        if hasattr(self.tokenizer, "encode"):
            return np.array([len(self.tokenizer.encode(text)) + 2 for text in texts], dtype=np.int64)
        inner, clean = self.tokenizer.tokenizer, self.tokenizer.clean_fn
        return np.array([len(inner(clean(text), verbose=False)["input_ids"]) for text in texts], dtype=np.int64)

    def weights_sha256(self) -> str:
        if self.checkpoint is not None and not self._weights_sha256:
            self._weights_sha256 = folders.sha256_of([self.checkpoint])
        return super().weights_sha256()

    def preprocessing(self) -> dict[str, Any]:
        text = {"limit": self.limit, "tokenizer": type(self.tokenizer).__name__}
        forced = {"activation": "QuickGELU, as the weights' tag says"} if self.quick_gelu else {}
        return {**super().preprocessing(), "images": folders.plain(self.settings), "texts": text, **forced}


class Tokens:
    """open_clip's own tokenizer alone, for another process."""

    def __init__(self, tokenizer: Any) -> None:
        self.tokenizer = tokenizer

    def __call__(self, texts: Sequence[str]) -> NDArray[np.int64]:
        return np.asarray(self.tokenizer(list(texts)).numpy(), dtype=np.int64)


class Transformed:
    """open_clip's transform alone, for another process."""

    def __init__(self, transform: Any) -> None:
        self.transform = transform

    def __call__(self, image: Image.Image) -> NDArray[np.float32]:
        """(3, height, width), normalised."""
        return np.asarray(self.transform(image).numpy(), dtype=np.float32)


def refuse_unreachable(spec: str, tag: Mapping[str, Any]) -> None:
    """FlipsideError where a tag's weights are neither in the local cache nor to be had: at once, where open_clip asks
    the hub for each of several file names, many times over."""
    repo, _, file = str(tag.get("hf_hub") or "").rpartition("/")
    names = [file] if file else ["open_clip_model.safetensors", "open_clip_pytorch_model.bin"]
    if file and not file.endswith(".safetensors"):
        names.append(file.rpartition(".")[0] + ".safetensors")
    if not repo or folders.is_cached(repo, names):
        return
    _, reason = folders.with_hub(spec, repo, bool)
    if reason:
        raise unreachable(spec, reason)


def unreachable(spec: str, reason: str) -> FlipsideError:
    """Weights that are not here and cannot be fetched."""
    return FlipsideError(
        f"{spec}: its weights are not in the local cache and could not be downloaded. Give a checkpoint file in place "
        f"of the tag, or try again with a network. ({reason})"
    )


def needs_quick_gelu(open_clip: Any, name: str, pretrained: str | None) -> bool:
    """Whether the weights were trained with QuickGELU while the architecture's settings say GELU, as with
    ViT-B-32/openai: open_clip only warns then, and computes something that the weights never learned."""
    tag = open_clip.get_pretrained_cfg(name, pretrained) if pretrained else {}
    return bool(tag.get("quick_gelu")) and not (open_clip.get_model_config(name) or {}).get("quick_gelu")


def finish_cast(model: torch.nn.Module, dtype: torch.dtype) -> None:
    """Half precision for what open_clip's own conversion leaves in float32 and then multiplies with halves: the queries
    of attention pooling (CoCa), LayerScale (ViT-M-16-alt). Norms and the logit scale keep what open_clip gave them; but
    where that is a layer norm that reads halves by weights in float32 (CoCa's pooler), it computes in float32, as
    open_clip's other layer norms do in half precision: a processor does so by itself, and a GPU refuses the mixture."""
    if dtype == torch.float32:
        return
    parts: Any = importlib.import_module("open_clip.transformer")
    for module in model.modules():
        if type(module) is parts.LayerNorm and module.weight.dtype == torch.float32:
            module.__class__ = parts.LayerNormFp32
        if isinstance(module, torch.nn.modules.batchnorm._NormBase | torch.nn.LayerNorm | torch.nn.GroupNorm):
            continue
        for value in module.parameters(recurse=False):
            if value.ndim and value.is_floating_point():
                value.data = value.data.to(dtype)


def draw_decoder(model: Any, seed: int) -> None:
    """open_clip leaves the last projection of CoCa's decoder as uninitialised memory, which is no random weight: it is
    drawn from the seed, as open_clip's own (uncalled) `init_parameters` would."""
    if hasattr(model, "text_decoder"):
        projection = model.text_decoder.text_projection
        noise = torch.randn(projection.shape, generator=torch.Generator().manual_seed(seed))
        projection.data.copy_(noise * projection.shape[0] ** -0.5)


def can_cut(model: Any) -> bool:
    """Whether texts may be cut behind their closing token: a causal tower that pools that token."""
    return (
        type(model).__name__ == "CLIP"
        and getattr(model, "attn_mask", None) is not None
        and getattr(model, "text_pool_type", "") in ("argmax", "eos")
    )


def encode_cut(model: Any, ids: torch.Tensor) -> torch.Tensor:
    """CLIP.encode_text on ids shorter than the full context, which open_clip's own method does not take."""
    from open_clip.transformer import text_global_pool

    dtype, width = model.transformer.get_cast_dtype(), ids.shape[1]
    x = model.token_embedding(ids).to(dtype) + model.positional_embedding[:width].to(dtype)
    x = model.ln_final(model.transformer(x, attn_mask=model.attn_mask[:width, :width]))
    x = text_global_pool(x, ids, model.text_pool_type, eos_token_id=getattr(model, "text_eos_id", None))
    projection = model.text_projection
    if projection is None:
        return torch.as_tensor(x)
    return torch.as_tensor(projection(x) if isinstance(projection, torch.nn.Linear) else x @ projection)


def checkpoint_file(open_clip: Any, name: str, pretrained: str | None) -> Path | None:
    """The file behind a tag or path; None for a folder and for random weights."""
    if pretrained is None:
        return None
    if Path(pretrained).is_file():
        return Path(pretrained)
    return Path(open_clip.download_pretrained(open_clip.get_pretrained_cfg(name, pretrained)))  # cached by now
