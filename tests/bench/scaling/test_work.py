"""The arithmetic of docs/scaling.md against what torch counts, and the page against its script."""

import pytest

from bench.paired.counting import counted
from bench.scaling import __main__ as page
from bench.scaling import models, plans
from bench.scaling.subjects import EQBEN, MODELS, scores
from bench.scaling.work import Inputs, Machine, Subject, Tower, vision


def test_a_vision_tower_costs_what_torch_counts():
    import torch
    import transformers

    config = transformers.CLIPVisionConfig(
        hidden_size=64, intermediate_size=256, num_hidden_layers=3, num_attention_heads=4, image_size=96, patch_size=16
    )
    model = transformers.CLIPVisionModel(config).eval()
    with torch.no_grad():
        flops = counted(model, lambda: model(pixel_values=torch.zeros(2, 3, 96, 96))).flops
    patches = 2 * 2 * 36 * 3 * 16 * 16 * 64  # the first convolution, which the formula leaves out
    assert flops - patches == pytest.approx(2 * vision(96, 16, 64, 3).flops, rel=1e-6)


def test_a_decoder_with_an_image_costs_what_torch_counts(tmp_path):
    import torch

    from bench.paired import made, plain

    made.blip(tmp_path, "BlipForConditionalGeneration", made.SMALL)
    shape, blip = made.SMALL, plain.Blip(str(tmp_path))
    ids, seen = torch.ones(1, 12, dtype=torch.long), torch.zeros(1, 17, shape.width)
    with torch.no_grad():
        flops = counted(
            blip.model,
            lambda: blip.model.text_decoder(input_ids=ids, encoder_hidden_states=seen, use_cache=False),
        ).flops
    tower = Tower(shape.width, shape.text_layers, 12, cross=(17, shape.width), vocabulary=shape.vocabulary)
    head = 2 * 12 * shape.width**2  # BERT's head has one more layer before the words
    assert flops - head == pytest.approx(tower.flops, rel=1e-6)


def test_a_processor_makes_keys_and_values_once_for_a_picture_and_a_gpu_for_a_pair():
    """The figure for a laptop counted them for each of two captions, a ninth too much."""
    matching = models.subject("BLIP base matching")
    assert matching.keys == 12 * 4 * 577 * 768 * 768
    inputs = Inputs(images=10, texts=20, pairs=20)
    by_pair = Machine(peak=1.0, reached=1.0, cores=1, decoded=1.0).compute(matching, inputs)
    assert by_pair == matching.see * 10 + matching.meet * 20
    assert models.work("BLIP base matching", inputs) == pytest.approx(by_pair - 10 * matching.keys)
    assert models.work("CLIP ViT-B/32", inputs) == Machine(1.0, 1.0, 1, 1.0).compute(
        models.subject("CLIP ViT-B/32"), inputs
    )


def test_the_slower_of_the_gpu_and_its_cores_decides():
    machine = Machine(peak=100, reached=0.5, cores=2, decoded=10)
    inputs = Inputs(images=40, texts=80, pairs=160)
    subject = Subject("m", "itm", see=5, read=1, meet=2)
    assert machine.compute(subject, inputs) == (5 * 40 + 80 + 320) / 50
    assert machine.decode(inputs) == 2
    assert machine.seconds(subject, inputs) == 12
    assert machine.seconds(Subject("m", "itm", see=1), inputs) == 2
    assert machine.seconds(Subject("m", "itm", see=1), inputs, decoded=True) == 0.8


def test_there_are_fifty_models_and_their_scores_are_counted():
    assert sum(n for n, _ in MODELS) == 50
    assert Inputs(502_096, 502_096, 1_004_192) == EQBEN
    assert scores() == 251_048 * (41 * 4 + 9 * 10)


def test_the_page_is_what_the_script_prints():
    """Lines of the schedule with chance in them are as they were when the page was written."""
    again = text = page.PAGE.read_text(encoding="utf-8")
    for name, made in (
        ("laptop", models.laptop_part()),
        ("models", models.models_part()),
        ("seen", models.seen_part()),
        ("files", plans.files_part(64)),
    ):
        again = page.put(again, name, made)
    assert again == text, "run `python -m bench.scaling --write`"
    for line in plans.lines(64, 5):
        assert f"| {line.what} | " in text, "run `python -m bench.scaling --write`"
        if not line.chances.spread:
            assert plans.row(line, 64, 1) in text, "run `python -m bench.scaling --write`"
