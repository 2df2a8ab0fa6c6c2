"""Real weights on a real benchmark give the numbers that the paper prints, through the command line from end to end."""

import random
import shutil

import pytest

PRINTED = {"t2t_accuracy": 58.89, "p1_n_accuracy": 93.22, "p2_n_accuracy": 60.12}  # VISLA, Tables 2 and 3

pytestmark = pytest.mark.timeout(600)


@pytest.fixture
def percentages(process):
    """Score VISLA's generic part with a sentence encoder and read the report: metric -> per cent, two decimals."""

    def measure(model, data) -> dict[str, float]:
        spec = f"st:{model}"
        where = ["--model", spec, "--benchmark", "visla", "--subset", "generic"]
        run = process("run", *where, "--data", data, "--kinds", "t2t", env={"OMP_NUM_THREADS": "2"})
        assert run.code == 0, run.err
        report = process("report", *where, "--json")
        assert report.code == 0, report.err
        metrics = report.json["metrics"]
        assert {metrics[name]["n"] for name in PRINTED} == {973}
        return {name: round(100 * metrics[name]["value"], 2) for name in PRINTED}

    return measure


def test_minilm_on_visla_generic_is_what_the_paper_prints(percentages, process, minilm, shared_data):
    assert percentages(minilm, shared_data / "visla") == PRINTED
    report = process("report", "--model", f"st:{minilm}", "--benchmark", "visla", "--subset", "generic", "--json").json
    published = report["metrics"]["t2t_accuracy"]["published"]
    assert (published["value"], published["table"]) == (0.5889, "Table 2")
    assert abs(published["difference"]) < 5e-5


@pytest.mark.slow
def test_the_order_of_rows_changes_nothing(percentages, minilm, shared_data, tmp_path):
    header, *rows = (shared_data / "visla" / "Generic_VISLA.tsv").read_bytes().split(b"\r\n")
    rows = [row for row in rows if row]
    random.Random(1).shuffle(rows)
    (tmp_path / "Generic_VISLA.tsv").write_bytes(b"\r\n".join([header, *rows]))
    assert percentages(minilm, tmp_path) == PRINTED


@pytest.mark.slow
def test_other_weights_give_other_numbers(percentages, minilm, shared_data, tmp_path):
    import torch
    from safetensors.torch import load_file, save_file

    shutil.copytree(minilm, tmp_path / "model")
    weights = load_file(tmp_path / "model" / "model.safetensors")
    generator = torch.Generator().manual_seed(0)
    for name, tensor in weights.items():
        if name.endswith("query.weight"):
            tensor += tensor.std() * torch.randn(tensor.shape, generator=generator)
    save_file(weights, tmp_path / "model" / "model.safetensors", metadata={"format": "pt"})
    assert percentages(tmp_path / "model", shared_data / "visla") != PRINTED
