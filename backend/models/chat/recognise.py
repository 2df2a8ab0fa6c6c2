"""Which configs are chat models: read from transformers' own table, without importing torch."""

import ast
import importlib.util
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from shlex import quote
from typing import Any

TABLE = "MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING_NAMES"

_CAPTIONER = "other classes of this model are read as captioners or matching heads"
_CODES = "its picture is a row of codes from an image generator, which is not checked here"
_ENCODER = "it is an encoder-decoder, not a model that continues a conversation"
_PAGES = "it transcribes pages and answers no question"

#: Listed by transformers as image-text-to-text, but not read as a chat: model_type -> why.
OTHERS = {
    "blip": _CAPTIONER,
    "blip-2": _CAPTIONER,
    "chameleon": _CODES,
    "emu3": _CODES,
    "evolla": "it reads proteins",
    "florence2": _ENCODER,
    "fuyu": "it has no chat template, and its processor writes parts of the prompt itself",
    "git": _CAPTIONER,
    "got_ocr2": _PAGES,
    "idefics": "its text attends to the picture through layers of its own, which is not checked here",
    "instructblip": _CAPTIONER,
    "instructblipvideo": "it reads videos",
    "kosmos-2": _CAPTIONER,
    "kosmos-2.5": _PAGES,
    "pi0": "it drives robots",
    "pix2struct": _ENCODER,
    "pp_chart2table": _PAGES,
    "pp_formulanet": _PAGES,
    "t5gemma2": _ENCODER,
    "udop": _ENCODER,
    "vision-encoder-decoder": _CAPTIONER,
}

#: model_types that are in Flipside's zoo: held against the library with their real classes and processors in
#: tests/models/test_fidelity.py. Any other goes the same way unseen, and its user is told so.
VERIFIED = frozenset(
    {
        "aria",
        "aya_vision",
        "cohere2_vision",
        "deepseek_vl",
        "deepseek_vl_hybrid",
        "fast_vlm",
        "gemma3",
        "gemma3n",
        "gemma4",
        "glm46v",
        "glm4v",
        "glm4v_moe",
        "idefics2",
        "idefics3",
        "internvl",
        "janus",
        "lfm2_vl",
        "llama4",
        "llava",
        "llava_next",
        "llava_onevision",
        "mistral3",
        "mllama",
        "molmo2",
        "ovis2",
        "paligemma",
        "perception_lm",
        "qwen2_5_vl",
        "qwen2_vl",
        "qwen3_5",
        "qwen3_5_moe",
        "qwen3_vl",
        "qwen3_vl_moe",
        "smolvlm",
        "video_llama_3",
        "vipllava",
    }
)


def is_chat(config: Mapping[str, Any], _folder: Path) -> bool:
    """Whether `AutoModelForImageTextToText` loads this config as a decoder that answers a prompt with an image."""
    known = table()
    model_type = str(config.get("model_type", ""))
    names = known.get(model_type, ())
    return model_type not in OTHERS and any(name in names for name in config.get("architectures") or ())


def why_not(config: Mapping[str, Any]) -> str:
    """For the refusal of a config: why this model_type is not read as a chat; empty where nothing is known of it.

    >>> why_not({"model_type": "evolla"})
    ' (it reads proteins)'
    """
    why = OTHERS.get(str(config.get("model_type", "")))
    return f" ({why})" if why else ""


def verification(spec: str, model_type: str) -> str:
    """For the record and the log: whether the zoo holds such a model, or what to do as it does not."""
    if model_type in VERIFIED:
        return "in Flipside's zoo: scores equal the library's on random weights"
    check = f"`flipside doctor --model {quote(spec)}`"
    return f"not in Flipside's zoo: check {model_type} with {check} before trusting its scores"


@cache
def table() -> dict[str, tuple[str, ...]]:
    """model_type -> class names of the installed transformers; empty where there is none.

    Read from its source file, since importing the module imports torch.
    """
    found = importlib.util.find_spec("transformers")
    places = list(found.submodule_search_locations or ()) if found else []
    for place in places:
        file = Path(place) / "models" / "auto" / "modeling_auto.py"
        if not file.is_file():
            continue
        source = file.read_text(encoding="utf-8")
        own = re.search(rf"^{TABLE} = .*?^\)", source, re.MULTILINE | re.DOTALL)  # all 2,000 lines take 10 MB to parse
        for node in ast.parse(own.group() if own else source).body:
            if isinstance(node, ast.Assign) and any(isinstance(t, ast.Name) and t.id == TABLE for t in node.targets):
                return _pairs(node.value)
    return {}


def _pairs(value: ast.expr) -> dict[str, tuple[str, ...]]:
    """The literal (key, class or classes) pairs inside `OrderedDict([...])`."""
    pairs = value.args[0] if isinstance(value, ast.Call) and value.args else value
    found: dict[str, tuple[str, ...]] = {}
    for item in pairs.elts if isinstance(pairs, ast.List | ast.Tuple) else ():
        try:
            key, names = ast.literal_eval(item)
        except (ValueError, TypeError):
            continue  # no literal pair
        found[str(key)] = (names,) if isinstance(names, str) else tuple(names)
    return found
