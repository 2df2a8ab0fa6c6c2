"""`make new-benchmark NAME=pets` and its like: the files of a new thing, working from the start, and its lines.

The code is CONTRIBUTING's own example under the new name. Lines that say `yours:` are the author's to write. Existing
names and files are refused, and then nothing is written.
"""

import argparse
import importlib
import json
import keyword
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from scripts import scaffold_texts as texts

ROOT = Path(__file__).resolve().parent.parent
NAME = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")


@dataclass
class Plan:
    """What would be written. files: path -> text of new files. changed: path -> the whole new text of an old one.
    left: what the author has yet to do, a line each."""

    files: dict[str, str] = field(default_factory=dict)
    changed: dict[str, str] = field(default_factory=dict)
    left: list[str] = field(default_factory=list)

    def insert(self, path: str, after: str, before: str, line: str) -> None:
        """A line into a registry: before the first `before` behind `after`. Stops where the file has neither."""
        text = self.changed.get(path) or (ROOT / path).read_text(encoding="utf-8")
        start = text.find(after)
        place = text.find(before, start + len(after))
        if start < 0 or place < 0:
            raise SystemExit(f"{path}: expected {after!r} and behind it {before!r}; mend scripts/scaffold.py.")
        self.changed[path] = f"{text[:place]}{line}{text[place:]}"

    def append(self, path: str, section: str) -> None:
        """A section at a page's end."""
        text = self.changed.get(path) or (ROOT / path).read_text(encoding="utf-8")
        self.changed[path] = f"{text.rstrip()}\n\n{section}"


def example(holds: str) -> str:
    """The code block of CONTRIBUTING.md that holds a text."""
    page = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    found = [block for block in re.findall(r"^```python\n(.*?)^```", page, flags=re.M | re.S) if holds in block]
    if len(found) != 1:
        raise SystemExit(f"CONTRIBUTING.md: expected one python block with {holds!r}, found {len(found)}.")
    return str(found[0])


def camel(name: str) -> str:
    """The name of a class.

    >>> camel("my_pets")
    'MyPets'
    """
    return "".join(part.capitalize() for part in name.split("_"))


def said(name: str) -> str:
    """A name for people.

    >>> said("my_pets")
    'My pets'
    """
    return name.replace("_", " ").capitalize()


def new_benchmark(name: str) -> Plan:
    """A benchmark with its sample, test, fetch entry and section."""
    plan, upper = Plan(), name.upper()
    code = example("MINE = Declaration").replace("mine.json", f"{name}.json").replace("MINE", upper)
    code = code.replace('name="mine"', f'name="{name}"').replace('title="Mine"', f'title="{said(name)}"')
    plan.files[f"backend/benchmarks/{name}.py"] = f'"""{said(name)}: yours: what it tests, its paper."""\n\n{code}'
    plan.files[f"tests/benchmarks/samples/{name}.py"] = texts.SAMPLE.replace("NAME", name)
    plan.files[f"tests/benchmarks/test_{name}.py"] = texts.TEST_BENCHMARK.replace("NAME", name)
    plan.insert("backend/benchmarks/__init__.py", "REGISTRY: dict[str, str] = {", "}\n",
                f'    "{name}": "backend.benchmarks.{name}:{upper}",\n')  # fmt: skip
    table = "backend/benchmarks/fetching/sources.json"
    known = json.loads((ROOT / table).read_text(encoding="utf-8"))
    known["benchmarks"][name] = texts.SOURCE
    plan.changed[table] = json.dumps(known, indent=1, ensure_ascii=False) + "\n"
    row = f"| `{name}` | nothing: yours: why, or what is fetched | yours | |\n"
    plan.insert("docs/benchmarks.md", "| `video_grounding`, `elevater` |", "\n\n", f"\n{row.rstrip()}")
    plan.append("docs/benchmarks.md", texts.BENCHMARK_SECTION.replace("NAME", name))
    plan.left += [f"backend/benchmarks/fetching/sources.json, the entry of {name}: source, licence, files.",
                  "`make importers` writes the row of docs/benchmarks.md.",
                  "`make golden` takes it into the kept names."]  # fmt: skip
    return plan


def new_perturbation(name: str) -> Plan:
    """A perturbation with its test and rows."""
    plan = Plan()
    code = example("DAY_AND_NIGHT").replace("day_and_night", name).replace("DAY_AND_NIGHT", name.upper())
    code = code.replace('title="Day and night"', f'title="{said(name)}"')
    plan.files[f"backend/perturb/{name}.py"] = f'"""{said(name)}: yours: what is edited, and why."""\n\n{code}'
    plan.files[f"tests/perturb/test_{name}.py"] = texts.TEST_PERTURBATION.replace("NAME", name)
    plan.insert("backend/perturb/__init__.py", "REGISTRY: dict[str, str] = {", "}\n",
                f'    "{name}": "backend.perturb.{name}:{name.upper()}",\n')  # fmt: skip
    plan.insert("docs/methods.md", "| `analogy` |", "\n\n", f"\n| `{name}` | changed | ours | yours: the reading |")
    plan.left += ["`make gallery` writes its section of docs/perturbations.md.",
                  "`make golden` takes it into the kept names."]  # fmt: skip
    return plan


def new_metric(name: str) -> Plan:
    """A metric of items one by one, with its test and formula."""
    plan = Plan()
    code = example("def clear_win").replace("clear_win", name)
    what = "Clear wins: the truth leads every foil by more than a little"
    code = code.replace(what, f"{said(name)}: yours: what it counts")
    plan.files[f"backend/metrics/{name}.py"] = code
    plan.files[f"tests/metrics/test_{name}.py"] = texts.TEST_METRIC.replace("NAME", name)
    registry = "backend/metrics/core/registry.py"
    imports = "from backend.metrics.contests import"
    plan.insert(registry, "\n", imports, f"from backend.metrics import {name} as {name}_\n")
    plan.insert(registry, "METRICS: list[Metric] = [", "]  # fmt: skip",
                texts.METRIC_LINE.replace("NAME", name).replace("TITLE", said(name)))  # fmt: skip
    plan.append("docs/methods.md", texts.METRIC_SECTION.replace("NAME", name).replace("TITLE", said(name)))
    plan.left += [f"docs/methods.md, `{name}`: formula and paper.",
                  "`make golden` renews the kept reports, which list it."]  # fmt: skip
    return plan


def new_verb(name: str) -> Plan:
    """A verb with its test and section."""
    plan, verb = Plan(), name.replace("_", "-")
    plan.files[f"backend/verbs/{name}.py"] = f'"""`flipside {verb}`: yours: what it does."""\n\n{example("answer")}'
    plan.files[f"tests/verbs/test_{name}.py"] = texts.TEST_VERB.replace("VERB", verb).replace("NAME", name)
    plan.insert(
        "backend/cli.py", "VERBS: dict[str, str] = {", "}\n", f'    "{verb}": "backend.verbs.{name}:command",\n'
    )
    plan.insert("backend/called.py", "VERBS = (", ")  # fmt: skip", f'    "{verb}",\n')
    plan.append("docs/command-line.md", texts.VERB_SECTION.replace("VERB", verb).replace("TITLE", said(name)))
    golden = "tests/golden/test_json.py"
    plan.insert(golden, "CASES: dict", "}  # fmt: skip", f'    "{verb}/all": ((), ()),\n')
    plan.changed[golden] += f'\n\ndef test_{name}():\n    kept("{verb}/all", asked("{verb}"))\n'
    plan.left += ["`make golden` keeps its options, its help and its document."]
    return plan


def new_page(name: str) -> Plan:
    """A page with its test, browser test and rows."""
    plan, slug = Plan(), name.replace("_", "-")
    code = example("st.dataframe").replace("My page", said(name))
    plan.files[f"pages/{name}/page.py"] = code
    plan.files[f"pages/{name}/__init__.py"] = f'"""{said(name)}: yours: what is in it. Begin with page.py."""\n'
    plan.files[f"tests/pages/{name}/test_{name}.py"] = texts.TEST_PAGE.replace("NAME", name)
    plan.files[f"tests/browser/test_{name}.py"] = (
        texts.TEST_BROWSER.replace("NAME", name).replace("SLUG", slug).replace("TITLE", said(name))
    )
    plan.files[f"docs/pages/{slug}.md"] = f"# {said(name)}\n\nyours: what one sees there, and how to read it.\n"
    plan.insert("app.py", "PAGES = (", "\n)", f'\n    ("{name}", "{said(name)}", ":material/extension:", "{slug}"),')
    plan.insert("docs/pages.md", "| [Runs](pages/runs.md)", "\n\n", "\n" + texts.PAGE_ROW.format(
        title=said(name), slug=slug, name=name))  # fmt: skip
    plan.left += [f"`.venv/bin/python -m scripts.screenshots {name}` takes its two pictures.",
                  "`make golden` keeps its address and what it shows first."]  # fmt: skip
    return plan


def new_family(name: str) -> Plan:
    """A model family of the room `texts`, with its reference and zoo."""
    plan, room = Plan(), "texts"
    code = example("class MyFamily").replace("MyFamily", camel(name)).replace("myfamily", name)
    plan.files[f"backend/models/{room}/{name}.py"] = f'"""{said(name)}: yours: which models."""\n\n{code}'
    for path, text in ((f"backend/models/reference/{room}/{name}.py", texts.REFERENCE),
                       (f"tests/zoo/{room}/{name}.py", texts.ZOO),
                       (f"tests/models/{room}/test_{name}.py", texts.TEST_FAMILY)):  # fmt: skip
        plan.files[path] = text.replace("CLASS", camel(name)).replace("NAME", name)
    plan.insert("backend/models/registry.py", "\nFAMILIES = (", '    _family("endpoint"',
                texts.FAMILY_LINE.replace("CLASS", camel(name)).replace("NAME", name))  # fmt: skip
    plan.left += ["`make fidelity` measures it for docs/fidelity.md.", "`make golden` takes it into the kept names.",
                  "docs/methods.md: which tokens are scored, and why."]  # fmt: skip
    return plan


def _row(code: str) -> str:
    """A table's row out of an example: what stands behind its import, as the last row of a class."""
    return "".join(f"    {line}\n" for line in code.partition("\n\n")[2].strip().splitlines())


def new_kind(name: str) -> Plan:
    """A score kind of an image with a text, with its test and formula."""
    plan = Plan()
    row = _row(example("NEAR = KindInfo")).replace("NEAR", name.upper())
    row = row.replace('name="near"', f'name="{name}"').replace("nearness", f"{name}_scores")
    row = row.replace('title="' + f"{name}_scores", f'title="{said(name).lower()}')
    row = row.replace(f'unit="{name}_scores", judged="{name}_scores"', f'unit="{name}", judged="{name}"')
    plan.insert("backend/kinds.py", "    PRIOR = KindInfo(", "\n\n#: Kinds that need", row)
    model = example("class Near").replace("Near", camel(name)).replace("near 1", f"{name} 1")
    model = model.replace('{"near"}', f'{{"{name}"}}').replace("nearness", f"{name}_scores")
    plan.files[f"tests/models/test_{name}_scores.py"] = texts.TEST_KIND.replace("MODEL", model).replace(
        "CLASS", camel(name)).replace("NAME", name)  # fmt: skip
    plan.append("docs/methods.md", texts.KIND_SECTION.replace("NAME", name))
    plan.left += [f"docs/methods.md, `{name}`: formula and paper.", "`make golden` takes it into the kept names."]
    return plan


def new_protocol(name: str) -> Plan:
    """A protocol whose items are judged one by one, with its metric, test and formula."""
    plan, upper = Plan(), name.upper()
    row = _row(example("TWO_OF_FOUR = ProtocolInfo")).replace("TWO_OF_FOUR", upper)
    row = row.replace('"two_of_four"', f'"{name}"').replace('"two of four"', f'"{said(name).lower()}"')
    plan.insert("backend/protocols.py", "    GROUNDING = ProtocolInfo(", "\n\n#: Protocols", row)
    code = example("def two_of_four").replace("two_of_four", name)
    code = code.replace("Two of four: two captions", f"{said(name)}: yours: two captions")
    plan.files[f"backend/metrics/{name}.py"] = code
    plan.files[f"tests/metrics/test_{name}.py"] = texts.TEST_PROTOCOL.replace("UPPER", upper).replace("NAME", name)
    registry = "backend/metrics/core/registry.py"
    plan.insert(registry, "\n", "from backend.metrics.contests import",
                f"from backend.metrics import {name} as {name}_\n")  # fmt: skip
    line = texts.PROTOCOL_LINE.replace("UPPER", upper).replace("NAME", name).replace("TITLE", said(name))
    plan.insert(registry, "METRICS: list[Metric] = [", "]  # fmt: skip", line)
    plan.append("docs/methods.md", texts.PROTOCOL_SECTION.replace("NAME", name).replace("TITLE", said(name)))
    plan.left += [f"docs/methods.md, `{name}`: formula and paper.", "`make golden` takes it into the kept names."]
    return plan


THINGS: dict[str, Callable[[str], Plan]] = {
    "family": new_family,
    "benchmark": new_benchmark,
    "perturbation": new_perturbation,
    "metric": new_metric,
    "verb": new_verb,
    "page": new_page,
    "kind": new_kind,
    "protocol": new_protocol,
}


def taken(thing: str) -> set[str]:
    """The names that a registry has."""
    where = {"family": ("backend.models.registry", "FAMILIES"), "benchmark": ("backend.benchmarks", "REGISTRY"),
             "perturbation": ("backend.perturb", "REGISTRY"), "metric": ("backend.metrics.core.registry", "METRICS"),
             "verb": ("backend.cli", "VERBS"), "page": ("scripts.screenshots", "pages"),
             "kind": ("backend.kinds", "Kind"), "protocol": ("backend.protocols", "Protocol")}[thing]  # fmt: skip
    table = getattr(importlib.import_module(where[0]), where[1])
    entries = table() if thing == "page" else table
    names = {each if isinstance(each, str) else each[0] if isinstance(each, tuple) else each.name for each in entries}
    return {name.replace("-", "_") for name in names}


def refused(thing: str, name: str) -> str:
    """Why a name is no good; "" where it is."""
    command = f"make new-{thing} NAME="
    if not name:
        return f"a new {thing} needs a name: {command}my_{thing}"
    if not NAME.fullmatch(name) or keyword.iskeyword(name) or name in sys.stdlib_module_names:
        return f"'{name}' is no name: small letters, digits and _ between them, no word of Python: {command}my_{thing}"
    if name in taken(thing):
        return f"there is a {thing} '{name}' already; choose another name: {command}my_{name}"
    return ""


def _tidy(paths: list[str]) -> None:
    """The house's format and order of imports."""
    for order in (["check", "--quiet", "--select", "I", "--fix"], ["format", "--quiet"]):
        subprocess.run([sys.executable, "-m", "ruff", *order, *paths], cwd=ROOT, check=True)


def main(arguments: list[str] | None = None) -> int:
    """Write it, and say what is left to do; 2 where the name is refused."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("thing", choices=sorted(THINGS))
    parser.add_argument("name", nargs="?", default="")
    given = parser.parse_args(arguments)
    name = given.name.strip().replace("-", "_")
    if why := refused(given.thing, name):
        print(f"new-{given.thing}: {why}", file=sys.stderr)
        return 2
    plan = THINGS[given.thing](name)
    there = [path for path in plan.files if (ROOT / path).exists()]
    if there:
        print(f"new-{given.thing}: {', '.join(there)} is there already; nothing is written.", file=sys.stderr)
        return 2
    for path, text in {**plan.files, **plan.changed}.items():
        (ROOT / path).parent.mkdir(parents=True, exist_ok=True)
        (ROOT / path).write_text(text, encoding="utf-8")
        print(("new      " if path in plan.files else "changed  ") + path)
    _tidy([path for path in (*plan.files, *plan.changed) if path.endswith(".py")])
    print("\nIt works as it is. Yours to write: every place that says `yours:` (grep -rn 'yours:' finds them), then:")
    for line in plan.left:
        print(f"- {line}")
    print("- `make check`")
    return 0


if __name__ == "__main__":
    sys.exit(main())
