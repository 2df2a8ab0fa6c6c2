import json

import pytest

from backend.verbs import checks


def test_every_check_is_reported(flipside, flipside_cache):
    answer = flipside("doctor", "--json")
    found = {check["name"]: check for check in answer.json["checks"]}
    assert {
        "python",
        "packages",
        "devices",
        "cache",
        "bundled models",
        "shards",
        "database",
        "chromium",
    } <= found.keys()
    assert str(flipside_cache) in found["cache"]["detail"]
    assert answer.json["ok"] == all(check["status"] != "failed" for check in found.values())
    assert answer.code == (0 if answer.json["ok"] else 1)


def test_a_cache_that_cannot_be_written_to_fails(flipside, tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    monkeypatch.setenv("FLIPSIDE_CACHE", str(tmp_path / "file"))
    answer = flipside("doctor")
    assert answer.code == 1
    assert "✗  cache" in answer.out


def test_a_missing_package_fails_and_another_version_is_a_note(tmp_path, monkeypatch):
    monkeypatch.setattr(checks, "ROOT", tmp_path)
    (tmp_path / "requirements.txt").write_text("# pins\nno-such-package==1.0\n")
    assert checks.packages().status == "failed"
    assert "no-such-package" in checks.packages().detail
    (tmp_path / "requirements.txt").write_text("numpy==0.0.1\n")
    assert checks.packages().status == "note"


def test_a_missing_bundled_model_fails(tmp_path, monkeypatch):
    monkeypatch.setattr(checks, "bundled_models_dir", lambda: tmp_path)
    assert checks.bundled().status == "failed"
    assert "clip" in checks.bundled().detail


def test_too_little_disk_fails(monkeypatch):
    monkeypatch.setattr(checks, "FREE_GB", 1e9)
    assert checks.cache().status == "failed"


def test_a_missing_browser_is_only_a_note(monkeypatch):
    monkeypatch.setattr(checks.shutil, "which", lambda _: None)
    assert checks.chromium().status == "note"


def test_an_unknown_model_fails(flipside):
    answer = flipside("doctor", "--model", "hff:nothing", "--json")
    assert answer.code == 1
    assert answer.json["checks"][0]["status"] == "failed"


@pytest.mark.parametrize(("mode", "code"), [("ok", 0), ("nan", 1), ("raise", 1)])
def test_a_model_is_scored_alone_and_in_a_batch(flipside, mode, code):
    answer = flipside("doctor", "--model", f"fake:{mode}", "--json")
    assert answer.code == code
    names = {check["name"] for check in answer.json["checks"]}
    assert {"itc batch invariance", "gen finite"} <= names or code


def test_real_weights_pass(flipside, minilm):
    answer = flipside("doctor", "--model", f"st:{minilm}", "--json")
    assert answer.code == 0, answer.out
    assert {"t2t finite", "t2t batch invariance"} <= {check["name"] for check in answer.json["checks"]}


def test_a_damaged_shard_fails(flipside, flipside_cache):
    run = flipside_cache / "runs" / "0123456789abcdef"
    run.mkdir(parents=True)
    (run / "run.json").write_text(json.dumps({"run": run.name}))
    shard = {"file": "t2t-0-000000000000.parquet", "sha256": "0" * 64, "rows": 1, "first_item": 0, "last_item": 0}
    parts = {"t2t": {"complete": True, "shards": [shard]}}
    (run / "manifest.json").write_text(json.dumps({"format": 1, "run": run.name, "parts": parts}))
    assert checks.shard_files().status == "failed"
    (run / shard["file"]).write_bytes(b"not what the manifest names")
    assert checks.shard_files().status == "failed"
    assert shard["file"] in checks.shard_files().detail
    assert flipside("doctor").code == 1


def test_a_database_that_is_none_fails(flipside_cache):
    (flipside_cache / "db").mkdir()
    (flipside_cache / "db" / "flipside-1.duckdb").write_bytes(b"no database")
    (flipside_cache / "db" / "CURRENT").write_text("flipside-1.duckdb\n")
    assert checks.database().status == "failed"
