"""What the sweep tries with every type that opens: length, pairs, layers and heads, classes, sizes of pictures.

Each ends right or in the sentence of an `OpenError`; any other error ends the sweep's line of that type as failed.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import torch
from transformers.models.auto import modeling_auto

from model import OpenError
from model.hub.opened_model import OpenedModel
from model.hub.tasks import TABLES
from model.open_model import open_model
from tests.model.hub import tiny
from tests.model.hub.conftest import PICTURE, TEXT

SIZES = ((40, 32), (32, 48), (36, 36))  # of pictures, height and width
OUTPUTS = {"score": {"num_labels": 1}, "labels": {"num_labels": 3, "problem_type": "multi_label_classification"}}


def try_inputs(model: OpenedModel, type_: str, build: Callable[..., torch.nn.Module]) -> str:
    """Try all that applies to a model; returns what was right, what was refused, and what was wrong."""
    results = {"layers": _layers(model)}
    if model.vision:
        for size in SIZES:
            results["x".join(map(str, size))] = _outcome(lambda size=size: _picture(model, size))
    else:
        results["length"] = _outcome(lambda: _length(model))
        if model.takes_two_texts:
            results["pair"] = _outcome(lambda: _pair(model))
    table = TABLES["classify" if model.vision else "classify-text"][0]
    name = getattr(modeling_auto, table).get(type_)
    if name is not None:
        for form, settings in OUTPUTS.items():
            results[form] = _outcome(
                lambda settings=settings: _classes(build, type_, name if isinstance(name, str) else name[0], settings)
            )
    return ", ".join(f"{what} {result}" for what, result in results.items())


def _outcome(run: Callable[[], bool]) -> str:
    try:
        return "right" if run() else "WRONG"
    except OpenError as error:
        return f"refused ({str(error)[:40]})"


def _options(model: OpenedModel) -> dict:
    return {"target": TEXT} if model.task == "translate" else {}


def _layers(model: OpenedModel) -> str:
    """Numbers of the layers of each kind."""
    return " ".join(f"{kind}:" + "-".join(str(number + 1) for number in own) for kind, own in model.layers.items())


def _length(model: OpenedModel) -> bool:
    """One token too many is refused; as many as there are positions are read."""
    most = model.limits.source
    if most is None or most > 200:
        return model.trace("a" * 90, keep="weights", **_options(model)).verify().max_difference < 1e-4
    special = len(model.reader("a")["input_ids"]) - 1
    fits = model.trace("?" * (most - special), keep="weights", **_options(model))
    try:
        model.trace("?" * (most - special + 1), **_options(model))
    except OpenError as error:
        return "positions" in str(error) and fits.verify().max_difference < 1e-4
    return False


def _pair(model: OpenedModel) -> bool:
    trace = model.trace(TEXT, second="A dog.")
    return set(trace.source.segments) == {0, 1} and trace.verify().max_difference < 1e-4


def _picture(model: OpenedModel, size: tuple[int, int]) -> bool:
    pixels = np.random.default_rng(0).random((model.trace(PICTURE).received.shape[0], *size)).astype(np.float32)
    trace = model.trace({"pixel_values": pixels})
    count = trace.leading + trace.grid[0] * trace.grid[1] + trace.trailing
    return all(record.weights.shape[-1] == count for record in trace.records.values())


def _classes(build: Callable[..., torch.nn.Module], type_: str, name: str, settings: dict) -> bool:
    """Answers are those of the library's classifier; a single output is a score, several labels have a sigmoid each."""
    try:
        network = build(type_, name, **settings)
    except Exception:  # this classifier cannot be built tiny
        raise OpenError("not built") from None
    vision = network.main_input_name == "pixel_values"
    model = open_model(network, reader=tiny.processor() if vision else tiny.tokenizer())
    trace = model.trace(PICTURE if vision else TEXT)
    if model.takes_two_texts and not _pair(model):
        return False
    if settings["num_labels"] == 1:
        return trace.form == "scores" and trace.answers.shape[-1] == 1
    sigmoid = torch.from_numpy(trace.logits).sigmoid().numpy()
    return trace.form == "labels" and np.allclose(trace.answers, sigmoid, atol=1e-5)
