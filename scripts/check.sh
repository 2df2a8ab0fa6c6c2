#!/usr/bin/env bash
# Format, lint, types, tests: scripts/check.sh fast|usual|all. Stops at the first that fails; pytest's closing lines stay
# last where it is pytest that fails. fast: the quick tests outside the browser; usual: also the long ones, and the
# journeys; all: every test, each part to its end whatever failed before it (format and lint too: one name too many in a
# script once kept a whole night's tests from being run), so that one run names all that fails.
set -euo pipefail
cd "$(dirname "$0")/.."
bin=.venv/bin
gate="${1:-all}"

# Dozens of tests start processes of ours, and each worker reads every test: all wait for Python files to be compiled
# where nothing keeps what was compiled.
unset PYTHONDONTWRITEBYTECODE

step() { printf '\n== %s\n' "$*" >&2; }
tests() { "$bin/python" -m pytest -q -n "${FLIPSIDE_TEST_WORKERS:-2}" --dist worksteal "$@"; }
# One after the other: each of these waits for what a server draws, and a neighbour makes it wait longer. In a worker all
# the same: what duckdb says of its leaks at a process's end would stand behind pytest's closing lines.
browser() { step "browser"; "$bin/python" -m pytest -q -n 1 --durations=5 -m "$1"; }

failed=0
also() { "$@" || failed=1; }
format() {
  step "format"
  "$bin/ruff" format --check . || { echo "check: run 'make format' and commit the result" >&2; return 1; }
}
lint() { step "lint"; "$bin/ruff" check .; }
scripts() { step "lint of the browser's scripts"; "$bin/oxlint" --deny-warnings pages; }
for each in format lint scripts; do
  if [ "$gate" = all ]; then also "$each"; else "$each"; fi
done
# Types take one core, two minutes where nothing is kept from the last time: beside the tests. A failed test ends both.
types=$(mktemp)
"$bin/mypy" >"$types" 2>&1 &
mypy=$!
trap 'kill "$mypy" 2>/dev/null || true; rm -f "$types"' EXIT
types() {
  step "types"
  wait "$mypy" || { cat "$types"; return 1; }
  cat "$types"
}
step "tests"
# Kept words of pages apart: their visits share one store, and what other tests leave in a process must not tell.
kept() { step "kept pages"; tests tests/golden/pages; }
case "$gate" in
  fast) tests -m "not browser and not slow and not long"; types ;;
  usual) tests -m "not browser and not slow"; types; browser "browser and journey" ;;
  all) also tests --durations=15 -m "not browser" --ignore=tests/golden/pages; also kept; also types; also browser browser ;;
  *) echo "check: fast, usual or all, not '$gate'" >&2; exit 2 ;;
esac
exit "$failed"
