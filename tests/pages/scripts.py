"""The browser's scripts run in V8, without a browser: what they compute, not what they draw."""

import json
import re
from pathlib import Path
from typing import Any

from py_mini_racer import MiniRacer

from pages.shared.drawing import component

PAGES = Path(component.__file__).parents[2]
#: V8 alone has no `atob`; numbers that JSON does not know are written as texts.
_BROWSER = """
const atob = (text) => {
  const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  let [out, bits, held] = ["", 0, 0];
  for (const letter of text.replace(/=+$/, "")) {
    held = (held << 6) | letters.indexOf(letter);
    bits += 6;
    if (bits >= 8) { bits -= 8; out += String.fromCharCode((held >> bits) & 255); held &= (1 << bits) - 1; }
  }
  return out;
};
const exact = (_, value) => (typeof value === "number" && !Number.isFinite(value) ? { number: String(value) } : value);
const given = (_, value) => (value && value.number !== undefined ? Number(value.number) : value);
"""


def runnable(script: Path) -> str:
    """A component's script, as it is joined, without its default export: V8 reads it as a script."""
    return re.sub(r"^export default (?=function)", "const drawn = ", component.joined(script), flags=re.MULTILINE)


class Script:
    """A component's script whose functions can be called with what JSON can say, and NaN and infinities."""

    def __init__(self, script: str) -> None:
        self.engine = MiniRacer()
        self.engine.eval(_BROWSER + runnable(PAGES / script))

    def __call__(self, call: str, *values: Any) -> Any:
        """The value of `call`, an expression in which the values are named a, b, c …"""
        names = "abcdefgh"[: len(values)]
        said = "".join(
            f"const {n} = JSON.parse({json.dumps(_out(v))}, given);" for n, v in zip(names, values, strict=True)
        )
        found = self.engine.eval(f"(() => {{ {said} return JSON.stringify({call}, exact) ?? 'null'; }})()")
        return _in(json.loads(str(found)))


def _out(value: Any) -> str:
    def told(each: Any) -> Any:
        if isinstance(each, float) and not (abs(each) < float("inf")):
            return {"number": "NaN" if each != each else "Infinity" if each > 0 else "-Infinity"}
        if isinstance(each, dict):
            return {key: told(inner) for key, inner in each.items()}
        return [told(inner) for inner in each] if isinstance(each, list | tuple) else each

    return json.dumps(told(value))


def _in(value: Any) -> Any:
    if isinstance(value, dict):
        return float(value["number"]) if value.keys() == {"number"} else {k: _in(v) for k, v in value.items()}
    return [_in(each) for each in value] if isinstance(value, list) else value
