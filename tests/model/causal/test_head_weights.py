"""Scores on repeated ids and scores of weights equal their definitions, written out in another way."""

import numpy as np
import pytest
import torch

from model.causal.causal_error import CausalError
from model.causal.composition import composition, copying_scores
from model.causal.own_networks import resumable
from model.causal.repeated_ids import draw_repeated, score_heads
from model.networks.tap import Recorder
from tests.model.causal.small_networks import small_language_network, small_network


@pytest.mark.parametrize("kind", ["language", "translator"])
def test_scores_are_the_mean_attention_on_one_key(kind):
    network = small_network(kind)
    causal = resumable(network)
    result = score_heads(causal, length=6, rows=3, seed=2)
    ids = draw_repeated(causal, 6, 3, 2)
    assert torch.equal(ids[:, :6], ids[:, 6:]) and all(len(set(row[:6].tolist())) == 6 for row in ids)
    assert int(ids.min()) >= 4
    recorder = Recorder()
    if kind == "language":
        network.states(ids, recorder)
        cases = {"decoder": 0}
    else:
        start, end = torch.full((3, 1), 2), torch.full((3, 1), 3)
        source, target = torch.cat([ids, end], 1), torch.cat([start, ids], 1)
        network.decode(target, network.encode(source, None, recorder), None, recorder)
        cases = {"encoder": 0, "decoder": 1}
    assert set(result.scores) == set(cases)
    for stack, offset in cases.items():
        for layer in range(2):
            weights = recorder.tensors[f"{stack}.{layer}.self.weights"].numpy()
            for head in range(2):
                of_row = {"induction": [], "previous": [], "duplicate": []}
                for row in weights[:, head]:
                    second = range(offset + 6, offset + 12)
                    of_row["induction"].append(np.mean([row[query, query - 6 + 1] for query in second]))
                    of_row["duplicate"].append(np.mean([row[query, query - 6] for query in second]))
                    own = range(offset + 1, offset + 12)
                    of_row["previous"].append(np.mean([row[query, query - 1] for query in own]))
                for name, values in of_row.items():
                    score = result.scores[stack][name][layer, head]
                    assert score == pytest.approx(np.mean(values), abs=1e-12)
                    error = result.standard_errors[stack][name][layer, head]
                    assert error == pytest.approx(np.std(values, ddof=1) / 3**0.5, abs=1e-12)
    even = np.mean([1 / (query + 1) for query in range(cases["decoder"] + 6, cases["decoder"] + 12)])
    assert result.chance["decoder"]["induction"] == pytest.approx(even)
    if kind == "translator":
        assert result.chance["encoder"] == pytest.approx(dict.fromkeys(("induction", "previous", "duplicate"), 1 / 13))
    assert result.row_sum_error < 1e-12
    assert len(result.tables) == 3 * len(cases)


@pytest.mark.parametrize("kind", ["language", "translator", "vision"])
def test_composition_is_the_norm_of_the_product_of_whole_matrices(kind):
    network = small_network(kind)
    causal = resumable(network)
    result = composition(causal)
    assert result.difference < 1e-12 and 0 < result.chance < 1

    def whole(own, layer, head):
        attention = causal.attention(own, layer)
        part = slice(head * 8, head * 8 + 8)
        query, key, value = (
            getattr(attention, name).weight[part].numpy() for name in ("query", "key", "value")
        )  # (d_k, d_model)
        return query.T @ key, value.T @ attention.output.weight[:, part].numpy().T  # W_QK, W_OV, on rows

    generator = np.random.default_rng(0)
    for connection, table in result.scores.items():
        layer, head, receiving, other = generator.choice(np.argwhere(~np.isnan(table)))
        _, first = whole(connection.sender, layer, head)
        second_qk, second_ov = whole(connection.receiver, receiving, other)
        second = {"queries": second_qk, "keys": second_qk.T, "values": second_ov}[connection.input]
        score = np.linalg.norm(first @ second) / np.linalg.norm(first) / np.linalg.norm(second)
        assert table[layer, head, receiving, other] == pytest.approx(score, abs=1e-12)


def test_a_single_layer_has_no_composition():
    result = composition(resumable(small_language_network(n_layers=1)))
    assert result.difference == 0 and all(np.isnan(table).all() for table in result.scores.values())


def test_copying_is_the_sum_of_the_eigenvalues_of_the_whole_circuit():
    network = small_network("translator")
    scores = copying_scores(resumable(network))
    assert set(scores) == {"decoder"}
    embedding = network.embedding.weight.numpy()
    attention = network.decoder[1].self_attention
    value, output = attention.value.weight[8:].numpy(), attention.output.weight[:, 8:].numpy()
    eigenvalues = np.linalg.eigvals(embedding @ value.T @ output.T @ embedding.T)
    wanted = eigenvalues.sum().real / np.abs(eigenvalues).sum()
    assert scores["decoder"][1, 1] == pytest.approx(wanted, abs=1e-9)
    assert dict(scores).keys() == scores.tables.keys() and 0 < scores.difference < 1e-9
    with torch.no_grad():  # W_OV becomes the identity on a part of the stream, and its negative
        for head, sign in ((0, 1), (1, -1)):
            part = slice(head * 8, head * 8 + 8)
            attention.value.weight[part] = torch.eye(8, 16)
            attention.output.weight[:, part] = sign * torch.eye(16, 8)
    own = copying_scores(resumable(network))["decoder"][1]
    np.testing.assert_allclose(own, [1, -1], atol=1e-9)
    with torch.no_grad():
        attention.output.weight.zero_()
    without = copying_scores(resumable(network))
    assert without["decoder"][1].tolist() == [0, 0] and without.difference < 1e-9


def test_the_sign_of_copying_is_that_of_the_mean_over_tokens_and_not_of_every_token():
    network = small_network("language")
    causal = resumable(network)
    embedding, output = (matrix.double() for matrix in causal.token_matrices())
    [kind] = causal.kinds
    mixed = 0
    for layer, scores in enumerate(copying_scores(causal)[kind.name]):
        matrices = causal.head_matrices(kind, layer)
        for head, score in enumerate(scores):
            own = ((embedding @ matrices.value[head] @ matrices.output[head].mT) * output).sum(dim=1)  # (token,)
            assert np.sign(score) == np.sign(float(own.mean()))
            mixed += bool((own > 0).any() and (own < 0).any())
    assert mixed


def test_heads_whose_values_come_from_another_stream_have_no_copying_score():
    scores = copying_scores(resumable(small_network("translator")))
    assert scores.left_out == ("cross",) and "cross" not in scores and scores.get("cross") is None
    assert set(scores.tables) == {"decoder"}
    with pytest.raises(CausalError) as error:
        scores["cross"]
    assert str(error.value) == (
        "Heads of kind cross have no copying score: their values come from the encoder's output, not from embeddings "
        "of tokens. Kinds with scores: decoder."
    )
    with pytest.raises(CausalError, match="There are no copying scores of sideways; kinds: decoder"):
        scores["sideways"]
    assert copying_scores(resumable(small_network("language"))).left_out == ()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: score_heads(resumable(small_network("vision"))), "Only networks that read tokens"),
        (lambda: copying_scores(resumable(small_network("vision"))), "Only networks that read and write tokens"),
        (lambda: score_heads(resumable(small_network("language")), length=1), "at least 2 ids and 2 rows, not 1"),
        (lambda: score_heads(resumable(small_network("language")), rows=1), "2 rows, not 25 and 1"),
        (lambda: score_heads(resumable(small_network("language")), length=40), "choose at most 31"),
        (lambda: score_heads(resumable(small_network("translator")), length=61), "choose at most 60"),
    ],
)
def test_what_has_no_score_gets_one_sentence(call, message):
    with pytest.raises(CausalError, match=message):
        call()
