"""Comparisons measured: each side a whole process, one thread for the model, by CPU seconds of user and system."""

import json
import os
import sys
import tempfile
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from subprocess import Popen
from typing import Any

import numpy as np

from bench.paired import made, side
from bench.paired.cases import SHARE, Case, Size

#: The benchmark's own files, apart from what is noted for our processes.
DATA = "data"
ROOT = Path(__file__).resolve().parents[2]
#: Largest difference of a score from the loop's: an embedding's, a log-odds', and of sums over a caption's tokens.
APART = {"itc": 1e-4, "t2t": 1e-4, "itm": 1e-3, "gen": 2e-3}


@dataclass(frozen=True)
class Measured:
    """One comparison's CPU seconds.

    loop, bound, run: whole processes; the loop's is extrapolated from `part` of `steps` steps. whole: the bound with
    every text at 77 positions; 0 where there is none. *_work: what of them is work, not Python, libraries, weights. Of
    `run` nobody can see that from outside, so it is run on the least inputs, too: `run_least`, `bound_least`.
    apart: largest difference between the loop's scores and `run`'s. wanted: how many times the loop it has to be.
    """

    name: str
    what: str
    steps: int
    part: int
    loop: float
    loop_work: float
    bound: float
    bound_work: float
    bound_least: float
    whole: float
    run: float
    run_least: float
    apart: float
    wanted: float | None

    @property
    def share(self) -> float:
        """The part of the bound that `run` reaches: by how much both grow from the least inputs to all."""
        return (self.bound_work - self.bound_least) / (self.run - self.run_least)

    @property
    def ratio(self) -> float:
        """How many times the work of `run` the loop's is."""
        return self.loop_work / self.bound_work * self.share

    def short(self) -> list[str]:
        """What is below its limit, in words; empty where nothing is."""
        found = []
        if self.wanted is not None and self.ratio < self.wanted:
            found.append(f"{self.name}: {self.ratio:.1f} times the loop, expected at least {self.wanted:g}")
        if self.share < SHARE:
            found.append(f"{self.name}: {self.share:.2f} of the bound, expected at least {SHARE:g}")
        return found

    def plain(self) -> dict[str, Any]:
        """For JSON."""
        return {**asdict(self), "ratio": round(self.ratio, 2), "share": round(self.share, 3)}


def measure(case: Case, size: Size, model: str, repeats: int, tell: Callable[[str], object]) -> Measured:
    """Both sides and `run`, in turn, `repeats` times; of each the least CPU seconds, which other work disturbed least.

    model: for our own `--model` without `hf:`, a folder or an architecture with `/none`.
    """
    with tempfile.TemporaryDirectory(prefix="flipside-paired-") as made_in:
        folder = Path(made_in)
        items = _inputs(case, folder / "all", size)
        _inputs(case, folder / "least", case.least)
        sides: dict[str, list[tuple[float, dict[str, Any]]]] = {}
        runs: dict[str, list[float]] = {"all": [], "least": []}
        scores: dict[tuple[int, ...], float] = {}
        for number in range(repeats):
            for which in ("loop", "bound", "whole") if case.model == "clip" else ("loop", "bound"):
                tell(f"{case.name}: {which}")
                sides.setdefault(which, []).append(_side(case, which, model, folder))
            for part in runs:
                tell(f"{case.name}: run, {part} inputs")
                seconds, run_dir = _run(case, model, folder / part, folder / f"cache-{part}-{number}")
                runs[part].append(seconds)
                scores = scores if part == "least" else _scores(case, run_dir)
    (loop, looped), (bound, bounded) = (min(sides[name], key=lambda one: one[1]["work"]) for name in ("loop", "bound"))
    steps, part = case.units(items), int(looped["steps"])
    whole = min((seconds for seconds, _ in sides.get("whole", [])), default=0.0)
    loop_work = looped["work"] / part * steps
    return Measured(
        case.name, case.what.format(*size), steps, part, loop - looped["work"] + loop_work, loop_work,
        bound - bounded["least"], bounded["work"], min(one["least"] for _, one in sides["bound"]), whole,
        min(runs["all"]), min(runs["least"]), _apart(case, items, looped["scores"], scores), case.ratio,
    )  # fmt: skip


def _inputs(case: Case, folder: Path, size: Size) -> list[made.Asked]:
    (folder / DATA).mkdir(parents=True)
    items = case.inputs(folder / DATA, size)
    side.write(folder, items)
    return items


def _environment(cache: Path | None = None) -> dict[str, str]:
    """One thread, whose CPU seconds are work alone: several wait for one another by counting."""
    more = {"OMP_NUM_THREADS": "1", "HF_HUB_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "false"}
    return {**os.environ, **more, **({"FLIPSIDE_CACHE": str(cache)} if cache else {})}


def _process(command: list[str], environment: dict[str, str]) -> tuple[float, str]:
    """CPU seconds and standard output of a whole process."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as said:
        process = Popen([sys.executable, "-m", *command], cwd=ROOT, env=environment, stdout=out, stderr=said)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        for file in (out, said):
            file.seek(0)
        if process.returncode:
            raise SystemExit(f"{' '.join(command)} ended with {process.returncode}:\n{said.read().decode()[-2000:]}")
        return usage.ru_utime + usage.ru_stime, out.read().decode()


def _side(case: Case, which: str, model: str, folder: Path) -> tuple[float, dict[str, Any]]:
    """The loop or a bound: CPU seconds of the process, and what it says of itself."""
    command = ["bench.paired.side", case.name, which, model, str(folder / "all"), str(folder / "least")]
    seconds, out = _process(command, _environment())
    return seconds, json.loads(out)


def _run(case: Case, model: str, folder: Path, cache: Path) -> tuple[float, Path]:
    """`flipside run` on an empty cache; CPU seconds, and the folder of its scores."""
    environment = _environment(cache)
    data = ["--data", str(folder / DATA)]
    if case.benchmark == "custom":
        name = "paired"
        _process(["backend", "import", "custom", *data, "--as", name], environment)
        data, benchmark = [], f"custom:{name}"
    else:
        benchmark = case.benchmark
    spec = f"openclip:{model}" if case.model == "clip" else f"hf:{model}"
    command = ["backend", "run", "--model", spec, "--benchmark", benchmark, *data, "--kinds", case.kind, "--json"]
    command += ["--device", "cpu", "--dtype", "float32", "--counterfactual", str(case.others)]
    seconds, out = _process(command, environment)
    return seconds, cache / "runs" / str(json.loads(out)["run"])


def _scores(case: Case, run_dir: Path) -> dict[tuple[int, ...], float]:
    """What `run` stored, by item and text; of t2t by item and both texts."""
    from backend.engine.storage import shards

    rows = shards.read_part(run_dir, case.kind).to_pylist()
    names = ("item_no", "text_index", "text_index_b") if case.kind == "t2t" else ("item_no", "text_index")
    return {tuple(row[name] for name in names): row["value"] for row in rows}


def _apart(case: Case, items: list[made.Asked], loop: list[float], scores: dict[tuple[int, ...], float]) -> float:
    """The largest difference over what the loop scored; SystemExit where a score is missing or too far away."""
    keys: list[tuple[int, ...] | None]
    if case.kind == "t2t":
        keys = [(k, *pair) for k in range(len(items)) for pair in ((0, 1), (0, 2), (1, 2))]
    elif case.others:  # which other pictures are drawn is each side's own affair
        own = len(items[0].texts)
        keys = [(k, t) if n < own else None for k, item in enumerate(items)
                for n, t in enumerate([*range(own)] * (case.others + 1))]  # fmt: skip
    else:
        keys = [(k, t) for k, item in enumerate(items) for t in range(len(item.texts))]
    found = [abs(scores[key] - value) for key, value in zip(keys, loop, strict=False) if key is not None]
    worst = float(np.max(found))
    if not worst <= APART[case.kind]:
        raise SystemExit(
            f"{case.name}: a score of run differs by {worst:.3g} from the loop's, more than {APART[case.kind]}"
        )
    return worst
