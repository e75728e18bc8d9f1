"""What cross-attention sends equals its definition, written out from the network's own layers."""

from types import SimpleNamespace

import numpy as np
import pytest
import torch

from model.causal.own_networks import resumable
from model.causal.sent_tokens import SentTokensAccumulator, above_the_others, upper_limits
from tests.model.causal.known_circuits import copy
from tests.model.causal.small_networks import small_network


def traced(network, source, following):
    """What the measurement reads of a trace."""
    run = resumable(network).record((torch.tensor([source]), torch.tensor([[2, *following[:-1]]])))
    values = [run.tensors[f"decoder.{layer}.cross.values"][0] for layer in range(len(network.decoder))]
    record = SimpleNamespace(values=torch.stack(values).numpy())
    return SimpleNamespace(source_ids=tuple(source), next_ids=tuple(following), records={"cross": record})


def links_of(trace, *pairs):
    links = np.zeros((len(trace.next_ids), len(trace.source_ids)), dtype=bool)
    for token, key in pairs:
        links[token, key] = True
    return links


def test_shares_and_ranks_are_those_of_single_vectors():
    network = small_network("translator")
    sent = SentTokensAccumulator(network)
    expected = []
    for source, following, pairs in (
        ([7, 9, 4, 3], [8, 5, 6, 3], [(0, 1), (2, 0)]),
        ([5, 6, 8, 3], [10, 6, 3], [(0, 2), (1, 1)]),  # the second link has the same token on both sides
    ):
        trace = traced(network, source, following)
        sent.add(trace, links_of(trace, *pairs))
        with torch.no_grad():
            memory = network.encode(torch.tensor([source]))[0].double()
        for token, key in pairs:
            if source[key] == following[token]:
                continue
            for layer, head in np.ndindex(2, 2):
                attention, part = network.decoder[layer].cross_attention, slice(head * 8, head * 8 + 8)
                value = memory[key] @ attention.value.weight[part].double().T + attention.value.bias[part].double()
                logits = network.embedding.weight.double() @ (attention.output.weight[:, part].double() @ value)
                order = logits.argsort(descending=True).tolist()
                for which, own in (("target", following[token]), ("source", source[key])):
                    raised = float(logits[own] > logits.mean())
                    expected.append((which, layer, head, raised, order.index(own) + 1))
    result = sent.result()
    assert result.links == 3
    for layer, head in np.ndindex(2, 2):
        for which in ("target", "source"):
            rows = [row[3:] for row in expected if row[:3] == (which, layer, head)]
            assert getattr(result, f"{which}_raised")[layer, head] == pytest.approx(np.mean([row[0] for row in rows]))
            assert getattr(result, f"{which}_rank")[layer, head] == np.median([row[1] for row in rows])


def test_it_is_read_from_the_values_that_are_sent_and_not_from_the_weights():
    circuit = copy()
    source, following = [6, 7, 8, 3], [7, 8, 6, 3]
    trace = traced(circuit.network, source, following)
    links = links_of(trace, (0, 0), (1, 1), (2, 2))
    own = SentTokensAccumulator(circuit.network)
    own.add(trace, links)
    copies = own.result()
    assert copies.source_raised[1, 3] == 1 and copies.source_rank[1, 3] == 1 and copies.target_rank[1, 3] > 1
    # the same weights, with an encoder whose output has the next token at every position
    values = trace.records["cross"].values
    trace.records["cross"].values = values[:, :, [1, 2, 0, 3]]
    other = SentTokensAccumulator(circuit.network)
    other.add(trace, links)
    translates = other.result()
    assert translates.target_raised[1, 3] == 1 and translates.target_rank[1, 3] == 1
    assert translates.source_rank[1, 3] > 1


def test_without_links_there_is_one_sentence():
    with pytest.raises(ValueError, match="No word of these sentences is aligned with another token"):
        SentTokensAccumulator(small_network("translator")).result()


def test_a_head_is_named_only_outside_the_band_of_the_others():
    shares = np.array([[0.52, 0.48, 0.5], [0.51, 0.49, 0.9]])
    others = np.delete(shares.reshape(-1), 5)
    assert upper_limits(shares)[1, 2] == pytest.approx(others.mean() + 1.96 * others.std(ddof=1))
    assert above_the_others(shares).tolist() == [[False] * 3, [False, False, True]]
    assert not above_the_others(np.full((2, 8), 0.88)).any()  # all alike: none has a name
    assert not above_the_others(shares - 0.45).any()  # far above the others, and below chance
    assert not above_the_others(np.array([[0.1, 0.9]])).any()  # one other head has no band
    # half of the heads at 0.9 are no exception among each other
    assert not above_the_others(np.array([[0.5, 0.52, 0.48, 0.51], [0.9, 0.91, 0.89, 0.9]])).any()
