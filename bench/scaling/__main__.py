"""The tables of docs/scaling.md: python -m bench.scaling [--write] [--gpus 64] [--hourly 5] [--seeds 20]

Prints what it costs to score EqBen under fifty models on so many GPUs, by the arithmetic of `work.py` and the
simulation of `schedule.py`. `--write` puts it into the page. `python -m bench.scaling.decoding` measures the one figure
that comes from this machine.
"""

import statistics
import sys
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from bench.scaling.schedule import Chances, Job, Outcome, simulate
from bench.scaling.subjects import EQBEN, MODELS, QUADS, SHARD, scores
from bench.scaling.work import Machine, Subject
from scripts.markdown import table

PAGE = Path(__file__).resolve().parents[2] / "docs" / "scaling.md"
#: An H100 SXM by NVIDIA's data sheet, 989 * 10^12 operations a second in bfloat16 without sparsity. That a tower
#: reaches 35 % of it, and 16 cores beside each GPU, is assumed; pictures a second and core are measured
#: (`bench.scaling.decoding`).
H100 = Machine(peak=989e12, reached=0.35, cores=16, decoded=96.0)
#: Seconds until a worker and its libraries are there, and gigabytes of weights read a second: assumed.
START, READING = 30.0, 0.5
#: Assumed: a shard's time spreads by 15 %, 3 % of the GPUs take half as long again, another stands in after 5 minutes.
USUAL = Chances(spread=0.15, slow=0.03, slowness=1.5, back=300.0)
HOUR = 3600.0


def jobs(machine: Machine, *, decoded: bool = False) -> list[Job]:
    """One job for each of the fifty models."""
    parts = -(-QUADS // SHARD)
    share = EQBEN.share(parts)
    found = []
    for n, subject in MODELS:
        seconds, load = machine.seconds(subject, share, decoded), START + subject.gigabytes / READING
        found += [Job(f"{subject.name} {k + 1}", parts, seconds, load) for k in range(n)]
    return found


def models_table(machine: Machine) -> str:
    """What each model's share is: operations, GPU and decoding hours, and which of the two it waits for."""

    def row(n: int, subject: Subject) -> tuple[str, ...]:
        compute, decode = machine.compute(subject, EQBEN) / HOUR, machine.decode(EQBEN) / HOUR
        giga = [f"{value / 1e9:,.1f}" if value else "" for value in (subject.see, subject.read, subject.meet)]
        waits = "decoding" if decode > compute else "the GPU"
        hours = n * max(compute, decode)
        return (str(n), subject.name, subject.kind, *giga, f"{compute:.2f}", f"{decode:.2f}", waits, f"{hours:.1f}")

    head = ("models", "each", "kind", "an image, GFLOP", "a text", "a pair", "GPU h", "decoding h", "waits for", "h")
    return table(head, [row(n, subject) for n, subject in MODELS])


def schedule_table(machine: Machine, gpus: int, seeds: int, hourly: float) -> str:
    """The simulated schedules: means over seeds, and the worst end."""
    usual, often, third = replace(USUAL, taken=hourly / 100), replace(USUAL, taken=hourly / 10), machine.reached / 3.5
    slower = replace(machine, reached=third)
    plain = [
        ("nothing goes wrong", Chances(), jobs(machine), True),
        ("stragglers", USUAL, jobs(machine), True),
        (f"stragglers, {hourly:g} % preempted an hour", usual, jobs(machine), True),
        ("… each model on one GPU", usual, jobs(machine), False),
        ("… pictures lie there decoded", usual, jobs(machine, decoded=True), True),
        (f"… towers reach {third:.0%} of the peak", usual, jobs(slower), True),
        (f"… {10 * hourly:g} % preempted an hour", often, jobs(machine), True),
    ]
    rows = []
    for what, chances, work, share in plain:
        found = [simulate(work, gpus, chances, seed, share=share) for seed in range(seeds)]
        rows.append((what, *_means(found)))
    head = ("schedule", "end, h", "worst of the seeds", "GPU h held", "scoring", "loading", "lost", "idle", "preempted")
    return table(head, rows)


def _means(found: list[Outcome]) -> tuple[str, ...]:
    def mean(values: list[float]) -> float:
        return statistics.fmean(values) / HOUR

    busy, loading, lost, held = (
        mean([getattr(o, name) for o in found]) for name in ("busy", "loading", "lost", "held")
    )
    shares = [f"{part / held:.1%}" for part in (busy, loading, lost, held - busy - loading - lost)]
    end, worst = mean([o.end for o in found]), max(o.end for o in found) / HOUR
    return f"{end:.2f}", f"{worst:.2f}", f"{held:.1f}", *shares, f"{statistics.fmean(o.taken for o in found):.1f}"


def put(page: str, name: str, made: str) -> str:
    """The page with the table between its marks replaced."""
    begin, end = f"<!-- {name}: made by `python -m bench.scaling --write` -->", f"<!-- end of {name} -->"
    before, _, rest = page.partition(begin)
    _, found, after = rest.partition(end)
    if not found:
        raise SystemExit(f"{PAGE.name}: expected the lines {begin!r} and {end!r} around the table.")
    return f"{before}{begin}\n{made.rstrip()}\n{end}{after}"


def tables(gpus: int, hourly: float, seeds: int) -> dict[str, str]:
    """Both tables by name."""
    return {"models": models_part(), "schedule": schedule_table(H100, gpus, seeds, hourly)}


def models_part() -> str:
    """The models with their sum."""
    total = sum(job.shards * job.seconds for job in jobs(H100)) / HOUR
    said = f"\n{scores() / 1e6:,.1f} million scores, {total:,.1f} GPU hours if nothing but scoring took time.\n"
    return models_table(H100) + said


def main(
    gpus: Annotated[int, typer.Option()] = 64,
    hourly: Annotated[float, typer.Option(help="Percent of the GPUs that are preempted an hour.")] = 5.0,
    seeds: Annotated[int, typer.Option()] = 20,
    write: Annotated[bool, typer.Option("--write", help="Into docs/scaling.md.")] = False,
) -> None:
    """Print the tables."""
    found = tables(gpus, hourly, seeds)
    if write:
        page = PAGE.read_text(encoding="utf-8")
        for name, made in found.items():
            page = put(page, name, made)
        PAGE.write_text(page, encoding="utf-8")
    sys.stdout.write("\n".join(found.values()))


if __name__ == "__main__":
    typer.run(main)
