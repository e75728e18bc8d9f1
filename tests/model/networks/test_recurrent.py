"""Recurrent networks, compared with the same networks built from PyTorch's layers."""

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from model.networks.masks import padding_mask
from model.networks.recurrent import RecurrentNetwork
from model.networks.recurrent_config import VARIANTS, RecurrentConfig
from model.networks.tap import AtEveryStep, Intervention, Recorder, hold_gate, identity_tap
from model.networks.transformer import parameter_count
from tests.model.networks import random_ids, tiny_recurrent

SOURCE, TARGET = random_ids(3, 6), random_ids(3, 5, seed=2)
every_kind = pytest.mark.parametrize("kind", VARIANTS)
lstm_kinds = pytest.mark.parametrize("kind", [kind for kind in VARIANTS if kind.startswith("lstm")])


@torch.no_grad()
def pytorch_logits(network: RecurrentNetwork, source: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
    """Logits `(batch, target, vocabulary)` from `torch.nn` layers with the network's weights."""
    config, weights = network.config, network.state_dict()
    library = nn.LSTM if config.cell == "lstm" else nn.RNN
    both = config.reads == "both"
    encoder = library(config.d_model, config.encoder_width, batch_first=True, bidirectional=both)
    encoder.load_state_dict(
        {n.removeprefix("encoder.layer."): t for n, t in weights.items() if n.startswith("encoder.")}
    )
    cell = nn.LSTMCell if config.cell == "lstm" else nn.RNNCell
    fed = config.d_model + (config.context_width if config.alignment == "additive" else 0)
    decoder = cell(fed, config.decoder_width)
    own = {n.removeprefix("decoder.layer."): t for n, t in weights.items() if n.startswith("decoder.")}
    decoder.load_state_dict({name.removesuffix("_l0"): tensor for name, tensor in own.items()})
    table = weights["embedding.weight"]
    read = (source.flip(1) if config.reads == "backwards" else source, target)
    embedded, target_embedded = (F.embedding(ids, table) * config.d_model**0.5 for ids in read)
    states, last = encoder(embedded)
    if config.alignment == "additive":
        hidden = torch.tanh(F.linear(last[0][1], weights["bridge.weight"], weights["bridge.bias"]))
        state = (hidden, torch.zeros_like(hidden))
    elif config.cell == "lstm":
        state = tuple(part.transpose(0, 1).flatten(1) for part in last)
    else:
        state = last.transpose(0, 1).flatten(1)
    rows = []
    for token in target_embedded.unbind(1):
        if config.alignment == "additive":
            queries = F.linear(state[0], weights["alignment.query.weight"], weights["alignment.query.bias"])
            joined = torch.tanh(queries[:, None] + F.linear(states, weights["alignment.key.weight"]))
            context = (joined @ weights["alignment.score.weight"][0]).softmax(1)[:, None] @ states
            state = decoder(torch.cat([token, context[:, 0]], 1), state)
            read_out = torch.cat([state[0], context[:, 0], token], 1)
        else:
            state = decoder(token, state)
            read_out = state[0] if config.cell == "lstm" else state
        if config.alignment == "dot":
            context = F.scaled_dot_product_attention(state[0][:, None], states, states, scale=1.0)[:, 0]
            read_out = torch.cat([context, state[0]], 1)
        row = F.linear(read_out, weights["readout.weight"], weights["readout.bias"])
        rows.append(row if config.alignment == "none" else row.tanh())
    return torch.stack(rows, 1) @ table.T


@every_kind
def test_a_network_equals_one_made_of_pytorchs_layers_with_a_tap_and_without(kind):
    network = tiny_recurrent(kind)
    expected = pytorch_logits(network, SOURCE, TARGET)
    assert (network(SOURCE, TARGET) - expected).abs().max() < 1e-5
    assert (network(SOURCE, TARGET, identity_tap) - expected).abs().max() < 1e-5
    assert expected.std() > 0.05


@every_kind
def test_padding_of_source_and_target_changes_no_logits(kind):
    network = tiny_recurrent(kind)
    source, target = SOURCE.clone(), TARGET.clone()
    source[1, 4:], source[2, 1:], target[1, 3:] = 0, 0, 0
    for tap in (None, identity_tap):
        together = network(source, target, tap)
        for row, (read, sublayer_output) in enumerate([(6, 5), (4, 3), (1, 5)]):
            alone = network(source[row : row + 1, :read], target[row : row + 1, :sublayer_output])
            assert (together[row, :sublayer_output] - alone[0]).abs().max() < 1e-5


@every_kind
def test_decoding_token_by_token_gives_the_teacher_forced_logits(kind):
    network = tiny_recurrent(kind)
    source = SOURCE.clone()
    source[0, 3:] = 0
    allowed = padding_mask(source, 0)
    expected = network(source, TARGET)
    for tap in (None, identity_tap):
        decoder = network.begin_decoding(source, allowed, tap)
        result = torch.stack([decoder.step(ids) for ids in TARGET.unbind(1)], dim=1)
        assert (result - expected).abs().max() < 1e-5


@every_kind
def test_hypotheses_of_one_sentence_continue_in_the_requested_order(kind):
    network = tiny_recurrent(kind)
    decoder = network.begin_decoding(SOURCE[:1])
    decoder.step(torch.tensor([2]))
    decoder.select_rows([0, 0, 0])
    decoder.step(torch.tensor([7, 8, 9]))
    decoder.select_rows([2, 0])
    result = decoder.step(torch.tensor([5, 6]))
    expected = network(SOURCE[:1].expand(2, -1), torch.tensor([[2, 9, 5], [2, 7, 6]]))[:, -1]
    assert (result - expected).abs().max() < 1e-5
    with pytest.raises(ValueError, match="hypotheses of one sentence"):
        network.begin_decoding(SOURCE).select_rows([0])


@every_kind
def test_no_network_decodes_more_steps_than_its_config_allows(kind):
    network = tiny_recurrent(kind, max_positions=4)
    with pytest.raises(ValueError, match="6 positions are more than the 4"):
        network.encode(SOURCE)
    decoder = network.begin_decoding(SOURCE[:1, :3])
    for _ in range(4):
        decoder.step(torch.tensor([5]))
    with pytest.raises(ValueError, match="5 positions are more than the 4"):
        decoder.step(torch.tensor([5]))


@every_kind
def test_gradients_equal_autograd_through_the_tap_and_finite_differences(kind):
    network = tiny_recurrent(kind).double()

    def loss(tap=None):
        return F.cross_entropy(network(SOURCE, TARGET[:, :-1], tap).flatten(0, 1), TARGET[:, 1:].flatten())

    parameters = dict(network.named_parameters())
    fused = torch.autograd.grad(loss(), parameters.values())
    tapped = torch.autograd.grad(loss(identity_tap), parameters.values())
    step = 1e-5
    for (name, parameter), one, other in zip(parameters.items(), fused, tapped, strict=True):
        assert (one - other).abs().max() < 1e-10, name
        place = int(one.abs().argmax())  # the largest gradient
        flat = parameter.data.view(-1)
        with torch.no_grad():
            flat[place] += step
            above = loss()
            flat[place] -= 2 * step
            below = loss()
            flat[place] += step
        assert float(above - below) / (2 * step) == pytest.approx(float(one.view(-1)[place]), rel=1e-5, abs=1e-8), name


@pytest.mark.parametrize("kind", ["rnn-vector", "lstm-vector"])
def test_without_alignment_the_decoder_depends_on_the_source_only_through_one_vector(kind):
    network, recorder = tiny_recurrent(kind), Recorder()
    other = network(SOURCE[1:2], TARGET[:1], recorder)
    names = ("decoder.start.hidden", "decoder.start.cell") if kind == "lstm-vector" else ("decoder.start.hidden",)
    swapped = {name: lambda _, name=name: recorder.tensors[name] for name in names}
    result = network(SOURCE[:1], TARGET[:1], Intervention(swapped))
    assert torch.equal(result, other)
    assert (network(SOURCE[:1], TARGET[:1]) - other).abs().max() > 1e-3


@pytest.mark.parametrize("kind", ["lstm-additive", "lstm-dot"])
def test_keys_change_the_weights_and_values_change_the_context_vectors(kind):
    network, recorder = tiny_recurrent(kind), Recorder()
    network(SOURCE[:1], TARGET[:1], recorder)
    plain = recorder.tensors["decoder.0.cross.weights"]
    recorder = Recorder()
    equal_keys = {"decoder.cross.keys": lambda keys: keys[:, :, :1].expand_as(keys)}
    network(SOURCE[:1], TARGET[:1], lambda name, tensor: recorder(name, Intervention(equal_keys)(name, tensor)))
    uniform = recorder.tensors["decoder.0.cross.weights"]
    torch.testing.assert_close(uniform, torch.full_like(uniform, 1 / 6))
    assert (plain - uniform).abs().max() > 1e-3
    recorder = Recorder()
    zero_values = {"decoder.cross.values": torch.zeros_like}
    network(SOURCE[:1], TARGET[:1], lambda name, tensor: recorder(name, Intervention(zero_values)(name, tensor)))
    torch.testing.assert_close(recorder.tensors["decoder.0.cross.weights"], plain)
    assert not recorder.tensors["decoder.0.cross.outputs"].any()


def test_the_additive_query_is_the_state_before_the_step_and_the_dot_query_the_one_after_it():
    for kind, shift in (("lstm-additive", 1), ("lstm-dot", 0)):
        network, recorder = tiny_recurrent(kind), Recorder()
        network(SOURCE[:1], TARGET[:1], recorder)
        result = recorder.tensors
        for step in range(1, 5):
            queries = result[f"decoder.{step}.cross.queries"][:, 0, 0]
            assert torch.equal(queries, result[f"decoder.{step - shift}.hidden"])
        if shift:
            assert torch.equal(result["decoder.0.cross.queries"][:, 0, 0], result["decoder.start.hidden"])


@lstm_kinds
def test_states_are_constant_if_the_decoders_gates_let_nothing_in(kind):
    network, recorder = tiny_recurrent(kind), Recorder()
    shut = AtEveryStep({"decoder.input_gate": hold_gate(0), "decoder.forget_gate": hold_gate(1)})
    network(SOURCE[:1], TARGET[:1], lambda name, tensor: recorder(name, shut(name, tensor)))
    start = recorder.tensors["decoder.start.cell"] if kind != "lstm-additive" else torch.zeros(1, 10)
    for step in range(5):
        assert torch.equal(recorder.tensors[f"decoder.{step}.cell"], start)


@lstm_kinds
def test_a_shut_forget_gate_of_the_encoder_acts_from_the_second_token_it_reads(kind):
    network = tiny_recurrent(kind)
    way = network.encoder.directions[-1]
    assert way == "backwards"
    plain, shut_gate = Recorder(), Recorder()
    network.encode(SOURCE[:1], None, plain)
    shut = AtEveryStep({"encoder.backwards.forget_gate": hold_gate(0)})
    network.encode(SOURCE[:1], None, lambda name, tensor: shut_gate(name, shut(name, tensor)))
    same = [
        torch.equal(*(r.tensors[f"encoder.{way}.{place}.hidden"] for r in (plain, shut_gate))) for place in range(6)
    ]
    assert same == [False] * 5 + [True]
    if "forwards" in network.encoder.directions:
        name = "encoder.forwards.5.hidden"
        assert torch.equal(plain.tensors[name], shut_gate.tensors[name])


@every_kind
def test_the_shipped_sizes_fit_ten_megabytes_in_half_precision(kind):
    assert 2 * parameter_count(RecurrentNetwork(RecurrentConfig.preset(kind))) < 9.9e6


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"cell": "gru"}, "cell is 'gru'"),
        ({"alignment": "additive"}, "alignment_width is 0"),
        ({"alignment": "additive", "alignment_width": 4}, 'set reads to "both"'),
        ({"encoder_width": 3}, "they must be alike"),
        ({"dropout": 1.0}, "outside"),
        ({"d_model": 0}, "d_model is 0"),
    ],
)
def test_sizes_that_do_not_fit_are_refused_by_name(changes, message):
    with pytest.raises(ValueError, match=message):
        RecurrentConfig(**changes)
    with pytest.raises(ValueError, match="no recurrent network 'gru'"):
        RecurrentConfig.preset("gru")
