#!/usr/bin/env bash
# Format, lint, types, tests: scripts/check.sh all|fast. Stops at the first that fails; pytest's closing lines stay last.
set -euo pipefail
cd "$(dirname "$0")/.."
bin=.venv/bin

step() { printf '\n== %s\n' "$*" >&2; }

step "format"
"$bin/ruff" format --check . || { echo "check: run 'make format' and commit the result" >&2; exit 1; }
step "lint"
"$bin/ruff" check .
step "lint of the browser's scripts"
"$bin/oxlint" --deny-warnings pages
step "types"
"$bin/mypy"
step "tests"
workers=(-n "${FLIPSIDE_TEST_WORKERS:-2}" --dist worksteal)
if [ "${1:-all}" = fast ]; then
  exec "$bin/python" -m pytest -q "${workers[@]}" -m "not browser and not slow"
fi
"$bin/python" -m pytest -q "${workers[@]}" --durations=15 -m "not browser"
# One after the other: each of these waits for what a server draws, and a neighbour makes it wait longer. In a worker all
# the same: what duckdb says of its leaks at a process's end would stand behind pytest's closing lines.
step "browser"
exec "$bin/python" -m pytest -q -n 1 --durations=5 -m browser
