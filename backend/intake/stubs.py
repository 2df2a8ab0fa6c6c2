"""The items that predictions are matched with: the benchmark's own, or its stub of item numbers where it is gated."""

from pathlib import Path

from backend.benchmarks import remembered, winoground_stub
from backend.engine.inputs.selection import Selection, open_selected
from backend.engine.storage import shards
from backend.errors import UsageError
from backend.items import Benchmark


def open_or_stub(name: str, data: Path | None, selection: Selection, root: Path) -> tuple[Benchmark, Selection]:
    """As `open_selected`; Winoground without its gated files is the stub, where `fetch results` has brought that here,
    so that one's own scores stand beside the fetched ones. The run's record names the edition, and an import of the
    full one completes it as the others."""
    if data is None and name in offered(root):
        return winoground_stub.stub(), selection
    try:
        return open_selected(name, data, selection)
    except UsageError as error:
        if data is not None or name != winoground_stub.NAME or remembered(name) is not None:
            raise
        raise UsageError(
            f"{error} Without it, `flipside fetch results --only winoground` brings published results by item number, "
            "and predictions stand on these, too."
        ) from None


def offered(root: Path) -> list[str]:
    """The benchmarks that `open_or_stub` opens as their stub where no folder is named."""
    here = root / "benchmarks" / winoground_stub.HASH[:16] / shards.BENCHMARK
    return [winoground_stub.NAME] if here.is_file() and remembered(winoground_stub.NAME) is None else []
