"""What a study's file may say, and what is said of one that says something else: file, line, nearest key."""

import pytest

from backend.errors import UsageError
from backend.study.grid import read
from backend.study.keys import line_of
from backend.study.running import subjects

GOOD = """\
title = "Mine"
kinds = "itc, gen"
priors = ["noise:3"]

[settings]
device = "cpu"
limit = 20
seed = 3

[[models]]
spec = "bundled:clip"
name = "CLIP"

[[models]]
spec = "hf:org/name"
revision = "abc123"
dtype = "float16"
kinds = ["itm"]
priors = []

[[benchmarks]]
name = "world"
subset = ["relation", "count"]

[[benchmarks]]
name = "visla"
data = "files/visla"
sample = 5
kinds = ["t2t"]

[table]
metrics = ["group_score"]
by_subset = true
"""


def test_a_file_is_read(tmp_path):
    path = tmp_path / "grid.toml"
    path.write_text(GOOD)
    study = read(path)
    assert (study.title, study.kinds, study.priors, study.device) == ("Mine", ("itc", "gen"), ("noise:3",), "cpu")
    assert [model.spec for model in study.models] == ["bundled:clip", "hf:org/name@abc123"]
    assert (study.models[1].dtype, study.models[1].title) == ("float16", "hf:org/name@abc123")
    world, visla = study.benchmarks
    assert (world.selection.subset, world.selection.limit, world.selection.seed) == ("relation,count", 20, 3)
    assert (visla.selection.limit, visla.selection.sample, visla.data) == (None, 5, tmp_path / "files" / "visla")
    assert study.kinds_of(study.models[0], world) == ["itc", "gen"]
    assert study.kinds_of(study.models[1], world) == ["itm"]
    assert study.kinds_of(study.models[1], visla) == ["t2t"]
    assert study.priors_of(study.models[1]) == ()
    assert study.table == {"metrics": ["group_score"], "by_subset": True}


def test_code_of_ones_own_is_named_from_the_files_folder_on(tmp_path):
    path = tmp_path / "grid.toml"
    new = GOOD.replace("bundled:clip", "py:nets/my_clip.py:load#a").replace("noise:3", "lm:py:./lm.py:Net")
    path.write_text(new)
    study = read(path)
    assert study.models[0].spec == f"py:{tmp_path}/nets/my_clip.py:load#a"
    assert study.priors == (f"lm:py:{tmp_path}/lm.py:Net",)
    for spec in ("py:/there/net.py:load", "py:package.module:Net", "py:~/net.py:load"):
        path.write_text(GOOD.replace("bundled:clip", spec))
        assert read(path).models[0].spec == spec


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('spec = "bundled', 'specs = "bundled', r"line 11: there is no key 'specs' here. Did you mean spec\?"),
        ('name = "CLIP"', "name = 3", "line 12: name is a number (3); expected a text"),
        ('title = "Mine"', 'titel = "Mine"', r"line 1: there is no key 'titel' here. Did you mean title\?"),
        ("limit = 20", "limit = -1", "line 7: limit is a number"),
        ('device = "cpu"', 'metrics = "x"', r"line 6: there is no key 'metrics' here. It belongs in \[table\]"),
        ('kinds = ["t2t"]', 'kinds = ["t2i"]', r"line 29: unknown kind 't2i'. Did you mean t2t\?"),
        ('name = "visla"', 'name = "vsila"', "line 26: unknown benchmark 'vsila'. Did you mean visla"),
        ('spec = "hf:org/name"', 'spec = "hg:org/name"', "line 15: Model spec 'hg:org/name': there is no family 'hg'"),
        ('dtype = "float16"', 'dtype = "half"', "line 17: dtype is 'half'; use one of auto"),
        ("sample = 5", "sample = 5\nlimit = 6", "line 25: limit and sample exclude each other"),
        ('spec = "hf:org/name"\n', 'spec = "bundled:clip"\n', "line 16: bundled:clip takes no revision"),
        ('[[benchmarks]]\nname = "world"', '[[benchmarks]]\nnames = "world"', r"line 22: there is no key 'names'"),
        ('name = "visla"\ndata = "files/visla"\nsample = 5\nkinds = ["t2t"]',
         'name = "world"\nsubset = "relation,count"',
         "line 26: this benchmark stands twice"),
        ("[table]", "[table", "is not TOML: .*line 31"),
        ("limit = 20", "limit = -3", "line 7: limit is a number .-3.; expected a whole number from 1 to 2,147,483,647"),
        ("limit = 20", "limit = 0", "line 7: limit is a number .0.; expected a whole number from 1 to 2,147,483,647"),
        ("limit = 20", "limit = 99999999999999999999999", "expected a whole number from 1 to 2,147,483,647"),
        ("limit = 20", "limit = 20\nlimit = 30", "the key 'limit' stands twice: .*line 8"),
        ('kinds = "itc, gen"', "kinds = []", "line 2: kinds names nothing"),
        ('subset = ["relation", "count"]', 'subset = ""', "line 23: subset names nothing"),
        ('priors = ["noise:3"]', 'priors = ["noize:3"]', "line 3: priors noize:3: expected noise:N"),
        ("priors = []", 'priors = ["images"]', "line 19: priors images: expected noise:N"),
        ('metrics = ["group_score"]', 'metrics = "text"', "line 32: .*text"),
        ('revision = "abc123"', 'revision = "abc123"\nname = "CLIP"', "line 17: bundled:clip is called 'CLIP', too"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_with_its_line(tmp_path, old, new, said):
    path = tmp_path / "grid.toml"
    assert old in GOOD
    path.write_text(GOOD.replace(old, new, 1))
    with pytest.raises(UsageError, match=said.replace("(3)", r"\(3\)")) as error:
        read(path)
    assert str(error.value).startswith(str(path))


def test_a_byte_order_mark_is_no_part_of_the_first_key(tmp_path):
    (tmp_path / "grid.toml").write_bytes(b"\xef\xbb\xbf" + GOOD.encode())
    assert read(tmp_path / "grid.toml").title == "Mine"


def test_what_is_wrong_with_a_benchmark_is_said_by_key_and_line(tmp_path, flipside_cache):
    text = GOOD.replace('["relation", "count"]', '["relatoin"]')
    (tmp_path / "grid.toml").write_text(text)
    world, visla = (each.why for each in subjects(read(tmp_path / "grid.toml")))
    assert world.startswith("grid.toml, line 23: subset relatoin: world has no such part. Did you mean relation?")
    assert visla.startswith("grid.toml, line 27: ")
    assert "--" not in world + visla


def test_files_that_are_none(tmp_path):
    with pytest.raises(UsageError, match="cannot be read"):
        read(tmp_path / "none.toml")
    (tmp_path / "empty.toml").write_text("")
    with pytest.raises(UsageError, match=r"a study has \[\[models\]\], each with its spec"):
        read(tmp_path / "empty.toml")
    (tmp_path / "binary.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(UsageError, match="no text in UTF-8"):
        read(tmp_path / "binary.toml")
    (tmp_path / "large.toml").write_text("#" * 1_000_001)
    with pytest.raises(UsageError, match="at most 1,000,000"):
        read(tmp_path / "large.toml")


def test_lines_of_inline_tables_are_found_too():
    text = 'kinds = "itc"\nmodels = [\n  {spec = "a"},\n  {spec = "b", nmae = "c"},\n]\n'
    assert line_of(text, ("models", 1, "nmae")) == 4
    assert line_of(text, ("kinds",)) == 1
    assert line_of(text, ("none",)) is None
