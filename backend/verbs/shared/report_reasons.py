"""What `flipside report` prints of cells and reasons: a table of each a protocol, and what there are too few of."""

from typing import Any

from backend import written
from backend.metrics.reasons.names import CELLS, NAMES, NOTHING_SEEN, of_group, reasons_of
from backend.protocols import Protocol
from backend.verbs.shared.output import print_table, say


def show_reasons(found: dict[str, dict[str, Any]]) -> None:
    """found: subset -> what `store/reasons/summary.py` says of it."""
    for protocol in CELLS:
        own = {subset: told for subset, told in found.items() if told["protocol"] == protocol}
        if own:
            _show(protocol, own)


def _show(protocol: Protocol, found: dict[str, dict[str, Any]]) -> None:
    scales = ", ".join(dict.fromkeys(told["scale"] for told in found.values()))
    say(f"\nWhat decides each of the {protocol.info.title}; in brackets as many as luck alone would put there")
    say("(scores as they come)" if scales == "as they come" else f"(scores as {scales})")
    cells = CELLS[protocol]
    print_table(
        ("subset", "n", "clusters", *(NAMES[cell] for cell in cells), "more than luck"),
        [
            (subset, told["n"], told["clusters"], *(_cell(cell, told["cells"][cell], told["n"]) for cell in cells),
             told["at_least"]["said"])
            for subset, told in found.items()
        ],
    )  # fmt: skip
    reasons = reasons_of(protocol)
    say("Reasons that the evidence certifies, items")
    print_table(
        ("subset", *(of_group(reason) for reason in reasons)),
        [(subset, *(told["reasons"][reason] for reason in reasons)) for subset, told in found.items()],
    )
    for subset, told in found.items():
        if told["without_cell"]:
            say(f"{subset}: {told['without_cell']:,} more without a cell; not all of what they need has been scored.")
    if protocol != Protocol.QUAD:
        _say_sources(found)
    lacking: dict[str, list[str]] = {}
    for subset, told in found.items():
        if told["too_few"]:
            lacking.setdefault(told["too_few"], []).append(subset)
    for why, subsets in lacking.items():
        say(f"{', '.join(subsets)}: {why}.")


def _say_sources(found: dict[str, dict[str, Any]]) -> None:
    """Whether it matters which other images were taken."""
    for subset, told in found.items():
        if away := told["at_least"]["elsewhere"]:
            say(f"{subset}: against images of other subsets the share that uses the image is {written.ends(away)} %")
    unknown = [subset for subset, told in found.items() if not told["at_least"]["elsewhere"]]
    if unknown:
        say(f"{', '.join(unknown)}: images of other subsets were not scored, so whether it matters which images are "
            "taken is not known")  # fmt: skip


def _cell(cell: str, told: dict[str, Any], n: int) -> str:
    share = written.percent(told["share"], n)
    return share if cell in NOTHING_SEEN else f"{share} ({written.percent(told['mirrored_share'], n)})"
