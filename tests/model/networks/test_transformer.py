import pytest
import torch
from torch import nn
from transformers import MarianConfig, MarianMTModel

from benchmarks.peers import torch_body
from model.export.marian import marian_config, marian_tensors, stream_permutation
from model.networks.config import TransformerConfig
from model.networks.masks import padding_mask
from model.networks.tap import Recorder
from model.networks.transformer import Transformer, parameter_count
from tests.model.networks import random_ids, tiny_network

SOURCE, TARGET = random_ids(3, 9), random_ids(3, 7, seed=2)
SOURCE[1, 6:] = 0
SOURCE[2, 2:] = 0


@torch.no_grad()
def test_logits_equal_torch_nn_transformer_with_the_same_weights():
    network = tiny_network()
    theirs = torch_body(network)
    hidden = theirs(
        network.embed(SOURCE),
        network.embed(TARGET),
        tgt_mask=nn.Transformer.generate_square_subsequent_mask(7, dtype=torch.float32),
        src_key_padding_mask=SOURCE == 0,
        memory_key_padding_mask=SOURCE == 0,
    )
    expected = hidden @ network.embedding.weight.T
    assert (network(SOURCE, TARGET) - expected).abs().max() < 1e-4


@torch.no_grad()
def test_logits_and_attention_equal_marian_with_the_same_weights():
    network = tiny_network()
    theirs = MarianMTModel(MarianConfig(**marian_config(network.config), attn_implementation="eager")).eval()
    missing = theirs.load_state_dict(marian_tensors(network), strict=False)
    assert not missing.unexpected_keys
    assert all("embed_" in key or "lm_head" in key for key in missing.missing_keys)
    theirs.tie_weights()
    recorder = Recorder()
    ours = network(SOURCE, TARGET, recorder)
    out = theirs(
        input_ids=SOURCE, attention_mask=(SOURCE != 0).long(), decoder_input_ids=TARGET, output_attentions=True
    )
    assert (ours - out.logits).abs().max() < 1e-4
    for layer in range(2):
        cross = recorder.tensors[f"decoder.{layer}.cross.weights"]
        assert (cross - out.cross_attentions[layer]).abs().max() < 1e-5
        causal = recorder.tensors[f"decoder.{layer}.self.weights"]
        assert (causal - out.decoder_attentions[layer]).abs().max() < 1e-5


def test_the_permutation_maps_the_papers_sinusoids_onto_marians():
    network = tiny_network()
    marian = MarianMTModel(MarianConfig(**marian_config(network.config)))
    table = marian.model.encoder.embed_positions(torch.Size([1, 12]))
    ours = network.positions[:12, stream_permutation(network.config.d_model)]
    assert (ours - table).abs().max() < 1e-6


@torch.no_grad()
def test_recording_and_the_fused_form_give_the_same_logits():
    network = tiny_network()
    assert (network(SOURCE, TARGET) - network(SOURCE, TARGET, Recorder())).abs().max() < 1e-5


@torch.no_grad()
def test_a_padded_batch_equals_single_sentences():
    network = tiny_network()
    together = network(SOURCE, TARGET)
    for row, length in enumerate((9, 6, 2)):
        alone = network(SOURCE[row : row + 1, :length], TARGET[row : row + 1])
        assert (together[row] - alone[0]).abs().max() < 1e-5


@torch.no_grad()
def test_no_attention_reaches_padding_or_the_future_at_all():
    network = tiny_network()
    recorder = Recorder()
    network(SOURCE, TARGET, recorder)
    hidden_keys = ~padding_mask(SOURCE, 0)
    for name, tensor in recorder.tensors.items():
        if not name.endswith(".weights"):
            continue
        assert (tensor.sum(-1) - 1).abs().max() < 1e-5
        if name.startswith("encoder") or "cross" in name:
            assert (tensor.masked_select(hidden_keys) == 0).all()
        else:
            future = torch.ones(7, 7, dtype=torch.bool).triu(1)
            assert (tensor.masked_select(future) == 0).all()


@torch.no_grad()
def test_changing_a_later_token_changes_no_earlier_output():
    network = tiny_network()
    changed = TARGET.clone()
    changed[:, 4] = (changed[:, 4] + 1) % 60 + 4
    before, after = network(SOURCE, TARGET), network(SOURCE, changed)
    assert torch.equal(before[:, :4], after[:, :4])
    assert (before[:, 4:] - after[:, 4:]).abs().max() > 1e-3


def test_the_embedding_is_scaled_and_tied_with_the_output():
    network = tiny_network()
    row = network.embed(torch.tensor([[5]]))[0, 0]
    torch.testing.assert_close(row, network.embedding.weight[5] * 4 + network.positions[0])
    stream = torch.randn(2, 16)
    torch.testing.assert_close(network.project(stream), stream @ network.embedding.weight.T)


def test_the_parameter_count_is_the_sum_of_its_parts():
    config = TransformerConfig.preset("tiny")
    d, f = config.d_model, config.d_ff
    attention, feed_forward, norm = 4 * (d * d + d), d * f + f + f * d + d, 2 * d
    encoder = 2 * (attention + feed_forward + 2 * norm)
    decoder = 2 * (2 * attention + feed_forward + 3 * norm)
    assert parameter_count(Transformer(config)) == config.vocabulary_size * d + encoder + decoder


def test_a_sequence_beyond_the_table_of_positions_is_refused():
    network = tiny_network(max_positions=6)
    with pytest.raises(ValueError, match="9 positions are more than the 6"):
        network(SOURCE, TARGET)


def test_layer_norm_leaves_mean_0_and_variance_1_before_its_gain():
    network = tiny_network()
    with torch.no_grad():
        norm = network.encoder[0].self_norm.norm
        norm.weight.fill_(1)
        norm.bias.zero_()
        out = network.encoder[0].self_norm(torch.randn(4, 16) * 7 + 3, torch.randn(4, 16))
    torch.testing.assert_close(out.mean(-1), torch.zeros(4), atol=1e-5, rtol=0)
    torch.testing.assert_close(out.var(-1, correction=0), torch.ones(4), atol=1e-3, rtol=0)
