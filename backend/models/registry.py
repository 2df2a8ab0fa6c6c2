"""Which model families exist: one line each. The family comes from the model's own config, never from its name."""

import importlib
import importlib.util
import logging
from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, cast

from backend import plugins
from backend.errors import FlipsideError, UsageError
from backend.kinds import ASKED
from backend.models import folders, packed
from backend.models.base import Model
from backend.models.question import question_of
from backend.models.request import Request
from backend.models.spec import PREFIXES, Spec, parse
from backend.paths import existing

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
    keys: keys of the config that its models, and they alone among families of the same prefix, have.
    test: "module:function", asked with (config, folder) where the patterns cannot tell; the module imports no torch.
    reference: "module:Class" of the reference library's own forward pass, for `doctor --model` and `make fidelity`.
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
    keys: tuple[str, ...] = ()
    test: str = ""
    reference: str = ""

    def accepts(self, config: Mapping[str, Any], folder: Path) -> bool:
        """Whether a model folder with this config belongs to the family."""
        if self.blind and any(key in config for key in VISION_KEYS):
            return False
        if not all(key in config for key in self.keys):
            return False
        if any((folder / name).is_file() for name in self.files):
            return True
        if self.test and imported(self.test)(config, folder):
            return True
        return any(fnmatchcase(a, p) for a in folders.architectures(config) for p in self.architectures)


#: Families whose vqa is an answer to a question in words (`#question=`).
ASKING = ("chat", "endpoint")
#: Prefixes whose names are no folder of transformers.
NAMELESS = ("fake", "openclip", "endpoint", "py")
TRUST = (
    "They can do on this machine whatever you can: read them first, then allow it with --trust-remote-code "
    "(in Python: load(spec, trust_remote_code=True))."
)
VISION_KEYS = (
    "vision_config",
    "vision_tower",
    "mm_vision_tower",
    "visual",
    "vision_encoder",
    "patch_size",
    "image_size",
)
DUALS = (
    "CLIPModel",
    "AltCLIPModel",
    "SiglipModel",
    "ChineseCLIPModel",
    "MetaClip2Model",
    "AlignModel",
    "GroupViTModel",
    "CLIPSegModel",
    "CLIPSegForImageSegmentation",
    "BlipModel",
)
ENCODERS = (
    "BertModel",
    "RobertaModel",
    "XLMRobertaModel",
    "MPNetModel",
    "DistilBertModel",
    "AlbertModel",
    "NomicBertModel",
    "ModernBertModel",
    "DebertaV2Model",
    "ElectraModel",
    "T5EncoderModel",
)
#: BartModel is what the hub's BART checkpoints call themselves.
SEQ2SEQ = (
    "T5ForConditionalGeneration",
    "T5WithLMHeadModel",
    "MT5ForConditionalGeneration",
    "UMT5ForConditionalGeneration",
    "BartForConditionalGeneration",
    "BartModel",
    "MBartForConditionalGeneration",
    "PegasusForConditionalGeneration",
)


def imported(target: str) -> Any:
    """What "module:name" names."""
    module_name, _, name = target.partition(":")
    return getattr(importlib.import_module(module_name), name)


def _family(name: str, target: str, kinds: str, loads: str, examples: tuple[str, ...], **more: Any) -> Family:
    """Its reference has the same file and class name under `reference/`, unless said otherwise."""
    more.setdefault("reference", f"backend.models.reference.{target}")
    return Family(name, f"backend.models.{target}", frozenset(kinds.split()), loads, examples, **more)


# fmt: off
#: Asked from top to bottom; the first that accepts a config loads it.
FAMILIES = (
    _family("captioner", "captioning.blip:BlipCaptioner", "gen prior", "BLIP captioners: log P(caption | image) by teacher forcing", ("bundled:captioner", "hf:Salesforce/blip-image-captioning-base"), architectures=("BlipForConditionalGeneration",)),  # noqa: E501
    _family("blip2", "captioning.blip2:Blip2", "gen prior", "BLIP-2 captioners with a causal (OPT) or an encoder-decoder (Flan-T5) language model", ("hf:Salesforce/blip2-opt-2.7b", "hf:Salesforce/blip2-flan-t5-xl"), architectures=("Blip2ForConditionalGeneration",)),  # noqa: E501
    _family("instructblip", "captioning.instructblip:InstructBlip", "gen prior", "InstructBLIP, asked for a short caption; with Vicuna or Flan-T5", ("hf:Salesforce/instructblip-vicuna-7b", "hf:Salesforce/instructblip-flan-t5-xl"), architectures=("InstructBlipForConditionalGeneration",)),  # noqa: E501
    _family("git", "captioning.git:Git", "gen prior", "GIT captioners", ("hf:microsoft/git-base-coco",), architectures=("GitForCausalLM",)),  # noqa: E501
    _family("vision-encoder-decoder", "captioning.vision_encoder_decoder:VisionEncoderDecoder", "gen prior", "an image encoder with a cross-attending decoder: ViT-GPT2, TrOCR, ViT-BERT", ("hf:nlpconnect/vit-gpt2-image-captioning", "hf:microsoft/trocr-base-handwritten"), architectures=("VisionEncoderDecoderModel",)),  # noqa: E501
    _family("kosmos2", "captioning.kosmos2:Kosmos2", "gen prior", "Kosmos-2, captions without grounding", ("hf:microsoft/kosmos-2-patch14-224",), architectures=("Kosmos2ForConditionalGeneration",)),  # noqa: E501
    _family("matcher", "matching.blip:BlipMatcher", "itm itc t2t", "BLIP matching heads: P(match), and the towers' cosine", ("bundled:matcher", "hf:Salesforce/blip-itm-base-coco"), architectures=("BlipForImageTextRetrieval",)),  # noqa: E501
    _family("matcher-blip2", "matching.blip2:Blip2Matcher", "itm itc t2t", "BLIP-2's matching head, and its cosine: the best of the image's query tokens", ("hf:Salesforce/blip2-itm-vit-g",), architectures=("Blip2ForImageTextRetrieval",)),  # noqa: E501
    _family("matcher-flava", "matching.flava:FlavaMatcher", "itm itc t2t", "FLAVA: matching head and contrastive towers", ("hf:facebook/flava-full",), architectures=("FlavaForPreTraining",)),  # noqa: E501
    _family("matcher-vilt", "matching.vilt:ViltMatcher", "itm", "ViLT's ranking head: its log-odds rank, 0.5 is no threshold", ("hf:dandelin/vilt-b32-finetuned-coco",), architectures=("ViltForImageAndTextRetrieval",)),  # noqa: E501
    _family("matcher-bridgetower", "matching.bridgetower:BridgeTowerMatcher", "itm", "BridgeTower's matching head", ("hf:BridgeTower/bridgetower-base-itm-mlm",), architectures=("BridgeTowerForImageAndTextRetrieval",)),  # noqa: E501
    _family("dual-hf", "dual.hf:HfDual", "itc t2t", "CLIP-like dual encoders of transformers", ("bundled:clip", "hf:openai/clip-vit-base-patch32"), architectures=DUALS),  # noqa: E501
    _family("dual-naflex", "dual.naflex:NaFlex", "itc t2t", "SigLIP 2 NaFlex: images in their own proportions", ("hf:google/siglip2-base-patch16-naflex",), architectures=("Siglip2Model",)),  # noqa: E501
    _family("dual-flava", "dual.flava:FlavaDual", "itc t2t", "FLAVA's contrastive towers", ("hf:./my-flava-towers",), architectures=("FlavaModel",)),  # noqa: E501
    _family("dual-bridgetower", "dual.bridgetower:BridgeTowerDual", "itc t2t", "BridgeTower's contrastive towers", ("hf:BridgeTower/bridgetower-large-itm-mlm-itc",), architectures=("BridgeTowerForContrastiveLearning",)),  # noqa: E501
    _family("coca", "dual.coca:CoCa", "itc t2t gen prior", "open_clip's CoCa: embeddings and log P(caption | image)", ("openclip:coca_ViT-B-32/laion2b_s13b_b90k", "openclip:coca_ViT-L-14/none"), prefixes=("openclip",), keys=("multimodal_cfg",), test="backend.models.dual.captions:written"),  # noqa: E501
    _family("dual-xclip", "dual.xclip:XClip", "itc t2t", "X-CLIP, an image as a clip that stands still; texts look at the image before they are compared", ("hf:microsoft/xclip-base-patch32",), architectures=("XCLIPModel",)),  # noqa: E501
    _family("dual-openclip", "dual.openclip:OpenClip", "itc t2t", "open_clip's architectures with its weights, a checkpoint file, or random weights (none)", ("openclip:ViT-B-32/laion2b_s34b_b79k", "openclip:RN50/none"), prefixes=("openclip",), files=("open_clip_config.json",)),  # noqa: E501
    _family("chat", "chat.family:ChatVlm", "gen prior vqa", "chat VLMs: whatever AutoModelForImageTextToText loads, through its chat template (LLaVA, Llama 3.2 Vision and 4, Qwen-VL, Gemma 3 and 4, PaliGemma, Mistral Small, InternVL, SmolVLM, GLM-4V, …)", ("hf:llava-hf/llava-1.5-7b-hf", "hf:Qwen/Qwen2.5-VL-7B-Instruct"), test="backend.models.chat.recognise:is_chat"),  # noqa: E501
    _family("sentence", "texts.sentence:SentenceEncoder", "t2t", "sentence encoders with their own pooling, prompts and normalisation; plain encoders with mean pooling, or #cls, #last", ("bundled:sentence", "st:sentence-transformers/all-MiniLM-L6-v2"), prefixes=("st",), files=("modules.json",), architectures=ENCODERS),  # noqa: E501
    _family("blind-lm", "texts.causal_lm:BlindLm", "prior", "causal language models that see no image", ("bundled:lm", "lm:facebook/opt-1.3b"), prefixes=("lm",), architectures=("*ForCausalLM", "GPT2LMHeadModel"), blind=True),  # noqa: E501
    _family("seq2seq-lm", "texts.seq2seq_lm:Seq2SeqLm", "prior", "encoder-decoder language models with no text in the encoder: T5, Flan-T5, mT5, BART, mBART, Pegasus", ("lm:google/flan-t5-xl", "lm:facebook/bart-base"), prefixes=("lm",), architectures=SEQ2SEQ, blind=True),  # noqa: E501
    _family("masked-lm", "texts.masked_lm:MaskedLm", "prior", "masked language models by pseudo-log-likelihood: BERT, RoBERTa, ALBERT, DistilBERT", ("lm:google-bert/bert-base-uncased", "lm:FacebookAI/roberta-base#l2r"), prefixes=("lm",), architectures=("*ForMaskedLM",), blind=True),  # noqa: E501
    _family("endpoint", "endpoint.model:EndpointModel", "gen prior vqa verdict", "a model behind an OpenAI-compatible server: gen and vqa as far as that shows its log-probabilities, verdict wherever it answers", ("endpoint:http://127.0.0.1:8000/v1#model",), prefixes=("endpoint",), reference=""),  # noqa: E501
    _family("fake", "fake:FakeModel", " ".join(ASKED), "scripted scores for tests, without torch", ("fake:ok", "fake:constant", "fake:nan", "fake:raise", "fake:slow", "fake:pairwise", "fake:ok/itc,t2t"), prefixes=("fake",), reference=""),  # noqa: E501
    _family("py", "own.making:OwnFamily", " ".join(ASKED), "code of your own: a Model, an object with encode_image and encode_text, or one with score(images, texts)", ("py:package.module:Class", "py:path/to/file.py:Class"), prefixes=("py",), reference=""),  # noqa: E501
)
# fmt: on


def _wrong(name: str, found: Any) -> str:
    """What is wrong with another package's family; its own name is its prefix, and it takes no other."""
    if wrong := plugins.named_wrong(Family, name, found):
        return wrong
    others = sorted({*found.prefixes} - {name})
    return f"its prefixes are {', '.join(others)}, where only its own name can be one" if others else ""


#: Those of other installed packages: `NAME:…` goes to the family NAME as it is typed; folders under `hf:` that none of
#: ours accepts are offered to each of them.
BROUGHT = plugins.Group(
    "families", "family", "a backend.models.registry.Family with the name of its entry point",
    _wrong, lambda: {*PREFIXES, *(family.name for family in FAMILIES)},
)  # fmt: skip


def families() -> list[dict[str, Any]]:
    """For the `models` verb: name, kinds, example specs, what each family loads, and its package, None for ours."""
    packages = BROUGHT.packages()
    return [
        {
            "name": f.name,
            "kinds": sorted(f.kinds),
            "examples": list(f.examples) or [f"{f.name}:NAME"],
            "loads": f.loads,
            "package": packages.get(f.name),
        }
        for f in (*FAMILIES, *(found for _, found in BROUGHT.usable()))
    ]


def family_named(name: str) -> Family:
    """The family of that name, ours or another package's. PluginError where that cannot be used."""
    return next((f for f in FAMILIES if f.name == name), None) or cast(Family, BROUGHT.load(name))


def find(spec: Spec) -> tuple[Family, Path, dict[str, Any]]:
    """The family of a spec, its folder (an empty path where the family resolves names itself) and its config.

    A prefix that names families (`lm:`, `st:`, `openclip:`) leaves only these to choose from. Imports no torch.
    """
    if BROUGHT.has(spec.prefix):
        typed = existing(spec.name)
        if typed is None or not typed.is_dir():
            return family_named(spec.prefix), Path(), {}
        return family_named(spec.prefix), typed, folders.read_config(typed)
    named = [f for f in FAMILIES if spec.prefix in f.prefixes]
    if spec.prefix == "predictions":
        raise UsageError(
            f"{spec} has no weights, so it cannot be run: it is what another system said. `flipside add-predictions` "
            "adds more of it, `flipside report` and every page show it."
        )
    if spec.prefix in NAMELESS:
        config = openclip_config(spec.name) if spec.prefix == "openclip" else {}
        own = (f for f in named if f.keys and f.accepts(config, Path()))
        return next(own, named[-1]), Path(), config
    folder = folders.resolve(spec)
    config = folders.read_config(folder) or openclip_config(str(folder))
    if any(f.blind for f in named) and any(key in config for key in VISION_KEYS):
        raise UsageError(f"{spec}: {says(config)}, which sees images; load it as hf:{spec.name}.")
    for family in named or FAMILIES:
        if family.accepts(config, folder):
            if spec.question and family.name not in ASKING:
                raise UsageError(f"{spec}: the family {family.name} is asked no question; leave #question= out.")
            return family, folder, config
    for family in () if named else (found for _, found in BROUGHT.usable()):
        if _accepts(family, config, folder):
            return family, folder, config
    # A plain encoder of any architecture gets mean pooling; a config that names none is taken at the prefix's word.
    if spec.prefix == "st" or (named and not folders.architectures(config)):
        return named[0], folder, config
    names = ", ".join(f.name for f in named or FAMILIES)
    why = "" if named else imported("backend.models.chat.recognise:why_not")(config)
    raise UsageError(f"{spec}: {says(config)}, which no family here loads{why}. Families: {names}.")


def _accepts(family: Family, config: Mapping[str, Any], folder: Path) -> bool:
    """As the family's own `accepts`; where another package's raises, it does not accept, and is named."""
    try:
        return family.accepts(config, folder)
    except (Exception, SystemExit) as error:  # noqa: BLE001 - code of strangers may raise anything
        plugins.note(str(BROUGHT.blamed(family.name, error)))
        return False


def says(config: Mapping[str, Any]) -> str:
    """What a config says about its model, for an error message."""
    architectures = ", ".join(folders.architectures(config)) or "none"
    return f"its config says model_type {config.get('model_type', 'none')!r}, architectures {architectures}"


def kinds_of(spec: str) -> frozenset[str]:
    """The kinds a model gives, read from its config: neither loads it nor imports torch. Of `py:` the code is imported,
    where that may run here (models/own/permission.py)."""
    family, _, _ = find(parse(spec))
    if family.name == "fake":
        from backend.models.fake import kinds_in

        return kinds_in(spec)
    if family.name == "py":
        from backend.models.own import making

        return making.kinds_of(spec.strip(), parse(spec).name)
    if family.name == "endpoint":
        from backend.models.endpoint.kinds import known_kinds

        return known_kinds(spec, family.kinds)
    return family.kinds


def load(
    spec: str,
    device: str = "auto",
    dtype: str = "auto",
    seed: int = 0,
    *,
    trust_remote_code: bool = False,
    compile: bool = False,  # noqa: A002 - torch's own word
) -> Model:
    """The model of a spec, ready to score.

    device: auto, cpu, cuda, cuda:N or mps. dtype: auto (half precision on CUDA, else float32), float32, float16,
    bfloat16. seed: for random weights (`openclip:RN50/none`); recorded in any case. trust_remote_code: let Python files
    that came with the model run, with the caller's rights. compile: let torch.compile make kernels of the module first.
    """
    parsed = parse(spec)
    family, folder, config = find(parsed)
    folder = packed.ordinary(folder) if parsed.prefix == "bundled" else folder
    if trust_remote_code:
        log.warning("%s: trust_remote_code runs Python files that came with the model, with your rights.", spec)
    elif remote_code(config):
        raise UsageError(f"{spec}: {says(config)}, and runs Python files of its own. {TRUST}")
    asked = question_of(spec, parsed.question) if parsed.question else ""
    request = Request(spec, parsed.name, folder, config, device, dtype, seed, trust_remote_code, parsed.option, asked)
    try:
        model = cast(Model, imported(family.target).load(request))
    except FlipsideError:
        raise
    except (Exception, SystemExit) as error:
        if BROUGHT.has(family.name):
            raise FlipsideError(f"{spec}: {BROUGHT.blamed(family.name, error)}") from error
        if not trust_remote_code:
            raise
        said = f"{type(error).__name__}: {error}"[:200]
        raise FlipsideError(f"{spec}: loading it with the Python files that came with it failed ({said}).") from error
    if not isinstance(model, Model):
        raise FlipsideError(
            f"{spec}: {family.target}.load must give a backend.models.base.Model; {plugins.described(model)} came."
        )
    if BROUGHT.has(family.name) and model.family != family.name:
        raise FlipsideError(f"{spec}: {type(model).__name__}.family is '{model.family}'; it must be '{family.name}'.")
    model.check_weights()
    if compile:
        model.compile()
    return model


def reference_of(model: Model) -> Any:
    """The reference library's own forward pass for a loaded model; None for a family without one (fake)."""
    known = any(family.name == model.family for family in FAMILIES) or BROUGHT.has(model.family)
    family = family_named(model.family) if known else None  # a `py:` model's family is in no table
    return imported(family.reference)(model) if family is not None and family.reference else None


def remote_code(config: Mapping[str, Any]) -> bool:
    """Whether a model cannot be loaded without its own Python files: transformers has no class of that name."""
    if "auto_map" not in config:
        return False
    transformers = importlib.import_module("transformers")
    return not any(hasattr(transformers, name) for name in folders.architectures(config))


def openclip_config(name: str) -> dict[str, Any]:
    """open_clip's own settings of an architecture, or those in a folder; empty where it has none. Imports no torch."""
    folder = existing(name)
    if folder is not None and folder.is_dir():
        file = folder / "open_clip_config.json"
        if not file.is_file():
            return {}
        found = folders.read_json(file).get("model_cfg")
        if not isinstance(found, dict) or not found:
            raise UsageError(
                f"{file}: names no model_cfg, open_clip's settings of the model. Download the model again."
            )
        return found
    library = importlib.util.find_spec("open_clip")
    places = list(library.submodule_search_locations or ()) if library else []
    files = [existing(str(Path(place) / "model_configs" / f"{name.partition('/')[0]}.json")) for place in places]
    return next((folders.read_json(file) for file in files if file is not None and file.is_file()), {})
