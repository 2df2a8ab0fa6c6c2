"""The kept study of all open_clip architectures is whole, dated, and free of this machine."""

import json
from typing import Any

import pytest

from scripts.openclip_parity import LIMIT, RESULT, cut


@pytest.fixture(scope="module")
def kept() -> dict[str, Any]:
    result: dict[str, Any] = json.loads(RESULT.read_text(encoding="utf-8"))
    return result


def test_what_is_called_equal_is_within_the_limit_and_the_rest_has_a_reason(kept: dict[str, Any]) -> None:
    assert kept["limit"] == LIMIT
    assert {"torch", "open_clip_torch"} <= set(kept["versions"])
    for name, found in kept["models"].items():
        assert found["status"] in ("equal", "not checked"), (name, found)
        if found["status"] == "equal":
            assert max(found["kinds"].values()) == found["largest"] <= LIMIT, name
            assert {"image", "text"} <= set(found["kinds"]), name
        else:
            assert found["reason"], name
        assert found["date"] <= kept["date"]


def test_it_names_open_clips_architectures_and_no_place_of_this_machine(kept: dict[str, Any]) -> None:
    open_clip = pytest.importorskip("open_clip")
    assert set(kept["models"]) <= set(open_clip.list_models())
    text = json.dumps(kept)
    assert "/home/" not in text
    assert "/tmp/" not in text  # noqa: S108
    assert str(RESULT.parent.parent.parent) not in text


def test_depth_is_cut_and_width_is_not() -> None:
    config = {
        "vision_cfg": {"layers": [3, 4, 6, 1], "width": 64},
        "text_cfg": {"layers": 12, "width": 512, "heads": 8},
        "multimodal_cfg": {"layers": 1},
    }
    assert cut(config) == {"vision": "[3, 4, 6, 1] → [2, 2, 2, 1] layers", "text": "12 → 2 layers"}
    assert config["text_cfg"] == {"layers": 2, "width": 512, "heads": 8}
    timm: dict[str, Any] = {"vision_cfg": {"timm_model_name": "x", "layers": 9}, "text_cfg": {"hf_model_name": "y"}}
    assert cut(timm) == {}
