"""Models, traces and records are one line when they are printed, and one call ablates the heads of any of them."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image

from model import HeadInterventions, OpenError, RecurrentTranslator, Scale, Translator, VisionClassifier, ablate
from model.head_ablations import AblationError
from tests.model.hub.conftest import opened  # noqa: F401 - a fixture

TEXT = "I am a student."
PICTURE = Image.linear_gradient("L").convert("RGB")


@pytest.fixture(scope="module")
def traced(opened):  # noqa: F811
    """Name of a kind of model -> the model and a trace of it."""
    models = {
        "translator": (Translator.load(device="cpu"), TEXT),
        "recurrent": (RecurrentTranslator.load("lstm-dot", device="cpu"), TEXT),
        "vision": (VisionClassifier.load(device="cpu"), PICTURE),
        "decoder": (opened("gpt2"), TEXT),
        "picture": (opened("vit"), PICTURE),
        "classes": (opened("bert-classes"), TEXT),
    }
    return {name: (model, model.trace(given)) for name, (model, given) in models.items()}


@pytest.mark.nightly
def test_what_is_printed_is_one_line(traced):
    for model, trace in traced.values():
        for value in (model, trace, *trace.records.values(), *getattr(trace, "encoder", {}).values()):
            text = repr(value)
            assert text.startswith("<") and "\n" not in text and len(text) < 300, text
    assert repr(traced["decoder"][0]).endswith(
        "GPT2LMHeadModel, complete; decoder 2 layers x 4 heads; 37,760 parameters>"
    )
    (record,) = traced["decoder"][1].records.values()
    assert repr(record).endswith("of layers 0, 1: weights, scores, queries, keys, values, outputs>")


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("translator", "cross"),
        ("vision", "vision"),
        ("decoder", "decoder"),
        ("picture", "vision"),
        ("classes", "encoder"),
    ],
)
def test_ablating_equals_a_run_without_that_head(traced, name, kind):
    model, trace = traced[name]
    changes = ablate(model, trace, kinds=[kind])
    assert list(changes) == [kind] and changes[kind].shape == trace.records[kind].weights.shape[:2]
    without = HeadInterventions((Scale(kind, ((1, 0),), 0.0),))
    options = {"target_ids": tuple(trace.next_ids)} if name == "translator" else {}
    after = model.trace(PICTURE if name in ("vision", "picture") else TEXT, intervention=without, **options)
    scores = [np.asarray(model.score(each)) for each in (trace, after)]
    if trace.logits.ndim == 1:
        answer = int(trace.logits.argmax())
        scores = [each.reshape(-1)[[answer]] for each in scores]
    assert changes[kind][1, 0] == pytest.approx(scores[1].mean() - scores[0].mean(), abs=1e-4)


def test_what_cannot_be_ablated_is_stated(traced):
    model, trace = traced["recurrent"]
    with pytest.raises(AblationError, match="Heads of RecurrentTranslator are not ablated with RecurrentTrace"):
        ablate(model, trace)
    with pytest.raises(AblationError, match="no attention of kind self; it has decoder"):
        ablate(*traced["decoder"], kinds=["self"])
    with pytest.raises(AblationError, match="give a model and the trace that it made"):
        ablate(traced["vision"][0], trace)


def without_outputs(name, tensor):
    return tensor * 0 if name.endswith("outputs") else tensor


def test_one_change_to_heads_is_given_to_every_model_alike(traced):
    for name, kind in (("translator", "decoder"), ("vision", "vision"), ("decoder", "decoder")):
        model, trace = traced[name]
        given = PICTURE if name == "vision" else TEXT
        ablated = model.trace(given, intervention=HeadInterventions((Scale(kind, ((0, 1),), 0.0),)))
        assert not ablated.records[kind].outputs[0, 1].any() and trace.records[kind].outputs[0, 1].any()
        called = model.trace(
            given, intervention=lambda name, tensor: tensor * 0 if name.endswith("outputs") else tensor
        )
        assert not called.records[kind].outputs.any()
        with pytest.raises(ValueError, match="HeadInterventions, or a function of the name and the tensor, not int"):
            model.trace(given, intervention=5)
    with pytest.raises(ValueError, match="This network has no heads to change"):
        traced["recurrent"][0].trace(TEXT, intervention=HeadInterventions((Scale("cross", ((0, 0),), 0.0),)))
    assert issubclass(OpenError, ValueError)
