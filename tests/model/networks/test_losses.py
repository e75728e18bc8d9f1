import math

import pytest
import torch
import torch.nn.functional as F
from hypothesis import given
from hypothesis import strategies as st

from model.networks.losses import smoothed_cross_entropy, token_cross_entropy

# probability of the right token and -ln p, for Je suis un étudiant </s>
FIVE_TOKENS = [(0.8, 0.223), (0.6, 0.511), (0.7, 0.357), (0.5, 0.693), (0.9, 0.105)]


def test_the_five_token_example():
    logits = torch.tensor([[math.log(p), math.log(1 - p)] for p, _ in FIVE_TOKENS])
    losses = token_cross_entropy(logits, torch.zeros(5, dtype=torch.int64))
    assert [round(value, 3) for value in losses.tolist()] == [expected for _, expected in FIVE_TOKENS]
    assert round(losses.mean().item(), 3) == 0.378


def test_token_losses_keep_the_shape_of_the_targets():
    losses = token_cross_entropy(torch.zeros(2, 3, 8), torch.zeros(2, 3, dtype=torch.int64))
    torch.testing.assert_close(losses, torch.full((2, 3), math.log(8)))


@given(st.integers(1, 40), st.integers(2, 50), st.sampled_from([0.0, 0.1, 0.5]), st.integers(1, 64), st.integers(0, 99))
def test_loss_and_gradients_equal_torchs_cross_entropy(positions, vocabulary, smoothing, rows, seed):
    generator = torch.Generator().manual_seed(seed)
    hidden = torch.randn(positions, 6, generator=generator, dtype=torch.float64).float().requires_grad_()
    embedding = torch.randn(vocabulary, 6, generator=generator).requires_grad_()
    targets = torch.randint(0, vocabulary, (positions,), generator=generator)
    loss, nll = smoothed_cross_entropy(hidden, embedding, targets, smoothing, rows)
    (3 * loss).backward()
    mine = hidden.grad.clone(), embedding.grad.clone()
    hidden.grad = embedding.grad = None
    expected = F.cross_entropy(hidden @ embedding.T, targets, reduction="sum", label_smoothing=smoothing)
    (3 * expected).backward()
    assert loss.item() == pytest.approx(expected.item(), rel=1e-5)
    assert nll.item() == pytest.approx(F.cross_entropy(hidden @ embedding.T, targets, reduction="sum").item(), rel=1e-5)
    torch.testing.assert_close(mine[0], hidden.grad, atol=1e-4, rtol=1e-4)
    torch.testing.assert_close(mine[1], embedding.grad, atol=1e-4, rtol=1e-4)


@pytest.mark.parametrize("kind", [torch.float32, torch.bfloat16])
def test_a_token_whose_probability_underflows_has_a_finite_loss(kind):
    hidden = torch.tensor([[400.0, 0.0]], dtype=kind, requires_grad=True)
    embedding = torch.eye(2, requires_grad=True)
    loss, nll = smoothed_cross_entropy(hidden, embedding, torch.tensor([1]), 0.1)
    assert (loss.item(), nll.item()) == pytest.approx((0.95 * 400, 400))
    loss.backward()
    torch.testing.assert_close(hidden.grad.float(), torch.tensor([[0.95, -0.95]]), atol=5e-3, rtol=0)


def test_in_bf16_the_loss_stays_close_to_fp32():
    torch.manual_seed(0)
    hidden, embedding = torch.randn(300, 32), torch.randn(500, 32) / 8
    targets = torch.randint(0, 500, (300,))
    exact, _ = smoothed_cross_entropy(hidden, embedding, targets)
    rounded, _ = smoothed_cross_entropy(hidden.bfloat16(), embedding, targets)
    assert rounded.item() == pytest.approx(exact.item(), rel=5e-3)
