"""The decoder-only Transformer: compared with Hugging Face's GPT-2, with and without cache, under a tap."""

from dataclasses import replace

import pytest
import torch
from transformers import GPT2Config, GPT2LMHeadModel

from model.decoding.search import DecodingOptions, beam_search, greedy_batch, stream
from model.export.gpt2 import gpt2_config, gpt2_tensors
from model.networks.decoder_only import DecoderOnlyConfig, DecoderOnlyTransformer
from model.networks.masks import pad_batch
from model.networks.tap import Intervention, Recorder
from model.networks.transformer import parameter_count

CONFIG = DecoderOnlyConfig(vocabulary_size=50, d_model=24, n_heads=3, n_layers=3, d_ff=40, max_positions=40)


def random_network(config: DecoderOnlyConfig = CONFIG, seed: int = 0) -> DecoderOnlyTransformer:
    """Random weights, biases and norms, large enough that every part changes the result."""
    torch.manual_seed(seed)
    network = DecoderOnlyTransformer(config).eval().requires_grad_(False)
    for parameter in network.parameters():
        parameter.add_(torch.randn_like(parameter) * 0.2)
    return network


@pytest.fixture(scope="module")
def network():
    return random_network()


def random_ids(rows: int, length: int, seed: int = 1):
    return torch.randint(4, CONFIG.vocabulary_size, (rows, length), generator=torch.Generator().manual_seed(seed))


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize("changes", [{}, {"n_heads": 4, "d_ff": 96, "n_layers": 1}])
def test_it_equals_gpt2_of_hugging_face(seed, changes):
    network = random_network(replace(CONFIG, **changes), seed)
    theirs = GPT2LMHeadModel(GPT2Config(**gpt2_config(network.config), attn_implementation="eager")).eval()
    missing, unexpected = theirs.load_state_dict(gpt2_tensors(network), strict=False)
    assert not unexpected and [name for name in missing if not name.endswith(".attn.bias")] == ["lm_head.weight"]
    theirs.tie_weights()
    ids = random_ids(3, 17)
    recorder = Recorder()
    with torch.no_grad():
        expected = theirs(ids, output_attentions=True, output_hidden_states=True)
        fused = network.project(network.states(ids))
        explicit = network.project(network.states(ids, recorder))
    scale = expected.logits.abs().max()
    assert scale > 1
    for ours in (fused, explicit):
        assert (ours - expected.logits).abs().max() < 1e-5 * scale
    for layer, weights in enumerate(expected.attentions):
        torch.testing.assert_close(recorder.tensors[f"decoder.{layer}.self.weights"], weights, atol=1e-6, rtol=1e-5)
    streams = [recorder.tensors["decoder.embedded"]]
    streams += [recorder.tensors[f"decoder.{layer}.residual"] for layer in range(network.config.n_layers - 1)]
    streams.append(recorder.tensors["decoder.normalised"])
    for ours, stream_of_theirs in zip(streams, expected.hidden_states, strict=True):
        torch.testing.assert_close(ours, stream_of_theirs, atol=1e-4, rtol=1e-4)


def test_the_default_sizes_have_at_most_ten_million_parameters():
    network = DecoderOnlyTransformer(DecoderOnlyConfig())
    theirs = GPT2LMHeadModel(GPT2Config(**gpt2_config(network.config)))
    assert parameter_count(network) == sum(parameter.numel() for parameter in theirs.parameters()) <= 10_000_000


def test_later_tokens_do_not_change_earlier_states(network):
    ids = random_ids(1, 12)
    other = ids.clone()
    other[:, 7:] = random_ids(1, 5, seed=9)
    one, two = network.states(ids), network.states(other)
    assert torch.equal(one[:, :7], two[:, :7]) and not torch.allclose(one[:, 7:], two[:, 7:])


def test_every_named_tensor_passes_the_tap(network):
    recorder = Recorder()
    network.states(random_ids(1, 5), recorder)
    layer = ["normalised", "queries", "keys", "values", "scores", "mask", "weights", "outputs", "sublayer_output"]
    expected = {"decoder.embedded", "decoder.normalised"}
    for number in range(CONFIG.n_layers):
        expected |= {f"decoder.{number}.self.{step}" for step in layer} | {f"decoder.{number}.residual"}
        expected |= {f"decoder.{number}.ffn.{step}" for step in ("normalised", "hidden", "sublayer_output")}
    assert recorder.tensors.keys() == expected
    for name in expected - {f"decoder.{number}.self.mask" for number in range(CONFIG.n_layers)}:
        changed = network.states(random_ids(1, 5), Intervention({name: lambda tensor: tensor * 1.5 + 0.1}))
        assert not torch.allclose(changed, network.states(random_ids(1, 5))), name


def uncached(network, prompt: list[int], count: int) -> list[torch.Tensor]:
    """Logits of `count` greedy steps, each by a whole pass."""
    rows, ids = [], list(prompt)
    for _ in range(count):
        rows.append(network.project(network.states(torch.tensor([ids])))[0, -1])
        ids.append(int(rows[-1].argmax()))
    return rows


@pytest.mark.parametrize("padded", [False, True])
@pytest.mark.parametrize("tapped", [False, True])
def test_cached_steps_equal_whole_passes(network, padded, tapped):
    prompts = [random_ids(1, length, seed=length)[0].tolist() for length in ((9, 4, 13) if padded else (6, 6))]
    batch = pad_batch(prompts, CONFIG.pad_id)
    allowed = (batch != CONFIG.pad_id)[:, None, None] if padded else None
    if padded and tapped:
        with pytest.raises(ValueError, match="different lengths cannot be continued together under a tap"):
            network.begin_decoding(batch, allowed, Recorder())
        return
    decoder = network.begin_decoding(batch, allowed, Recorder() if tapped else None)
    expected = [uncached(network, prompt, 9) for prompt in prompts]
    newest = torch.full((len(prompts),), CONFIG.bos_id)
    for step in range(9):
        logits = decoder.step(newest)
        for row, ours in enumerate(logits):
            assert (ours - expected[row][step]).abs().max() < 1e-5 * expected[row][step].abs().max()
        newest = logits.argmax(dim=-1)


def test_teacher_forcing_predicts_what_follows_the_source(network):
    sources, targets = [[5, 6, 7, 3], [8, 3]], [[2, 9, 10, 3], [2, 11, 12, 13, 14]]
    hidden = network.hidden(pad_batch(sources, 0), pad_batch(targets, 0))
    assert hidden.shape == (2, 5, CONFIG.d_model)
    for row, (source, target) in enumerate(zip(sources, targets, strict=True)):
        alone = network.states(torch.tensor([source + target[1:]]))[0, len(source) - 1 :]
        torch.testing.assert_close(hidden[row, : len(target)], alone, atol=1e-5, rtol=1e-5)


def test_greedy_batches_beams_and_streams_agree(network):
    sources = [[5, 6, 7, 3], [8, 3], [9, 10, 11, 12, 13, 3]]
    together = greedy_batch(network, sources, 12)
    for source, ids in zip(sources, together, strict=True):
        assert greedy_batch(network, [source], 12)[0] == ids
        *_, last = stream(network, source, DecodingOptions(max_length=12))
        assert list(last.ids) == ids
        assert list(beam_search(network, source, DecodingOptions("beam", beam=1, max_length=12))[0].ids) == ids
        best, *_ = beam_search(network, source, DecodingOptions("beam", beam=3, max_length=6))
        total = 0.0
        for place, token in enumerate(best.ids):
            logits = network.project(network.states(torch.tensor([[*source, *best.ids[:place]]])))[0, -1]
            total += float(logits.log_softmax(dim=-1)[token])
        assert best.log_probability == pytest.approx(total, abs=1e-4)


def test_more_tokens_than_positions_are_refused(network):
    with pytest.raises(ValueError, match="41 positions are more than the 40 this model has"):
        network.states(random_ids(1, 41))
    decoder = network.begin_decoding(random_ids(1, 39))
    for _ in range(2):
        decoder.step(torch.tensor([5]))
    with pytest.raises(ValueError, match="41 positions are more than the 40"):
        decoder.step(torch.tensor([5]))


@pytest.mark.parametrize("method", ["greedy", "sampling", "beam"])
def test_decoding_ends_at_the_last_position(network, method):
    never_ends = random_network()
    never_ends.embedding.weight[CONFIG.eos_id] = 0
    never_ends.norm.bias.add_(3 * never_ends.embedding.weight[20])
    prompt = random_ids(1, 37)[0].tolist()
    *_, last = stream(never_ends, prompt, DecodingOptions(method, beam=2, max_length=100))
    assert last.finished and len(last.ids) == 4  # tokens 38 to 40 are read, 41 is not
    assert len(greedy_batch(never_ends, [prompt], 100)[0]) == 4


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"n_heads": 5}, "d_model 24 is not divisible by n_heads 5"),
        ({"n_layers": 0}, "n_layers is 0"),
        ({"dropout": 1.0}, r"dropout 1.0 is outside \[0, 1\)"),
    ],
)
def test_sizes_that_do_not_fit_are_refused(changes, message):
    with pytest.raises(ValueError, match=message):
        replace(CONFIG, **changes)
