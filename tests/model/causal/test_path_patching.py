"""Every edge equals three whole runs with taps, and edges that cannot exist have no effect."""

import numpy as np
import pytest
import torch

from model.causal.causal_error import CausalError
from model.causal.metrics import LogitDifference
from model.causal.own_networks import resumable
from model.causal.path_patching import connections, path_patch, path_patch_in_steps
from model.networks.tap import Intervention, Recorder
from model.runtime.progress import run_to_end
from tests.model.causal.small_networks import inputs_of, small_network
from tests.model.causal.test_activation_patching import plain_run
from tests.tiers import nightly

METRIC = LogitDifference(1, 2)


def by_whole_runs(network, clean, corrupt, edge, frozen_steps) -> float:
    """The metric of one edge as the method defines it, by whole runs of the network (noising)."""
    sender, head, wanted, receiving_head = edge
    own, other = Recorder(), Recorder()
    plain_run(network, clean, own)
    plain_run(network, corrupt, other)
    seen = Recorder({wanted})

    def freeze(name, tensor):
        if name == sender:
            tensor = own.tensors[name].clone()
            tensor[:, head] = other.tensors[name][:, head]
            return tensor
        after = list(own.tensors).index(name) > list(own.tensors).index(sender)
        return own.tensors[name] if name.endswith(frozen_steps) and after else tensor

    plain_run(network, clean, lambda name, tensor: seen(name, freeze(name, tensor)))

    def replace(tensor):
        tensor = tensor.clone()
        tensor[:, receiving_head] = seen.tensors[wanted][:, receiving_head]
        return tensor

    logits = plain_run(network, clean, Intervention({wanted: replace}))
    return float(logits[0, -1, 1] - logits[0, -1, 2])


@pytest.mark.parametrize(
    ("kind", "feed_forward"),
    [
        ("translator", "recomputed"),
        ("language", "frozen"),
        nightly("language", "recomputed"),
        nightly("vision", "frozen"),
    ],
)
def test_every_kind_of_edge_equals_whole_runs(kind, feed_forward):
    network = small_network(kind)
    causal = resumable(network)
    clean, corrupt = inputs_of(kind, 1), inputs_of(kind, 2)
    result = path_patch(causal, clean, corrupt, METRIC, feed_forward=feed_forward)
    steps = (".outputs", ".ffn.sublayer_output") if feed_forward == "frozen" else (".outputs",)
    generator = np.random.default_rng(0)
    assert set(result.edges) == set(connections(causal))
    for connection, table in result.edges.items():
        places = np.argwhere(~np.isnan(table))
        layer, head, receiving_layer, receiving_head = generator.choice(places)
        sender = f"{connection.sender.tap_name(layer)}.outputs"
        wanted = f"{connection.receiver.tap_name(receiving_layer)}.{connection.input}"
        metric = by_whole_runs(network, clean, corrupt, (sender, head, wanted, receiving_head), steps)
        effect = table[layer, head, receiving_layer, receiving_head]
        assert effect == pytest.approx(metric - result.receiver, abs=1e-12)
    assert abs(result.strongest(1)[0][2]) > 1e-6
    assert result.check.recomputed < 1e-12 and result.check.nothing < 1e-12 and result.check.drift < 1e-12


def test_the_translator_has_the_edges_that_causality_allows():
    result = path_patch(
        resumable(small_network("translator")), inputs_of("translator", 1), inputs_of("translator", 2), METRIC
    )
    edges = {connection.name: int((~np.isnan(table)).sum()) for connection, table in result.edges.items()}
    inside, across, same = 4, 16, 12  # heads: 2 x 2 for each pair of layers; 1, 4 and 3 pairs of layers
    assert edges == {
        **{f"encoder_encoder_{name}": inside for name in ("queries", "keys", "values")},
        **{f"encoder_cross_{name}": across for name in ("keys", "values")},
        **{f"decoder_decoder_{name}": inside for name in ("queries", "keys", "values")},
        "decoder_cross_queries": same,
        **{f"cross_decoder_{name}": inside for name in ("queries", "keys", "values")},
        "cross_cross_queries": inside,
    }
    assert result.count == sum(edges.values())
    assert set(result.direct) == {"decoder", "cross"}


def test_the_direct_path_of_the_last_head_is_its_whole_effect():
    """Nothing but the last feed-forward layer follows the last cross-attention."""
    network = small_network("translator")
    clean, corrupt = inputs_of("translator", 1), inputs_of("translator", 2)
    result = path_patch(resumable(network), clean, corrupt, METRIC, inputs=["queries"])
    other = Recorder()
    plain_run(network, corrupt, other)
    for head in range(2):

        def change(tensor, head=head):
            tensor = tensor.clone()
            tensor[:, head] = other.tensors["decoder.1.cross.outputs"][:, head]
            return tensor

        logits = plain_run(network, clean, Intervention({"decoder.1.cross.outputs": change}))
        effect = float(logits[0, -1, 1] - logits[0, -1, 2]) - result.receiver
        assert result.direct["cross"][1, head] == pytest.approx(effect, abs=1e-12)
    assert all(connection.input == "queries" for connection in result.edges)


def test_equal_inputs_have_no_effect_and_progress_reaches_its_end():
    causal, inputs = resumable(small_network("language")), inputs_of("language", 1)
    steps = list(path_patch_in_steps(causal, inputs, inputs, METRIC))
    assert [step.done for step in steps] == sorted(step.done for step in steps)
    assert steps[-1].done == steps[-1].total
    result = run_to_end(path_patch_in_steps(causal, inputs, inputs, METRIC))
    assert all(np.nanmax(np.abs(table)) < 1e-13 for table in result.edges.values())
    assert result.receiver == pytest.approx(result.donor, abs=1e-13)  # rows of one batch may differ in the last bit
    names = list(result.tables)
    assert names == ["decoder_decoder_queries", "decoder_decoder_keys", "decoder_decoder_values", "decoder_to_logits"]
    columns = result.columns("decoder_decoder_keys")
    assert columns["sender_layer"].tolist() == [1] * 4 and columns["receiver_layer"].tolist() == [2] * 4


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (dict(direction="up"), "no direction 'up'"),
        (dict(feed_forward="off"), "recomputed or frozen, not 'off'"),
        (dict(inputs=["outputs"]), "reads queries, keys, values"),
        (dict(inputs=[]), "reads queries, keys, values"),
        (dict(corrupt=(torch.tensor([[5, 6]]),)), "two inputs of equal length"),
    ],
)
def test_impossible_paths_get_one_sentence(options, message):
    options = dict(clean=inputs_of("language", 1), corrupt=inputs_of("language", 2), metric=METRIC) | options
    with pytest.raises(CausalError, match=message):
        path_patch(resumable(small_network("language")), **options)
