"""Items whose picture cannot be read are told of wherever numbers without them stand, in the same sentence."""

import csv
import io

import pytest
from PIL import Image

from backend.store import queries as q
from backend.store.build.reader import open_store
from backend.store.catalog import catalog

SAID = "Without scores of kind itc, and so in no rate: 2 of 12 items (image cannot be read)."
ON = ("--benchmark", "custom:own")


@pytest.fixture
def own(flipside_cache, flipside, tmp_path):
    """Twelve choices, two of whose pictures are none, scored by two models."""
    folder = tmp_path / "own"
    folder.mkdir()
    lines = ["image,caption,foil"]
    for n in range(12):
        Image.new("RGB", (16, 16), (20 * n, 50, 200)).save(folder / f"{n}.png")
        lines.append(f"{n}.png,a blue square {n},a red square {n}")
    for n in (3, 7):
        (folder / f"{n}.png").write_bytes(b"no picture")
    (folder / "items.csv").write_text("\n".join(lines) + "\n")
    assert flipside("import", "custom", "--data", str(folder), "--as", "own").code == 0
    for model in ("fake:ok/itc", "fake:constant/itc"):
        assert flipside("run", "--model", model, *ON, "--kinds", "itc").code == 1
    return flipside_cache


@pytest.mark.slow
@pytest.mark.usefixtures("own")
def test_every_verb_with_numbers_says_it(flipside, tmp_path):
    a, b = "fake:ok/itc", "fake:constant/itc"
    runs = {row["model"]: row["run"] for row in flipside("runs", *ON, "--json").json}
    assert SAID in flipside("report", "--model", a, *ON).err
    assert SAID in flipside("failures", "--model", a, *ON).err
    assert SAID in flipside("export", "--model", a, *ON, "--what", "outcomes", "--out", str(tmp_path / "o.csv")).err
    assert f"{runs[a]}: {SAID}" in flipside("runs", runs[a]).err
    listed = flipside("runs", *ON).err.splitlines()
    assert sum(SAID in line for line in listed) == 1, "runs that share a sentence share its line"
    assert f"{a}, {b}: {SAID}" in flipside("compare", a, b, *ON, "--json").json["notes"]
    answer = flipside("table", "--models", f"{a},{b}", "--benchmarks", "custom:own", "--format", "csv")
    assert f"{a}, {b} on custom:own: {SAID}" in answer.err
    assert [row["missing"] for row in csv.DictReader(io.StringIO(answer.out))] == [SAID, SAID]


@pytest.mark.slow
@pytest.mark.usefixtures("own")
def test_the_item_itself_says_it():
    store = open_store(follow=False, wait=True)
    known = catalog.benchmarks(store).set_index("name")["hash"]
    rows = store.cursor().execute("SELECT item_id FROM items WHERE benchmark = ?", [known["custom:own"]]).fetchall()
    details = {item: q.item(store, known["custom:own"], item) for (item,) in rows}
    store.close()
    said = {item: detail.left_out for item, detail in details.items() if detail.left_out}
    assert len(said) == 2
    assert all(details[item].scores.empty for item in said)
    line = SAID.replace("2 of 12 items", "this item")
    assert set(said.values()) == {((line, ("fake:constant/itc", "fake:ok/itc")),)}


@pytest.mark.slow
def test_an_image_that_is_gone_since_it_was_scored_is_not_counted(own, flipside, tmp_path):
    """The same run again counted every item whose image is missing now, “12 of 12” beside 10 verdicts."""
    for picture in (tmp_path / "own").glob("*.png"):
        picture.unlink()
    answer = flipside("run", "--model", "fake:ok/itc", *ON, "--kinds", "itc", "--json")
    assert "12 items" not in answer.err
    said = flipside("failures", "--model", "fake:ok/itc", *ON).err
    assert "Without scores of kind itc, and so in no rate: 2 of 12 items (image missing)." in said
