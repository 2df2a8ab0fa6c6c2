"""What cannot be taken into the database is left out and named: one file of somebody's never stops everything else."""

from typing import Final

import duckdb
import pyarrow as pa

from backend import environment
from backend.durable import is_full
from backend.store.build import damage

#: What a file may raise while its rows are read, stored or judged: too large for the memory there is, or other values
#: than its columns promise.
UNUSABLE: Final = (
    duckdb.Error, pa.ArrowException, MemoryError, OSError, ValueError, TypeError, ArithmeticError, LookupError,
)  # fmt: skip


def why(error: Exception) -> str:
    """Why a file was left out, in a few words. Raises the error again where no file of results is at fault: the disk is
    full, the database itself is damaged, or somebody pressed Ctrl-C."""
    if is_full(error) or damage.is_damage(error):
        raise error
    said = str(error).strip().splitlines() or [type(error).__name__]
    # Where DuckDB was reading from Python when the signal came, its message is Python's whole traceback.
    if isinstance(error, duckdb.InterruptException) or said[-1].strip() == KeyboardInterrupt.__name__:
        raise KeyboardInterrupt from error
    if isinstance(error, (duckdb.OutOfMemoryException, MemoryError)):
        return f"it takes more memory than the database may use, {environment.memory('FLIPSIDE_DB_MEMORY', '1GB')}"
    return said[-1 if said[0].startswith("Traceback") else 0][:200]
