"""VisionEncoderDecoder: the pairs that are published."""

from pathlib import Path
from typing import Any

from tests.models.captioning import tokenizers
from tests.zoo.base import TOWER, VISION, Case, hf, image_processor, save

SIZES = {"vocab_size": 40, "add_cross_attention": True, "is_decoder": True}


def pair(folder: Path, encoder: Any, decoder: Any, tokenizer: Any, **ids: int) -> Any:
    """ids: what the published config.json says at its top level."""
    config = hf().VisionEncoderDecoderConfig(encoder=encoder.to_dict(), decoder=decoder.to_dict(), **ids)
    parts = (tokenizer, image_processor("ViTImageProcessor"))
    return save(folder, lambda: hf().VisionEncoderDecoderModel(config), *parts)


def vit_gpt2(folder: Path) -> Any:
    ids = {"bos_token_id": 0, "eos_token_id": 0}
    decoder = hf().GPT2Config(n_embd=32, n_layer=2, n_head=4, n_positions=16, **SIZES, **ids)
    start = {"decoder_start_token_id": 0, "pad_token_id": 0, "eos_token_id": 0}
    return pair(folder, hf().ViTConfig(**VISION), decoder, tokenizers.gpt2(), **start)


def trocr(folder: Path) -> Any:
    """</s> starts and ends; the encoder is wider than the decoder."""
    ids = {"pad_token_id": 1, "bos_token_id": 0, "eos_token_id": 2, "decoder_start_token_id": 2}
    sizes = {"d_model": 24, "decoder_layers": 2, "decoder_attention_heads": 4, "decoder_ffn_dim": 48}
    decoder = hf().TrOCRConfig(**sizes, **SIZES, **ids, max_position_embeddings=32, cross_attention_hidden_size=32)
    start = {"decoder_start_token_id": 2, "pad_token_id": 1, "eos_token_id": 2}
    return pair(folder, hf().DeiTConfig(**VISION), decoder, tokenizers.roberta(), **start)


def swin_bert(folder: Path) -> Any:
    encoder = hf().SwinConfig(image_size=32, patch_size=4, embed_dim=16, depths=[1, 1], num_heads=[2, 2], window_size=4)
    decoder = hf().BertConfig(**{**TOWER, "hidden_size": 24}, **SIZES, max_position_embeddings=16)
    start = {"decoder_start_token_id": 2, "pad_token_id": 0, "eos_token_id": 3}
    return pair(folder, encoder, decoder, tokenizers.bert(), **start)


CASES = [
    Case("ViT-GPT2", "vision-encoder-decoder", vit_gpt2),
    Case("TrOCR", "vision-encoder-decoder", trocr),
    Case("Swin-BERT", "vision-encoder-decoder", swin_bert),
]
