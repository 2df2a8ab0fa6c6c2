"""`python -m backend.bundled.train.repeated`: are the first steps of every recipe the same when they are run again?

Each recipe is run twice for its first steps, in a process and a cache of its own each time, and the weights' hashes are
compared. What is found is written to `repeated.json` beside this file, from which docs/models.md takes it.
"""

import argparse
import hashlib
import json
import os
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from backend.bundled.train.recipes import RECIPES
from backend.paths import ROOT, cache_dir

FOUND: Final = Path(__file__).with_name("repeated.json")


def digest(name: str, steps: int, seed: int, threads: int) -> str:
    """sha256 of a recipe's weights in float32 after so many steps, by parameter name."""
    import torch

    from backend.bundled.train import taught
    from backend.bundled.train.__main__ import prepared
    from backend.bundled.train.loop import train

    torch.set_num_threads(threads)
    if RECIPES[name].taught:
        return taught.digest(RECIPES[name].makes[0], steps, seed)
    recipe, model = prepared(name, seed)
    train(name, model, recipe.stages(), lambda *_: None, seed, stop_after=steps)
    found = hashlib.sha256()
    for key, value in sorted(model.state_dict().items()):
        found.update(key.encode())
        found.update(value.detach().contiguous().numpy().tobytes())
    return found.hexdigest()


def _in_a_process(name: str, given: argparse.Namespace) -> str:
    """`digest` in a process of its own whose cache holds nothing but the models that recipes start from."""
    with tempfile.TemporaryDirectory() as cache:
        start = cache_dir() / "train" / "out"
        if start.is_dir():
            (Path(cache) / "train").mkdir()
            (Path(cache) / "train" / "out").symlink_to(start.resolve())
        options = ["--steps", str(given.steps), "--seed", str(given.seed), "--threads", str(given.threads)]
        done = subprocess.run(
            [sys.executable, "-m", "backend.bundled.train.repeated", "--one", name, *options],
            cwd=ROOT, env=os.environ | {"FLIPSIDE_CACHE": cache}, stdout=subprocess.PIPE, text=True, check=True,
        )  # fmt: skip
    return done.stdout.split()[-1]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m backend.bundled.train.repeated", description=__doc__)
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--one", choices=list(RECIPES), help="print one recipe's hash and nothing else")
    given = parser.parse_args()
    if given.one:
        print(digest(given.one, given.steps, given.seed, given.threads), flush=True)
        return
    import torch

    rows: dict[str, Any] = {}
    for name in RECIPES:
        began = time.monotonic()
        first, second = (_in_a_process(name, given) for _ in range(2))
        rows[name] = {"first": first, "second": second, "same": first == second}
        print(f"{name}: {'the same' if first == second else 'DIFFERENT'}, {time.monotonic() - began:.0f} s", flush=True)
    said = {
        "on": datetime.now(UTC).date().isoformat(),
        "steps": given.steps,
        "threads": given.threads,
        "torch": torch.__version__,
        "recipes": rows,
    }
    FOUND.write_text(json.dumps(said, indent=1) + "\n", encoding="utf-8")
    sys.exit(0 if all(row["same"] for row in rows.values()) else 1)


if __name__ == "__main__":
    main()
