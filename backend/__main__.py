"""`python -m backend <verb>`."""

import sys

from backend.systems import refusal

if __name__ == "__main__":
    if said := refusal():
        sys.exit(f"flipside: {said}")
    from backend.cli import main

    sys.exit(main())
