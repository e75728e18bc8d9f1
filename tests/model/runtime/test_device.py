"""A simulated GPU runs out of memory: the network moves to the CPU, returns the result, and reports its device."""

import pytest
import torch
from torch import nn

from model import DecodingOptions
from model.classifier import VisionClassifier
from model.networks.transformer import CachedDecoder
from model.runtime.device import (
    NetworkOwner,
    describe_device,
    device_of,
    place_on_device,
    ran_out_of_memory,
    with_fallback,
)
from model.translator import Translator
from tests.model.images import noise, tiny_vision
from tests.model.networks import tiny_network

MOVED = "CPU, because the GPU ran out of memory"


class FullMemory:
    """Makes a method of an object fail as a full GPU does, from its `first` call on, until the network has moved."""

    def __init__(self, monkeypatch, network: nn.Module, owner: object, method: str, first: int = 0) -> None:
        self.calls, self.failed, self.moved_to = 0, 0, []
        to, real = network.to, getattr(owner, method)

        def move(device):
            self.moved_to.append(device)
            return to(device)

        def fail(*arguments, **options):
            self.calls += 1
            if self.calls > first and not self.moved_to:
                self.failed += 1
                raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 MiB.")
            return real(*arguments, **options)

        monkeypatch.setattr(network, "to", move)
        monkeypatch.setattr(owner, method, fail)


class Owner(NetworkOwner):
    """Owns a network, as a translator does."""

    def __init__(self, network: nn.Module) -> None:
        self.network = network


@pytest.fixture
def translator(tokenizer):
    return Translator(tiny_network(vocabulary_size=len(tokenizer)), tokenizer)


@pytest.fixture
def classifier():
    return VisionClassifier(tiny_vision())


def test_a_translator_falls_back_to_the_cpu_and_reports_it(translator, monkeypatch):
    expected = translator.translate("The cat sees the house."), translator.trace("The cat sees the house.").logits
    assert translator.device_name == "CPU"
    full = FullMemory(monkeypatch, translator.network, translator.network, "encode")
    assert (translator.trace("The cat sees the house.").logits == expected[1]).all()
    assert (full.failed, full.moved_to) == (1, ["cpu"])
    assert translator.device_name == MOVED
    assert translator.translate("The cat sees the house.") == expected[0]
    assert full.failed == 1


@pytest.mark.parametrize("options", [DecodingOptions(), DecodingOptions("beam")])
def test_a_translation_restarts_on_the_cpu(translator, monkeypatch, options):
    expected = translator.translate("The cat sees the house.", options)
    full = FullMemory(monkeypatch, translator.network, CachedDecoder, "step", 4)
    assert translator.translate("The cat sees the house.", options) == expected
    assert (full.failed, full.moved_to) == (1, ["cpu"])


@pytest.mark.parametrize("options", [DecodingOptions(), DecodingOptions("sampling", seed=3), DecodingOptions("beam")])
@pytest.mark.parametrize("first", [0, 1, 4])
def test_a_stream_continues_where_it_was(translator, monkeypatch, options, first):
    expected = list(translator.stream("The cat sees the house.", options))
    assert len(expected) > 5
    full = FullMemory(monkeypatch, translator.network, CachedDecoder, "step", first)
    assert list(translator.stream("The cat sees the house.", options)) == expected
    assert full.failed == 1
    assert translator.device_name == MOVED


def test_a_stream_restarts_when_another_computation_moved_the_network(translator, monkeypatch):
    expected = [step.ids for step in translator.stream("The cat sees the house.")]
    places = iter(["cuda", "cuda", "cuda"])
    monkeypatch.setattr("model.runtime.progress.device_of", lambda network: next(places, "cpu"))
    starts = []
    real = translator.network.encode
    monkeypatch.setattr(translator.network, "encode", lambda *arguments: starts.append(1) or real(*arguments))
    assert [step.ids for step in translator.stream("The cat sees the house.")] == expected
    assert len(starts) == 2


@pytest.mark.parametrize(
    "ask",
    [
        lambda classifier, trace: classifier.trace(trace.pixels).logits.tolist(),
        lambda classifier, trace: classifier.probabilities(trace.pixels).tolist(),
        lambda classifier, trace: classifier.rearranged(trace.pixels, positions=False).tolist(),
        lambda classifier, trace: classifier.explain(trace, 1)["raw gradient"].tolist(),
        lambda classifier, trace: classifier.faithfulness(trace, {}, 1)["random"].deletion.tolist(),
    ],
    ids=["trace", "probabilities", "rearranged", "explain", "faithfulness"],
)
def test_a_classifier_falls_back_to_the_cpu_and_reports_it(classifier, monkeypatch, ask):
    trace = classifier.trace(noise(12, 12, 3))
    expected = ask(classifier, trace)
    full = FullMemory(monkeypatch, classifier.network, classifier.network.layers[1], "forward")
    assert ask(classifier, trace) == expected
    assert (full.failed, full.moved_to) == (1, ["cpu"])
    assert classifier.device_name == MOVED


def test_a_model_that_does_not_fit_when_it_is_loaded_stays_on_the_cpu(monkeypatch):
    network, requested = nn.Linear(2, 2), []

    def to(device):
        requested.append(str(device))
        if str(device) == "cuda":
            raise RuntimeError("CUDA error: out of memory")
        return network

    monkeypatch.setattr(network, "to", to)
    owner = Owner(network)
    owner.left_device = place_on_device(network, torch.device("cuda"))
    assert requested == ["cuda", "cpu"]
    assert device_of(network).type == "cpu" and describe_device(owner) == MOVED


def test_other_errors_and_a_second_lack_of_memory_are_raised():
    owner = Owner(nn.Linear(2, 2))
    with pytest.raises(RuntimeError, match="shapes"):
        with_fallback(owner, lambda: _raise(RuntimeError("shapes")))
    assert describe_device(owner) == "CPU"
    with pytest.raises(torch.OutOfMemoryError):
        with_fallback(owner, lambda: _raise(torch.OutOfMemoryError("still full")))


def test_messages_of_drivers_about_full_memory():
    assert ran_out_of_memory(torch.OutOfMemoryError("CUDA out of memory."))
    assert ran_out_of_memory(RuntimeError("MPS backend out of memory (MPS allocated: 18 GB)"))
    assert ran_out_of_memory(RuntimeError("CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`"))
    assert not ran_out_of_memory(RuntimeError("The size of tensor a (3) must match the size of tensor b (4)"))


def _raise(error: Exception):
    raise error
