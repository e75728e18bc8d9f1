"""Expected results of the programs of *Inside* at two settings; `tests/pages/shared/test_code.py` runs them."""

from __future__ import annotations

import numpy as np

from model import Trace
from model.lessons.dropout import HIDDEN, draw_dropout
from model.lessons.feed_forward import measure_hidden_units
from model.lessons.heads import compute_head_forms
from model.lessons.layer_steps import recompute_attention, record_layer_inputs
from model.lessons.memory_layout import describe_layouts, try_views
from model.lessons.residual import NORMS, recompute_add_and_norms
from model.lessons.scaling import measure_random_products
from model.tracing.kinds import KINDS, attention_module
from tests.pages.shared.programs import OTHER, OWN, Case, Expected, Values, of_a_sentence, traced

HEADS = ({"kind": "encoder", "layer": 1, "head": 1}, {"kind": "cross", "layer": 3, "head": 6})
STACKS = ({"stack": "encoder", "layer": 1}, {"stack": "decoder", "layer": 4})


@of_a_sentence
def seven_steps(network, trace: Trace, values: Values) -> Expected:
    place = values["kind"], values["layer"] - 1
    steps = recompute_attention(network, trace, record_layer_inputs(network, trace, *place), *place, values["head"] - 1)
    names = {"q": "queries", "k": "keys", "v": "values"} | {name: name for name in ("products", "scores", "weights")}
    computed = {name: getattr(steps, field) for name, field in names.items()}
    return computed | {"output": steps.output, "sublayer_output": steps.inputs.sublayer_output}


@of_a_sentence
def one_query(network, trace: Trace, values: Values) -> Expected:
    place = values["kind"], values["layer"] - 1
    steps = recompute_attention(network, trace, record_layer_inputs(network, trace, *place), *place, values["head"] - 1)
    one = steps.one_query(values["query"] - 1)
    return {name: getattr(one, name) for name in ("products", "scores", "weights", "weighted", "mean")}


@of_a_sentence
def heads(network, trace: Trace, values: Values) -> Expected:
    kind = KINDS[values["kind"]]
    streams, module = record_layer_inputs(network, trace, kind.name, 0), attention_module(network, kind, 0)
    forms = compute_head_forms(module, streams.query_input, streams.key_input, trace.records[kind.name].allowed)
    return {"output": streams.sublayer_output, "parameters": forms.split.parameters}


@of_a_sentence
def feed_forward(network, trace: Trace, values: Values) -> Expected:
    hidden_units = measure_hidden_units(network, trace, values["stack"], values["layer"] - 1)
    return {name: getattr(hidden_units, name) for name in ("before", "hidden", "output", "share", "never")}


@of_a_sentence
def add_norm(network, trace: Trace, values: Values) -> Expected:
    computed, width = recompute_add_and_norms(network, trace, values["stack"]), network.config.d_model
    normal = [np.sqrt(width * (each.normal_variance + each.normal_mean**2)) for each in computed]
    lengths = [
        [each.before, each.sublayer_output, each.added, own, each.after]
        for each, own in zip(computed, normal, strict=True)
    ]
    return {"lengths": lengths, "cosines": np.stack([each.cosine for each in computed])}


@of_a_sentence
def full_width(network, trace: Trace, values: Values) -> Expected:
    kind = KINDS[values["kind"]]
    streams, module = record_layer_inputs(network, trace, kind.name, 0), attention_module(network, kind, 0)
    forms = compute_head_forms(module, streams.query_input, streams.key_input, trace.records[kind.name].allowed)
    return {
        "output": streams.sublayer_output,
        "parameters": forms.full.parameters,
        "apart": forms.differences["full_scaled"],
    }


@of_a_sentence
def dropped(network, trace: Trace, values: Values) -> Expected:
    step = next((step for step, norm in NORMS.items() if norm == values.get("norm")), HIDDEN)
    at = values["layer"] - 1, step, values["position"] - 1
    drawing = values["rate"], values["draws"], values["seed"]
    computed = draw_dropout(network, trace, values["stack"], at, *drawing)
    fields = {name: getattr(computed, name) for name in ("without", "drawn", "cosines")}
    return fields | {"numbers_kept": computed.kept.sum(axis=1)}


def memory(values: Values) -> Expected:
    story = describe_layouts(values["shape"])
    layouts = story.original, story.transposed, story.contiguous
    answers = tuple((view.shape, view.strides, view.message) for view in try_views(values["shape"], values["asked"]))
    computed = {"strides": tuple(each.strides for each in layouts), "answers": answers}
    contiguous = tuple(each.contiguous for each in layouts)
    return computed | {"contiguous": contiguous, "shares_memory": story.shares_memory}


def random_scores(values: Values) -> Expected:
    computed = measure_random_products((values["d_k"],), queries=2000, seed=values["seed"])
    return {"variance": computed.variances[0], "scaled_variance": computed.scaled_variances[0]}


DRAWN = {"stack": "encoder", "layer": 1, "norm": "self_norm", "position": 1, "rate": 0.1, "draws": 8, "seed": 1}
INSIDE = {name: value for name, value in DRAWN.items() if name != "norm"}
CLASSES = {"rates": (0.1, 0.0)}, {"rates": (0.5, 0.5)}
CASES: dict[str, Case] = {
    "full-width": (OWN | {"kind": "encoder"}, OTHER | {"kind": "cross"}, full_width),
    "dropout": (
        OWN | DRAWN | {"stack": "decoder", "position": 3},
        OTHER | DRAWN | {"stack": "decoder", "layer": 3, "norm": "cross_norm", "rate": 0.5, "seed": 7},
        dropped,
    ),
    "dropout-inside": (
        OWN | INSIDE | {"stack": "decoder", "position": 3},
        OTHER | INSIDE | {"stack": "decoder", "layer": 3, "rate": 0.5, "seed": 7},
        dropped,
    ),
    "seven-steps": (OWN | HEADS[0], OTHER | HEADS[1], seven_steps),
    "one-query": (
        OWN | HEADS[0] | {"query": 5},
        OTHER | HEADS[1] | {"kind": "decoder", "query": 2},
        one_query,
    ),
    "heads": (OWN | {"kind": "decoder"}, OTHER | {"kind": "cross"}, heads),
    "feed-forward": (OWN | STACKS[0], OTHER | STACKS[1], feed_forward),
    "add-norm": (OWN | {"stack": "encoder"}, OTHER | {"stack": "decoder"}, add_norm),
    "encoder-layer": (OWN | CLASSES[0], OTHER | CLASSES[1], lambda values: {"streams": traced(values).encoder_stream}),
    "decoder-layer": (OWN | CLASSES[0], OTHER | CLASSES[1], lambda values: {"streams": traced(values).decoder_stream}),
    "memory": (
        {"shape": (3, 5, 10, 20), "asked": (-1, 200)},
        {"shape": (3, 1, 4), "asked": (2, 6)},
        memory,
    ),
    "scaling": ({"d_k": 100, "seed": 0}, {"d_k": 7, "seed": 12}, random_scores),
}
