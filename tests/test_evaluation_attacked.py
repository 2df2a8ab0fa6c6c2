"""`evaluate` where it was attacked: settings beside equal parameters, threads, forks, modules in lists, wrong words."""

import errno
import os
import threading
import time

import numpy as np
import pytest
import torch

from backend import evaluation
from backend.errors import FlipsideError, UsageError
from backend.evaluation import evaluate
from tests.engine.samples import mixed


class Net(torch.nn.Module):
    """Scores that `scale` decides, which no state_dict holds, and dropout."""

    def __init__(self, scale=1.0):
        super().__init__()
        self.text, self.drop, self.scale, self.modes = torch.nn.Embedding(128, 4), torch.nn.Dropout(0.5), scale, []

    def encode_image(self, images):
        self.modes.append(self.training)
        time.sleep(0.005)
        seen = torch.tensor([[*image.resize((1, 1)).convert("RGB").getpixel((0, 0)), 1.0] for image in images])
        return self.drop(seen) + 100 * self.scale

    def encode_text(self, texts):
        return self.text(torch.tensor([[ord(letter) % 128 for letter in text[:9].ljust(9)] for text in texts])).mean(1)


@pytest.fixture
def net():
    torch.manual_seed(0)
    return Net()


@pytest.fixture
def benchmark(tmp_path):
    return mixed(tmp_path / "pictures")


def values(found):
    return found.scores["value"].to_numpy()


def test_settings_beside_the_parameters_make_another_model(net, benchmark, flipside_cache):
    other = Net(-1.0)
    other.load_state_dict(net.state_dict())
    kept = [evaluate(each, benchmark, kinds="itc", keep=True) for each in (net, other)]
    assert kept[0].run_id != kept[1].run_id
    assert np.array_equal(values(kept[1]), values(evaluate(other, benchmark, kinds="itc")))
    assert not np.array_equal(values(kept[0]), values(kept[1]))


def test_another_preprocessing_makes_another_model(net, benchmark, flipside_cache):
    net.weights_id = "fixed"
    kept = [
        evaluate(net, benchmark, kinds="t2t", keep=True, tokenizer=tokens)
        for tokens in (lambda texts: texts, lambda texts: [text[::-1] for text in texts])
    ]
    assert kept[0].run_id != kept[1].run_id
    assert not np.array_equal(values(kept[0]), values(kept[1]))


@pytest.mark.parametrize("keep", [False, True])
def test_threads_do_not_disturb_each_other(net, benchmark, keep, flipside_cache):
    net.train()
    found, failed = [], []

    def one(wait):
        time.sleep(wait)
        try:
            found.append(values(evaluate(net, benchmark, kinds="itc", keep=keep)))
        except BaseException as error:  # noqa: BLE001
            failed.append(error)

    threads = [threading.Thread(target=one, args=(0.02 * k,)) for k in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed
    assert net.training
    assert set(net.modes) == {False}
    assert all(np.array_equal(each, found[0]) for each in found)


def test_a_module_in_a_dictionary_is_in_evaluation_mode_too(net, benchmark, flipside_cache):
    class Holder:
        def __init__(self):
            self.towers = {"all": [net]}

        def encode_image(self, images):
            return self.towers["all"][0].encode_image(images)

        def encode_text(self, texts):
            return net.encode_text(texts)

    net.train()
    evaluate(Holder(), benchmark, kinds="itc")
    assert set(net.modes) == {False}
    assert net.training


@pytest.mark.long
def test_a_forked_child_leaves_its_parent_s_folder(flipside_cache):
    evaluate("fake:ok", "world", kinds="itc", limit=2)
    folder = evaluation._folder()
    evaluation._alone.acquire()
    child = os.fork()
    if child == 0:
        free = evaluation._alone.acquire(blocking=False)
        evaluation._remove(os.getppid())
        os._exit(0 if free and evaluation._folder() != folder else 1)
    evaluation._alone.release()
    assert os.waitpid(child, 0)[1] == 0
    assert folder.is_dir()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"limit": 0}, "limit is 0"),
        ({"limit": 2.5}, "limit is 2.5"),
        ({"limit": "2"}, "limit is '2'"),
        ({"batch_size": 0}, "batch_size is 0"),
        ({"workers": -1}, "workers is -1"),
        ({"sample": 2, "seed": -1}, "seed is -1"),
        ({"benchmark": None}, "benchmark is NoneType"),
        ({"keep": True, "name": "a\nb"}, "name is"),
        ({"keep": True, "name": " "}, "name is"),
        ({"keep": True, "name": "bundled:clip"}, "its run would stand among that model's"),
        ({"keep": True, "series": {"a": "x"}}, "series 'a': 'x'"),
        ({"keep": True, "series": {"": 1}}, "series ''"),
        ({"keep": True, "series": ["a"]}, "series is list"),
    ],
)
def test_wrong_words_are_refused_before_anything_is_written(net, benchmark, options, said, flipside_cache):
    with pytest.raises(UsageError, match=said):
        evaluate(net, **{"benchmark": benchmark, "kinds": "itc"} | options)
    assert not (flipside_cache / "runs").exists()


@pytest.mark.parametrize("keep", [False, True])
def test_a_full_disk_is_a_sentence(net, benchmark, keep, flipside_cache, monkeypatch):
    def full(*_, **__):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(evaluation.runner, "survey", full)
    with pytest.raises(FlipsideError, match="No space is left"):
        evaluate(net, benchmark, kinds="itc", keep=keep)
