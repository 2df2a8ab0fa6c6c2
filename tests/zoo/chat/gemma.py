"""PaliGemma (prefix and suffix, no turns), Gemma 3 (sliding windows, images that see themselves both ways), Gemma 4."""

from functools import partial
from pathlib import Path
from typing import Any

from tests.models.chat import templates
from tests.models.chat.tokenizers import sentencepiece
from tests.zoo.base import VISION, Case, hf, save
from tests.zoo.chat.llava import PIXELS, text_config

NAMES = {"bos_token": "<bos>", "eos_token": "<eos>", "unk_token": "<unk>", "pad_token": "<pad>"}
BASE = ["<pad>", "<eos>", "<bos>", "<unk>"]


def siglip() -> Any:
    return hf().SiglipVisionConfig(**VISION, vision_use_head=False)


def paligemma(folder: Path, kind: str = "GemmaConfig", side: str = "right") -> Any:
    names = {**NAMES, "extra_special_tokens": {"image_token": "<image>"}}
    tokenizer = sentencepiece([*BASE, "<image>"], names, dummy=False, bos="<bos>", side=side)
    images = hf().SiglipImageProcessor(size={"height": 32, "width": 32}, **PIXELS)
    images.image_seq_length = 16
    processor = hf().PaliGemmaProcessor(image_processor=images, tokenizer=tokenizer)
    # The processor adds 1,152 tokens for places and segments; the model has rows for all of them.
    more = {"sliding_window": 8, "query_pre_attn_scalar": 8} if kind == "Gemma2Config" else {}
    config = hf().PaliGemmaConfig(
        vision_config=siglip(),
        text_config=text_config(kind, tokenizer, head_dim=8, **more),
        image_token_index=tokenizer.convert_tokens_to_ids("<image>"),
        projection_dim=32,
        hidden_size=32,
    )
    config.vision_config.projection_dim = 32
    return save(folder, lambda: hf().PaliGemmaForConditionalGeneration(config), processor)


def gemma3(folder: Path, side: str = "left", window: int = 8) -> Any:
    """Its sliding window is shorter than the image."""
    marks = {"boi_token": "<start_of_image>", "eoi_token": "<end_of_image>", "image_token": "<image_soft_token>"}
    special = [*BASE, "<start_of_turn>", "<end_of_turn>", *marks.values()]
    tokenizer = sentencepiece(special, {**NAMES, "extra_special_tokens": marks}, dummy=False, bos="<bos>", side=side)
    processor = hf().Gemma3Processor(
        image_processor=hf().Gemma3ImageProcessor(size={"height": 32, "width": 32}, **PIXELS),
        tokenizer=tokenizer,
        chat_template=templates.GEMMA,
        image_seq_length=16,
    )
    layers = {"layer_types": ["sliding_attention", "full_attention"], "sliding_window": window}
    text = text_config("Gemma3TextConfig", tokenizer, head_dim=8, query_pre_attn_scalar=8, **layers)
    config = hf().Gemma3Config(
        vision_config=siglip(),
        text_config=text,
        mm_tokens_per_image=16,
        **{
            f"{name.removesuffix('_token')}_token_index": tokenizer.convert_tokens_to_ids(token)
            for name, token in marks.items()
        },
        eos_token_id=[tokenizer.eos_token_id, tokenizer.convert_tokens_to_ids("<end_of_turn>")],
    )
    return save(folder, lambda: hf().Gemma3ForConditionalGeneration(config), processor)


def gemma4(folder: Path) -> Any:
    """Patches of pictures in their own shape, padded to 630; it normalises pixels itself."""
    marks = {
        "boi_token": "<|image>",
        "eoi_token": "<image|>",
        "image_token": "<|image|>",
        "boa_token": "<|audio>",
        "eoa_token": "<audio|>",
        "audio_token": "<|audio|>",
    }
    special = [*BASE, "<|turn>", "<turn|>", "<|video|>", *marks.values()]
    tokenizer = sentencepiece(special, {**NAMES, "extra_special_tokens": marks}, dummy=False, bos="<bos>", side="left")
    template = templates.GEMMA.replace("<start_of_turn>", "<|turn>").replace("<end_of_turn>", "<turn|>")
    processor = hf().Gemma4Processor(
        feature_extractor=hf().Gemma4AudioFeatureExtractor(),
        image_processor=hf().Gemma4ImageProcessor(patch_size=4, max_soft_tokens=70, pooling_kernel_size=3),
        video_processor=hf().Gemma4VideoProcessor(),
        tokenizer=tokenizer,
        chat_template=template.replace("<start_of_image>", "<|image|>"),
        image_seq_length=70,
    )
    text = text_config(
        "Gemma4TextConfig",
        tokenizer,
        head_dim=8,
        global_head_dim=8,
        layer_types=["sliding_attention", "full_attention"],
        sliding_window=8,
        hidden_size_per_layer_input=4,
        vocab_size_per_layer_input=len(tokenizer),
        use_bidirectional_attention="vision",
    )
    vision = {"hidden_size": 16, "intermediate_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2}
    vision |= {"num_key_value_heads": 2, "head_dim": 8, "patch_size": 4, "pooling_kernel_size": 3}
    ids = {name: tokenizer.convert_tokens_to_ids(token) for name, token in marks.items()}
    config = hf().Gemma4Config(
        vision_config=hf().Gemma4VisionConfig(**vision, position_embedding_size=256),
        text_config=text,
        audio_config=None,
        video_token_id=tokenizer.convert_tokens_to_ids("<|video|>"),
        **{f"{name}_id": number for name, number in ids.items() if name != "eoa_token"},
        eos_token_id=[tokenizer.eos_token_id, tokenizer.convert_tokens_to_ids("<turn|>")],
    )
    return save(folder, lambda: hf().Gemma4ForConditionalGeneration(config), processor)


CASES = [
    Case("PaliGemma", "chat", paligemma),
    Case("PaliGemma 2, pads left", "chat", partial(paligemma, kind="Gemma2Config", side="left")),
    Case("Gemma 3", "chat", gemma3),
    Case("Gemma 4", "chat", gemma4),
]
