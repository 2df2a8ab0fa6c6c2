import json

import pytest
import typer

from backend.errors import UsageError
from backend.verbs.run import command


@pytest.fixture
def visla(tmp_path):
    """Four of VISLA's lines, without their images."""
    lines = [f"{k}.jpg\tone {k}\tthe one {k}\tnot {k}" for k in range(4)]
    header = "filename\tcaption\tsecond positive\tnegative_caption"
    (tmp_path / "Generic_VISLA.tsv").write_text("\n".join([header, *lines]) + "\n")
    return tmp_path


def test_json_is_one_document_and_nothing_else(visla, capsys):
    command(model="fake:ok", benchmark="visla", kinds="t2t, itc", data=visla, as_json=True)
    out, err = capsys.readouterr()
    document = json.loads(out)
    assert err == ""
    assert document["n_items"] == 4
    assert document["parts"]["t2t"] == {"complete": True, "rows": 12, "new_rows": 12, "taken_rows": 0}
    (left_out,) = document["left_out"]
    assert (left_out["reason"], left_out["n"], left_out["parts"]) == ("image missing", 4, ["itc"])
    assert document.keys() >= {"run", "seconds", "rate", "skipped", "interrupted"}


def test_people_get_a_table_and_what_was_left_out(visla, capsys):
    command(model="fake:ok", benchmark="visla", kinds="t2t,itc,prior", data=visla, prior=["noise:1"])
    out, _ = capsys.readouterr()
    assert "t2t            12    0      12        complete" in out
    assert "prior@noise:1" in out
    assert "left out 4 items of itc: image missing" in out


def test_a_failed_part_gives_exit_code_1_and_names_the_item(visla, capsys):
    with pytest.raises(typer.Exit) as stop:
        command(model="fake:nan", benchmark="visla", kinds="t2t", data=visla)
    assert stop.value.exit_code == 1
    assert "t2t stopped at item" in capsys.readouterr().err


def test_nothing_to_score_gives_exit_code_1_and_the_reason(visla, capsys):
    with pytest.raises(typer.Exit) as stop:
        command(model="fake:ok", benchmark="visla", kinds="itc", data=visla)
    assert stop.value.exit_code == 1
    assert "the images are missing" in capsys.readouterr().err


@pytest.mark.parametrize("batch", ["0", "-1", "many"])
def test_a_wrong_batch_is_wrong_use(visla, batch):
    with pytest.raises(UsageError, match="--batch"):
        command(model="fake:ok", benchmark="visla", kinds="t2t", data=visla, batch=batch)
