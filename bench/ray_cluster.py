"""A run on a cluster of several nodes against the same run in one process: `python -m bench.ray_cluster`.

A Ray cluster of a head without processors and NODES nodes is started on this machine (each node with its own raylet,
object store and processes, as `ray start` makes them). Compared are, each in a cache of its own:

1. `run --planned` in one process with `run --ray`: every row, to the bit; and what the model was asked for;
2. `run` in one process (windows by the clock) with `run --ray`: the largest difference, and verdicts outside it;
3. the same with a worker process killed in the middle, then with a node killed: rows to the bit, none twice;
4. Ctrl-C in the middle, then the same command again: rows to the bit.

The driver is the verb itself in a process of its own, as a person starts it. It exits with 1 where anything differs.
"""

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import psutil
import pyarrow as pa
import typer

from backend.engine.storage import shards
from backend.paths import module_command
from backend.verbs.shared.output import print_table, say

Rows = dict[str, pa.Table]
#: Seconds that a driver may take.
LIMIT = 900.0


def rows(cache: Path) -> Rows:
    """`rows_of` the one run of a cache."""
    (run_dir,) = (cache / "runs").iterdir()
    return rows_of(run_dir)


def rows_of(run_dir: Path) -> Rows:
    """Part -> its rows, by their keys. ValueError where a run is not complete, or a row is there twice."""
    manifest = shards.read_manifest(run_dir)
    found = {}
    for part, entry in manifest["parts"].items():
        if not entry["complete"]:
            raise ValueError(f"{part} of {run_dir} is not complete")
        table = shards.read_part(run_dir, part, manifest)
        keys = [
            name for name in table.column_names if name not in ("value", "n_tokens", "tokens", "logprobs", "vector")
        ]
        if table.select(keys).group_by(keys).aggregate([]).num_rows != table.num_rows:
            raise ValueError(f"{part} of {run_dir} has a row twice")
        found[part] = table.sort_by([(key, "ascending") for key in keys]).combine_chunks()
    if problems := shards.verify(run_dir):
        raise ValueError("; ".join(problems))
    return found


def apart(one: Rows, other: Rows) -> dict[str, tuple[bool, int, float]]:
    """Part -> (equal to the bit, rows, largest difference of a value)."""
    if one.keys() != other.keys():
        raise ValueError(f"parts {sorted(one)} against {sorted(other)}")
    found = {}
    for part, table in one.items():
        theirs = other[part]
        difference = 0.0
        for name in ("value", "logprobs", "vector"):
            if name in table.column_names:
                mine, its = (np.asarray(_flat(each.column(name)), np.float64) for each in (table, theirs))
                difference = max(difference, float(np.abs(mine - its).max(initial=0.0)))
        found[part] = (table.equals(theirs), table.num_rows, difference)
    return found


def _flat(column: pa.ChunkedArray) -> Any:
    found = column.combine_chunks()
    return (found.flatten() if pa.types.is_list(found.type) else found).to_numpy(zero_copy_only=False)


class Driver:
    """`flipside run` in a process of its own."""

    def __init__(self, cache: Path, words: Sequence[str]) -> None:
        environment = os.environ | {"FLIPSIDE_CACHE": str(cache), "FLIPSIDE_PROGRESS": "json", "OMP_NUM_THREADS": "1"}
        self.begun, self.done, self.said = time.monotonic(), 0, list[str]()
        self.process = subprocess.Popen(
            module_command("backend", "run", *words, "--json", "--no-reuse"),
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment,
        )  # fmt: skip

    def until(self, share: float, act: Callable[[], object]) -> None:
        """Follow its progress, as the Runs page reads it, and act once when so much is done."""
        if self.process.stderr is None:
            raise ValueError("its standard error is not read")
        acted = False
        for line in self.process.stderr:
            found = re.match(r'\{"progress": ', line)
            if not found:
                self.said.append(line.rstrip())
                continue
            said = json.loads(line)["progress"]
            self.done = said["done"]
            if not acted and said["total"] and said["done"] >= share * said["total"]:
                acted = True
                say(f"  at {said['done']:,} of {said['total']:,} scores: {act()}")
        if not acted and share < 1:
            raise ValueError(f"the run ended before {share:.0%} of it was told: {self.said[-5:]}")

    def ended(self, expected: int = 0) -> tuple[dict[str, Any], float]:
        """The summary, and seconds. ValueError for another exit code."""
        self.until(2, lambda: None)
        out, _ = self.process.communicate(timeout=LIMIT)
        if self.process.returncode != expected:
            raise ValueError(f"exit code {self.process.returncode}: {self.said[-15:]}")
        try:
            return json.loads(out), time.monotonic() - self.begun
        except ValueError:
            raise ValueError(f"exit code {expected}, and no JSON: {out[:300]!r}; said {self.said[-15:]}") from None


def kill_a_worker() -> str:
    """Kill one process that scores."""
    found = [each for each in psutil.process_iter() if "ray::MapWorker" in " ".join(_words(each))]
    found[0].kill()
    return f"killed process {found[0].pid}, one of {len(found)}"


def _words(process: psutil.Process) -> list[str]:
    try:
        return process.cmdline()
    except psutil.Error:
        return []


def main(
    model: Annotated[str, typer.Option(help="A spec.")] = "bundled:clip",
    kinds: Annotated[str, typer.Option(help="Kinds, as run takes them.")] = "itc,t2t",
    priors: Annotated[str, typer.Option(help="Prior sources, comma separated.")] = "",
    benchmark: Annotated[str, typer.Option()] = "world",
    sample: Annotated[int, typer.Option(help="Items.")] = 600,
    nodes: Annotated[int, typer.Option(help="Nodes that score, one processor each.")] = 3,
    kills: Annotated[bool, typer.Option(help="Also kill a worker and a node, and interrupt.")] = True,
) -> None:
    """Compare, kill, compare again."""
    from ray.cluster_utils import Cluster

    words = ["--model", model, "--benchmark", benchmark, "--kinds", kinds, "--sample", str(sample)]
    words += ["--prior", priors] if priors else []
    words += ["--counterfactual", "0"]
    wrong: list[str] = []
    with tempfile.TemporaryDirectory(prefix="flipside-ray-") as folder:
        place = Path(folder)
        Driver(place / "clock", words).ended()
        planned, took = Driver(place / "planned", [*words, "--planned"]).ended()
        one, by_clock = rows(place / "planned"), rows(place / "clock")
        say(f"one process, planned: {planned['scores']:,} scores in {took:.0f} s; asked {planned['asked']}")
        cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "object_store_memory": 100 << 20})
        scoring = [cluster.add_node(num_cpus=1, object_store_memory=80 << 20) for _ in range(nodes)]
        try:
            on = [*words, "--ray", cluster.address]
            summary, took = Driver(place / "ray", on).ended()
            there = rows(place / "ray")
            say(f"{nodes} nodes: {summary['scores']:,} scores in {took:.0f} s; asked {summary['asked']}")
            if summary["asked"] != planned["asked"]:
                wrong.append("the cluster asked the model for other things than one process")
            clock = apart(by_clock, there)
            table = [
                (part, n, "yes" if same else "NO", f"{apart_:.1e}", f"{clock[part][2]:.1e}")
                for part, (same, n, apart_) in apart(one, there).items()
            ]
            print_table(("part", "rows", "to the bit", "difference", "from windows by the clock"), table)
            wrong += [f"{part}: not to the bit" for part, (same, *_) in apart(one, there).items() if not same]
            for name, share, act in _accidents(cluster, scoring) if kills else ():
                cache, stopped = place / name.replace(" ", "-"), name == "interrupted"
                driver = Driver(cache, on)
                driver.until(share, lambda act=act, driver=driver: act(driver))  # type: ignore[misc]
                _, took = driver.ended(130 if stopped else 0)
                more = ""
                if stopped:
                    again, _ = Driver(cache, on).ended()
                    more = f"; the same command computed the last {again['scores']:,}"
                same = all(each[0] for each in apart(one, rows(cache)).values())
                seen = "equal to the bit" if same else "DIFFERENT"
                say(f"{name}: {took:.0f} s, rows {seen}{more}; {driver.said[-3:]}")
                wrong += [] if same else [f"{name}: rows differ"]
        finally:
            cluster.shutdown()
    for line in wrong:
        say(f"WRONG: {line}")
    raise typer.Exit(bool(wrong))


def _accidents(cluster: Any, scoring: list[Any]) -> list[tuple[str, float, Callable[[Driver], str]]]:
    def node(_: Driver) -> str:
        cluster.remove_node(scoring[0], allow_graceful=False)
        return "killed a node with all its processes"

    def stop(driver: Driver) -> str:
        driver.process.send_signal(signal.SIGINT)
        return "Ctrl-C"

    return [
        ("interrupted", 0.3, stop),
        ("worker killed", 0.3, lambda _: kill_a_worker()),
        ("node killed", 0.3, node),
    ]


if __name__ == "__main__":
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    with tempfile.TemporaryDirectory(prefix="ray-", dir="/tmp", ignore_cleanup_errors=True) as home:
        os.environ["RAY_TMPDIR"] = home  # not over what `ray start` notes in Ray's own folder
        sys.exit(typer.run(main))
