"""Which model families exist: one line each. The family comes from the model's own config, never from its name."""

import importlib
import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, cast

from backend.errors import UsageError
from backend.models import folders
from backend.models.base import Model
from backend.models.spec import Spec, parse

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Family:
    """One way of turning a folder into a Model.

    target: "module:Class", imported only when a model of this family is loaded.
    kinds: what its models give.
    loads: what it takes, for the user. examples: specs to copy.
    prefixes: the spec prefixes that mean this family whatever the config says.
    architectures: patterns for the `architectures` of a config.json (under `hf:` and `bundled:`).
    files: marker files that a folder of this family has.
    blind: it sees no image, so a config with a vision part is not its own.
    """

    name: str
    target: str
    kinds: frozenset[str]
    loads: str
    examples: tuple[str, ...]
    prefixes: tuple[str, ...] = ()
    architectures: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    blind: bool = False

    def accepts(self, config: Mapping[str, Any], folder: Path) -> bool:
        """Whether a model folder with this config belongs to the family."""
        if self.blind and any(key in config for key in VISION_KEYS):
            return False
        if any((folder / name).is_file() for name in self.files):
            return True
        return any(fnmatchcase(a, p) for a in config.get("architectures") or () for p in self.architectures)


@dataclass(frozen=True, slots=True)
class Request:
    """What a family's `load` gets."""

    spec: str
    name: str
    folder: Path
    config: dict[str, Any] = field(default_factory=dict)
    device: str = "auto"
    dtype: str = "auto"
    seed: int = 0
    trust_remote_code: bool = False


VISION_KEYS = (
    "vision_config",
    "vision_tower",
    "mm_vision_tower",
    "visual",
    "vision_encoder",
    "patch_size",
    "image_size",
)
DUALS = ("CLIPModel", "AltCLIPModel", "SiglipModel", "Siglip2Model", "ChineseCLIPModel", "MetaClip2Model", "AlignModel")
ENCODERS = (
    "BertModel",
    "RobertaModel",
    "XLMRobertaModel",
    "MPNetModel",
    "DistilBertModel",
    "AlbertModel",
    "NomicBertModel",
)


def _family(name: str, target: str, kinds: str, loads: str, examples: tuple[str, ...], **more: Any) -> Family:
    return Family(name, f"backend.models.{target}", frozenset(kinds.split()), loads, examples, **more)


# fmt: off
#: Asked from top to bottom; the first that accepts a config loads it.
FAMILIES = (
    _family("captioner", "captioner:BlipCaptioner", "gen prior", "BLIP captioners: log P(caption | image) by teacher forcing", ("bundled:captioner", "hf:Salesforce/blip-image-captioning-base"), architectures=("BlipForConditionalGeneration",)),  # noqa: E501
    _family("matcher", "matcher:BlipMatcher", "itm itc t2t", "BLIP matching heads: P(match), and the towers' cosine", ("bundled:matcher", "hf:Salesforce/blip-itm-base-coco"), architectures=("BlipForImageTextRetrieval",)),  # noqa: E501
    _family("dual-hf", "dual_hf:HfDual", "itc t2t", "CLIP-like dual encoders of transformers", ("bundled:clip", "hf:openai/clip-vit-base-patch32"), architectures=DUALS),  # noqa: E501
    _family("dual-openclip", "dual_openclip:OpenClip", "itc t2t", "open_clip's architectures with its weights, a checkpoint file, or random weights (none)", ("openclip:ViT-B-32/laion2b_s34b_b79k", "openclip:RN50/none"), prefixes=("openclip",), files=("open_clip_config.json",)),  # noqa: E501
    _family("sentence", "sentence:SentenceEncoder", "t2t", "sentence encoders with their own pooling, prompts and normalisation; plain encoders with mean pooling", ("bundled:sentence", "st:sentence-transformers/all-MiniLM-L6-v2"), prefixes=("st",), files=("modules.json",), architectures=ENCODERS),  # noqa: E501
    _family("blind-lm", "blind_lm:BlindLm", "prior", "causal language models that see no image", ("bundled:lm", "lm:facebook/opt-1.3b"), prefixes=("lm",), architectures=("*ForCausalLM", "GPT2LMHeadModel"), blind=True),  # noqa: E501
    _family("fake", "fake:FakeModel", "itc itm gen vqa t2t prior", "scripted scores for tests, without torch", ("fake:ok", "fake:constant", "fake:nan", "fake:raise", "fake:slow", "fake:ok/itc,t2t"), prefixes=("fake",)),  # noqa: E501
)
# fmt: on


def families() -> list[dict[str, Any]]:
    """For the `models` verb: name, kinds, example specs and what each family loads."""
    return [
        {"name": f.name, "kinds": sorted(f.kinds), "examples": list(f.examples), "loads": f.loads} for f in FAMILIES
    ]


def find(spec: Spec) -> tuple[Family, Path]:
    """The family of a spec and its folder (an empty path where the family resolves names itself). Imports no torch."""
    named = [f for f in FAMILIES if spec.prefix in f.prefixes]
    if named and spec.prefix in ("fake", "openclip"):
        return named[0], Path()
    folder = folders.resolve(spec)
    config = folders.read_config(folder)
    if named:
        if named[0].blind and any(key in config for key in VISION_KEYS):
            raise UsageError(f"{spec}: {says(config)}, which sees images; load it as hf:{spec.name}.")
        return named[0], folder
    for family in FAMILIES:
        if family.accepts(config, folder):
            return family, folder
    names = ", ".join(f.name for f in FAMILIES)
    raise UsageError(f"{spec}: {says(config)}, which no family here loads. Families: {names}.")


def says(config: Mapping[str, Any]) -> str:
    """What a config says about its model, for an error message."""
    architectures = ", ".join(config.get("architectures") or ()) or "none"
    return f"its config says model_type {config.get('model_type', 'none')!r}, architectures {architectures}"


def kinds_of(spec: str) -> frozenset[str]:
    """The kinds a model gives, read from its config: neither loads it nor imports torch."""
    family, _ = find(parse(spec))
    if family.name == "fake":
        from backend.models.fake import kinds_in

        return kinds_in(spec)
    return family.kinds


def load(
    spec: str, device: str = "auto", dtype: str = "auto", seed: int = 0, *, trust_remote_code: bool = False
) -> Model:
    """The model of a spec, ready to score.

    device: auto, cpu, cuda, cuda:N or mps. dtype: auto (half precision on CUDA, else float32), float32, float16,
    bfloat16. seed: for random weights (`openclip:RN50/none`); recorded in any case.
    """
    parsed = parse(spec)
    family, folder = find(parsed)
    if trust_remote_code:
        log.warning("%s: trust_remote_code runs Python files that came with the model, with your rights.", spec)
    module_name, _, class_name = family.target.partition(":")
    loader = getattr(importlib.import_module(module_name), class_name)
    config = folders.read_config(folder) if folder != Path() else {}
    request = Request(spec, parsed.name, folder, config, device, dtype, seed, trust_remote_code)
    return cast(Model, loader.load(request))
