"""The work of the fifty models as docs/scaling.md shows it: on a laptop, on a GPU, and beside what was measured."""

from bench.scaling.assumed import BARE, CPU_SECONDS, DECODED, H100, HOUR, SUGARCREPE, cells
from bench.scaling.subjects import EQBEN, MODELS, scores
from bench.scaling.work import Inputs, Machine, Subject
from scripts.markdown import table


def laptop_part() -> str:
    """EqBen on the cores that were measured."""
    a_second = work("CLIP ViT-B/32", SUGARCREPE) / CPU_SECONDS
    small, matching, chat = (work(name, EQBEN) for name in ("CLIP ViT-B/32", "BLIP base matching", "LLaVA-1.5-7B"))
    return (
        f"By the arithmetic below that is {work('CLIP ViT-B/32', SUGARCREPE) / 1e12:.0f} × 10¹² operations, so a CPU "
        f"second does about {a_second / 1e9:.0f} GFLOP. EqBen under the same model is {small / 1e15:.1f} × 10¹⁵ "
        f"operations: {small / a_second / HOUR:.0f} CPU hours. A BLIP matching head of base size would take "
        f"{matching / a_second / HOUR / 24:.0f} CPU days, a chat model of 7 billion parameters "
        f"{chat / a_second / HOUR / 24 / 365:.1f} CPU years.\n"
    )


def models_part() -> str:
    """The models with their sum."""
    total = sum(cell.windows * cell.seconds for cell in cells(H100)) / HOUR
    said = f"\n{scores() / 1e6:,.1f} million scores, {total:,.1f} GPU hours if nothing but scoring took time.\n"
    return models_table(H100) + said


def seen_part() -> str:
    """The assumptions beside what a GPU showed."""
    large = subject("CLIP ViT-L/14")
    share = BARE * (large.see + 2 * large.read) / H100.peak
    lines = [f"ViT-L/14 with two captions a picture, {BARE:,} pictures a second, is {share:.0%} of the peak."]
    table_s = H100.decode(EQBEN)
    for decoded, reached in DECODED.items():
        took = EQBEN.images / (decoded * reached)
        more = [each.name for _, each in MODELS if table_s < H100.compute(each, EQBEN) < took]
        also = f"; {', '.join(more)} wait for decoding, too" if more else ""
        lines.append(
            f"Where {decoded:,} pictures a second are decoded and a run reaches {decoded * reached:,.0f}, decoding "
            f"takes {took / HOUR:.2f} h a model instead of {table_s / HOUR:.2f} ({took / table_s:.1f} times as long)"
            f"{also}."
        )
    return "\n".join(lines) + "\n"


def subject(name: str) -> Subject:
    """A model of the table."""
    return next(each for _, each in MODELS if each.name == name)


def work(name: str, inputs: Inputs) -> float:
    """Operations of a model on a processor, which makes the keys and values of a picture once for all its pairs."""
    mine = subject(name)
    seen = mine.see + mine.keys
    return seen * inputs.images + mine.read * inputs.texts + (mine.meet - mine.keys) * inputs.pairs


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
