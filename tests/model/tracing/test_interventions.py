"""Interventions on heads: compared with computations by hand and identities, and refused if impossible."""

import math
from copy import deepcopy

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from model.attribution.intervention_result import edited_copy
from model.classifier import VisionClassifier
from model.decoding.search import greedy_batch
from model.lessons.masking import measure_mask_effect
from model.networks.tap import Chain, Recorder
from model.tracing.head_interventions import LARGEST_DELTA, Forbid, NoMask, OneHot, Pull, Scale, Temperature, Window
from model.tracing.interventions import HeadInterventions, heads_from_text, heads_to_text
from model.translator import Translator
from tests.model.images import noise, tiny_vision
from tests.model.networks import tiny_network

SOURCE, TARGET = torch.tensor([[9, 8, 7, 6, 3]]), torch.tensor([[2, 11, 12, 13]])
SHAPES = {"encoder": (2, 2, 5, 5), "decoder": (2, 2, 4, 4), "cross": (2, 2, 4, 5)}
VISION = {"vision": (2, 2, 10, 10)}
PIXELS = torch.rand(1, 3, 12, 12, generator=torch.Generator().manual_seed(0)) * 2 - 1
NETWORK, VIT = tiny_network(), tiny_vision()
ALL = tuple((layer, head) for layer in range(2) for head in range(2))
KINDS = ("encoder", "decoder", "cross", "vision")


@torch.inference_mode()
def run(kind: str, *changes, network=None) -> tuple[torch.Tensor, dict[str, torch.Tensor]]:
    """Logits, and everything that passed the tap, of the network that has this kind of attention."""
    recorder = Recorder()
    if kind == "vision":
        tap = Chain(HeadInterventions(changes).tap(VISION), recorder)
        return (network or VIT)(PIXELS, tap), recorder.tensors
    tap = Chain(HeadInterventions(changes).tap(SHAPES), recorder)
    return (network or NETWORK)(SOURCE, TARGET, tap), recorder.tensors


def attention(network, kind: str, layer: int):
    return {
        "encoder": lambda: network.encoder[layer].self_attention,
        "decoder": lambda: network.decoder[layer].self_attention,
        "cross": lambda: network.decoder[layer].cross_attention,
        "vision": lambda: network.layers[layer].attention,
    }[kind]()


def name(kind: str, layer: int, step: str) -> str:
    stack, inner = {"cross": ("decoder", "cross")}.get(kind, (kind, "self"))
    return f"{stack}.{layer}.{inner}.{step}"


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("heads", [((0, 0),), ((1, 1),), ((0, 1), (1, 0)), ALL])
def test_ablating_heads_is_zeroing_their_slices_of_the_output_matrix(kind, heads):
    other = deepcopy(VIT if kind == "vision" else NETWORK)
    for layer, head in heads:
        weight = attention(other, kind, layer).output.weight
        d_k = weight.shape[1] // 2
        weight.data[:, head * d_k : (head + 1) * d_k] = 0
    changed, _ = run(kind, Scale(kind, heads, 0.0))
    expected = other(PIXELS) if kind == "vision" else other(SOURCE, TARGET)
    torch.testing.assert_close(changed, expected, atol=1e-5, rtol=0)
    assert (changed - run(kind)[0]).abs().max() > 1e-3


@pytest.mark.parametrize("kind", KINDS)
def test_neutral_interventions_change_no_bit(kind):
    with torch.inference_mode():
        plain = VIT(PIXELS, Recorder()) if kind == "vision" else NETWORK(SOURCE, TARGET, Recorder())
    idle = [
        (),
        (Scale(kind, (), 0.0),),
        (Scale(kind, ALL, 1.0),),
        (Temperature(kind, ALL, 1.0),),
        (Forbid(kind, ALL, ()),),
        (OneHot(kind, (), 2),),
    ]
    if kind != "cross":
        idle.append((Window(kind, ALL, 10),))
    for changes in idle:
        assert torch.equal(run(kind, *changes)[0], plain), changes
    assert HeadInterventions().tap(SHAPES).taps == ()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("query", [None, 3])
def test_a_one_hot_query_attends_to_one_key_exactly_and_gets_its_value(kind, query):
    _, tensors = run(kind, OneHot(kind, ((1, 0),), 2, query))
    weights, outputs = (tensors[name(kind, 1, step)] for step in ("weights", "outputs"))
    values = tensors[name(kind, 1, "values")]
    first = 2 if kind == "decoder" else 0  # earlier queries cannot attend to tokens not generated yet
    rows = [3] if query else list(range(first, weights.shape[2]))
    for row in rows:
        assert weights[0, 0, row].tolist() == [float(key == 2) for key in range(weights.shape[3])]
        assert torch.equal(outputs[0, 0, row], values[0, 0, 2])
    untouched = run(kind)[1][name(kind, 1, "weights")]
    others = [row for row in range(weights.shape[2]) if row not in rows]
    assert torch.equal(weights[0, 0, others], untouched[0, 0, others])
    assert torch.equal(weights[0, 1], untouched[0, 1])


@pytest.mark.parametrize("kind", KINDS)
def test_temperature_is_softmax_of_the_scores_divided_for_the_chosen_head_only(kind):
    _, tensors = run(kind, Temperature(kind, ((0, 1),), 0.25))
    _, plain = run(kind)
    scores = plain[name(kind, 0, "scores")]
    if kind == "decoder":
        scores = scores.masked_fill(torch.ones(4, 4).triu(1).bool(), -math.inf)
    weights = tensors[name(kind, 0, "weights")]
    torch.testing.assert_close(weights[0, 1], (scores[0, 1] * 4).softmax(-1), atol=1e-6, rtol=0)
    assert torch.equal(weights[0, 0], plain[name(kind, 0, "weights")][0, 0])
    assert weights[0, 1].max(-1).values.mean() > plain[name(kind, 0, "weights")][0, 1].max(-1).values.mean()


@pytest.mark.parametrize("kind", KINDS)
def test_a_pull_changes_one_row_of_its_heads_whose_other_weights_keep_their_proportions(kind):
    before, after = (run(kind, *changes)[1] for changes in ((), (Pull(kind, ((0, 1),), 1, 2, 1.5),)))
    old, new = (tensors[name(kind, 0, "weights")].double() for tensors in (before, after))
    assert new[0, 1, 2].sum() == pytest.approx(1)
    torch.testing.assert_close(new[0, 1, 2, 1], torch.sigmoid(torch.logit(old[0, 1, 2, 1]) + 1.5), atol=1e-6, rtol=0)
    others = [key for key in range(old.shape[3]) if key != 1 and old[0, 1, 2, key] > 0]
    ratios = new[0, 1, 2, others] / old[0, 1, 2, others]
    torch.testing.assert_close(ratios, ratios[:1].expand(len(others)), atol=1e-5, rtol=1e-5)
    new[0, 1, 2] = old[0, 1, 2]
    assert torch.equal(new, old)  # all other rows, and the other head


@pytest.mark.parametrize("kind", KINDS)
def test_limits_of_a_pull_are_a_hidden_key_and_one_hot_attention(kind):
    heads = ((1, 0), (1, 1))
    weights = name(kind, 1, "weights")
    _, least = run(kind, Pull(kind, heads, 1, 2, -math.inf))
    _, hidden = run(kind, Forbid(kind, heads, (1,)))
    assert torch.equal(least[weights][:, :, 2], hidden[weights][:, :, 2])
    _, most = run(kind, Pull(kind, heads, 1, 2, LARGEST_DELTA))
    _, one_hot = run(kind, OneHot(kind, heads, 1, 2))
    assert torch.equal(most[weights], one_hot[weights])


@pytest.mark.parametrize("kind", ["cross", "decoder"])
def test_a_pull_changes_nothing_before_its_query(kind):
    before, after = run(kind)[0], run(kind, Pull(kind, ALL, 0, 2, 3.0))[0]
    assert torch.equal(before[:, :2], after[:, :2]) and not torch.equal(before[:, 2], after[:, 2])


def test_pulls_of_one_row_add_up_in_any_order():
    pulls = Pull("cross", ALL, 0, 1, 0.75), Pull("cross", ALL, 3, 1, -0.5), Pull("cross", ALL, 0, 1, 0.25)
    forwards, backwards = run("cross", *pulls)[0], run("cross", *reversed(pulls))[0]
    torch.testing.assert_close(forwards, backwards, atol=1e-5, rtol=0)
    together = run("cross", Pull("cross", ALL, 0, 1, 1.0), pulls[1])[0]
    torch.testing.assert_close(forwards, together, atol=1e-5, rtol=0)


def test_forbidden_keys_get_no_weight_and_the_others_share_it():
    for kind in KINDS:
        _, tensors = run(kind, Forbid(kind, ((0, 0),), (1, 2)))
        before, after = (t[name(kind, 0, "weights")][0, 0] for t in (run(kind)[1], tensors))
        assert (after[:, 1:3] == 0).all()
        remaining = before.clone()
        remaining[:, 1:3] = 0
        torch.testing.assert_close(after, remaining / remaining.sum(-1, keepdim=True), atol=1e-6, rtol=0)


def test_masks_are_those_of_the_masks_page(network, trace):
    """Without the causal mask, and with a window, in all heads, compared with replacing the whole mask."""
    length = len(trace.target_ids)
    shapes = {kind: record.weights.shape for kind, record in trace.records.items()}
    heads = tuple((layer, head) for layer in range(2) for head in range(2))
    near = np.abs(np.subtract.outer(range(length), range(length))) < 2
    cases = [
        ((NoMask("decoder", heads),), np.ones((length, length), dtype=bool)),
        ((Window("decoder", heads, 2),), near & np.tri(length, dtype=bool)),
        ((NoMask("decoder", heads), Window("decoder", heads, 2)), near),
    ]
    for changes, allowed in cases:
        expected = measure_mask_effect(network, trace, allowed, range(2)).head(1, 1)
        recorder = Recorder()
        tap = Chain(HeadInterventions(changes).tap(shapes), recorder)
        with torch.inference_mode():
            network(torch.tensor([trace.source_ids]), torch.tensor([trace.target_ids]), tap)
        result = recorder.tensors["decoder.1.self.weights"][0, 1].numpy()
        np.testing.assert_allclose(result, expected.weights, atol=1e-6)
        np.testing.assert_array_equal(HeadInterventions(changes).allowed("decoder", 1, 1, length, length), allowed)
    only = HeadInterventions((NoMask("decoder", ((0, 1),)),))
    assert only.looks_ahead and not HeadInterventions((Window("decoder", ALL, 1),)).looks_ahead
    assert only.allowed("decoder", 0, 0, 3, 3).sum() == 6 and only.allowed("decoder", 0, 1, 3, 3).sum() == 9


def test_changes_combine():
    """Factors multiply, temperatures too; different steps of one head are independent."""
    heads = ((0, 1),)
    twice = run("cross", Scale("cross", heads, 0.5), Scale("cross", heads, 3.0))[0]
    torch.testing.assert_close(twice, run("cross", Scale("cross", heads, 1.5))[0], atol=1e-6, rtol=0)
    many = (
        OneHot("cross", heads, 1),
        Forbid("cross", heads, (1,)),
        Temperature("cross", heads, 9.0),
        Scale("cross", heads, 2.0),
    )
    _, tensors = run("cross", *many, Scale("encoder", ((1, 0),), 0.0))
    assert (tensors["encoder.1.self.outputs"][:, 0] == 0).all()
    values = tensors["decoder.0.cross.values"]
    assert torch.equal(tensors["decoder.0.cross.outputs"][0, 1], 2 * values[0, 1, 1].expand(4, -1))


REFUSED = [
    ((Scale("cross", ((2, 0),)),), "There is no head 0 in layer 2"),
    ((Scale("cross", ((0, -1),)),), "There is no head -1 in layer 0"),
    ((Scale("vision", ((0, 0),)),), "There is no attention of kind 'vision' here"),
    ((Scale("cross", ((0, 0),), math.nan),), "The factor is nan"),
    ((Temperature("cross", ((0, 0),), 0.0),), "The temperature is 0.0"),
    ((OneHot("cross", ((0, 0),), 5),), "There is no key 5; there are 5, counted from 0"),
    ((OneHot("encoder", ((0, 0),), 0, 5),), "There is no query 5"),
    ((OneHot("decoder", ((0, 0),), 3, 1),), "Decoder query 1 cannot attend to key 3"),
    ((Forbid("encoder", ((0, 0),), (-1,)),), "There is no key -1"),
    ((Forbid("encoder", ((0, 1),), (0, 1, 2, 3, 4)),), "Query 0 of encoder head 1 in layer 0 has no key left"),
    ((Forbid("decoder", ((1, 1),), (0,)), NoMask("decoder", ((1, 1),))), "Query 0 of decoder head 1 in layer 1"),
    ((Window("encoder", ((0, 0),), 1), Forbid("encoder", ((0, 0),), (2,))), "Query 2 of encoder"),
    ((Window("encoder", ((0, 0),), 0),), "The window is 0 wide"),
    ((Window("cross", ((0, 0),), 2),), "in cross-attention they come from two"),
    ((NoMask("encoder", ((0, 0),)),), "Only decoder self-attention"),
    ((Pull("cross", ((0, 0),), 5, 0, 1.0),), "There is no key 5; there are 5, counted from 0"),
    ((Pull("cross", ((0, 0),), 0, 4, 1.0),), "There is no query 4; there are 4"),
    ((Pull("decoder", ((0, 0),), 2, 1, 1.0),), "The mask hides key 2 from decoder query 1"),
    ((Pull("cross", ((0, 0),), 0, 0, math.inf),), "The number added to the score is inf"),
    ((Pull("cross", ((0, 0),), 0, 0, math.nan),), "The number added to the score is nan"),
    ((Pull("decoder", ((1, 0),), 0, 0, -math.inf),), "Query 0 of decoder head 0 in layer 1 has no key left"),
]


@pytest.mark.parametrize(("changes", "sentence"), REFUSED)
def test_impossible_interventions_are_refused_with_one_sentence(changes, sentence):
    with pytest.raises(ValueError, match=sentence) as refused:
        HeadInterventions(changes).tap(SHAPES)
    assert str(refused.value).endswith(".") and "\n" not in str(refused.value)


places = st.lists(st.tuples(st.integers(0, 11), st.integers(0, 15)), max_size=6, unique=True).map(
    lambda result: tuple(sorted(result))
)
kinds = st.sampled_from(KINDS)
few = st.integers(0, 200)
changes = st.one_of(
    st.builds(Scale, kinds, places, st.integers(-400, 400).map(lambda n: n / 8)),
    st.builds(Temperature, kinds, places, st.integers(1, 400).map(lambda n: n / 8)),
    st.builds(NoMask, kinds, places),
    st.builds(Window, kinds, places, st.integers(1, 300)),
    st.builds(Forbid, kinds, places, st.lists(few, max_size=4).map(tuple)),
    st.builds(OneHot, kinds, places, few, st.none() | few),
    st.builds(Pull, kinds, places, few, few, st.floats(-LARGEST_DELTA, LARGEST_DELTA) | st.just(-math.inf)),
)


@settings(max_examples=30)
@given(st.lists(changes, max_size=4).map(tuple))
def test_text_reads_back_equal(several):
    interventions = HeadInterventions(several)
    assert HeadInterventions.from_text(interventions.to_text()) == interventions


def test_the_text_counts_from_one():
    plan = HeadInterventions((Scale("cross", ((3, 0), (3, 1), (4, 7)), 0.5), OneHot("decoder", ((0, 0),), 1, 2)))
    assert plan.to_text() == "scale:cross:4.1.2_5.8:0.5;force:decoder:1.1:2.3"
    assert heads_from_text(heads_to_text(((3, 1), (3, 0)))) == ((3, 0), (3, 1))


def test_a_new_one_hot_row_replaces_the_old_one_and_undo_takes_back_the_last():
    pull, both = Pull("cross", ALL, 0, 1, 2.0), ALL[:2]
    plan = HeadInterventions((pull,)).with_change(OneHot("cross", both, 3, 1))
    assert plan.changes == (pull, OneHot("cross", both, 3, 1))
    assert plan.with_change(pull).changes == (*plan.changes, pull)  # pulls add up
    other = plan.with_change(OneHot("cross", both, 2, 1))
    assert other.changes == (pull, OneHot("cross", both, 2, 1))
    assert plan.with_change(OneHot("cross", ALL[:1], 2, 1)).changes == (
        pull,
        OneHot("cross", ALL[1:2], 3, 1),
        OneHot("cross", ALL[:1], 2, 1),
    )
    for elsewhere in (OneHot("cross", both, 2, 0), OneHot("encoder", both, 2, 1)):
        assert plan.with_change(elsewhere).changes == (*plan.changes, elsewhere)
    assert plan.with_change(OneHot("cross", both, 0)).changes == (pull, OneHot("cross", both, 0))  # every row
    assert plan.without_last().changes == (pull,) and plan.without_last().without_last().without_last().changes == ()


@pytest.mark.parametrize("query", [None, 2])
@pytest.mark.parametrize("first", [None, 1, 2])
def test_replacing_one_hot_rows_does_not_change_what_the_network_computes(first, query):
    for kind in KINDS:
        old, new = OneHot(kind, ALL[:3], 1, first), OneHot(kind, ALL[1:], 0, query)
        together = HeadInterventions((old,)).with_change(new)
        assert torch.equal(run(kind, *together.changes)[0], run(kind, old, new)[0])


NONSENSE = [
    "x",
    "scale",
    "scale:cross:1.1",
    "scale:cross:1.1:nan",
    "scale:cross:0.1:1",
    "scale:moon:1.1:1",
    ":::",
    "\u0663",
]
NONSENSE += [
    "force:cross:1.1:1.2.3",
    "forbid:cross:1.1:a",
    "window:encoder:1.1:",
    "scale:cross:1.-1:1",
    "scale:cross:1..1:1",
    "pull:cross:1.1:1.1",
    "pull:cross:1.1:1.1.inf",
    "pull:cross:1.1:1.1.nan",
]


@pytest.mark.parametrize(
    "text", [*NONSENSE, "force:cross:1.1:", "scale:cross:1.1:1;;x", "scale:cross:99999.1:1", None, 5, b"scale"]
)
def test_other_text_is_refused_with_one_sentence(text):
    with pytest.raises(ValueError, match="describes no intervention"):
        HeadInterventions.from_text(text)


def test_a_translation_before_and_after(network, trace, tokenizer):
    translator = Translator(network, tokenizer)
    idle = translator.intervene(trace, HeadInterventions())
    np.testing.assert_array_equal(idle.after.logits, trace.logits)
    assert idle.translation == translator.translate(trace.source_text)[: len(idle.translation)]
    assert max(idle.check.recomputed, idle.check.edited) < 1e-5
    off = translator.intervene(trace, HeadInterventions((Scale("cross", ALL), Temperature("encoder", ALL, 0.5))))
    assert np.abs(off.after.logits - trace.logits).max() > 1e-3
    assert max(off.check.recomputed, off.check.edited) < 1e-5
    masked = HeadInterventions(
        (
            NoMask("decoder", ((0, 0),)),
            Window("decoder", ((1, 1),), 2),
            Forbid("cross", ALL, (1,)),
            OneHot("encoder", ALL, 0),
            Scale("decoder", ALL, -2.0),
            Pull("cross", ALL, 0, 1, 2.5),
            Pull("encoder", ((1, 0),), 0, 2, -math.inf),
        )
    )
    other = translator.intervene(trace, masked)
    assert other.check.edited is None and other.check.recomputed < 1e-5
    assert (other.after.cross_attention[..., 1] == 0).all()


def test_a_classification_before_and_after():
    classifier = VisionClassifier(VIT)
    trace = classifier.trace(noise(12, 12, 3))
    idle = classifier.intervene(trace, HeadInterventions())
    np.testing.assert_array_equal(idle.after.logits, trace.logits)
    plan = HeadInterventions((Scale("vision", ((0, 0),), 0.0), Temperature("vision", ((1, 1),), 4.0)))
    changed = classifier.intervene(trace, plan)
    assert np.abs(changed.after.probabilities - trace.probabilities).max() > 1e-4
    assert max(changed.check.recomputed, changed.check.edited) < 1e-5
    hidden = classifier.intervene(trace, HeadInterventions((Forbid("vision", ALL, (1, 5)),)))
    assert (hidden.after.attention[..., [1, 5]] == 0).all() and hidden.check.recomputed < 1e-5


def test_the_edited_copy_shares_what_it_does_not_edit(network):
    greedy_batch(network, [[5, 6, 3]])  # runs the network before it is copied
    before = {key: value.clone() for key, value in network.state_dict().items()}
    copy = edited_copy(network, HeadInterventions((Scale("cross", ((1, 0),)), Temperature("encoder", ((0, 1),), 2.0))))
    assert copy.embedding.weight is network.embedding.weight
    assert copy.decoder[0].cross_attention.output.weight is network.decoder[0].cross_attention.output.weight
    edited = [key for key, value in copy.state_dict().items() if not torch.equal(value, before[key])]
    assert edited == [
        "encoder.0.self_attention.query.weight",
        "encoder.0.self_attention.query.bias",
        "decoder.1.cross_attention.output.weight",
    ]
    assert all(torch.equal(value, before[key]) for key, value in network.state_dict().items())
