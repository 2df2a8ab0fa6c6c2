"""Every architecture that `open_clip.list_models()` names, against open_clip's calls: docs/fidelity/openclip.json.gz.

    python -m scripts.openclip_parity [NAME ...] [--again | --anew] [--memory GB]

A study of its own, outside continuous integration: about an hour on one core. It may be stopped at any time; the next
start goes on with what is missing. Each architecture gets random weights in a process of its own, at one thread. Depth
is cut to two layers a tower or stage; width, heads, embedding and vocabulary stay, and what was cut is in the result.
A text tower of the hub is built from its published config; a tokenizer of the hub is stood in for by one with its
special tokens (`scripts/openclip_small.py`).

What is compared: image embeddings of three pictures and text embeddings of five texts (for CoCa also the
log-probability of every caption token), each asked of our adapter in one call and of `encode_image`, `encode_text` and
`CoCa.forward` one by one. Any two inputs must be told apart by ten times the limit, or the check says nothing. Pictures
must also be prepared as open_clip does, under each of the architecture's tags (`scripts/openclip_transform.py`).
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

from scripts import kept_study
from scripts.openclip_compare import LIMIT, compare
from scripts.openclip_small import cut, timm_depth, tower_config, write_tokenizer
from scripts.openclip_transform import tags_of

ROOT = Path(__file__).resolve().parent.parent
RESULT = ROOT / "docs" / "fidelity" / "openclip.json.gz"
LIBRARIES = ("torch", "open_clip_torch", "timm", "transformers", "numpy")


def measure(name: str, memory: float) -> dict[str, Any]:
    """What one architecture came to."""
    import open_clip
    import torch

    torch.set_num_threads(1)
    config: dict[str, Any] = open_clip.get_model_config(name)
    with tempfile.TemporaryDirectory() as folder:
        said: dict[str, Any] = {"shrunk": shrink(config, Path(folder))}
        if config["text_cfg"].get("hf_tokenizer_name"):
            there = made(folder, "tokenizer")
            said["tokenizer"] = write_tokenizer(config["text_cfg"]["hf_tokenizer_name"], there)
            config["text_cfg"]["hf_tokenizer_name"] = str(there)
        prepared = said["preprocessing"] = tags_of(name, config, made(folder, "tags"))
        (made(folder, "config") / f"{name}.json").write_text(json.dumps(config))
        open_clip.add_model_config(Path(folder) / "config")
        empty: Any
        with torch.device("meta"):
            empty, _, transform = open_clip.create_model_and_transforms(name, device="meta", pretrained_text=False)
        said["parameters"] = sum(p.numel() for p in empty.parameters())
        need = said["parameters"] * 4 * 1.25 / 2**30 + 2
        if need > memory:
            return {**said, "status": "not checked", "reason": f"it needs about {need:.0f} GB of {memory:.0f} allowed"}
        wait_for(need)
        found = {**said, **compare(name, config, transform)}
    return {**found, "status": "different", "reason": prepared["reason"]} if "reason" in prepared else found


def made(folder: str, name: str) -> Path:
    """A new folder in a folder."""
    path = Path(folder) / name
    path.mkdir()
    return path


def shrink(config: dict[str, Any], folder: Path) -> dict[str, str]:
    """Cut the towers of open_clip, timm and the hub; what was cut, for the record. timm's is cut for this process."""
    import timm

    done = cut(config)
    vision, text = config["vision_cfg"], config["text_cfg"]
    if vision.get("timm_model_name"):
        fewer, depth = timm_depth(vision["timm_model_name"])
        done["vision"] = f"{depth} → {next(iter(fewer.values()))} layers of timm's {vision['timm_model_name']}"
        timm.create_model = partial(timm.create_model, **fewer)
    if text.get("hf_model_name"):
        short, words = tower_config(text["hf_model_name"])
        done["text"] = f"{words} of {text['hf_model_name']}"
        short.save_pretrained(folder / "tower")
        text.update(hf_model_name=str(folder / "tower"), hf_model_pretrained=False)
    return done


def wait_for(need: float) -> None:
    """Until the machine has that many GB to spare, or half an hour is over."""
    for _ in range(60):
        lines = Path("/proc/meminfo").read_text().splitlines() if Path("/proc/meminfo").is_file() else []
        free = next((int(line.split()[1]) / 2**20 for line in lines if line.startswith("MemAvailable")), need)
        if free >= need:
            return
        time.sleep(30)
    raise MemoryError(f"{need:.0f} GB were never free")


def in_own_process(name: str, memory: float) -> dict[str, Any]:
    """`measure` where neither its memory nor its end touches the others."""
    begun = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-m", "scripts.openclip_parity", name, "--one", "--memory", str(memory)],
        cwd=ROOT,
        env={**os.environ, "OMP_NUM_THREADS": "1", "HF_HUB_OFFLINE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
    if done.returncode or not lines:
        last = (done.stderr.strip().splitlines() or [f"ended with {done.returncode}"])[-1]
        found: dict[str, Any] = {"status": "failed", "reason": last[:300].replace(str(ROOT), ".")}
    else:
        found = json.loads(lines[-1])
    return {**found, "seconds": round(time.monotonic() - begun), "date": datetime.now(UTC).date().isoformat()}


def versions() -> dict[str, str]:
    """What the study is of."""
    return {name: version(name) for name in LIBRARIES}


def keep(models: dict[str, Any]) -> None:
    """Write the result as a whole, so that a stop leaves the last one."""
    result = {
        "what": "adapter against open_clip's encode_image, encode_text and CoCa.forward, random weights, float32, CPU",
        "command": "python -m scripts.openclip_parity",
        "limit": LIMIT,
        "versions": versions(),
        "date": max(found["date"] for found in models.values()),
        "models": dict(sorted(models.items(), key=lambda item: item[0].lower())),
    }
    kept_study.write(RESULT, result)


def kept(anew: bool) -> dict[str, Any]:
    """The results so far, of the same versions: a study is of one set of libraries."""
    if anew or not RESULT.is_file():
        return {}
    result = kept_study.read(RESULT)
    if result["versions"] != versions():
        sys.exit(f"{RESULT.name} is of {result['versions']}, here is {versions()}. --anew begins the study again.")
    models: dict[str, Any] = result["models"]
    return models


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("names", nargs="*", help="only these architectures")
    parser.add_argument("--again", action="store_true", help="also those that already have a result")
    parser.add_argument("--anew", action="store_true", help="forget the kept results, as after new versions")
    parser.add_argument("--memory", type=float, default=14, help="GB that one architecture may need")
    parser.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    wanted = parser.parse_args()
    if wanted.one:
        print(json.dumps(measure(wanted.names[0], wanted.memory)))
        return
    import open_clip

    models = kept(wanted.anew)
    for name in wanted.names or open_clip.list_models():
        if wanted.again or models.get(name, {"status": "failed"})["status"] in ("failed", "undecided"):
            models[name] = in_own_process(name, wanted.memory)
            print(f"{name}: {models[name]}", file=sys.stderr, flush=True)
            keep(models)


if __name__ == "__main__":
    main()
