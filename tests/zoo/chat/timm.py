"""Models whose image tower is timm's: Perception LM, FastVLM, Gemma 3n."""

from pathlib import Path
from typing import Any

from tests.models.chat import templates
from tests.models.chat import templates_more as more_templates
from tests.models.chat.tokenizers import byte_level, fast, sentencepiece
from tests.zoo.base import Case, hf, save
from tests.zoo.chat.gemma import BASE, NAMES
from tests.zoo.chat.llava import PIXELS, qwen_tokenizer, text_config


def perception(folder: Path) -> Any:
    """Tiles of 32 pixels, at most 4, and the whole; 4 × 4 patches pooled to 4 tokens."""
    names = {"bos_token": "<|begin_of_text|>", "eos_token": "<|eot_id|>", "pad_token": "<|end_of_text|>"}
    marks = [*names.values(), "<|start_header_id|>", "<|end_header_id|>", "<|image|>", "<|video|>"]
    named = {"image_token": "<|image|>", "video_token": "<|video|>"}
    tokenizer = byte_level(marks, {**names, "extra_special_tokens": named}, bos="<|begin_of_text|>", side="left")
    processor = hf().PerceptionLMProcessor(
        image_processor=hf().PerceptionLMImageProcessor(tile_size=32, max_num_tiles=4, **PIXELS),
        video_processor=hf().PerceptionLMVideoProcessor(size={"height": 32, "width": 32}),
        tokenizer=tokenizer,
        patch_size=8,
        pooling_ratio=2,
        chat_template=more_templates.MLLAMA,
    )
    tower = {
        "embed_dim": 32,
        "img_size": [32, 32],
        "patch_size": 8,
        "depth": 2,
        "num_heads": 2,
        "global_pool": "",
        "use_post_transformer_norm": False,
        "init_values": 0.1,
        "ref_feat_shape": [4, 4],
    }
    config = hf().PerceptionLMConfig(
        vision_config=hf().TimmWrapperConfig(architecture="vit_pe_core_large_patch14_336", model_args=tower),
        text_config=text_config("LlamaConfig", tokenizer),
        image_token_id=tokenizer.convert_tokens_to_ids("<|image|>"),
        video_token_id=tokenizer.convert_tokens_to_ids("<|video|>"),
        projector_pooling_ratio=2,
        vision_use_cls_token=True,
    )
    return save(folder, lambda: hf().PerceptionLMForConditionalGeneration(config), processor)


def fastvlm(folder: Path) -> Any:
    """FastViT's convolutions: 64 pixels to 8 × 8 tokens."""
    tokenizer = qwen_tokenizer(("<image>",), {"image_token": "<image>"})
    size = {"height": 64, "width": 64}
    processor = hf().LlavaProcessor(
        image_processor=hf().CLIPImageProcessor(size={"shortest_edge": 64}, crop_size=size, **PIXELS),
        tokenizer=tokenizer,
        patch_size=8,
        num_additional_image_tokens=0,
        vision_feature_select_strategy="full",
        chat_template=more_templates.CHATML.replace("{{ bos_token }}", "").replace("<image>", "<image>\\n"),
    )
    tower = {
        "inference_mode": True,
        "layers": [1, 1],
        "embed_dims": [16, 32],
        "mlp_ratios": [2, 2],
        "se_downsamples": [False, False],
        "downsamples": [False, True],
        "pos_embs": [None, None],
        "token_mixers": ["repmixer", "attention"],
        "lkc_use_act": True,
        "stem_use_scale_branch": False,
    }
    vision = hf().TimmWrapperConfig(
        architecture="fastvit_mci3", do_pooling=True, global_pool="avg", hidden_size=64, model_args=tower
    )
    config = hf().FastVlmConfig(
        vision_config=vision,
        text_config=text_config("Qwen2Config", tokenizer),
        image_token_index=tokenizer.convert_tokens_to_ids("<image>"),
        image_seq_length=64,
    )

    def make() -> Any:
        """The random tower tells pictures little apart: what it says is made louder."""
        model = hf().FastVlmForConditionalGeneration(config)
        model.model.multi_modal_projector.linear_1.weight.data.normal_(std=2.0)
        return model

    return save(folder, make, processor)


def gemma3n(folder: Path) -> Any:
    """2 × 2 places of a convolutional tower (timm's smallest in the place of MobileNet-V5), layers that share keys and
    values, an embedding for every layer; the audio tower idle."""
    marks = {
        "boi_token": "<start_of_image>",
        "eoi_token": "<end_of_image>",
        "image_token": "<image_soft_token>",
        "boa_token": "<start_of_audio>",
        "eoa_token": "<end_of_audio>",
        "audio_token": "<audio_soft_token>",
    }
    special = [*BASE, "<start_of_turn>", "<end_of_turn>"]
    core = sentencepiece(special, NAMES, dummy=False, bos="<bos>").backend_tokenizer
    words = core.get_vocab_size()  # the marks come behind all words: they have tables of their own
    core.add_special_tokens(list(marks.values()))
    tokenizer = fast(core, {**NAMES, "extra_special_tokens": marks}, "left")
    processor = hf().Gemma3nProcessor(
        feature_extractor=hf().Gemma3nAudioFeatureExtractor(),
        image_processor=hf().SiglipImageProcessor(size={"height": 64, "width": 64}, **PIXELS),
        tokenizer=tokenizer,
        chat_template=templates.GEMMA.replace("<start_of_image>", "<image_soft_token>"),
        audio_seq_length=2,
        image_seq_length=4,
    )
    text = text_config(
        "Gemma3nTextConfig",
        tokenizer,
        num_hidden_layers=4,
        num_kv_shared_layers=2,
        layer_types=["sliding_attention", "full_attention"] * 2,
        sliding_window=8,
        head_dim=8,
        laurel_rank=4,
        hidden_size_per_layer_input=4,
        vocab_size_per_layer_input=words,
        altup_num_inputs=2,
        activation_sparsity_pattern=[0.5, 0.0, 0.0, 0.0],
    )
    audio = {"hidden_size": 16, "conf_num_attention_heads": 2, "conf_num_hidden_layers": 1}
    ids = {name: tokenizer.convert_tokens_to_ids(token) for name, token in marks.items()}
    config = hf().Gemma3nConfig(
        vision_config=hf().Gemma3nVisionConfig(
            architecture="test_resnet", hidden_size=96, vocab_size=3, vocab_offset=words
        ),
        audio_config=hf().Gemma3nAudioConfig(**audio, vocab_size=3, vocab_offset=words + 3),
        text_config=text,
        vision_soft_tokens_per_image=4,
        audio_soft_tokens_per_image=2,
        **{f"{name}_id": number for name, number in ids.items()},
        eos_token_id=[tokenizer.eos_token_id, tokenizer.convert_tokens_to_ids("<end_of_turn>")],
    )
    return save(folder, lambda: hf().Gemma3nForConditionalGeneration(config), processor)


CASES = [
    Case("Perception LM", "chat", perception, needs="timm"),
    Case("FastVLM", "chat", fastvlm, needs="timm"),
    Case("Gemma 3n", "chat", gemma3n, needs="timm"),
]
