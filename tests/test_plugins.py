"""What other installed packages bring is used by its name; what is broken or taken is named and skipped."""

import importlib
import json
import os
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from PIL import Image

from backend import plugins
from tests import packages

THINGS = {"benchmarks": "cats", "perturbations": "cat_to_dog", "metrics": "cat_margin", "families": "catlike",
          "verbs": "meow", "pages": "cat_counter"}  # fmt: skip


@pytest.fixture
def site(tmp_path, monkeypatch):
    """A folder on the path for packages; `plugins` looks at it anew in this test, and forgets it afterwards."""
    folder = tmp_path / "site"
    folder.mkdir()
    monkeypatch.setenv("FLIPSIDE_PLUGINS", "1")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, [str(folder), os.environ.get("PYTHONPATH")])))
    monkeypatch.syspath_prepend(folder)
    plugins.forget()
    yield folder
    plugins.forget()
    for name in [name for name in sys.modules if name.startswith(("flipside_cats", "broken_", "other_"))]:
        del sys.modules[name]


@pytest.fixture
def cats(site):
    return packages.cats(site)


@pytest.fixture
def data(tmp_path):
    folder = tmp_path / "data"
    folder.mkdir()
    for name, colour in (("1.png", "red"), ("2.png", "blue")):
        Image.new("RGB", (32, 32), colour).save(folder / name)
    pairs = {"7": ("1.png", "a red cat", "a cat"), "8": ("2.png", "a very blue cat of great size", "a blue cat")}
    records = {key: dict(zip(("image", "caption", "foil"), each, strict=True)) for key, each in pairs.items()}
    (folder / "cats.json").write_text(json.dumps(records), encoding="utf-8")
    return folder


def bare(text):
    """Without the backslashes that keep Markdown from reading it."""
    return text.replace("\\", "")


def groups():
    from backend import benchmarks, cli, perturb
    from backend.metrics.core import registry as metrics
    from backend.models import registry as families

    found = (benchmarks.BROUGHT, perturb.BROUGHT, metrics.BROUGHT, families.BROUGHT, cli.BROUGHT, plugins.PAGES)
    return {group.key: group for group in found}


def test_every_group_is_read():
    assert set(groups()) == set(plugins.KEYS) == set(THINGS)


def test_names_are_listed_with_their_package_and_nothing_is_imported(cats, flipside):
    for key, group in groups().items():
        assert group.packages() == {THINGS[key]: "flipside-cats 0.1"}
    helped = flipside("--help")
    assert "meow" in helped.out
    assert "From the package flipside-cats 0.1." in helped.out
    assert "flipside_cats" not in sys.modules
    assert plugins.troubles() == []


def test_each_can_be_loaded(cats):
    for key, group in groups().items():
        assert [name for name, _ in group.usable()] == [THINGS[key]]
    assert plugins.troubles() == []


def test_the_lists_name_them_with_their_package(cats, flipside):
    for verb, key, name in (("benchmarks", "benchmarks", "cats"), ("models", "families", "catlike"),
                            ("perturb", "perturbations", "cat_to_dog")):  # fmt: skip
        rows = {row["name"]: row["package"] for row in flipside(verb, "--json").json[key]}
        assert rows.pop(name) == "flipside-cats 0.1"
        assert set(rows.values()) == {None}
        assert "flipside-cats 0.1" in flipside(verb).out


def test_switched_off_nothing_is_there(cats, flipside, monkeypatch):
    monkeypatch.setenv("FLIPSIDE_PLUGINS", "0")
    plugins.forget()
    assert all(group.names() == [] for group in groups().values())
    answer = flipside("meow")
    assert answer.code == 2
    assert "No such command 'meow'" in answer.err


@pytest.mark.slow
@pytest.mark.usefixtures("shipped_imported")
def test_what_is_brought_is_imported_scored_edited_and_reported_and_stays_readable_without_it(
    cats, data, flipside, monkeypatch
):
    assert flipside("import", "cats", "--data", data, "--json").json["n_items"] == 2
    ran = flipside("run", "--model", "catlike:tabby", "--benchmark", "cats", "--data", data, "--kinds", "itc", "--json")
    assert ran.code == 0, ran.err
    found = flipside("report", "--model", "catlike:tabby", "--benchmark", "cats", "--json")
    assert found.code == 0, found.err
    rates = found.json["metrics"]
    assert rates["accuracy"]["value"] == 0.5
    assert rates["cat_margin"]["value"] == 0.0
    edited = flipside("perturb", "--benchmark", "cats", "--data", data, "--kinds", "cat_to_dog", "--json")
    assert edited.code == 0, edited.err
    assert flipside("meow", "--times", 2).out == "meow meow\n"

    packages.uninstall(cats, "flipside-cats")
    sys.modules.pop("flipside_cats")
    plugins.forget()
    later = flipside("report", "--model", "catlike:tabby", "--benchmark", "cats", "--json")
    assert later.code == 0, later.err
    assert "accuracy" in json.dumps(later.json["metrics"])
    assert (
        flipside("run", "--model", "catlike:tabby", "--benchmark", "cats", "--data", data, "--kinds", "itc").code == 2
    )
    from tests.pages.opening import opened

    for page in ("overview", "failures", "runs"):
        drawn = opened(page).run()
        assert not drawn.exception, page


def test_a_family_takes_folders_that_none_of_ours_accepts(cats, tmp_path):
    from backend.models import kinds_of, load

    (tmp_path / "config.json").write_text(json.dumps({"architectures": ["CatModel"]}), encoding="utf-8")
    (tmp_path / "model.safetensors").write_bytes(b"x" * 99)
    assert kinds_of(f"hf:{tmp_path}") == {"itc", "t2t"}
    assert load(f"hf:{tmp_path}").family == "catlike"


@pytest.mark.long
def test_a_process_of_its_own_sees_what_pip_installed(site, data, process):
    packages.cats(site, by_pip=True)
    assert process("meow").out == "meow\n"


@pytest.mark.slow
def test_a_job_of_the_browser_sees_them(cats, data):
    from backend.live.jobs import jobs

    job = jobs.start("import", ["cats", "--data", str(data), "--json"], "cats")
    end = time.monotonic() + 90
    while (now := next(each for each in jobs.listing() if each.job_id == job.job_id)).state not in ("done", "failed"):
        assert time.monotonic() < end, now
        time.sleep(0.3)
    assert now.state == "done"


def test_its_page_is_in_the_sidebar_and_is_drawn(cats):
    from tests.pages.opening import opened

    drawn = opened("cat_counter").run()
    assert not drawn.exception
    assert drawn.title[0].value == "How many cats?"
    assert "cats among them: True" in drawn.markdown[-1].value
    assert "flipside-cats 0.1" in bare(drawn.caption[-1].value)


RAISING = {"broken_raises": "raise ZeroDivisionError('no\\ncats')"}
EXITING = {"broken_exits": "import sys\nsys.exit(3)"}
NOTHING = {"broken_empty": "THING = 3"}


@pytest.mark.parametrize(
    ("modules", "target", "says"),
    [
        (RAISING, "broken_raises:THING", "importing broken_raises:THING raised ZeroDivisionError: no cats"),
        (EXITING, "broken_exits:THING", "raised SystemExit: 3"),
        (NOTHING, "broken_empty:THING", "broken_empty:THING must be a"),
        (NOTHING, "broken_empty:OTHER", "raised AttributeError"),
        ({}, "broken_absent:THING", "raised ModuleNotFoundError"),
        (NOTHING, "broken empty", "raised"),
    ],
)
@pytest.mark.parametrize("key", THINGS)
def test_a_broken_one_is_named_and_skipped(site, key, modules, target, says):
    packages.install(site, "broken-things", {key: {"shaky": target}}, modules)
    group = groups()[key]
    assert group.names() == ["shaky"]
    assert list(group.usable()) == []
    (said,) = plugins.troubles()
    assert said.startswith(f"the {group.thing} 'shaky' of the package broken-things 0.1 cannot be used: ")
    assert says in said
    assert "\n" not in said
    with pytest.raises(plugins.PluginError, match="cannot be used"):
        group.load("shaky")


@pytest.mark.long
@pytest.mark.usefixtures("shipped_imported")
def test_broken_ones_stop_no_list_no_page_and_no_other_command(site, flipside):
    everything = {key: {"shaky": "broken_raises:THING"} for key in THINGS}
    packages.install(site, "broken-things", everything, RAISING)
    for verb in ("benchmarks", "models", "perturb"):
        answer = flipside(verb, "--json")
        assert answer.code == 0
        assert "shaky" not in answer.out
        assert "flipside: skipped: the " in answer.err
        assert "Traceback" not in answer.err
    asked = flipside("shaky")
    assert asked.code == 1
    assert asked.err.startswith("flipside: the verb 'shaky' of the package broken-things 0.1 cannot be used")
    for arguments in (("import", "shaky"), ("perturb", "--benchmark", "world", "--kinds", "shaky"),
                      ("run", "--model", "shaky:x", "--benchmark", "world", "--kinds", "itc")):  # fmt: skip
        answer = flipside(*arguments)
        assert answer.code == 1
        assert "'shaky' of the package broken-things 0.1 cannot be used" in answer.err
    from tests.pages.opening import opened

    own = opened("shaky").run()
    assert not own.exception
    assert "the page 'shaky' of the package broken-things 0.1 cannot be used" in bare(own.error[0].value)
    runs = opened("runs").run()
    assert not runs.exception
    assert any("Skipped: the benchmark 'shaky'" in bare(each.value) for each in runs.warning)


BAD = {
    "verbs": ("broken_used:verb", "def verb():\n    raise ZeroDivisionError('inside')"),
    "pages": ("broken_used:page", "def page():\n    raise ZeroDivisionError('inside')"),
}


def test_a_verb_that_raises_is_the_packages_fault_in_one_sentence(site, flipside, flipside_cache):
    target, source = BAD["verbs"]
    packages.install(site, "broken-things", {"verbs": {"shaky": target}}, {"broken_used": source})
    answer = flipside("shaky")
    assert answer.code == 1
    assert "the verb 'shaky' of the package broken-things 0.1 raised ZeroDivisionError: inside." in answer.err
    assert answer.err.count("\n") == 1
    assert "inside" in (flipside_cache / "logs" / "flipside.log").read_text()


def test_a_page_that_raises_is_told_on_that_page(site):
    from tests.pages.opening import opened

    target, source = BAD["pages"]
    packages.install(site, "broken-things", {"pages": {"shaky": target}}, {"broken_used": source})
    drawn = opened("shaky").run()
    assert not drawn.exception
    assert "raised ZeroDivisionError: inside" in bare(drawn.error[0].value)


@pytest.mark.parametrize(
    ("key", "taken"),
    [("benchmarks", "visla"), ("perturbations", "negation"), ("metrics", "group_score"), ("families", "hf"),
     ("families", "dual-hf"), ("verbs", "run"), ("pages", "failures"), ("pages", "try-it"), ("pages", "static")],
)  # fmt: skip
def test_a_name_of_ours_is_not_taken_over(site, key, taken):
    packages.install(site, "other-things", {key: {taken: "other_things:X"}}, {"other_things": "raise RuntimeError"})
    group = groups()[key]
    assert group.names() == []
    assert not group.has(taken) or key == "pages"
    (said,) = plugins.troubles()
    assert said.startswith(f"the {group.thing} '{taken}' of the package other-things 0.1 is not used: Flipside has one")


@pytest.mark.parametrize("key", THINGS)
def test_two_packages_with_one_name_are_both_refused(cats, key):
    packages.install(cats, "other-things", {key: {THINGS[key]: "other_things:X"}}, {"other_things": "X = 1"})
    group = groups()[key]
    assert group.names() == []
    (said,) = plugins.troubles()
    assert "comes from flipside-cats 0.1 and other-things 0.1: neither is used" in said
    with pytest.raises(plugins.PluginError, match="neither is used"):
        group.load(THINGS[key])


def test_a_wrong_name_an_unknown_group_and_a_damaged_record(site):
    packages.install(site, "other-things", {"benchmarks": {"My Cats": "other_things:X"}, "bencmarks": {"a": "b:C"}}, {})
    damaged = site / "damaged-1.dist-info"
    damaged.mkdir()
    (damaged / "entry_points.txt").write_bytes(b"[flipside.benchmarks]\nx = y:Z\n\xff\xfe\n")
    from backend import benchmarks

    assert benchmarks.BROUGHT.names() == []
    said = " ".join(plugins.troubles())
    assert "the benchmark 'My Cats' of the package other-things 0.1 is not used: a name has small letters" in said
    assert "'flipside.bencmarks' are not used" in said
    assert "its record cannot be read (UnicodeDecodeError" in said


def test_what_the_contracts_ask_for(site):
    source = (
        "from flipside_cats import *\nfrom dataclasses import replace\n"
        "OTHER = replace(CATS, name='dogs')\nPREFIXED = replace(CATLIKE, name='shaky', prefixes=('hf',))\n"
        "EMPTY = replace(CAT_MARGIN, name='shaky', judge=None)\n"
        "POOL = replace(CAT_MARGIN, name='shaky', protocol=Protocol.RETRIEVAL)\n"
        "def asking(x): ...\nclass Verb: ...\n"
    )
    packages.cats(site)
    wanted = {
        "benchmarks": ("OTHER", "its own name is 'dogs'"),
        "families": ("PREFIXED", "its prefixes are hf, where only its own name can be one"),
        "metrics": ("EMPTY", "it has no judge"),
        "pages": ("asking", "it asks for x"),
        "verbs": ("Verb", "found the class Verb"),
        "perturbations": ("CATS", "found an object of the type Declaration"),
    }
    entries = {key: {"shaky": f"broken_contracts:{name}"} for key, (name, _) in wanted.items()}
    packages.install(site, "broken-things", entries, {"broken_contracts": source})
    for key, (_, says) in wanted.items():
        with pytest.raises(plugins.PluginError, match=says):
            groups()[key].load("shaky")


def test_a_metric_that_raises_leaves_the_others(site, monkeypatch):
    from backend.items import Kind, Protocol
    from backend.metrics.core import evaluate

    packages.cats(site)
    source = "from flipside_cats import *\nfrom dataclasses import replace\n"
    source += "BAD = replace(CAT_MARGIN, name='shaky', judge=lambda s: s.scores[9999])\n"
    packages.install(site, "broken-things", {"metrics": {"shaky": "broken_metric:BAD"}}, {"broken_metric": source})
    found = evaluate.outcomes(Protocol.CHOICE, Kind.ITC, [[0.5, 0.1], [0.5, 0.48]], [2, 2])
    assert found["accuracy"].correct.tolist() == [True, True]
    assert found["cat_margin"].correct.tolist() == [True, False]
    assert "shaky" not in found
    assert "the metric 'shaky' of the package broken-things 0.1 raised IndexError" in plugins.troubles()[0]


def test_doctor_names_what_is_there_and_fails_on_what_is_broken(cats):
    from backend.verbs.checking import checks

    found = checks.plug_ins()
    assert found.status == "ok"
    assert "benchmark cats (flipside-cats 0.1)" in found.detail
    assert "page cat_counter (flipside-cats 0.1)" in found.detail
    packages.install(Path(cats), "broken-things", {"pages": {"shaky": "broken_absent:X"}}, {})
    plugins.forget()
    assert checks.plug_ins().status == "failed"


@pytest.mark.parametrize("line", ["class Odd(BaseException): pass\nraise Odd('x')", "raise KeyboardInterrupt"])
def test_a_package_that_raises_what_is_no_exception_stops_nothing(site, line):
    """Every verb lists metrics, families or benchmarks: a module that cannot be imported is skipped all the same."""
    made = {key: {"odd": "broken_odd:x"} for key in ("benchmarks", "families", "metrics", "perturbations")}
    packages.install(site, "broken-odd", made, {"broken_odd": line})
    importlib.invalidate_caches()
    plugins.forget()
    for group in groups().values():
        assert [name for name, _ in group.usable() if name == "odd"] == []
    raised = "KeyboardInterrupt" if "KeyboardInterrupt" in line else "Odd: x"
    assert len([said for said in plugins.troubles() if f"importing broken_odd:x raised {raised}" in said]) == 4


@pytest.fixture
def sigint() -> Iterator[None]:
    """Ctrl-C raises, as in a terminal; a shell starts what runs in its background with SIGINT ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def test_ctrl_c_while_a_package_is_imported_stops(site, sigint):
    packages.install(
        site, "broken-slow", {"metrics": {"slow": "broken_slow:x"}},
        {"broken_slow": "import signal\nsignal.raise_signal(signal.SIGINT)\n"},
    )  # fmt: skip
    importlib.invalidate_caches()
    plugins.forget()
    with pytest.raises(KeyboardInterrupt):
        groups()["metrics"].load("slow")
