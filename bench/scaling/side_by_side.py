"""Studies side by side, each on a Ray cluster of its own: python -m bench.scaling.side_by_side [--sample 1500]

What docs/clusters.md recommends, seen on this machine: four models of one file that write down each time they are
loaded. First `study whole.toml --ray HOST:PORT` on a cluster of `PROCESSES` nodes with a processor each. Then two
files with two of the models each, at the same time, on two clusters of one node, in one cache; then one of the two
again in a third cache, killed after its first model with its cluster, and given again on a new one. Every row of the
other caches has to be that of the first, to the bit, none missing and none twice; the whole study's table has to know
all cells; and models have to be loaded as often as the simulation says (schedule.py). It exits with 1 where anything
differs.
"""

import os
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

import typer

from backend.engine.planned import CELLS
from backend.engine.storage import shards
from backend.paths import module_command
from backend.verbs.shared.output import say
from bench.ray_cluster import Rows, apart, rows_of
from bench.scaling.pool import Cell
from bench.scaling.schedule import side_by_side

NAMES = ("north", "east", "south", "west")
#: Nodes of the one cluster.
PROCESSES = 2
#: Seconds that a command may take.
LIMIT = 600.0
#: Texts and pictures against each other by their bytes; its weights are its name.
MODEL = """
import os, time
from pathlib import Path

import numpy as np


class Score:
    kind = "itm"

    def __init__(self, log, name):
        self.weights_id = self.name = name
        with Path(log).open("a") as file:
            file.write(f"{name} {os.getpid()} {time.time()}\\n")

    def score(self, images, texts):
        return [float(np.asarray(i).mean() + len(self.name + t) % 7) for i, t in zip(images, texts)]


def load(argument):
    log, _, name = argument.rpartition(",")
    return Score(log, name)
"""
#: A cluster of some nodes with a processor each, until its standard input ends.
CLUSTER = """
import sys
from ray.cluster_utils import Cluster

cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "object_store_memory": 100 << 20})
for _ in range(int(sys.argv[1])):
    cluster.add_node(num_cpus=1, object_store_memory=80 << 20)
print(cluster.address, flush=True)
sys.stdin.read()
cluster.shutdown()
"""


@dataclass
class Seen:
    """How often models were loaded, really and as schedule.py has it, by the one study and by those side by side. rows:
    of the one study. kept: rows that were committed when a command was killed. wrong: what differs."""

    loads: tuple[int, int] = (0, 0)
    simulated: tuple[int, int] = (0, 0)
    rows: int = 0
    kept: int = 0
    wrong: list[str] = field(default_factory=list)


class Place:
    """A folder with the models' file, the log of their loads, grid files and caches."""

    def __init__(self, folder: Path, sample: int) -> None:
        """sample: items of each cell."""
        self.folder, self.sample, self.log = folder, sample, folder / "loads.log"
        (folder / "models.py").write_text(MODEL, encoding="utf-8")
        self.log.touch()

    def grid(self, name: str, models: Sequence[str]) -> Path:
        """The file of a study of some models."""
        entries = [f'[[models]]\nspec = "{self.spec(model)}"\nname = "{model}"\n' for model in models]
        benchmark = f'[[benchmarks]]\nname = "world"\nsample = {self.sample}\n'
        path = self.folder / f"{name}.toml"
        path.write_text('kinds = ["itm"]\n' + "\n".join([*entries, benchmark]), encoding="utf-8")
        return path

    def spec(self, model: str) -> str:
        """What names a model in a grid file."""
        return f"py:models.py:load#{self.log},{model}"

    def loads(self) -> int:
        """How often models were loaded since it was asked before."""
        lines = self.log.read_text(encoding="utf-8").splitlines()
        self.log.write_text("", encoding="utf-8")
        return len(lines)

    def begin(self, cache: str, *words: str) -> subprocess.Popen[str]:
        """A command in a cache."""
        environment = os.environ | {
            "FLIPSIDE_CACHE": str(self.folder / cache), "OMP_NUM_THREADS": "1",
            "FLIPSIDE_PY_MODELS": shlex.join(f"py:{self.folder}/models.py:load#{self.log},{name}" for name in NAMES),
        }  # fmt: skip
        return subprocess.Popen(
            module_command("backend", *words), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            env=environment, cwd=self.folder,
        )  # fmt: skip

    def runs(self, cache: str) -> dict[str, Rows]:
        """Run id -> its rows by their keys. ValueError where one is not complete, or has a row twice."""
        return {run.name: rows_of(run) for run in sorted((self.folder / cache / "runs").iterdir())}

    def committed(self, cache: str) -> int:
        """Rows that count in a cache at this moment."""
        runs = (self.folder / cache / "runs").glob("*/" + shards.MANIFEST)
        parts = [part for path in runs for part in shards.read_manifest(path.parent)["parts"].values()]
        return sum(shard["rows"] for part in parts for shard in part["shards"])


@contextmanager
def clusters(*nodes: int) -> Iterator[list[str]]:
    """Clusters of so many nodes with a processor each: their addresses. In Ray's own folder they would put theirs over
    that of the cluster that this machine belongs to."""
    with tempfile.TemporaryDirectory(prefix="ray-", dir="/tmp", ignore_cleanup_errors=True) as home:
        found = [
            subprocess.Popen(
                [sys.executable, "-c", CLUSTER, str(n)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL, text=True,
                env=os.environ | {"RAY_USAGE_STATS_ENABLED": "0", "RAY_TMPDIR": f"{home}/{at}"},
            )
            for at, n in enumerate(nodes)
        ]  # fmt: skip
        try:
            yield [process.stdout.readline().strip() if process.stdout else "" for process in found]
        finally:
            for process in found:
                process.communicate("", timeout=60)


def ended(process: subprocess.Popen[str]) -> str:
    """What a command said. ValueError where it failed."""
    said, _ = process.communicate(timeout=LIMIT)
    if process.returncode:
        raise ValueError(f"{process.args}: exit code {process.returncode}: {said[-1500:]}")
    return said


def simulated(runs: dict[str, Rows], parts: int, machines: int) -> int:
    """How often models are loaded by schedule.py, for cells with the windows of these runs."""
    (windows,) = {-(-sum(table.num_rows for table in rows.values()) // CELLS) for rows in runs.values()}
    cells = [Cell(run, windows, 1.0, 1.0) for run in runs]
    return side_by_side([cells[k::parts] for k in range(parts)], machines, 1).loads


def seen(folder: Path, sample: int, names: Sequence[str] = NAMES, *, kill: bool) -> Seen:
    """Fill the caches. kill: the third one, too."""
    place, found = Place(folder, sample), Seen()
    whole = place.grid("whole", names)
    with clusters(PROCESSES) as (address,):
        ended(place.begin("one", "study", str(whole), "--ray", address))
    one, first = place.runs("one"), place.loads()
    halves = [place.grid(f"part{k + 1}", names[k::2]) for k in range(2)]
    with clusters(1, 1) as addresses:
        both = [
            place.begin("two", "study", str(grid), "--ray", address)
            for grid, address in zip(halves, addresses, strict=True)
        ]
        for process in both:
            ended(process)
    two, second = place.runs("two"), place.loads()
    found.loads, found.simulated = (first, second), (simulated(one, 1, PROCESSES), simulated(one, 2, 1))
    found.rows = sum(table.num_rows for rows in one.values() for table in rows.values())
    found.wrong += differences("side by side", one, two)
    said = ended(place.begin("two", "table", str(whole)))
    if "not been scored" in said or not all(name in said for name in names):
        found.wrong.append(f"the whole study's table lacks a cell: {said[-500:]}")
    if kill:
        found.kept = killed_and_again(place, halves[0])
        rest = {name: rows for name, rows in one.items() if name in place.runs("three")}
        found.wrong += differences("killed and given again", rest, place.runs("three"))
        found.wrong += [] if len(rest) == len(names[::2]) else [f"killed and given again: {len(rest)} runs"]
    found.wrong += [] if found.loads == found.simulated else ["models were loaded more or less often than simulated"]
    return found


def killed_and_again(place: Place, grid: Path) -> int:
    """Kill a study after its first cell, and its cluster; give it again on another one. The rows that were kept."""
    with clusters(1) as (address,):
        process = place.begin("three", "study", str(grid), "--ray", address)
        said = []
        for line in process.stdout or ():
            said.append(line)
            if ": done" in line:
                break
        process.kill()
        process.communicate()
        if not said or ": done" not in said[-1]:
            raise ValueError(f"no cell was filled: {said[-5:]}")
    kept = place.committed("three")
    with clusters(1) as (address,):
        ended(place.begin("three", "study", str(grid), "--ray", address))
    return kept


def differences(name: str, one: dict[str, Rows], other: dict[str, Rows]) -> list[str]:
    """In what the runs of two caches differ."""
    if one.keys() != other.keys():
        return [f"{name}: runs {sorted(other)} where {sorted(one)} were expected"]
    return [
        f"{name}: {part} of {run} differs"
        for run, rows in one.items()
        for part, (same, *_) in apart(rows, other[run]).items()
        if not same
    ]


def main(sample: Annotated[int, typer.Option(help="Items of each cell.")] = 1500) -> None:
    """Print what was seen."""
    with tempfile.TemporaryDirectory(prefix="flipside-side-") as folder:
        found = seen(Path(folder), sample, kill=True)
    say(
        f"{len(NAMES)} models, {found.rows:,} rows. Models loaded: {found.loads[0]} times by one study on {PROCESSES} "
        f"nodes (simulated {found.simulated[0]}), {found.loads[1]} times by two side by side (simulated "
        f"{found.simulated[1]}); killed with {found.kept:,} rows committed, and given again."
    )
    for line in found.wrong or ["Rows are equal to the bit, none missing, none twice."]:
        say(line)
    raise typer.Exit(bool(found.wrong))


if __name__ == "__main__":
    sys.exit(typer.run(main))
