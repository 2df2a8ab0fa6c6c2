"""The text of docs/fidelity.md, made of the measured numbers under docs/fidelity/."""

import json
from pathlib import Path
from typing import Any

from scripts import kept_study

KEPT = Path(__file__).resolve().parent.parent / "docs" / "fidelity"
INTRO = """# Fidelity

Is a number of Flipside's the model's own? Each family's adapter is held against the forward pass of its reference
library, on random-weight models of the real architectures (`tests/zoo/`): written to a folder with tokenizer and image
processor, loaded by the adapter, and asked about seven pictures and seven texts of different sizes and lengths. What is
compared: every component of the embeddings, match and "Yes" probabilities (and their log-odds, relative to their size),
and the log-probability of every scored token. The numbers are the largest absolute differences.

- **reference**: all pairs in one call, against the library's own forward pass of one pair at a time.
- **batch of 1**, **batch of 7**: the same with the adapter's batch forced to that size.
- **company**: each pair asked alone, against the same pair among the others and their repetitions.
- **odd images**: RGBA, palette, grey, CMYK, EXIF-rotated, 1-pixel and narrow pictures, against the reference's answer
  for what they look like as upright RGB on white.

Your own model: `flipside doctor --model SPEC` runs the same checks on it and prints a verdict. This page is
made by `make fidelity`; nothing in it is typed by hand, and `tests/models/test_fidelity.py` asserts every line of the
float32 tables in continuous integration, and that each model tells the pictures and the texts apart by more than ten
times the limit: otherwise none of this could fail.
"""


def table(head: list[str], rows: list[list[str]]) -> str:
    """A Markdown table."""
    return "\n".join(
        ["| " + " | ".join(head) + " |", "|" + "---|" * len(head), *("| " + " | ".join(r) + " |" for r in rows)]
    )


def shown(row: dict[str, Any]) -> str:
    """A difference as the page shows it; what failed in bold."""
    if row["largest"] is None:
        return "**failed**"
    said = "0" if row["largest"] == 0 else f"{row['largest']:.0e}"
    return said if row["ok"] else f"**{said}**"


def matrix(rows: list[dict[str, Any]]) -> str:
    """One line a model and kind, one column a check."""
    checks = list(dict.fromkeys(row["check"] for row in rows))
    lines: dict[tuple[str, str, str, str], dict[str, str]] = {}
    for row in rows:
        key = (row["family"], row["model"], row["class"], row["kind"])
        lines.setdefault(key, {})[row["check"]] = shown(row)
    body = [
        [f"`{family}`", name, f"`{klass}`", kind, *(cells.get(check, "–") for check in checks)]
        for (family, name, klass, kind), cells in sorted(lines.items(), key=lambda line: line[0])
    ]
    return table(["family", "model", "class", "score", *checks], body)


def summary(rows: list[dict[str, Any]]) -> str:
    """One line a family and kind: the largest difference among its models in each check."""
    checks = list(dict.fromkeys(row["check"] for row in rows))
    groups: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for row in rows:
        groups.setdefault((row["family"], row["kind"]), []).append(row)
    body = []
    for (family, kind), found in sorted(groups.items()):
        cells = []
        for check in checks:
            here = [row for row in found if row["check"] == check]
            worst = max(here, key=lambda row: (not row["ok"], row["largest"] or 0.0), default=None)
            cells.append("–" if worst is None else shown(worst))
        own = [f"{max(row['own'] for row in found):.0e}"] if all("own" in row for row in found) else []
        body.append([f"`{family}`", kind, str(len({row["model"] for row in found})), *cells, *own])
    halves = ["library's own error"] if all("own" in row for row in rows) else []
    return table(["family", "score", "models", *checks, *halves], body)


def section(title: str, found: dict[str, Any]) -> str:
    """A measured table with its date, machine and libraries."""
    using = ", ".join(f"{name} {number}" for name, number in found["versions"].items())
    rows = found["rows"]
    bad = [row for row in rows if not row["ok"]]
    verdict = "all within the limit" if not bad else f"**{len(bad)} outside the limit**"
    limits = f"{min(row['limit'] for row in rows):g}"
    if any("own" in row for row in rows):
        limits += " or twice the library's own error (how far its answers in this precision lie from its float32 ones)"
    about = f"{found['date']}, {found['machine']}, {found['dtype']}; {using}. {len(rows)} comparisons of "
    about += f"{sum(row['n'] for row in rows):,} numbers, limit {limits}: {verdict}."
    problems = "".join(
        f"\n- {row['model']}, {row['kind']}, {row['check']}: {row['problem']}" for row in bad if row["problem"]
    )
    return f"## {title}\n\n{about}\n\n{summary(rows)}\n\n### Each model\n\n{matrix(rows)}\n{problems}"


def load_kept(name: str) -> dict[str, Any] | None:
    """A committed result of another command, or of an earlier run of this one."""
    file = KEPT / f"{name}.json"
    return json.loads(file.read_text(encoding="utf-8")) if file.is_file() else None


def reproduction() -> str:
    """What was computed anew of what a paper prints, with the variants that must and must not change it."""
    found = load_kept("reproduction")
    if found is None:
        return ""
    body = []
    for row in found["rows"]:
        printed = "–" if row["published"] is None else f"{100 * row['published']:.2f}"
        apart = "–" if row["difference"] is None else f"{round(100 * row['difference'], 2) + 0.0:+.2f}"
        verdict = {True: "agrees", False: "**differs**", None: ""}[row.get("agrees")]
        if row["variant"] == "perturbed":
            verdict = "differs, as it must" if row["agrees"] is False else "**should differ**"
        body.append(
            [row["variant"], row["subset"], f"`{row['metric']}`", printed, f"{100 * row['ours']:.2f}", apart,
             str(row["n"]), verdict]
        )  # fmt: skip
    held = "".join(f"\n- {name}: {'yes' if so else '**no**'}" for name, so in found["held"].items())
    using = ", ".join(f"{name} {number}" for name, number in found["versions"].items())
    return (
        "## Reproduction\n\n"
        f"{found['what']}, real weights ({found['model']['package']} {found['model']['version']}); {using}. A "
        "comparison counts only if it could fail: the same rows shuffled must give the same, 100 sampled items and "
        f"perturbed weights ({found['perturbed']}) must not.\n\n"
        + table(["rows", "subset", "metric", "printed", "ours", "difference", "n", ""], body)
        + f"\n{held}\n\nWhat is known about the difference on the spatial part: [published.md](published.md). Made by "
        "`.venv/bin/python -m scripts.reproduce`.\n"
    )


def openclip() -> str:
    """The study of all architectures that open_clip names."""
    file = KEPT / "openclip.json.gz"
    if not file.is_file():
        return ""
    found = kept_study.read(file)
    models = found["models"]
    groups: dict[str, list[str]] = {}
    for name, entry in models.items():
        said = entry["status"] if entry["status"] == "equal" else f"{entry['status']}: {entry.get('reason', '')}"
        groups.setdefault(said, []).append(name)
    body = []
    for said, names in sorted(groups.items(), key=lambda group: (group[0] != "equal", -len(group[1]))):
        worst = max((models[n]["largest"] for n in names if models[n].get("largest") is not None), default=None)
        shrunk = sum(bool(models[n].get("shrunk")) for n in names)
        shown_ = ", ".join(f"`{n}`" for n in names[:4]) + (f" and {len(names) - 4} more" if len(names) > 4 else "")
        body.append([said, str(len(names)), str(shrunk), "–" if worst is None else f"{worst:.0e}", shown_])
    using = ", ".join(f"{name} {number}" for name, number in found["versions"].items())
    return (
        f"## Every architecture of open_clip\n\n{found['date']}; {using}. {found['what']}; limit {found['limit']:g}. "
        "Shrunk: widths and heads as they are, depth cut to 2 layers. One line an outcome; each name's own figures are "
        "in `docs/fidelity/openclip.json.gz`. Made by `.venv/bin/python -m scripts.openclip_parity`, resumable.\n\n"
        + table(["outcome", "architectures", "of these shrunk", "largest difference", "which"], body)
        + "\n"
    )


def page() -> str:
    """The whole page."""
    parts = [INTRO]
    for file in sorted(KEPT.glob("parity-*.json.gz"), key=lambda file: ("float32" not in file.stem, file.stem)):
        found = kept_study.read(file)
        parts.append(section(f"Parity in {found['dtype']} on {file.stem.split('-')[1].upper()}", found))
    return "\n".join([*parts, reproduction(), openclip()])
