"""Expected results of the programs of the Vision page at two settings; `tests/pages/shared/test_code.py` runs them."""

from __future__ import annotations

import json
from functools import cache

import numpy as np

from model import ConvolutionClassifier, Logit, Probability, VisionClassifier, VisionTrace
from model.attribution.faithfulness import random_orders
from model.attribution.rollout import attention_scores
from model.attribution.vision_analysis import (
    attention_distance,
    patch_embedding,
    position_similarity,
    principal_filters,
)
from model.causal.integrated_gradients import integrate_gradients_in_steps
from model.classifier import SHIPPED
from model.lessons.classification import recompute_classification
from model.lessons.inductive_bias import predict, predict_by_size, rearrange, receptive_fields
from model.runtime.progress import run_to_end
from model.tracing.head_interventions import Forbid, OneHot, Scale, Temperature
from model.tracing.interventions import HeadInterventions
from pages.vision.positions import order_probabilities
from pages.vision.what_if import compute_change as compute_what_if
from pages.vision.what_if import program_values
from tests.pages.shared.programs import Case, Expected, Values
from views import map_labels, map_weights, patch_grid
from views.controls import samples


@cache
def classifier() -> VisionClassifier:
    return VisionClassifier.load(device="cpu")


@cache
def trace_of(path: str) -> VisionTrace:
    """Return the trace of a sample, prepared as on the page."""
    (name,) = (each.id for each in samples.SAMPLES if path == f"assets/samples/{each.id}.jpg")
    return classifier().trace(samples.picture(name).image)


def cut(values: Values) -> Expected:
    trace, network = trace_of(values["picture"]), classifier().network
    size, place = network.config.patch_size, (values["row"] - 1, values["column"] - 1)
    chosen = patch_grid.patch_pixels(trace.pixels, *place, size)
    vector = patch_grid.flattened(chosen)
    weight, bias = patch_embedding(network)
    computed = dict(zip(("red", "green", "blue"), chosen.reshape(-1, 3).mean(axis=0), strict=True))
    computed |= {"vector": vector, "embedding": weight.astype(np.float64) @ vector + bias, "patches": trace.patches}
    return computed | {"sequence": trace.stream[0], "shares": principal_filters(network, len(vector))[1]}


def _place(trace: VisionTrace, values: Values) -> tuple[int, int]:
    layers, heads = (map_labels.ids_with_mean(count) for count in trace.attention.shape[:2])
    return layers.index(values["layer"]), heads.index(values["head"])


def cls(values: Values) -> Expected:
    trace = trace_of(values["picture"])
    sheet = map_weights.with_means(trace.attention[:, :, :1])[:, :, 0, 1:]
    return {"weights": sheet[_place(trace, values)], "largest": sheet[:-1, -1].max(axis=-1)}


def any_patch(values: Values) -> Expected:
    trace = trace_of(values["picture"])
    matrix = map_weights.single_map(trace.attention, *_place(trace, values))
    place = 1 + (values["row"] - 1) * trace.grid[1] + values["column"] - 1
    strongest = tuple(int(at) for at in np.unravel_index(int(matrix[place, 1:].argmax()), trace.grid))
    return {"attends_to": matrix[place, 1:], "attended_by": matrix[1:, place], "strongest": strongest}


def through_the_layers(values: Values) -> Expected:
    trace = trace_of(values["picture"])
    scores = attention_scores(trace.attention, values["fusion"], values["layer"] - 1)
    scores |= classifier().gradient_scores(trace, trace.classes.index(values["explained"])).scores
    return dict(zip(("cls", "rollout", "gradient_relevance", "raw_gradient"), scores.values(), strict=True))


def classified(values: Values) -> Expected:
    trace = trace_of(values["picture"])
    computed = recompute_classification(classifier().network, trace)
    return {name: getattr(computed, name) for name in ("before", "after", "logits", "powers", "probabilities")}


def covered(values: Values) -> Expected:
    trace, model = trace_of(values["picture"]), classifier()
    drawn = random_orders(len(trace.patches), 2)
    named = dict(zip(("random 0", "reverse 0", "random 1", "reverse 1"), drawn, strict=True))
    named = {name: np.array(order) for name, order in values["orders"].items()} | named
    computed = model.occlusions(trace, np.stack(list(named.values())))
    curves = [each.curves(trace.classes.index(values["explained"])) for each in computed]
    of = {"deletion": "deletion", "insertion": "insertion"} | {f"{way}_areas": f"{way}_area" for way in WAYS}
    return {name: {id: getattr(c, what) for id, c in zip(named, curves, strict=True)} for name, what in of.items()}


def network_comparison(values: Values) -> Expected:
    trace, other = trace_of(values["picture"]), ConvolutionClassifier.load(device="cpu")
    pictures, computed = rearrange(trace.pixels, classifier().config.patch_size), {}
    for name, model in (("ours", classifier()), ("theirs", other)):
        predictions = predict(model.network, pictures) | predict_by_size(model.network, trace.pixels)
        at = model.config.classes.index(trace.classes[trace.answer])
        computed[name] = {id: each[at] for id, each in predictions.items()}
    reach = receptive_fields(other.config)
    return computed | {"fields": [each.pixels for each in reach], "steps": [each.step for each in reach]}


def positions(values: Values) -> Expected:
    trace, model = trace_of(values["picture"]), classifier()
    order = np.random.default_rng(values["seed"]).permutation(len(trace.patches))
    computed = order_probabilities(model, trace.pixels, order)
    fields = {name: computed[name] for name in ("plain", "shuffle", "both")}
    fields["no_positions"] = computed["no-positions"]
    fields["distances"] = attention_distance(trace.attention, trace.grid, model.config.patch_size)
    return fields | {"similarity": position_similarity(model.network)}


def heads(values: Values) -> Expected:
    trace = trace_of(values["picture"])
    computed, index = classifier().ablate_heads(trace), trace.classes.index(values["explained"])
    changes = {
        "logit_changes": computed.logit_changes(index),
        "probability_changes": computed.probability_changes(index),
    }
    return changes | {"without": computed.without}


def full_maps(values: Values) -> Expected:
    trace = trace_of(values["picture"])
    return {"maps": trace.attention, "on_cls": trace.attention[:, :, 1:, 0].mean(axis=(1, 2))}


WAYS = ("deletion", "insertion")
MIDDLE = tuple(range(60, 70))
PLANS = (
    HeadInterventions((Scale("vision", tuple((3, head) for head in range(6)), 0.0),)),
    HeadInterventions(
        (
            OneHot("vision", ((2, 0), (5, 1)), 7, None),
            OneHot("vision", ((4, 0),), 30, 0),
            Temperature("vision", ((2, 1), (2, 2)), 0.2),
            Scale("vision", ((2, 1), (0, 5)), -1.5),
            Forbid("vision", ((2, 0), (3, 3)), MIDDLE),
        )
    ),
)


def what_if(values: Values) -> Expected:
    (plan,) = (plan for plan in PLANS if program_values(plan) == values["changes"])
    trace = trace_of(values["picture"])
    attention = classifier().intervene(trace, plan).after.attention
    return {"probabilities": compute_what_if(classifier(), trace, plan).probabilities, "attention": attention}


SIZES = json.loads((SHIPPED / "config.json").read_text(encoding="utf-8"))  # so that collecting tests loads no network
ORDER = tuple(reversed(range((SIZES["image_size"] // SIZES["patch_size"]) ** 2)))
NOISY = [1 + 14 * row + column for row in range(3, 11) for column in range(3, 11)]
CHURCH, HORN = ({"picture": f"assets/samples/{name}.jpg"} for name in ("church", "french-horn"))


# program -> two settings, and the function that computes the page's values
def causes(values: Values) -> Expected:
    trace = trace_of(values["picture"])
    index = trace.classes.index(values["explained"])
    attribution = classifier().logit_attribution(trace, index)
    probabilities = classifier().logit_lens(trace, right=index).probabilities
    return {"probabilities": probabilities, "heads": attribution.heads["vision"], "total": attribution.logit}


def noise(values: Values) -> Expected:
    trace, options = trace_of(values["picture"]), {name: values[name] for name in ("samples", "seed")}
    own = {"probability": Probability, "logit": Logit}[values["measured"]]
    options |= {"metric": own(trace.classes.index(values["explained"])), "site": "head_output"}
    result = classifier().patch_noise(trace, {"vision": values["noisy"]}, part="vision", **options)
    return {"shares": result.restored, "errors": result.standard_error.values}


def integrated(values: Values) -> Expected:
    trace, index = trace_of(values["picture"]), classifier().config.classes.index(values["explained"])
    points = {"first_points": values["points"], "most_points": values["points"]}
    model = classifier()
    result = run_to_end(
        integrate_gradients_in_steps(model.resumable, model.read_trace(trace).inputs, Logit(index), **points)
    )
    drops = trace.probabilities[index] - run_to_end(model.leave_out_patches_in_steps(trace))[:, index]
    return {"patches": result.attributions["patches"], "missing": result.gap, "drops": drops}


CASES: dict[str, Case] = {
    "patches": (CHURCH | {"row": 1, "column": 1}, HORN | {"row": 7, "column": 12}, cut),
    "cls": (CHURCH | {"layer": "6", "head": "mean"}, HORN | {"layer": "2", "head": "5"}, cls),
    "any-patch": (
        CHURCH | {"layer": "6", "head": "mean", "row": 1, "column": 1},
        HORN | {"layer": "mean", "head": "3", "row": 9, "column": 2},
        any_patch,
    ),
    "layers": (
        CHURCH | {"explained": "church", "layer": 6, "fusion": "mean"},
        HORN | {"explained": "parachute", "layer": 4, "fusion": "min"},
        through_the_layers,
    ),
    "curves": (
        CHURCH | {"explained": "church", "orders": {"cls": ORDER}},
        HORN | {"explained": "parachute", "orders": {}},
        covered,
    ),
    "integrated": (
        CHURCH | {"explained": "church", "points": 2},
        HORN | {"explained": "parachute", "points": 16},
        integrated,
    ),
    "classification": (CHURCH, HORN, classified),
    "convolution": (CHURCH, HORN, network_comparison),
    "positions": (CHURCH | {"seed": 1}, HORN | {"seed": 7}, positions),
    "heads": (CHURCH | {"explained": "church"}, HORN | {"explained": "golf ball"}, heads),
    "causes": (CHURCH | {"explained": "church"}, HORN | {"explained": "parachute"}, causes),
    "noise": (
        CHURCH | {"explained": "church", "noisy": NOISY, "measured": "probability", "samples": 2, "seed": 0},
        HORN | {"explained": "parachute", "noisy": NOISY[:9], "measured": "logit", "samples": 3, "seed": 5},
        noise,
    ),
    "full-maps": (CHURCH, HORN, full_maps),
    "what-if": (
        CHURCH | {"changes": program_values(PLANS[0])},
        HORN | {"changes": program_values(PLANS[1])},
        what_if,
    ),
}
