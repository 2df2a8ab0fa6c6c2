"""The kept study of all open_clip architectures is whole, dated, and free of this machine."""

import json
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest

from scripts import kept_study
from scripts.openclip_compare import LIMIT
from scripts.openclip_parity import RESULT


@pytest.fixture(scope="module")
def kept() -> dict[str, Any]:
    result: dict[str, Any] = kept_study.read(RESULT)
    return result


def test_what_is_called_equal_is_within_the_limit_and_the_rest_has_a_reason(kept: dict[str, Any]) -> None:
    assert kept["limit"] == LIMIT
    assert {"torch", "open_clip_torch"} <= set(kept["versions"])
    for name, found in kept["models"].items():
        assert found["status"] in ("equal", "not checked"), (name, found)
        if found["status"] == "equal":
            assert max(found["kinds"].values()) == found["largest"] <= LIMIT, name
            assert {"image", "text"} <= set(found["kinds"]) == set(found["told"]), name
            assert min(found["told"].values()) >= 10 * LIMIT, f"{name}: the check could not have failed"
            assert found["preprocessing"]["apart"] == 0, name
            assert found["preprocessing"]["settings"], name
            assert "reason" not in found["preprocessing"], name
        else:
            assert found["reason"], name
        assert found["date"] <= kept["date"]


def test_it_covers_all_of_open_clips_architectures_and_their_tags(kept: dict[str, Any]) -> None:
    open_clip = pytest.importorskip("open_clip")
    if version("open_clip_torch") != kept["versions"]["open_clip_torch"]:
        pytest.skip(f"the study is of open_clip_torch {kept['versions']['open_clip_torch']}")
    shipped = (Path(open_clip.__file__).parent / "model_configs").glob("*.json")  # list_models has what tests add, too
    assert set(kept["models"]) == {file.stem for file in shipped}
    for name, found in kept["models"].items():
        if found["status"] == "equal":
            assert found["preprocessing"]["tags"] == len(open_clip.list_pretrained_tags_by_model(name)), name
            captions = "multimodal_cfg" in (config := open_clip.get_model_config(name))
            assert ("caption" in found["kinds"]) == (captions and "hf_model_name" not in config["text_cfg"]), name


def test_it_names_no_place_of_this_machine(kept: dict[str, Any]) -> None:
    text = json.dumps(kept)
    assert "/home/" not in text
    assert "/tmp/" not in text  # noqa: S108
    assert str(RESULT.parent.parent.parent) not in text
