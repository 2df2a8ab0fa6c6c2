"""`backend.verbs.shared.opening PORT` (see `paths.module_command`): opens the dashboard in a browser.

It waits until the server answers.
"""

import sys
import time
import urllib.request
import webbrowser

#: Seconds until nobody waits for the page any more, and between two looks.
PATIENCE, LOOK = 30.0, 0.2


def main(port: str) -> None:
    """Wait for the server on this port of this computer, then open its address in the user's browser."""
    address = f"http://localhost:{int(port)}"
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        try:
            urllib.request.urlopen(f"{address}/_stcore/health", timeout=1).close()  # noqa: S310 - our own address
        except OSError:
            time.sleep(LOOK)
        else:
            webbrowser.open(address)
            return


if __name__ == "__main__":
    main(sys.argv[1])
