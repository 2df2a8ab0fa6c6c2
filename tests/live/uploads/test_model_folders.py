"""A browser user names models, not paths: what is on the disk elsewhere is neither loaded nor told of."""

import json
from pathlib import Path

import pytest

from backend.errors import FlipsideError
from backend.live.scoring import pool
from backend.live.uploads import model_folders


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    folder = tmp_path / "cache"
    folder.mkdir()
    monkeypatch.setenv("FLIPSIDE_CACHE", str(folder))
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.delenv("FLIPSIDE_MODELS", raising=False)
    return folder


def model(folder: Path) -> Path:
    folder.mkdir(parents=True)
    config = {"architectures": ["CLIPModel"], "model_type": "clip"}
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
    (folder / "model.safetensors").write_bytes(b"weights")
    return folder


def said(spec):
    with pytest.raises(FlipsideError) as error:
        pool.kinds(spec)
    return str(error.value)


def refused(spec):
    return "FLIPSIDE_MODELS" in said(spec)


@pytest.mark.parametrize("prefix", ["hf:", "st:", "lm:", "openclip:", "openclip:ViT-B-32/"])
@pytest.mark.parametrize("way", ["{there}", "{there}/../there", "{there}/file", "{there}/none"])
def test_the_answer_is_the_same_whether_or_not_a_path_is_there(tmp_path, prefix, way):
    model(tmp_path / "there")
    (tmp_path / "there" / "file").write_text("secret", encoding="utf-8")
    answers = {said(prefix + way.format(there=tmp_path / name)) for name in ("there", "gone")}
    assert len(answers) == 1
    assert "FLIPSIDE_MODELS" in answers.pop()


@pytest.mark.parametrize(
    "name", ["/etc", "/etc/passwd", "~/x", "~root/x", "~nobody-at-all/x", "./x", "../x", "a/b/c", "..", "x\0y", "C:\\x"]
)
def test_no_path_of_any_spelling_is_looked_at(name):
    assert refused(f"hf:{name}")


def test_a_folder_beside_the_server_is_no_hub_name(monkeypatch, tmp_path):
    (tmp_path / "backend" / "models").mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    there, gone = said("hf:backend/models"), said("hf:backend/nothing")
    assert there.replace("models", "nothing") == gone


def test_folders_below_the_models_folder_may_be_named(cache, tmp_path, monkeypatch):
    inside = model(cache / "models" / "mine")
    assert pool.kinds(f"hf:{inside}")
    monkeypatch.setenv("FLIPSIDE_MODELS", str(tmp_path / "lab"))
    other = model(tmp_path / "lab" / "clip")
    assert pool.kinds(f"hf:{other}")
    assert refused(f"hf:{inside}")
    assert refused(f"hf:{tmp_path / 'lab'}/../cache/models/mine")


def test_a_link_out_of_the_models_folder_leads_nowhere(cache, tmp_path):
    outside = model(tmp_path / "outside")
    (cache / "models").mkdir()
    (cache / "models" / "link").symlink_to(outside)
    assert refused(f"hf:{cache}/models/link")


def test_folders_in_the_hub_s_cache_may_be_named(tmp_path):
    assert pool.kinds(f"hf:{model(tmp_path / 'hub' / 'models--a--b' / 'snapshots' / 'c0ffee')}")


def record(cache, run, spec, **more):
    folder = cache / "runs" / run
    folder.mkdir(parents=True)
    (folder / "run.json").write_text(json.dumps({"run": run, "model": {"spec": spec}, **more}), encoding="utf-8")
    (folder / "manifest.json").write_text(json.dumps({"format": 1, "run": run, "parts": {}}), encoding="utf-8")


def test_a_folder_that_was_scored_here_may_be_named_again_but_not_one_of_an_imported_record(cache, tmp_path):
    mine, theirs = model(tmp_path / "mine"), model(tmp_path / "theirs")
    record(cache, "1" * 16, f"hf:{mine}")
    record(cache, "2" * 16, f"hf:{theirs}", origin="imported")
    record(cache, "3" * 16, 7)
    assert pool.kinds(f"hf:{mine}")
    assert refused(f"hf:{theirs}")
    assert refused(f"hf:{tmp_path}")


def test_what_is_no_path_is_as_before(monkeypatch):
    model_folders.refuse_from_browser("openclip:ViT-B-32/laion2b_s34b_b79k")
    model_folders.refuse_from_browser("openclip:RN50/none")
    model_folders.refuse_from_browser("bundled:clip")
    model_folders.refuse_from_browser("st:sentence-transformers/all-MiniLM-L6-v2")
    monkeypatch.setenv("FLIPSIDE_LIVE_MODELS", "hf:/the/owner/offers/it")
    pool.guard("hf:/the/owner/offers/it")
