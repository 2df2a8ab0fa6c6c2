#!/usr/bin/env bash
# Makes .venv with the packages of constraints.txt and the command .venv/bin/flipside. Does nothing when it already holds what the requirements ask for.
#   scripts/setup.sh runtime|dev        PYTHON=python3.12 chooses the interpreter
set -euo pipefail
cd "$(dirname "$0")/.."
want=${1:-runtime}
need_gb=8

say() { printf 'setup: %s\n' "$*" >&2; }
fail() { say "$*"; exit 1; }

case "$want" in
  runtime) files=(requirements.txt) ;;
  dev) files=(requirements.txt requirements-dev.txt) ;;
  *) fail "unknown set '$want'; use runtime or dev" ;;
esac
stamp=.venv/.flipside-$want
wanted=$(cat "${files[@]}" constraints.txt | cksum)
# The command `flipside` names its interpreter by its full path, which is another one where the folder was moved.
has_command() { [ -x .venv/bin/flipside ] && [ -x "$(sed -n '1s/^#! *//p' .venv/bin/flipside)" ]; }
is_fresh() { [ -f "$1" ] && [ "$(cat "$1")" = "$2" ] && .venv/bin/python -c '' 2>/dev/null && has_command; }
is_fresh "$stamp" "$wanted" && exit 0

find_python() {
  local name
  for name in ${PYTHON:-python3.11 python3.12 python3.13 python3 python}; do
    if command -v "$name" >/dev/null 2>&1 &&
      "$name" -c 'import sys; sys.exit(not ((3, 11) <= sys.version_info < (3, 15)))' 2>/dev/null; then
      echo "$name"
      return
    fi
  done
  return 1
}

if [ -d .venv ] && ! .venv/bin/python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
  say "the environment in .venv does not start (was the folder moved, or Python removed?); making it anew"
  rm -rf .venv
fi
if [ ! -d .venv ]; then
  python=$(find_python) ||
    fail "no Python 3.11 or newer found. Install one (Debian, Ubuntu: apt install python3 python3-venv), or name it: make setup PYTHON=/path/to/python3"
  free_gb=$(df -Pk . | awk 'NR == 2 { print int($4 / 1048576) }')
  [ "$free_gb" -ge "$need_gb" ] ||
    fail "only $free_gb GB are free on the disk of $PWD; the packages need about $need_gb GB (PyTorch brings its GPU libraries). Free some space and try again."
  "$python" -c 'import venv, ensurepip' 2>/dev/null ||
    fail "$python has no venv module. Install it (Debian, Ubuntu: apt install python3-venv) and try again."
  say "making .venv with $("$python" --version 2>&1)"
  "$python" -m venv .venv || { rm -rf .venv; fail "could not make .venv (see above)"; }
fi

say "installing the $want packages (a few minutes the first time)"
install() {
  .venv/bin/python -m pip install --quiet --disable-pip-version-check -c constraints.txt "$@" ||
    fail "pip could not install $* (see above). Is a package index reachable? Run the same command again: it goes on where it stopped."
}
install setuptools -r "${files[-1]}"
# Flipside itself with the extras for models (clusters and stores bring ray and s3), as it lies here: .venv/bin/flipside, and `import flipside` with this interpreter.
install --no-build-isolation -e '.[openclip,teach]'
say "importing the results that ship, so that the first page need not"
if ! .venv/bin/python -m backend.store.build.make_first; then
  say "the results that ship could not be imported now; the first page will do it"
else  # each of these stands by itself
  .venv/bin/python -m pages.overview.make_first_picture 2>/dev/null ||
    say "the results that ship are imported; the picture that stands on Overview until the page is ready could not be drawn now, so the first page begins empty"
  .venv/bin/python -m backend.store.examples.make_first_example 2>/dev/null ||
    say "the results that ship are imported; the example of Robustness could not be, so that page will do it"
  .venv/bin/python -m pages.embeddings.make_first_clumps 2>/dev/null ||
    say "the results that ship are imported; what stands together on the map that Embeddings shows first could not be looked for now, so that page will do it"
fi
printf '%s' "$wanted" >"$stamp"
# The dev set contains the runtime set: `make run` after `make test` has nothing to do.
[ "$want" = runtime ] || cat requirements.txt constraints.txt | cksum | tr -d '\n' >.venv/.flipside-runtime
say "ready"
