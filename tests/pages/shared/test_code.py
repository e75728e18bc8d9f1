"""Each part's program computes the numbers that the page computes, at two settings."""

from __future__ import annotations

import ast
import shutil
from collections.abc import Callable
from functools import cache

import numpy as np
import pytest
import torch

from model import DecodingOptions, Trace, Translator
from model.decoding.sampling_stages import sampling_stages
from model.lessons.embedding import embedding_steps, neighbourhood
from model.lessons.feed_forward import firing
from model.lessons.first_attention import first_attention
from model.lessons.heads import head_forms
from model.lessons.layer_steps import attention_steps, layer_inputs
from model.lessons.masking import causality, mask_effect, pattern
from model.lessons.memory_layout import memory_layout, views_of
from model.lessons.output_layer import output_step
from model.lessons.position_geometry import Schemes, schemes, shift_of, similarity, wave_product
from model.lessons.ragged import padded, padding_effect
from model.lessons.recurrence import unroll
from model.lessons.recurrence_gates import gates_of
from model.lessons.residual import sub_layers
from model.lessons.scaling import toy
from model.lessons.single_dimensions import single_dimensions
from model.lessons.teacher_forcing import compare_runs
from model.lessons.vectors import Vectors
from model.lessons.word_order import compare_orders
from model.networks.loss_terms import logit_gradient, score_target, smallest_loss
from model.networks.positional import positional_table, wavelengths
from model.tracing.kinds import KINDS, attention_module
from pages.positions.other_models import of_scheme
from pages.shared import code
from pages.shared.code_values import VALUES
from tests.every_view import PARTS
from tests.pages.conftest import SENTENCE, visit
from tests.pages.shared import programs
from tests.pages.shared.programs import earlier
from tests.pages.vision.programs import OF_PICTURES

MOST_LINES = 25  # that hold something
MODULES = {"PIL", "json", "math", "model", "numpy", "pathlib", "sentencepiece", "torch", "unicodedata"}
TEACHING = (
    "attention",
    "attribution",
    "history",
    "tokens",
    "positions",
    "masks",
    "inside",
    "decoding",
    "loss",
    "vision",
)
WITHOUT = {("vision", "convolution")}  # parts that have none: two networks under changed pictures
FURTHER = {("inside", "encoder-layer"), ("inside", "decoder-layer")}  # programs in a fold of their own
BY_THE_PART = {  # which hand their program its values themselves
    ("attention", "attention"),
    ("decoding", "step-by-step"),
    ("inside", "memory"),
    ("inside", "scaling"),
    ("loss", "smoothing-gradient"),
    ("masks", "padding"),
    ("attribution", "attribution"),
    ("positions", "trained-model"),
    ("tokens", "contexts"),
    ("tokens", "sizes"),
    ("tokens", "spelling"),
    *OF_PICTURES,
    *FURTHER,
    ("positions", "other-models"),
    ("positions", "vectors"),
    ("tokens", "dimensions"),
}
PROGRAMS = sorted((path.parent.name, path.stem) for path in code.FOLDER.rglob("*.py"))
OTHER = {"sentence": "Where did you learn to cook?", "target_ids": (220, 15, 3)}
OWN = {"sentence": SENTENCE, "target_ids": None}

Values = dict[str, object]


@pytest.fixture(scope="session")
def traced(translator: Translator) -> Callable[[Values], Trace]:
    """The trace of a sentence with the target that a program is given."""
    known = cache(lambda sentence, ids: translator.trace(sentence, target_ids=ids))
    return lambda values: known(values["sentence"], values["target_ids"])


def run(page: str, part: str, values: Values) -> dict[str, object]:
    """All names of a program after its end."""
    found: dict[str, object] = {}
    exec(code.program(page, part, **values), found)
    return found


def compare(found: dict[str, object], wanted: dict[str, object]) -> None:
    """Every number to 1e-5; what is no number, exactly."""
    assert wanted
    for name, value in wanted.items():
        got = found[name]
        if isinstance(value, dict):
            assert set(got) == set(value), name
            compare(got, value)
            continue
        if isinstance(value, str | bool) or value is None or isinstance(value, tuple):
            assert (tuple(got) if isinstance(value, tuple) else got) == value, name
            continue
        got = torch.stack(got) if isinstance(got, list) and isinstance(got[0], torch.Tensor) else got
        got = got.detach().cpu().numpy() if isinstance(got, torch.Tensor) else np.asarray(got)
        value = np.asarray(value)
        assert got.shape == value.shape, name
        np.testing.assert_allclose(got, value, rtol=1e-5, atol=1e-5, err_msg=name)


def seven_steps(network, trace: Trace, values: Values) -> dict[str, object]:
    place = values["kind"], values["layer"] - 1
    steps = attention_steps(network, trace, layer_inputs(network, trace, *place), *place, values["head"] - 1)
    names = {"q": "queries", "k": "keys", "v": "values"} | {name: name for name in ("products", "scores", "weights")}
    found = {name: getattr(steps, field) for name, field in names.items()}
    return found | {"output": steps.output, "sublayer_output": steps.inputs.sublayer_output}


def one_query(network, trace: Trace, values: Values) -> dict[str, object]:
    place = values["kind"], values["layer"] - 1
    steps = attention_steps(network, trace, layer_inputs(network, trace, *place), *place, values["head"] - 1)
    one = steps.one_query(values["query"] - 1)
    return {name: getattr(one, name) for name in ("products", "scores", "weights", "weighted", "mean")}


def heads(network, trace: Trace, values: Values) -> dict[str, object]:
    kind = KINDS[values["kind"]]
    streams, module = layer_inputs(network, trace, kind.name, 0), attention_module(network, kind, 0)
    forms = head_forms(module, streams.query_input, streams.key_input, trace.records[kind.name].allowed)
    return {"output": streams.sublayer_output, "parameters": forms.split.parameters}


def feed_forward(network, trace: Trace, values: Values) -> dict[str, object]:
    seen = firing(network, trace, values["stack"], values["layer"] - 1)
    return {name: getattr(seen, name) for name in ("before", "hidden", "output", "share", "never")}


def add_norm(network, trace: Trace, values: Values) -> dict[str, object]:
    found = sub_layers(network, trace, values["stack"])
    names = {"lengths": "added"} | {name: name for name in ("share", "cosine", "normal_variance", "after")}
    return {name: np.stack([getattr(each, field) for each in found]) for name, field in names.items()}


def own_mask(network, trace: Trace, values: Values) -> dict[str, object]:
    allowed = pattern(values["mask"], len(trace.target_ids), values["size"])
    for query, key in values["painted"]:
        allowed[query - 1, key - 1] ^= True
    place = values["layer"] - 1, values["head"] - 1
    effect = mask_effect(network, trace, allowed, [layer - 1 for layer in values["layers"]]).head(*place)
    return {name: getattr(effect, name) for name in ("scores", "weights", "losses", "loss")}


def changed(network, trace: Trace, values: Values) -> dict[str, object]:
    mask = pattern("causal", len(trace.target_ids))
    (found,) = causality(network, trace, values["place"] - 1, values["replacement"], [mask])
    return {"changes": found, "largest_before": found[:, : values["place"] - 1].max()}


def padding(network, values: Values) -> dict[str, object]:
    batch = padded(values["sequences"])
    effect, place = padding_effect(network, batch), (values["layer"] - 1, values["head"] - 1)
    masks = {name: getattr(batch, name) for name in ("ids", "padding", "causal")}
    return masks | {"masked": effect.masked[place], "unmasked": effect.unmasked[place]}


def loss(network, trace: Trace, values: Values) -> dict[str, object]:
    terms = score_target(trace.logits, trace.next_ids).terms
    names = ("losses", "probabilities", "total", "mean", "perplexity", "shares", "running_means")
    return {name: getattr(terms, name) for name in names} | {"ranks": [row.rank for row in trace.predictions(1)]}


def gradient(network, trace: Trace, values: Values) -> dict[str, object]:
    found, vocabulary = logit_gradient(trace.logits, trace.next_ids, values["smoothing"]), trace.logits.shape[1]
    return {
        "gradient": found.gradient[values["position"] - 1],
        "smoothed": found.mean,
        "plain": score_target(trace.logits, trace.next_ids).terms.mean,
        "smallest": smallest_loss(vocabulary, values["smoothing"]),
    }


def output_layer(network, trace: Trace, values: Values) -> dict[str, object]:
    found = output_step(network, trace, values["step"] - 1)
    best = np.argsort(-found.logits, kind="stable")[:10]
    return {"logits": found.logits, "probabilities": found.probabilities, "best": best}


def teacher_forcing(translator: Translator, trace: Trace, values: Values) -> dict[str, object]:
    free = translator.trace(values["sentence"])
    found = compare_runs(trace, free, translator.config.never_generated)
    return {
        "right": [row.right_probability for row in found.forced],
        "free": [row.probability for row in found.free],
        "generated": free.next_ids,
    }


def embedded(translator: Translator, values: Values) -> dict[str, object]:
    tokenizer = translator.tokenizer
    steps = embedding_steps(translator.network, tokenizer, tokenizer.encode_source(values["sentence"]))
    names = ("ids", "rows", "scaled", "positions")
    return {name: getattr(steps, name) for name in names} | {"embedded": steps.recorded}


def neighbours(translator: Translator, values: Values) -> dict[str, object]:
    tokenizer = translator.tokenizer
    token = tokenizer.encode_source(values["sentence"])[values["place"] - 1]
    found = neighbourhood(translator.network, tokenizer, token, values["count"])
    nearest = tuple(near.id for near in found.nearest)
    return {"cosines": found.cosines, "nearest": nearest, "words": tuple(near.token for near in found.nearest)}


def order(translator: Translator, values: Values) -> dict[str, object]:
    found = compare_orders(translator.network, translator.tokenizer, values["first"], values["second"])
    return {"pairs": found.pairs, "distances": found.distances}


def choice(network, trace: Trace, values: Values) -> dict[str, object]:
    filters = values["temperature"], values["top_k"], values["top_p"]
    found = sampling_stages(trace.logits[values["step"] - 1], *filters, network.config.never_generated)
    return {name: getattr(found, name) for name in ("logits", "plain", "scaled", "kept", "probabilities")}


def maps(network, trace: Trace, values: Values) -> dict[str, object]:
    checked = trace.verify()
    found = {name: trace.attention(name) for name in ("encoder", "decoder", "cross")}
    found |= {"row_sum_error": checked.row_sum_error, "masked_weight": checked.masked_weight}
    return found | {"difference": checked.max_difference}


def unrolled(values: Values) -> dict[str, object]:
    network = earlier("rnn-vector")
    found = unroll(network.network, network.tokenizer.encode_source(values["sentence"]), values["direction"])
    return {name: getattr(found, name) for name in ("hidden", "from_token", "from_state", "bias")}


def gates(values: Values) -> dict[str, object]:
    network = earlier(values["network"])
    found = gates_of(network.network, network.trace(values["sentence"]), f"encoder.{values['direction']}")
    return dict(vars(found.record))


def aligned(values: Values) -> dict[str, object]:
    found = first_attention(earlier(values["score"]).trace(values["sentence"], target_ids=values["target_ids"]))
    return {name: getattr(found, name) for name in ("queries", "states", "scores", "weights", "contexts")}


def memory(values: Values) -> dict[str, object]:
    story = memory_layout(values["shape"])
    layouts = story.original, story.transposed, story.contiguous
    answers = tuple((view.shape, view.strides, view.message) for view in views_of(values["shape"], values["asked"]))
    found = {"strides": tuple(each.strides for each in layouts), "answers": answers}
    contiguous = tuple(each.contiguous for each in layouts)
    return found | {"contiguous": contiguous, "shares_memory": story.shares_memory}


def random_scores(values: Values) -> dict[str, object]:
    found = toy((values["d_k"],), queries=2000, seed=values["seed"])
    return {"variance": found.variances[0], "scaled_variance": found.scaled_variances[0]}


def waves(values: Values) -> dict[str, object]:
    found = wavelengths(values["d_model"], values["form"]).numpy()
    shown = {"wavelengths": found, "shortest": found[0], "longest": found[-1]}
    return shown | {"seen": int((found <= values["length"]).sum())}


def numbered(values: Values) -> dict[str, object]:
    both = [schemes(length, values["d_model"]) for length in values["lengths"]]
    names = {"largest": Schemes.largest, "first_step": Schemes.step, "closest": Schemes.closest}
    ways = ("integers", "normalised", "sinusoids")
    return {name: [[of(scheme, way) for scheme in both] for way in ways] for name, of in names.items()}


def similar(values: Values) -> dict[str, object]:
    found = similarity(values["length"], values["d_model"], values["form"])
    return {name: getattr(found, name) for name in ("products", "by_distance", "spread")}


def rotated(values: Values) -> dict[str, object]:
    found = shift_of(values["length"], values["d_model"], values["shift"], values["form"])
    return {"matrix": found.matrix, "residual": found.residual}


def orthogonal(values: Values) -> dict[str, object]:
    pair = values["first"], values["second"]
    slower = wavelengths(values["d_model"], values["form"])[list(pair)].max()
    spans = np.arange(1, 13) * float(slower)
    return {"at_whole": wave_product(values["d_model"], *pair, spans, values["form"])}


def spanned(values: Values) -> dict[str, object]:
    found = Vectors(**values)
    return {name: getattr(found, name) for name in ("determinant", "rank", "nearest", "distance", "coordinates")}


def separated(translator: Translator, values: Values) -> dict[str, object]:
    found = single_dimensions(translator.network, translator.tokenizer, values["pairs"])
    assert found.words == values["pairs"]
    return {name: getattr(found, name) for name in ("chosen", "held_out", "best", "together")}


HEADS = ({"kind": "encoder", "layer": 1, "head": 1}, {"kind": "cross", "layer": 3, "head": 6})
STACKS = ({"stack": "encoder", "layer": 1}, {"stack": "decoder", "layer": 4})
CAUSAL = {"mask": "causal", "size": 3, "painted": (), "layers": (1, 2, 3, 4), "layer": 1, "head": 1}
PREFIX = {"mask": "prefix", "size": 2, "painted": ((3, 1), (1, 3)), "layers": (2,), "layer": 2, "head": 5}
BATCHES = (
    {"sequences": ((62, 13, 47), (60, 96, 51, 32, 90), (35,)), "layer": 1, "head": 1},
    {"sequences": ((7, 8), (9, 1, 3, 40)), "layer": 3, "head": 4},
)
PAPER = {"length": 64, "d_model": 256, "form": "paper"}
COLUMN = {"length": 33, "d_model": 20, "form": "column"}
Case = tuple[Values, Values, Callable]
# page, part -> two settings, and what the page computes of them with the network and the trace
OF_A_SENTENCE: dict[tuple[str, str], Case] = {
    ("inside", "seven-steps"): (OWN | HEADS[0], OTHER | HEADS[1], seven_steps),
    ("inside", "one-query"): (
        OWN | HEADS[0] | {"query": 5},
        OTHER | HEADS[1] | {"kind": "decoder", "query": 2},
        one_query,
    ),
    ("inside", "heads"): (OWN | {"kind": "decoder"}, OTHER | {"kind": "cross"}, heads),
    ("inside", "feed-forward"): (OWN | STACKS[0], OTHER | STACKS[1], feed_forward),
    ("inside", "add-norm"): (OWN | {"stack": "encoder"}, OTHER | {"stack": "decoder"}, add_norm),
    ("inside", "encoder-layer"): (OWN, OTHER, lambda _, trace, values: {"streams": trace.encoder_stream}),
    ("inside", "decoder-layer"): (OWN, OTHER, lambda _, trace, values: {"streams": trace.decoder_stream}),
    ("masks", "your-sentence"): (OWN | PREFIX, OTHER | CAUSAL | {"mask": "window", "size": 1}, own_mask),
    ("masks", "causality"): (
        OWN | {"place": 4, "replacement": 20},
        OTHER | {"place": 2, "replacement": 99},
        changed,
    ),
    ("loss", "token-by-token"): (OWN, OTHER, loss),
    ("loss", "smoothing-gradient"): (
        OWN | {"position": 1, "smoothing": 0.1},
        OTHER | {"position": 3, "smoothing": 0.0},
        gradient,
    ),
    ("decoding", "step-by-step"): (
        OWN | {"step": 1, "temperature": 0.7, "top_k": 40, "top_p": 0.9},
        OTHER | {"step": 3, "temperature": 1.0, "top_k": 0, "top_p": 1.0},
        choice,
    ),
    ("attention", "attention"): (OWN, OTHER, maps),
    ("decoding", "linear-softmax"): (OWN | {"step": 1}, OTHER | {"step": 3}, output_layer),
}
# the same with the translator and the trace
WITH_ITS_OWN_RUN: dict[tuple[str, str], Case] = {("decoding", "teacher-forcing"): (OWN, OTHER, teacher_forcing)}
# the same with the network alone
OF_A_BATCH: dict[tuple[str, str], Case] = {("masks", "padding"): (*BATCHES, padding)}
# the same with the translator alone
OF_TOKENS: dict[tuple[str, str], Case] = {
    ("tokens", "word-order"): (
        {"first": "The dog chased the cat.", "second": "The cat chased the dog."},
        {"first": "It is a car, a car.", "second": "A car it is, is it a car?"},
        order,
    ),
    ("tokens", "dimensions"): (
        {"pairs": (("days", "day"), ("years", "year"), ("men", "man"), ("women", "woman"))},
        {"pairs": (("go", "car"), ("come", "day"), ("take", "year"), ("give", "man"), ("make", "house"))},
        separated,
    ),
    ("tokens", "step-by-step"): ({"sentence": SENTENCE}, {"sentence": OTHER["sentence"]}, embedded),
    ("tokens", "neighbours"): (
        {"sentence": SENTENCE, "place": 3, "count": 12},
        {"sentence": OTHER["sentence"], "place": 1, "count": 30},
        neighbours,
    ),
} | programs.OF_THE_TRANSLATOR
# the same with networks before the Transformer
OF_EARLIER_NETWORKS: dict[tuple[str, str], Case] = {
    ("history", "one-word"): (
        {"sentence": SENTENCE, "direction": "backwards"},
        {"sentence": OTHER["sentence"], "direction": "forwards"},
        unrolled,
    ),
    ("history", "gates"): (
        {"sentence": SENTENCE, "network": "lstm-additive", "direction": "backwards"},
        {"sentence": OTHER["sentence"], "network": "lstm-vector", "direction": "backwards"},
        gates,
    ),
    ("history", "attention-over-states"): (
        OWN | {"score": "lstm-additive"},
        OTHER | {"score": "lstm-dot"},
        aligned,
    ),
} | programs.OF_EARLIER_NETWORKS
# the same of parts that need no network
OF_SETTINGS: dict[tuple[str, str], Case] = {
    ("inside", "memory"): (
        {"shape": (3, 5, 10, 20), "asked": (-1, 200)},
        {"shape": (3, 1, 4), "asked": (2, 6)},
        memory,
    ),
    ("inside", "scaling"): ({"d_k": 100, "seed": 0}, {"d_k": 7, "seed": 12}, random_scores),
    ("positions", "table"): (PAPER, COLUMN, lambda values: {"table": positional_table(**values)}),
    ("positions", "wavelengths"): (PAPER, COLUMN, waves),
    ("positions", "why-sinusoids"): (
        {"lengths": (9, 18), "d_model": 256},
        {"lengths": (2, 128), "d_model": 64},
        numbered,
    ),
    ("positions", "similarity"): (PAPER, COLUMN, similar),
    ("positions", "rotation"): (PAPER | {"shift": 5}, COLUMN | {"shift": 100}, rotated),
    ("positions", "vectors"): (
        {"vectors": ((2.0, 1.0), (-1.0, 2.0)), "point": (3.0, 4.0)},
        {"vectors": ((1.0, 0.0, -1.0), (0.0, 1.0, -1.0), (1.0, 1.0, -2.0)), "point": (0.0, 0.0, 3.0)},
        spanned,
    ),
    ("positions", "other-models"): (
        {"scheme": "t5", "length": 100, "head": 1},
        {"scheme": "rotary", "length": 20, "head": 1},
        lambda values: {"matrix": of_scheme(**values, d_model=256)},
    ),
    ("positions", "orthogonality"): (
        {"d_model": 256, "form": "paper", "first": 0, "second": 1},
        {"d_model": 20, "form": "column", "first": 3, "second": 4},
        orthogonal,
    ),
} | programs.OF_SETTINGS
OF_NETWORKS = OF_A_SENTENCE | WITH_ITS_OWN_RUN | OF_A_BATCH | OF_TOKENS | OF_EARLIER_NETWORKS


@pytest.mark.parametrize("second", (0, pytest.param(1, marks=pytest.mark.slow)))  # each loads a translator of its own
@pytest.mark.parametrize("where", OF_NETWORKS, ids="/".join)
def test_the_numbers_of_a_sentence_are_the_pages(where, second, translator, traced):
    values, compute = OF_NETWORKS[where][second], OF_NETWORKS[where][2]
    if where in OF_A_SENTENCE:
        wanted = compute(translator.network, traced(values), values)
    elif where in WITH_ITS_OWN_RUN:
        wanted = compute(translator, traced(values), values)
    elif where in OF_EARLIER_NETWORKS:
        wanted = compute(values)
    else:
        wanted = compute(translator.network if where in OF_A_BATCH else translator, values)
    compare(run(*where, values), wanted)


@pytest.mark.parametrize("second", (0, 1))
@pytest.mark.parametrize("where", OF_SETTINGS | OF_PICTURES, ids="/".join)
def test_the_numbers_of_the_settings_are_the_pages(where, second):
    *settings, compute = (OF_SETTINGS | OF_PICTURES)[where]
    values = settings[second]
    compare(run(*where, values), compute(values))


def test_the_positional_encoding_is_the_one_that_the_network_adds(translator):
    added = translator.network.positions[: PAPER["length"]].cpu().numpy()
    compare(run("positions", "table", PAPER), {"table": added})


def test_every_part_has_a_program_or_is_named():
    parts = {(page, part) for page in TEACHING for part in PARTS[page][1] or (page,)}
    whole = {page for page, part in PROGRAMS if page == part}  # pages with one program for all their parts
    assert parts - WITHOUT == {each for each in parts if each in PROGRAMS or each[0] in whole}
    assert {each for each in PROGRAMS if each[0] not in whole} <= parts | FURTHER and not WITHOUT & set(PROGRAMS)
    assert set(PROGRAMS) == set(VALUES) | BY_THE_PART
    assert set(PROGRAMS) == set(OF_NETWORKS) | set(OF_SETTINGS) | set(OF_PICTURES)


@pytest.mark.parametrize("where", PROGRAMS, ids="/".join)
def test_a_program_is_short_and_imports_little(where):
    text = (code.FOLDER / where[0] / f"{where[1]}.py").read_text(encoding="utf-8")
    assert 3 <= len([line for line in text.splitlines() if line.strip()]) <= MOST_LINES
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            assert {alias.name.split(".")[0] for alias in node.names} <= MODULES - {"model"}
        elif isinstance(node, ast.ImportFrom):
            assert node.module == "model" or node.module.split(".")[0] in MODULES - {"model"}
            if node.module == "model":
                import model

                assert {alias.name for alias in node.names} <= set(model.__all__)
    assert code.names(*where), "it takes no value of the reader's"


def shown(page: str, part: str, **query: str) -> str:
    """The program that a part shows."""
    key, parts = PARTS[page]
    app = visit(page, **({key: part} if parts else {}), **query)
    (fold,) = [fold for fold in app.expander if fold.label.startswith("The same in ")]
    assert (fold.label == "The same in PyTorch") == ("torch" in fold.code[0].value)
    return fold.code[0].value


@pytest.mark.slow
@pytest.mark.parametrize("where", sorted(set(PROGRAMS) - FURTHER), ids="/".join)
def test_every_part_shows_its_program_as_it_opens(where):
    values = [line for line in shown(*where).splitlines() if line.endswith(code.YOURS)]
    assert [line.partition(" = ")[0] for line in values] == code.names(*where)


@pytest.mark.parametrize(
    ("page", "settings"),
    [
        ("masks", {"masks": "padding", "lengths": "9" * 50}),
        ("inside", {"inside": "memory", "asked_view": "x"}),
        ("loss", {"scored": "five"}),
    ],
    ids=str,
)
def test_a_part_that_cannot_use_what_was_typed_offers_no_program(page, settings):
    assert "The same in PyTorch" not in [fold.label for fold in visit(page, **settings).expander]


@pytest.mark.parametrize("stack", ["encoder", pytest.param("decoder", marks=pytest.mark.slow)])
def test_a_layer_is_there_as_a_class(stack):
    app = visit("inside", inside="add-norm", stack=stack)
    (fold,) = [fold for fold in app.expander if fold.label == "A whole layer as a class, in PyTorch"]
    assert fold.code[0].value == code.program("inside", f"{stack}-layer", **OWN)


def test_the_fold_has_the_sentence_and_the_settings():
    text = shown("inside", "one-query", kind="cross", layer="2", head="3", cross_query="4")
    values = {"kind": "cross", "layer": 2, "head": 3, "query": 4}
    assert text == code.program("inside", "one-query", **OWN, **values)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("where", "query", "values"),
    [
        (("inside", "memory"), {"shape": "2 3 4", "asked_view": "-1"}, {"shape": (2, 3, 4), "asked": (-1,)}),
        (("inside", "add-norm"), {"stack": "decoder"}, OWN | {"stack": "decoder"}),
        (
            ("masks", "padding"),
            {"batch": "ids", "ids": "7 8\n9", "layer": "2"},
            {"sequences": ((7, 8), (9,)), "layer": 2, "head": 1},
        ),
        (
            ("masks", "your-sentence"),
            {"mask": "window", "pieces": "2", "where": "3"},
            OWN | {"mask": "window", "size": 2, "painted": (), "layers": (3,), "layer": 1, "head": 1},
        ),
        (("positions", "rotation"), {"width": "20", "shift": "9"}, PAPER | {"d_model": 20, "shift": 9}),
        (("decoding", "linear-softmax"), {"step": "2"}, OWN | {"step": 2}),
        (("tokens", "spelling"), {"word": " a  car ", "other": " "}, {"word": "a car", "other": "a car"}),
        (
            ("tokens", "contexts"),
            {"s1": "We cook.", "s2": "Cook it!", "s3": "I can cook the rice.", "word": "cook"},
            {
                "sentences": ("We cook.", "Cook it!", "I can cook the rice."),
                "places": ((1, 2), (0, 3), (2, 3)),
            },
        ),
        (
            ("attribution", "attribution"),
            {"text": "Cook it!", "erase": "mask", "target_word": "2"},
            {"sentence": "Cook it!", "target_ids": None, "way": "mask", "words": programs.COOKED, "word": (3, 4)},
        ),
        (
            ("vision", "any-patch"),
            {"picture": "golf-ball", "layer": "2", "row": "3", "column": "12"},
            {"picture": "assets/samples/golf-ball.jpg", "layer": "2", "head": "mean", "row": 3, "column": 12},
        ),
        (
            ("vision", "what-if"),
            {"vdo": "sharpen", "vheads4": "2", "vheat": "0.5"},
            {"picture": "assets/samples/church.jpg", "changes": (("queries", ((4, 2),), 2.0),)},
        ),
        (
            ("history", "gates"),
            {"network": "lstm-additive"},
            {"sentence": SENTENCE, "network": "lstm-additive", "direction": "forwards"},
        ),
    ],
    ids=str,
)
def test_every_way_of_gathering_values_takes_what_is_set(where, query, values):
    assert shown(*where, **query) == code.program(*where, **values)


@pytest.mark.slow
def test_a_translation_that_is_not_the_greedy_one_is_said_by_its_ids(translator):
    ids = [*translator.stream(SENTENCE, DecodingOptions("beam", beam=4))][-1].ids
    text = shown("inside", "heads", method="beam", kind="cross")
    assert text == code.program("inside", "heads", sentence=SENTENCE, target_ids=tuple(ids), kind="cross")


def test_a_damaged_program_is_one_sentence_and_the_part_stays(tmp_path, monkeypatch):
    shutil.copytree(code.FOLDER, tmp_path / "code")
    (tmp_path / "code" / "inside" / "memory.py").write_bytes(b"\xff\xfe")
    monkeypatch.setattr(code, "FOLDER", tmp_path / "code")
    code._lines.cache_clear()
    app = visit("inside", inside="memory")
    code._lines.cache_clear()
    assert not app.exception and app.dataframe is not None
    (said,) = (caption.value for caption in app.caption if "memory.py" in caption.value)
    assert "git checkout -- assets" in said
