#!/usr/bin/env bash
# Finds a Chromium for the browser tests, or installs one: the system's package where we may, else Playwright's own.
set -euo pipefail
cd "$(dirname "$0")/.."

say() { printf 'chromium: %s\n' "$*" >&2; }

for name in ${FLIPSIDE_CHROMIUM:-} chromium chromium-browser google-chrome; do
  command -v "$name" >/dev/null 2>&1 && exit 0
done
.venv/bin/python - <<'PY' && exit 0
import sys
from pathlib import Path
from playwright.sync_api import sync_playwright

with sync_playwright() as playwright:
    sys.exit(not Path(playwright.chromium.executable_path).exists())
PY

as_root=()
if [ "$(id -u)" -ne 0 ]; then
  if command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then as_root=(sudo -n); else as_root=(false); fi
fi
if command -v apt-get >/dev/null 2>&1 && ${as_root[@]+"${as_root[@]}"} true 2>/dev/null; then
  say "installing the system's package"
  export DEBIAN_FRONTEND=noninteractive
  if ${as_root[@]+"${as_root[@]}"} apt-get update -qq >&2 && ${as_root[@]+"${as_root[@]}"} apt-get install -y -qq chromium fonts-dejavu-core >&2; then
    command -v chromium >/dev/null 2>&1 && exit 0
  fi
  say "the system has no usable package; trying Playwright's own"
fi
.venv/bin/python -m playwright install chromium >&2 && exit 0
say "no Chromium could be installed. Install one (Debian: apt install chromium), or name it: FLIPSIDE_CHROMIUM=/path/to/chrome make test"
exit 1
