"""open_clip's CoCa, with and without the attentional pooler."""

from tests.zoo.openclip import TEXT, VIT, case

TOWERS = {
    "text_cfg": {**TEXT, "embed_cls": True, "output_tokens": True},
    "multimodal_cfg": {**TEXT, "attn_pooler_heads": 2},
    "custom_text": True,
}
VISION = {**VIT, "output_tokens": True}
POOLED = {**VISION, "width": 32, "head_width": 16, "attentional_pool": True, "attn_pooler_heads": 2}

CASES = [
    case("CoCa", {**TOWERS, "vision_cfg": POOLED, "embed_dim": 32}, family="coca"),
    case("CoCa, no pooler", {**TOWERS, "vision_cfg": {**VISION, "width": 32, "head_width": 16}}, family="coca"),
]
