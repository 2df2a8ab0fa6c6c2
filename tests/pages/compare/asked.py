"""Systems that were asked to choose once, in two orders, and that gave scores: on nine choices of two subsets."""

from collections.abc import Callable
from pathlib import Path

BENCHMARK = "custom:set"
ONCE, OTHER, TWICE, SCORED = (f"predictions:{name}" for name in ("once", "other", "twice", "scored"))
#: Right verdicts, an item each: of `a` six items, of `b` three. TWICE is right in every order on a half of `a` and on
#: none of `b`, in the mean of the orders on 3/4 and 1/2; SCORED on 5/6 and 2/3.
ORDERS = {"ab": "111111111", "ba": "111000000"}
SCORES = "111110110"


def items() -> list[str]:
    return [*(f"a/{k}" for k in range(6)), *(f"b/{k}" for k in range(3))]


def benchmark(folder: Path) -> Path:
    own = folder / "set.csv"
    rows = [f"{item.partition('/')[2]},{item[0]},{n}.png,a red cube,a blue cube\n" for n, item in enumerate(items())]
    own.write_text("id,subset,image,caption,foil_1\n" + "".join(rows))
    return own


def add(flipside: Callable[..., object], folder: Path, *systems: str) -> None:
    """Add these systems' answers to the benchmark."""
    own = benchmark(folder)
    for system in systems:
        said, kind = folder / f"{system.partition(':')[2]}.csv", ()
        if system == SCORED:
            scores = zip(items(), SCORES, strict=True)
            rows = [f"{item},{text},{score}\n" for item, right in scores for text, score in ((0, right), (1, 0.5))]
            said.write_text("item_id,text_index,score\n" + "".join(rows))
            kind = ("--kind", "itc")
        elif system == TWICE:
            rows = [
                f"{i},{right},{name}\n" for name, of in ORDERS.items() for i, right in zip(items(), of, strict=True)
            ]
            said.write_text("item_id,correct,order\n" + "".join(rows))
        else:
            right = "110011001" if system == ONCE else "101010101"
            rows = [f"{item},{each}\n" for item, each in zip(items(), right, strict=True)]
            said.write_text("item_id,correct\n" + "".join(rows))
        name = system.partition(":")[2]
        flipside("add-predictions", said, "--as", name, "--benchmark", "custom", "--data", own, *kind)
