"""What a run says at its end, and while it goes on."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class Progress:
    """One report while a run goes on: scores done and to do in this session, and the seconds it has taken."""

    done: int
    total: int
    seconds: float


@dataclass
class LeftOut:
    """Items that have no scores of some parts, and why. items: the first few of their ids."""

    reason: str
    n: int
    parts: list[str]
    items: list[str]


@dataclass
class RunSummary:
    """The outcome of one session of a run.

    parts: part -> {"complete", "rows", "new_rows", "taken_rows" (of the new ones, those that were taken over), "failed"
    (only where it did)}. n_items: items selected. skipped:
    parts that this benchmark has no cells for, and why. unreadable: item id -> why its image cannot be opened. asked:
    how often the model was asked for what, and images decoded, without those of the check of batching; taken: run ->
    part -> how many of its scores were taken over (reuse.py);
    computed: scores of this session that were not. notes: what was told when it began. counterfactual: under how many
    other images captions were asked for, and what it would take (counterfactual.py). seconds: of the whole session;
    scoring: of these, what windows of work took, without loading the model, reading the benchmark, taking known scores.
    goes_on: whether the same command would find this run again, which it does not where nobody knows the weights.
    """

    run_id: str
    run_dir: Path
    model: str
    benchmark: str
    n_items: int
    parts: dict[str, dict[str, Any]] = field(default_factory=dict)
    left_out: list[LeftOut] = field(default_factory=list)
    unreadable: dict[str, str] = field(default_factory=dict)
    skipped: dict[str, str] = field(default_factory=dict)
    asked: dict[str, int] = field(default_factory=dict)
    taken: dict[str, dict[str, int]] = field(default_factory=dict)
    computed: int = 0
    notes: list[str] = field(default_factory=list)
    counterfactual: dict[str, Any] = field(default_factory=dict)
    seconds: float = 0.0
    scoring: float = 0.0
    interrupted: bool = False
    goes_on: bool = True

    @property
    def failed(self) -> dict[str, str]:
        """Part -> why it stopped."""
        return {part: entry["failed"] for part, entry in self.parts.items() if "failed" in entry}

    @property
    def exit_code(self) -> int:
        """130 interrupted; 1 where a part failed, an image could not be read or nothing could be scored; else 0."""
        if self.interrupted:
            return 130
        nothing = not any(entry["rows"] for entry in self.parts.values())
        return int(bool(self.failed or self.unreadable or nothing))

    def document(self) -> dict[str, Any]:
        """The JSON form."""
        return {
            "run": self.run_id,
            "folder": str(self.run_dir),
            "model": self.model,
            "benchmark": self.benchmark,
            "n_items": self.n_items,
            "parts": self.parts,
            "left_out": [
                {"reason": entry.reason, "n": entry.n, "parts": entry.parts, "items": entry.items}
                for entry in self.left_out
            ],
            "skipped": self.skipped,
            "asked": self.asked,
            "scores": self.computed,
            "seconds": round(self.seconds, 3),
            "rate": round(self.computed / self.seconds, 1) if self.seconds else None,
            "interrupted": self.interrupted,
            "taken": self.taken,
            "notes": self.notes,
            "counterfactual": self.counterfactual,
        }
