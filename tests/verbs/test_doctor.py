import json
import os
import shlex
import shutil
import subprocess

import pytest

from backend import paths
from backend.engine.storage import shards
from backend.errors import FlipsideError
from backend.store.examples import example
from backend.store.exchange import imported
from backend.verbs.checking import checks, results
from tests.store import writer
from tests.zoo import cases

OWN = """
from transformers import BertConfig, BertModel

class OwnConfig(BertConfig):
    model_type = "own"

class OwnModel(BertModel):
    config_class = OwnConfig
"""


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
    answer = flipside("doctor", "--json")
    assert answer.code == 1
    failed = {each["name"]: each["detail"] for each in answer.json["checks"] if each["status"] == "failed"}
    said = f"FLIPSIDE_CACHE={tmp_path / 'file'}: expected a folder"
    assert {"variables", "cache", "shards", "database", "imported runs", "left out"} <= failed.keys()
    assert all(detail.startswith(said) for name, detail in failed.items() if name not in ("packages", "bundled models"))
    found = checks.cache()  # where it became so since
    assert (found.status, "cannot be written to" in found.detail) == ("failed", True)


def test_variables_that_cannot_be_meant_are_lines_of_the_report(flipside, monkeypatch):
    """It ended in one sentence, and said nothing of all else."""
    monkeypatch.setenv("FLIPSIDE_BACKEND", "htp:/x")
    monkeypatch.setenv("FLIPSIDE_JOBS", "two")
    monkeypatch.setenv("FLIPSIDE_PLUGINS", "off")
    answer = flipside("doctor", "--json")
    assert answer.code == 1
    found = {check["name"]: check for check in answer.json["checks"]}
    backend = "FLIPSIDE_BACKEND=htp:/x: expected an address such as http://127.0.0.1:8700."
    assert found["variables"]["status"] == found["live backend"]["status"] == "failed"
    assert backend in found["variables"]["detail"]
    assert "FLIPSIDE_JOBS=two: expected a whole number" in found["variables"]["detail"]
    assert found["live backend"]["detail"] == backend
    assert found["plug-ins"]["detail"].startswith("FLIPSIDE_PLUGINS=off: expected")
    assert found["python"]["status"] == "ok"
    assert os.environ["FLIPSIDE_JOBS"] == "two", "what was put aside is back"
    answer = flipside("doctor", "--model", "fake:ok", "--json")
    assert (answer.code, answer.json["checks"][0]["detail"]) == (
        2,
        "FLIPSIDE_JOBS=two: expected a whole number from 1, such as 1.",
    )
    assert flipside("models").code == 2, "other verbs end at once"


def test_a_check_that_ends_in_an_error_is_a_line_of_its_own():
    def shard_files():
        raise FlipsideError("a manifest is damaged.")

    assert checks.of(shard_files) == checks.Check("shards", "failed", "a manifest is damaged.")


def test_a_missing_package_fails_and_another_version_is_a_note(tmp_path, monkeypatch):
    monkeypatch.setattr(checks, "ROOT", tmp_path)
    (tmp_path / "constraints.txt").write_text("# tested\nnumpy==1.0.0\n")
    (tmp_path / "requirements.txt").write_text("# ranges\nno-such-package>=1.0\n")
    assert checks.packages().status == "failed"
    assert "no-such-package" in checks.packages().detail
    (tmp_path / "requirements.txt").write_text("numpy<0.2\n")
    assert checks.packages().status == "note"
    assert "outside the range" in checks.packages().detail
    assert "of numpy<0.2" in checks.packages().detail
    (tmp_path / "requirements.txt").write_text("numpy>=1\n")
    assert checks.packages().status == "note"
    assert "other versions than tested: numpy " in checks.packages().detail
    monkeypatch.setattr(checks, "INSTALLED", True)  # pip has chosen within the range
    assert checks.packages().status == "ok"


def test_a_missing_bundled_model_fails(tmp_path, monkeypatch):
    monkeypatch.setattr(checks, "bundled_models_dir", lambda: tmp_path)
    assert checks.bundled().status == "failed"
    assert "clip" in checks.bundled().detail


def test_too_little_disk_fails(monkeypatch):
    monkeypatch.setattr(checks, "FREE_GB", 1e9)
    assert checks.cache().status == "failed"


def test_of_many_runs_some_are_named_and_the_others_counted(flipside_cache, monkeypatch):
    """Three of any number stood there as if there were no others."""
    for n in range(5):
        writer.write_run(flipside_cache, writer.items(2), f"{n}" * 16, ["itc"])
    said = results.imported_runs().detail
    assert f"as they are: 5 ({'0' * 16}, {'1' * 16}, {'2' * 16} and 2 more)" in said
    folders = shards.run_dirs(flipside_cache)
    monkeypatch.setattr(shards, "run_dirs", lambda root: folders if root == paths.imported_dir() else [])
    monkeypatch.setattr(imported, "marker", lambda folder: {"file": f"{folder.name[0]}.zip"})
    assert results.imported_runs().detail.endswith('from "0.zip", "1.zip", "2.zip" and 2 more')
    monkeypatch.setattr(imported, "items_here", lambda _: False)
    assert "(and 4 more)" in results.imported_runs().detail


def test_a_missing_browser_is_only_a_note(monkeypatch):
    monkeypatch.setattr(checks.shutil, "which", lambda _: None)
    assert checks.chromium().status == "note"


def test_an_unknown_model_fails(flipside):
    answer = flipside("doctor", "--model", "hff:nothing", "--json")
    assert answer.code == 2
    assert answer.json["checks"][0]["status"] == "failed"
    assert "hff" in answer.json["checks"][0]["detail"]


def named(answer):
    return {check["name"]: check for check in answer.json["checks"]}


@pytest.mark.parametrize(("mode", "code"), [("ok", 0), ("nan", 1), ("raise", 1)])
def test_a_model_is_scored_alone_and_in_a_batch(flipside, mode, code):
    answer = flipside("doctor", "--model", f"fake:{mode}", "--json")
    assert answer.code == code
    found = named(answer)
    assert found["reference"]["status"] == "note"
    assert found["verdict"]["status"] == ("failed" if code else "ok")
    finite = {name: check["status"] for name, check in found.items() if name.endswith(" finite")}
    assert set(finite.values()) == ({"failed"} if code else {"ok"})
    assert {"itc, image finite", "itc, text finite", "itm finite", "vqa finite", "verdict finite"} < finite.keys()
    # What is not finite is not asked whether a batch changes it.
    assert ("itc, image batch invariance" in found) == (code == 0)


@pytest.mark.slow
def test_real_weights_pass(flipside, minilm):
    answer = flipside("doctor", "--model", f"st:{minilm}", "--json")
    assert answer.code == 0, answer.out
    assert {"t2t reference", "t2t batch of 7", "t2t batch invariance"} <= named(answer).keys()
    assert "equal the reference library" in named(answer)["verdict"]["detail"]


def test_an_adapter_that_drops_the_end_token_fails(flipside, monkeypatch):
    from backend.models.captioning.blip import BlipCaptioner

    true = BlipCaptioner.caption_logprobs
    monkeypatch.setattr(BlipCaptioner, "caption_logprobs", lambda *args: [(t[:-1], p[:-1]) for t, p in true(*args)])
    answer = flipside("doctor", "--model", "bundled:captioner", "--json")
    assert answer.code == 1
    assert "numbers where the reference has" in named(answer)["gen reference"]["detail"]


@pytest.mark.long
def test_scores_that_depend_on_their_company_fail(flipside, monkeypatch):
    from backend.models.dual.hf import HfDual

    true = HfDual.encode_texts
    monkeypatch.setattr(HfDual, "encode_texts", lambda self, texts: true(self, texts) + 0.01 * (len(texts) > 7))
    found = named(flipside("doctor", "--model", "bundled:clip", "--json"))
    assert found["itc, text reference"]["status"] == "ok"
    assert found["itc, text batch invariance"]["status"] == "failed"
    assert "itc, text batch invariance" in found["verdict"]["detail"]


def test_texts_longer_than_a_model_reads_are_no_fault_of_it(flipside, tmp_path):
    """GIT's own forward pass does not cut them."""
    case = next(case for case in cases() if case.name == "GIT")
    case.build(tmp_path)
    answer = flipside("doctor", "--model", f"hf:{tmp_path}", "--json")
    assert answer.code == 0, answer.out


@pytest.mark.long
def test_a_batch_norm_in_training_mode_fails(flipside, tmp_path, monkeypatch):
    from backend.models.dual.openclip import OpenClip

    next(case for case in cases() if case.name == "open_clip ResNet").build(tmp_path)
    true = OpenClip.load
    monkeypatch.setattr(OpenClip, "load", lambda request: (m := true(request), m.module.train())[0])
    found = named(flipside("doctor", "--model", f"hf:{tmp_path}", "--json"))
    assert found["itc, image batch invariance"]["status"] == "failed"
    assert found["verdict"]["status"] == "failed"


@pytest.mark.long
def test_a_model_with_trusted_code_of_its_own_is_held_against_the_library(flipside, tmp_path):
    """Its reference needs the same trust."""
    case = next(case for case in cases() if case.family == "sentence" and case.name.startswith("BERT, mean"))
    case.build(tmp_path)
    config = json.loads((tmp_path / "config.json").read_text())
    auto = {"AutoConfig": "own.OwnConfig", "AutoModel": "own.OwnModel"}
    config |= {"model_type": "own", "architectures": ["OwnModel"], "auto_map": auto}
    (tmp_path / "config.json").write_text(json.dumps(config))
    (tmp_path / "own.py").write_text(OWN)
    assert "--trust-remote-code" in named(flipside("doctor", "--model", f"st:{tmp_path}", "--json"))["model"]["detail"]
    answer = flipside("doctor", "--model", f"st:{tmp_path}", "--trust-remote-code", "--json")
    assert answer.code == 0, answer.out
    assert "equal the reference library" in named(answer)["verdict"]["detail"]


@pytest.mark.long
def test_half_precision_is_held_against_float32(flipside):
    answer = flipside("doctor", "--model", "bundled:clip", "--dtype", "bfloat16", "--json")
    assert answer.code == 0, answer.out
    assert "largest difference of bfloat16" in named(answer)["itc, text against float32"]["detail"]


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


def test_a_damaged_shard_of_what_ships_is_said(monkeypatch, tmp_path):
    """It was called as shipped: only the small files beside the shards were looked at."""
    place = tmp_path / "editions"
    shutil.copytree(paths.bundled_editions_dir(), place)
    monkeypatch.setattr(paths, "bundled_examples", lambda: (place,))
    assert results._damaged() == ""
    shard = next(shards.run_dirs(place)[-1].glob("*.parquet"))
    whole = shard.read_bytes()
    shard.write_bytes(whole[:-4] + b"\0\0\0\0")
    found = results.shipped_results()
    assert (found.status, str(shard) in found.detail) == ("failed", True)
    assert "Restore it with git" in found.detail
    shard.unlink()
    assert "is missing" in results._damaged()


def test_a_database_that_is_none_fails(flipside_cache):
    (flipside_cache / "db").mkdir()
    (flipside_cache / "db" / "flipside-1.duckdb").write_bytes(b"no database")
    (flipside_cache / "db" / "CURRENT").write_text("flipside-1.duckdb\n")
    assert checks.database().status == "failed"


def test_a_damaged_copy_of_what_ships_is_put_back_by_the_command_that_doctor_names(flipside_cache, flipside):
    """It named the command that had made the run: on another machine, of a benchmark that is not there."""
    place = paths.bundled_editions_dir()
    assert example.take_over(place) == 36
    run = shards.run_dirs(paths.cache_dir())[0]
    name = shards.read_manifest(run)["parts"]["itm"]["shards"][0]["file"]
    (run / name).write_bytes(b"damaged")
    found = checks.shard_files()
    ships, here = place / "runs" / run.name / name, run / name
    assert found.detail == (
        f"{here}: this shard is damaged: its content does not match the manifest's sha256. It is a copy of what ships; "
        f"put it back: `cp {ships} {here}`."
    )
    record = json.loads((run / shards.RECORD).read_text())
    named = ("--model", record["model"]["spec"], "--benchmark", record["benchmark"]["name"], "--run", run.name)
    report = flipside("report", *named)
    assert f"put it back: `cp {ships} {here}`" in report.err
    command = found.detail.split("`")[1]
    subprocess.run(shlex.split(command), check=True)
    assert checks.shard_files().status == "ok"
    here.write_bytes(b"damaged")
    ours = here.rename(here.with_name("itm-7-0123456789ab.parquet"))  # no file that ships is called so
    assert shards.mend(ours) == shards.MEND
