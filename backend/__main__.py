"""`python -m backend <verb>`."""

import sys

from backend.starting import ending_quietly
from backend.systems import refusal

if __name__ == "__main__":
    if said := refusal():
        sys.exit(f"flipside: {said}")
    with ending_quietly():
        from backend.cli import run

    run()
