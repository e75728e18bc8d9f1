"""Positions removed or changed inside the network."""

import pytest
import torch

from model.lessons.position_effects import (
    POSITION_CHANGES,
    STACKS,
    changed_table,
    position_losses_in_steps,
    positions_tap,
    replace_positions,
)
from model.networks.losses import token_cross_entropy
from model.networks.tap import Chain, Intervention, Recorder
from model.runtime.progress import run_to_end
from tests.model.networks import random_ids, tiny_network

NETWORK = tiny_network()
SOURCE = [*random_ids(6).tolist(), NETWORK.config.eos_id]
FOLLOWING = [*random_ids(4, seed=2).tolist(), NETWORK.config.eos_id]
TARGET = [NETWORK.config.bos_id, *FOLLOWING[:-1]]


def test_changed_tables_of_positions():
    table = NETWORK.positions
    torch.testing.assert_close(changed_table(NETWORK, 5, "kept"), table)
    assert not changed_table(NETWORK, 5, "none").any()
    torch.testing.assert_close(changed_table(NETWORK, 5, "reversed")[:5], table[:5].flip(0))
    torch.testing.assert_close(changed_table(NETWORK, 5, "shifted", shift=3)[:5], table[3:8])
    shuffled = changed_table(NETWORK, 5, "shuffled", seed=1)
    assert sorted(map(tuple, shuffled[:5].tolist())) == sorted(map(tuple, table[:5].tolist()))
    assert not torch.equal(shuffled, table)
    assert torch.equal(shuffled, changed_table(NETWORK, 5, "shuffled", seed=1))
    for change in ("shuffled", "reversed"):
        torch.testing.assert_close(changed_table(NETWORK, 5, change)[5:], table[5:])
    with pytest.raises(ValueError, match="no change 'eaten'"):
        changed_table(NETWORK, 5, "eaten")
    with pytest.raises(ValueError, match="leads out of the 512"):
        changed_table(NETWORK, 500, "shifted", shift=20)


def test_the_embedded_stream_has_the_changed_positions():
    recorder = Recorder()
    tables = changed_table(NETWORK, len(SOURCE), "none")
    tap = Chain(Intervention({"encoder.embedded": replace_positions(NETWORK, tables)}), recorder)
    NETWORK.encode(torch.tensor([SOURCE]), None, tap)
    bare = NETWORK.embedding(torch.tensor([SOURCE])) * NETWORK.config.d_model**0.5
    torch.testing.assert_close(recorder.tensors["encoder.embedded"], bare, atol=1e-6, rtol=0)


@torch.inference_mode()
def test_a_batch_of_changes_equals_each_change_alone():
    losses = run_to_end(position_losses_in_steps(NETWORK, SOURCE, FOLLOWING, seed=4, shift=2))
    source, target, following = (torch.tensor([ids]) for ids in (SOURCE, TARGET, FOLLOWING))
    for where in STACKS:
        for change in POSITION_CHANGES:
            tap = positions_tap(NETWORK, where, change, len(SOURCE), len(TARGET), seed=4, shift=2)
            expected = token_cross_entropy(NETWORK(source, target, tap), following)[0]
            torch.testing.assert_close(torch.from_numpy(losses.per_token[where, change]), expected, atol=1e-5, rtol=0)
    assert list(position_losses_in_steps(NETWORK, SOURCE, FOLLOWING)) == [(1, 3), (2, 3), (3, 3)]
    assert losses.difference < 1e-5
    assert losses.mean("both", "kept") == pytest.approx(float(losses.plain.mean()), abs=1e-5)
    assert losses.mean("encoder", "none") != pytest.approx(losses.mean("encoder", "kept"), abs=1e-4)
