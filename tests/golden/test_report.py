"""`flipside report --json`: its document for every kind, protocol and option, and which metrics each of them gives."""

from typing import Any

import pytest

from backend.items import Kind
from tests.engine.samples import PARTS_OF_ALL
from tests.golden.calls import call, check_document
from tests.golden.conftest import MODEL
from tests.golden.kept import check_shape, shape_of

#: What the kept file is called -> what is asked.
CASES: dict[str, tuple[object, ...]] = {
    **{str(kind): ("--benchmark", "mixed", "--kind", kind) for kind in Kind if kind in PARTS_OF_ALL},
    "subset": ("--benchmark", "mixed", "--subset", "quad"),
    "by-concept": ("--benchmark", "mixed", "--by", "concept"),
    "by-diagnosis": ("--benchmark", "mixed", "--by", "diagnosis", "--subset", "choice"),
    "alpha": ("--benchmark", "mixed", "--alpha", 0.5, "--prior", "noise:2", "--norm", "sum", "--subset", "choice,tri"),
    "threshold": ("--benchmark", "mixed", "--kind", "itm", "--threshold", 0.3, "--subset", "choice"),
    "normalise": ("--benchmark", "mixed", "--normalise", "softmax-cells", "--subset", "quad"),
    "classify": ("--benchmark", "elevater"),
    "grounding": ("--benchmark", "video_grounding"),
    "protocol": ("--benchmark", "winoground", "--kind", "gen", "--published-as", "VisualGPTScore (alpha=0)"),
    "retrieval": ("--benchmark", "coco", "--kind", "itc", "--published-as", "FIBER"),
    "printed": ("--benchmark", "visla", "--published-as", "All-MiniLM-L6-v2"),
    "orders": ("--model", "predictions:sys", "--benchmark", "custom:set"),
}
#: Mappings whose keys are metrics, groups, subsets. Which metrics there are is kept apart, in report/metrics.json.
NAMED = (
    "metrics", "by", "by.*", "undefined", "alpha_star", "monte_carlo.rates", "orders.by_subset",
    "setting.prior_samples.by_subset", "reasons", "reasons.*.cells", "reasons.*.reasons",
)  # fmt: skip
ENTRY = ("ci95", "published", "noise")
NULLABLE = (
    *(f"metrics.*.{name}" for name in ENTRY),
    *(f"by.*.*.{name}" for name in ENTRY),
    *(f"alpha_star.*.{name}" for name in ("uncertainty.bootstrap", "uncertainty.gain.ci95", "uncertainty")),
    "alpha_star.*.dev_test.test_gain",
    *(f"reasons.*.at_least.{name}" for name in ("value", "ci95", "by_rank")),
    *(f"alpha_star.*.{name}" for name in ("all.interval", "protocol", "dev_test")),
    *(f"monte_carlo.{name}" for name in ("se", "effective_samples")),
    "official.[].published",
)


def ask(*more: object) -> Any:
    given = more if "--model" in more else ("--model", MODEL, *more)
    answer = call("report", *given, "--json")
    assert answer.code == 0, answer.err
    return answer.json


@pytest.mark.long
@pytest.mark.usefixtures("stored")
@pytest.mark.parametrize("case", CASES)
def test_the_document(case):
    check_document(f"json/report/{case}", ask(*CASES[case]), NAMED, NULLABLE)


@pytest.mark.slow
@pytest.mark.usefixtures("stored")
def test_which_metrics_there_are():
    """Of each subset, which is a protocol, under each kind. Values are numbers, undefined ones null."""
    whole = {str(kind): ask(*CASES[kind]) for kind in Kind if kind in PARTS_OF_ALL}
    found = {
        kind: {part: _values(entries) for part, entries in document["by"].items()} for kind, document in whole.items()
    }
    found["itc"]["the pool, on top"] = _values(whole["itc"]["metrics"])
    for name in ("classify", "grounding", "orders"):
        document = ask(*CASES[name])
        found[name] = {name: _values(document["metrics"])}
    check_shape("json/report/metrics", found)


def _values(entries: dict[str, Any]) -> Any:
    return shape_of({name: entry["value"] for name, entry in entries.items()})
