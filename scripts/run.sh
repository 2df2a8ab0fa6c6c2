#!/usr/bin/env bash
# Starts the dashboard on localhost: scripts/run.sh [PORT]
set -euo pipefail
cd "$(dirname "$0")/.."
port=${1:-8501}

case "$port" in
  '' | *[!0-9]*) echo "run: PORT must be a number, not '$port'; for example: make run PORT=8600" >&2; exit 2 ;;
esac
exec .venv/bin/python -m backend dashboard --port "$port"
