#!/usr/bin/env bash
# Starts the dashboard on localhost: scripts/run.sh [PORT]
set -euo pipefail
cd "$(dirname "$0")/.."
port=${1:-8501}

case "$port" in
  '' | *[!0-9]*) echo "run: PORT must be a number, not '$port'; for example: make run PORT=8600" >&2; exit 2 ;;
esac
if ! .venv/bin/python - "$port" <<'PY'; then
import socket
import sys

port = int(sys.argv[1])
if not 1024 <= port <= 65535:
    sys.exit(f"run: port {port} cannot be used; choose one from 1024 to 65535, for example: make run PORT=8600")
with socket.socket() as probe:
    probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        probe.bind(("127.0.0.1", port))
    except OSError:
        other = port + 99 if port + 99 <= 65535 else 8600
        sys.exit(
            f"run: port {port} is taken (is the dashboard running already? then open http://localhost:{port}). "
            f"Choose another: make run PORT={other}"
        )
PY
  exit 1
fi
echo "run: http://localhost:$port   (Ctrl-C stops it)" >&2
# Where there is a screen, open it there once it answers. (Streamlit would ask for an e-mail address first, hence headless.)
if [ -z "${CI:-}" ] && { [ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ] || [ "$(uname)" = Darwin ]; }; then
  .venv/bin/python - "$port" <<'PY' >/dev/null 2>&1 &
import sys
import time
import urllib.request
import webbrowser

address = f"http://localhost:{sys.argv[1]}"
for _ in range(150):
    try:
        urllib.request.urlopen(f"{address}/_stcore/health", timeout=1)
        webbrowser.open(address)
        break
    except OSError:
        time.sleep(0.2)
PY
fi
exec .venv/bin/python -m streamlit run app.py \
  --server.port "$port" --server.address localhost --server.headless true \
  --browser.gatherUsageStats false --global.developmentMode false
