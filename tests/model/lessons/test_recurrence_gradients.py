"""Jacobians of the last state: against autograd, finite differences, and by hand; and how a replaced token fades."""

import numpy as np
import pytest
import torch

from model.lessons.recurrence_gradients import measure_drift, state_gradients
from tests.model.networks import tiny_recurrent

IDS = [7, 8, 9, 10, 3]
ONE_WAY = [(kind, reads) for kind in ("rnn-vector", "lstm-vector") for reads in ("forwards", "backwards")]
one_way = pytest.mark.parametrize(("kind", "reads"), ONE_WAY)


def last_state(network, embedded: torch.Tensor) -> torch.Tensor:
    """h_N, and of an LSTM c_N after it, by the library's layer; `(S, d_model)` -> `(states,)`."""
    _, last = network.encoder.run(embedded[None])
    return torch.cat([part[0] for part in last if part is not None])


def sizes_of(jacobian: torch.Tensor, width: int) -> tuple[np.ndarray, np.ndarray]:
    """Frobenius norms by position of `(states, S, d_model)`: those of h_N, and those of c_N."""
    return tuple(part.norm(dim=(0, 2)).numpy() for part in (jacobian[:width], jacobian[width:]))


@one_way
def test_sizes_equal_those_of_autograd(kind, reads):
    network = tiny_recurrent(kind, reads=reads).double()
    with torch.no_grad():
        embedded = network.embed(torch.tensor([IDS]))[0]
    jacobian = torch.autograd.functional.jacobian(lambda vectors: last_state(network, vectors), embedded)
    gradients = state_gradients(network.float(), IDS)
    hidden, cell = sizes_of(jacobian, network.encoder.width)
    np.testing.assert_allclose(gradients.hidden, hidden, rtol=2e-6)
    if kind == "lstm-vector":
        np.testing.assert_allclose(gradients.cell, cell, rtol=2e-6)
    else:
        assert gradients.cell is None
    assert gradients.difference < 1e-5
    assert gradients.distance.tolist() == ([4, 3, 2, 1, 0] if reads == "forwards" else [0, 1, 2, 3, 4])


@one_way
def test_sizes_equal_those_of_finite_differences(kind, reads):
    network = tiny_recurrent(kind, reads=reads)
    gradients = state_gradients(network, IDS)
    network = network.double()
    step, width = 1e-6, network.encoder.width
    with torch.no_grad():
        embedded = network.embed(torch.tensor([IDS]))[0]
        columns = []
        for place in range(len(IDS)):
            for dimension in range(embedded.shape[1]):
                moved = torch.zeros_like(embedded)
                moved[place, dimension] = step
                change = last_state(network, embedded + moved) - last_state(network, embedded - moved)
                columns.append(change / (2 * step))
    jacobian = torch.stack(columns, dim=1).view(-1, *embedded.shape)  # (states, S, d_model)
    hidden, cell = sizes_of(jacobian, width)
    np.testing.assert_allclose(gradients.hidden, hidden, rtol=1e-4)
    if gradients.cell is not None:
        np.testing.assert_allclose(gradients.cell, cell, rtol=1e-4)


def test_the_check_detects_a_wrong_chain(monkeypatch):
    from model.lessons import recurrence_gradients as module

    right = module.JacobianRows.step_back

    def wrong_step(rows, *args):
        result = right(rows, *args)
        with torch.inference_mode():
            rows.by_state[:, : rows.width] *= 1.01
        return result

    monkeypatch.setattr(module.JacobianRows, "step_back", wrong_step)
    assert state_gradients(tiny_recurrent("lstm-vector"), IDS).difference > 1e-3


@pytest.mark.parametrize("kind", ["rnn-vector", "lstm-vector"])
def test_one_thread_and_two_give_the_same_result(kind):
    network, threads = tiny_recurrent(kind), torch.get_num_threads()
    try:
        torch.set_num_threads(1)
        halves = state_gradients(network, IDS)
        torch.set_num_threads(2)
        whole = state_gradients(network, IDS)
    finally:
        torch.set_num_threads(threads)
    np.testing.assert_allclose(halves.hidden, whole.hidden, rtol=1e-6)
    assert max(halves.difference, whole.difference) < 1e-5


def test_an_encoder_that_reads_both_ways_has_no_last_state():
    for function in (state_gradients, lambda *args: measure_drift(*args, 5)):
        with pytest.raises(ValueError, match="no last state"):
            function(tiny_recurrent("lstm-dot"), IDS)


@one_way
def test_a_replaced_token_changes_the_states_from_its_step_on(kind, reads):
    network = tiny_recurrent(kind, reads=reads)
    drift = measure_drift(network, IDS, 20)
    order = [0, 1, 2, 3, 4] if reads == "forwards" else [4, 3, 2, 1, 0]
    with torch.no_grad():
        plain, _ = network.encoder.run(network.embed(torch.tensor([IDS])))
        for row, place in enumerate(order):
            other = IDS.copy()
            other[place] = 20
            states, _ = network.encoder.run(network.embed(torch.tensor([other])))
            expected = (states - plain)[0, order].norm(dim=-1) / plain[0, order].norm(dim=-1)
            np.testing.assert_allclose(drift.hidden[row], expected.numpy(), atol=1e-5)
    assert not drift.hidden[np.tril_indices(5, -1)].any() and (np.diag(drift.hidden) > 0).all()
    assert drift.difference < 1e-6
    assert (drift.cell is None) == (kind == "rnn-vector")


def test_a_token_that_is_replaced_by_itself_changes_nothing():
    assert not measure_drift(tiny_recurrent("lstm-vector"), IDS, 8).hidden[3].any()  # the fourth that is read
