"""Writes a site in a process of its own: what is wanted comes as JSON on standard input, what was written goes out so.

`backend` may not import pages (docs/architecture.md), so the verb `publish` starts this as `dashboard` does the pages.
"""

import json
import sys
from pathlib import Path

from backend import paths
from backend.durable import unwritable
from backend.errors import FlipsideError


def main() -> int:
    """The exit code: 0 done, 1 or 2 with `{"error": …}` on standard output."""
    asked = json.load(sys.stdin)
    from streamlit.logger import set_log_level

    # Streamlit warns of everything outside a running server, decorators of the pages' modules included.
    set_log_level("ERROR")
    from pages.shared.data import stored
    from pages.static_site.build import Options, build
    from pages.static_site.selection import Wanted

    try:
        done = build(
            stored.store(),
            Wanted(tuple(asked["benchmarks"]), tuple(asked["models"]), tuple(asked["runs"])),
            Options(Path(asked["out"]), asked["pictures"], asked["own_data"], asked["title"], asked["names"]),
            lambda line: print(line, file=sys.stderr, flush=True),  # noqa: T201 - progress goes to standard error
        )
    except FlipsideError as error:
        json.dump({"error": str(error), "exit_code": error.exit_code}, sys.stdout)
        return error.exit_code
    except Exception as error:
        if not (said := unwritable(error, paths.cache_dir())):
            raise
        json.dump({"error": said, "exit_code": FlipsideError.exit_code}, sys.stdout)
        return FlipsideError.exit_code
    json.dump(done.as_dict(), sys.stdout)
    return 0


if __name__ == "__main__":
    sys.exit(main())
