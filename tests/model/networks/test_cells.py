"""The cells by their formulas, compared with PyTorch's, and the effect of holding a gate."""

import pytest
import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from model.networks.cells import GATES, CellState, RecurrentLayer
from model.networks.tap import AtEveryStep, Chain, Recorder, hold_gate, identity_tap

LENGTHS = torch.tensor([7, 3, 5])


def make_layer(cell: str, reads: str = "forwards", seed: int = 0) -> RecurrentLayer:
    torch.manual_seed(seed)
    layer = RecurrentLayer(cell, 5, 9, reads)
    with torch.no_grad():
        for parameter in layer.parameters():
            parameter.copy_(torch.randn_like(parameter) * 0.5)
    return layer.requires_grad_(False)


def inputs_of(steps: int = 7) -> torch.Tensor:
    return torch.randn(3, steps, 5, generator=torch.Generator().manual_seed(3))


def pytorch_layer(layer: RecurrentLayer, bidirectional: bool) -> nn.Module:
    """PyTorch's layer with the same weights."""
    own = (nn.LSTM if layer.cell == "lstm" else nn.RNN)(5, 9, batch_first=True, bidirectional=bidirectional)
    own.load_state_dict(layer.layer.state_dict())
    return own.requires_grad_(False)


@pytest.mark.parametrize("cell", ["rnn", "lstm"])
@pytest.mark.parametrize("reads", ["forwards", "backwards", "both"])
def test_the_step_by_step_layer_equals_pytorchs(cell, reads):
    layer, inputs = make_layer(cell, reads), inputs_of()
    ordered = inputs.flip(1) if reads == "backwards" else inputs
    expected, last = pytorch_layer(layer, reads == "both")(ordered)
    expected = expected.flip(1) if reads == "backwards" else expected
    states, end = layer.run_tapped(inputs, identity_tap, "encoder")
    fused, fused_end = layer.run(inputs)
    last = last if cell == "lstm" else (last, None)
    for result in (states, fused):
        assert (result - expected).abs().max() < 1e-5
    for state in (end, fused_end):
        for part, of_library in zip(state, last, strict=True):
            if of_library is None:
                assert part is None
            else:
                assert (part - of_library.transpose(0, 1).flatten(1)).abs().max() < 1e-5


@pytest.mark.parametrize("cell", ["rnn", "lstm"])
@pytest.mark.parametrize("reads", ["forwards", "backwards", "both"])
def test_padding_changes_neither_the_states_nor_the_last_state(cell, reads):
    layer, inputs = make_layer(cell, reads), inputs_of()
    inputs = inputs.masked_fill((torch.arange(7)[None] >= LENGTHS[:, None])[..., None], 100.0)
    for states, last in (layer.run(inputs, lengths=LENGTHS), layer.run_tapped(inputs, identity_tap, "e", LENGTHS)):
        for row, length in enumerate(LENGTHS.tolist()):
            alone, end = layer.run(inputs[row : row + 1, :length])
            assert (states[row, :length] - alone[0]).abs().max() < 1e-5
            assert not states[row, length:].any()
            assert (last.hidden[row] - end.hidden[0]).abs().max() < 1e-5
            assert cell == "rnn" or (last.cell[row] - end.cell[0]).abs().max() < 1e-5


def test_both_directions_with_padding_equal_pytorchs_packed_form():
    layer, inputs = make_layer("lstm", "both"), inputs_of()
    packed = pack_padded_sequence(inputs, LENGTHS, batch_first=True, enforce_sorted=False)
    expected, _ = pad_packed_sequence(pytorch_layer(layer, True)(packed)[0], batch_first=True)
    assert (layer.run_tapped(inputs, identity_tap, "encoder", LENGTHS)[0] - expected).abs().max() < 1e-5


@pytest.mark.parametrize("cell", ["rnn", "lstm"])
def test_one_step_equals_pytorchs_cell_with_and_without_a_tap(cell):
    layer, inputs = make_layer(cell), inputs_of()[:, 0]
    own = (nn.LSTMCell if cell == "lstm" else nn.RNNCell)(5, 9)
    own.load_state_dict({name.removesuffix("_l0"): tensor for name, tensor in layer.layer.state_dict().items()})
    before = CellState(torch.randn(3, 9), torch.randn(3, 9) if cell == "lstm" else None)
    with torch.no_grad():
        expected = own(inputs, tuple(before) if cell == "lstm" else before.hidden)
    expected = expected if cell == "lstm" else (expected, None)
    for tap in (None, identity_tap):
        for part, of_library in zip(layer.step(inputs, before, tap), expected, strict=True):
            assert part is of_library is None or (part - of_library).abs().max() < 1e-5


@pytest.mark.parametrize("cell", ["rnn", "lstm"])
def test_gradients_of_the_step_by_step_form_equal_the_fused_ones_and_finite_differences(cell):
    layer = make_layer(cell, "both").double().requires_grad_(True)
    inputs = inputs_of(4).double().requires_grad_()
    weights = torch.randn(3, 4, 18, dtype=torch.float64)

    def gradients(states):
        return torch.autograd.grad((states * weights).sum(), [inputs, *layer.parameters()])

    written_out = gradients(layer.run_tapped(inputs, identity_tap, "encoder")[0])
    for result, fused in zip(written_out, gradients(layer.run(inputs)[0]), strict=True):
        assert (result - fused).abs().max() < 1e-10
    assert torch.autograd.gradcheck(lambda inputs: layer.run_tapped(inputs, identity_tap, "e")[0], inputs)


def test_every_gate_cell_state_and_hidden_state_passes_the_tap_and_fits_the_formulas():
    layer, inputs, recorder = make_layer("lstm"), inputs_of(), Recorder()
    states, _ = layer.run_tapped(inputs, recorder, "encoder")
    quantities = [*GATES, "cell", "hidden"]
    assert recorder.tensors.keys() == {f"encoder.forwards.{step}.{name}" for step in range(7) for name in quantities}
    cell = torch.zeros(3, 9)
    for step in range(7):
        result = {name: recorder.tensors[f"encoder.forwards.{step}.{name}"] for name in quantities}
        for gate in ("input_gate", "forget_gate", "output_gate"):
            assert result[gate].min() > 0 and result[gate].max() < 1
        cell = result["forget_gate"] * cell + result["input_gate"] * result["candidate"]
        torch.testing.assert_close(result["cell"], cell)
        torch.testing.assert_close(result["hidden"], result["output_gate"] * cell.tanh())
        torch.testing.assert_close(result["hidden"], states[:, step])


def run_with_gates(changes: dict[str, float]) -> dict[str, torch.Tensor]:
    layer, recorder = make_layer("lstm"), Recorder()
    tap = AtEveryStep({f"encoder.forwards.{gate}": hold_gate(value) for gate, value in changes.items()})
    layer.run_tapped(inputs_of(), Chain(tap, recorder), "encoder")
    return {name.removeprefix("encoder.forwards."): tensor for name, tensor in recorder.tensors.items()}


def test_a_shut_forget_gate_leaves_only_this_steps_input():
    result = run_with_gates({"forget_gate": 0})
    for step in range(7):
        let_in = result[f"{step}.input_gate"] * result[f"{step}.candidate"]
        assert torch.equal(result[f"{step}.cell"], let_in)


def test_an_open_forget_gate_with_a_shut_input_gate_keeps_the_cell_state():
    result = run_with_gates({"input_gate": 0, "forget_gate": 1})
    assert not any(result[f"{step}.cell"].any() for step in range(7))
    layer, recorder = make_layer("lstm"), Recorder()
    before = CellState(torch.randn(3, 9), torch.randn(3, 9))
    tap = Chain(AtEveryStep({"decoder.input_gate": hold_gate(0), "decoder.forget_gate": hold_gate(1)}), recorder)
    after = layer.step(inputs_of()[:, 0], before, tap, "decoder.0")
    assert torch.equal(after.cell, before.cell) and not torch.equal(after.hidden, before.hidden)


def test_a_shut_output_gate_hides_the_cell_state_from_the_next_step():
    result = run_with_gates({"output_gate": 0})
    assert not any(result[f"{step}.hidden"].any() for step in range(7))
    assert all(result[f"{step}.cell"].any() for step in range(7))


def test_open_gates_add_up_the_candidates():
    result = run_with_gates({"input_gate": 1, "forget_gate": 1})
    total = sum(result[f"{step}.candidate"] for step in range(7))
    torch.testing.assert_close(result["6.cell"], total)


@pytest.mark.parametrize("value", [-0.1, 1.1])
def test_a_gate_can_only_be_held_from_0_to_1(value):
    with pytest.raises(ValueError, match="choose a value from 0"):
        hold_gate(value)


def test_the_forget_gate_is_initially_open_and_state_maps_are_orthogonal():
    layer = RecurrentLayer("lstm", 5, 9)
    from_state, bias = layer.weights()[1], layer.weights()[2]
    assert bias.tolist() == [0.0] * 9 + [1.0] * 9 + [0.0] * 18
    for part in from_state.split(9):
        torch.testing.assert_close(part @ part.T, torch.eye(9), atol=1e-5, rtol=0)
