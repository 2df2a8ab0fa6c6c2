"""transformers' dual encoders, with the kinds of tokenizer that their hub models have."""

from functools import partial
from pathlib import Path
from typing import Any

from tests.models import real_tokenizers
from tests.models.real_tokenizers import LETTERS
from tests.zoo.base import IDS, TEXT, TOWER, VISION, Case, hf, image_processor, save, word_tokenizer

BERT_IDS = {"pad_token_id": 0, "bos_token_id": 2, "eos_token_id": 3}
ROBERTA_IDS = {"pad_token_id": 1, "bos_token_id": 0, "eos_token_id": 2}
PLACES = {"max_position_embeddings": LETTERS}
SIZE = {"height": 32, "width": 32}


def clip(folder: Path, side: str = "right") -> Any:
    config = hf().CLIPConfig(text_config={**TEXT, **IDS}, vision_config=VISION, projection_dim=24)
    return save(folder, lambda: hf().CLIPModel(config), word_tokenizer(side=side), image_processor())


def openai_clip(folder: Path, name: str = "CLIP", model: str = "CLIPModel") -> Any:
    """As OpenAI's own: `eos_token_id` 2 in the config, which means that the highest id closes the text."""
    tokenizer = real_tokenizers.clip()
    text = {**TEXT, **PLACES, "vocab_size": len(tokenizer), "pad_token_id": 1, "bos_token_id": 0, "eos_token_id": 2}
    vision, more = {**VISION}, {"projection_dim": 24}
    if name == "GroupViT":
        vision = {"image_size": 32, "patch_size": 4, "hidden_size": 32, "intermediate_size": 48}
        vision |= {"depths": [1, 1, 1], "num_group_tokens": [8, 4, 0], "num_output_groups": [8, 4, 0]}
        vision |= {"num_hidden_layers": 3, "num_attention_heads": 4, "assign_mlp_ratio": [0.5, 4]}
        more["projection_intermediate_dim"] = 40
    if name == "CLIPSeg":
        more |= {"extract_layers": [0, 1], "reduce_dim": 16, "decoder_num_attention_heads": 2}
        more["decoder_intermediate_size"] = 24
    config = getattr(hf(), f"{name}Config")(text_config=text, vision_config=vision, **more)
    pictures = "ViTImageProcessor" if name == "CLIPSeg" else "CLIPImageProcessor"
    return save(folder, lambda: getattr(hf(), model)(config), tokenizer, image_processor(pictures))


def siglip(folder: Path, side: str = "right") -> Any:
    config = hf().SiglipConfig(text_config={**TEXT, **IDS, "projection_size": 32}, vision_config=VISION)
    tokenizer = word_tokenizer(model_input_names=["input_ids"], side=side)
    return save(folder, lambda: hf().SiglipModel(config), tokenizer, image_processor("SiglipImageProcessor"))


def siglip2(folder: Path) -> Any:
    """A fixed-resolution SigLIP 2: SiglipModel, and a Gemma tokenizer that does not heed `do_lower_case`."""
    tokenizer = real_tokenizers.gemma()
    text = {**TEXT, **PLACES, "vocab_size": len(tokenizer), "projection_size": 32, "pad_token_id": 0, "eos_token_id": 1}
    config = hf().SiglipConfig(text_config=text, vision_config=VISION)
    return save(folder, lambda: hf().SiglipModel(config), tokenizer, image_processor("SiglipImageProcessor"))


def naflex(folder: Path, masked: bool = False) -> Any:
    tokenizer = real_tokenizers.gemma(**({"model_input_names": ["input_ids", "attention_mask"]} if masked else {}))
    text = {**TEXT, **PLACES, "vocab_size": len(tokenizer), "projection_size": 32, "pad_token_id": 0, "eos_token_id": 1}
    vision = {**TOWER, "num_patches": 16, "patch_size": 8}
    config = hf().Siglip2Config(text_config=text, vision_config=vision)
    pictures = hf().Siglip2ImageProcessor(patch_size=8, max_num_patches=20)
    return save(folder, lambda: hf().Siglip2Model(config), tokenizer, pictures)


BLOCK_GAIN = 1.8


def bert_like(folder: Path, name: str) -> Any:
    """ALIGN, Chinese-CLIP and BlipModel read with BERT's tokenizer."""
    tokenizer = real_tokenizers.bert()
    text = {**TEXT, **BERT_IDS, "vocab_size": len(tokenizer)}
    vision, more, pictures = {**VISION}, {"projection_dim": 24}, "CLIPImageProcessor"
    if name == "Align":
        vision = {"image_size": 32, "width_coefficient": 0.1, "depth_coefficient": 0.1, "hidden_dim": 24}
        more, pictures = {"projection_dim": 32, "temperature_init_value": 0.7}, "EfficientNetImageProcessor"
    if name == "ChineseCLIP":
        pictures = "ChineseCLIPImageProcessor"
    if name == "Blip":
        text |= {"encoder_hidden_size": 32, "sep_token_id": 3}
        pictures = "BlipImageProcessor"
    config = getattr(hf(), f"{name}Config")(text_config=text, vision_config=vision, **more)

    def make() -> Any:
        """Each block of ALIGN's random EfficientNet passes on a tenth of what tells pictures apart: so it gets more."""
        model = getattr(hf(), f"{name}Model")(config)
        for module in model.modules():
            if type(module).__name__ == "BatchNorm2d":
                module.weight.data.mul_(BLOCK_GAIN)
        return model

    return save(folder, make, tokenizer, image_processor(pictures))


def roberta_like(folder: Path, name: str) -> Any:
    """AltCLIP and MetaCLIP 2 read with XLM-R's special tokens; AltCLIP counts positions after the padding id."""
    tokenizer = real_tokenizers.roberta()
    text = {**TEXT, **PLACES, **ROBERTA_IDS, "vocab_size": len(tokenizer)}
    if name == "AltCLIP":
        text |= {"max_position_embeddings": LETTERS + 2, "project_dim": 32, "type_vocab_size": 1}
    config = getattr(hf(), f"{name}Config")(text_config=text, vision_config=VISION, projection_dim=24)
    return save(folder, lambda: getattr(hf(), f"{name}Model")(config), tokenizer, image_processor())


def flava_config() -> Any:
    """Also the config of the matching model."""
    tower = {**TOWER, "hidden_size": 32}
    text = {**tower, "vocab_size": 25, "max_position_embeddings": 16, "pad_token_id": 0}
    codebook = {"num_groups": 4, "hidden_size": 8, "num_blocks_per_group": 1, "vocab_size": 30}
    return hf().FlavaConfig(
        text_config=text,
        image_config={**VISION, "vocab_size": 30},
        multimodal_config=tower,
        image_codebook_config=codebook,
        hidden_size=32,
        projection_dim=24,
    )


def flava(folder: Path, name: str) -> Any:
    config = flava_config()
    parts = (real_tokenizers.bert(), image_processor("FlavaImageProcessor"))
    return save(folder, lambda: getattr(hf(), name)(config), *parts)


def bridgetower(folder: Path, name: str) -> Any:
    """Two towers of three layers, the upper two of which are bridged."""
    tokenizer = real_tokenizers.roberta()
    layers = {"hidden_size": 64, "num_hidden_layers": 3}
    text = {**TEXT, **layers, **ROBERTA_IDS, "vocab_size": len(tokenizer)}
    text["max_position_embeddings"] = LETTERS + 2
    vision = {**layers, "image_size": 32, "patch_size": 8}
    config = hf().BridgeTowerConfig(
        text_config=text,
        vision_config=vision,
        hidden_size=64,
        num_hidden_layers=2,
        num_attention_heads=4,
        contrastive_hidden_size=24,
        logit_scale_init_value=2.6592,
    )
    pictures = hf().BridgeTowerImageProcessor(
        size={"shortest_edge": 32}, crop_size={"shortest_edge": 32}, size_divisor=8
    )
    return save(folder, lambda: getattr(hf(), name)(config), tokenizer, pictures)


def xclip(folder: Path) -> Any:
    tokenizer = real_tokenizers.clip()
    text = {**TEXT, **PLACES, "vocab_size": len(tokenizer), "pad_token_id": 1, "bos_token_id": 0, "eos_token_id": 2}
    vision = {**VISION, "num_frames": 4, "mit_hidden_size": 24, "mit_intermediate_size": 48}
    vision |= {"mit_num_hidden_layers": 1, "mit_num_attention_heads": 2}
    config = hf().XCLIPConfig(
        text_config=text, vision_config=vision, projection_dim=24, prompt_layers=1, prompt_num_attention_heads=4
    )
    pictures = hf().VideoMAEImageProcessor(size={"shortest_edge": 32}, crop_size=SIZE)
    return save(folder, lambda: hf().XCLIPModel(config), tokenizer, pictures)


CASES = [
    Case("CLIP", "dual-hf", clip),
    Case("CLIP, tokenizer pads left", "dual-hf", partial(clip, side="left")),
    Case("CLIP, OpenAI's tokenizer", "dual-hf", openai_clip),
    Case("GroupViT", "dual-hf", partial(openai_clip, name="GroupViT", model="GroupViTModel")),
    Case("CLIPSeg", "dual-hf", partial(openai_clip, name="CLIPSeg", model="CLIPSegModel")),
    Case("CLIPSeg, segmentation", "dual-hf", partial(openai_clip, name="CLIPSeg", model="CLIPSegForImageSegmentation")),
    Case("SigLIP", "dual-hf", siglip),
    Case("SigLIP, tokenizer pads left", "dual-hf", partial(siglip, side="left")),
    Case("SigLIP 2", "dual-hf", siglip2),
    Case("SigLIP 2 NaFlex", "dual-naflex", naflex),
    Case("SigLIP 2 NaFlex, masked texts", "dual-naflex", partial(naflex, masked=True)),
    Case("Chinese-CLIP", "dual-hf", partial(bert_like, name="ChineseCLIP")),
    Case("ALIGN", "dual-hf", partial(bert_like, name="Align")),
    Case("BlipModel", "dual-hf", partial(bert_like, name="Blip")),
    Case("AltCLIP", "dual-hf", partial(roberta_like, name="AltCLIP")),
    Case("MetaCLIP 2", "dual-hf", partial(roberta_like, name="MetaClip2")),
    Case("FLAVA", "dual-flava", partial(flava, name="FlavaModel")),
    Case("BridgeTower ITC", "dual-bridgetower", partial(bridgetower, name="BridgeTowerForContrastiveLearning")),
    Case("X-CLIP", "dual-xclip", xclip),
]
