import pytest
import torch

from model.networks.tap import (
    AtEveryStep,
    Chain,
    Intervention,
    Recorder,
    replace_mask,
)
from tests.model.networks import ablate_heads, random_ids, tiny_network

SOURCE, TARGET = random_ids(2, 6), random_ids(2, 5, seed=2)


def test_an_empty_intervention_changes_nothing_bit_for_bit():
    network = tiny_network()
    recorded = network(SOURCE, TARGET, Recorder())
    assert torch.equal(network(SOURCE, TARGET, Intervention({})), recorded)


def test_a_change_at_every_step_is_named_without_the_number_of_the_step():
    tap = AtEveryStep({"encoder.forwards.hidden": torch.zeros_like, "decoder.start.cell": torch.ones_like})
    tensor = torch.full((2, 3), 5.0)
    assert not tap("encoder.forwards.0.hidden", tensor).any() and not tap("encoder.forwards.12.hidden", tensor).any()
    assert torch.equal(tap("decoder.start.cell", tensor), torch.ones(2, 3))
    for other in ("encoder.backwards.0.hidden", "encoder.forwards.0.cell", "decoder.0.cell"):
        assert tap(other, tensor) is tensor


def test_ablating_a_head_equals_zeroing_its_slice_of_the_output_projection():
    network, cut = tiny_network(), tiny_network()
    d_k = network.config.d_k
    with torch.no_grad():
        cut.decoder[1].cross_attention.output.weight[:, d_k : 2 * d_k] = 0
    changed = network(SOURCE, TARGET, Intervention({"decoder.1.cross.outputs": ablate_heads([1])}))
    expected = cut(SOURCE, TARGET)
    assert (changed - expected).abs().max() < 1e-5
    assert (changed - network(SOURCE, TARGET)).abs().max() > 1e-3


def test_a_replaced_mask_is_used():
    network = tiny_network()
    window = torch.eye(5, dtype=torch.bool)[None, None]
    recorder = Recorder()
    network(SOURCE, TARGET, Chain(Intervention({"decoder.0.self.mask": replace_mask(window)}), recorder))
    weights = recorder.tensors["decoder.0.self.weights"]
    torch.testing.assert_close(weights, torch.eye(5).expand_as(weights))
    assert recorder.tensors["decoder.1.self.weights"][0, 0, 4, 0] > 0


def test_a_mask_without_any_key_for_a_query_is_refused():
    with pytest.raises(ValueError, match="without any key"):
        replace_mask(torch.zeros(1, 1, 3, 3, dtype=torch.bool))


def test_every_documented_tensor_passes_the_tap():
    network = tiny_network()
    recorder = Recorder()
    network(SOURCE, TARGET, recorder)
    steps = ("queries", "keys", "values", "scores", "mask", "weights", "outputs")
    kinds = [f"{stack}.{layer}" for stack in ("encoder", "decoder") for layer in range(2)]
    expected = {f"{kind}.self.{step}" for kind in kinds for step in steps}
    expected |= {f"decoder.{layer}.cross.{step}" for layer in range(2) for step in steps}
    expected |= {f"{kind}.{rest}" for kind in kinds for rest in ("residual", "ffn.hidden")}
    sublayers = [f"{kind}.{name}" for kind in kinds for name in ("self", "ffn")]
    sublayers += [f"decoder.{layer}.cross" for layer in range(2)]
    expected |= {f"{sublayer}.{step}" for sublayer in sublayers for step in ("sublayer_output", "normalised")}
    expected |= {"encoder.embedded", "decoder.embedded"}
    assert set(recorder.tensors) == expected


def test_a_recorder_can_store_only_some_tensors():
    network = tiny_network()
    recorder = Recorder({"encoder.1.residual"})
    network(SOURCE, TARGET, recorder)
    assert set(recorder.tensors) == {"encoder.1.residual"}


def test_each_add_and_norm_is_the_normalised_sum_of_stream_and_sublayer_output():
    network = tiny_network()
    recorder = Recorder()
    network(SOURCE, TARGET, recorder)
    tensors = recorder.tensors
    before = tensors["decoder.0.residual"]
    for sublayer, norm in (("self", "self_norm"), ("cross", "cross_norm"), ("ffn", "feed_forward_norm")):
        after = tensors[f"decoder.1.{sublayer}.normalised"]
        expected = getattr(network.decoder[1], norm).norm(before + tensors[f"decoder.1.{sublayer}.sublayer_output"])
        assert torch.equal(after, expected)
        before = after
    assert torch.equal(before, tensors["decoder.1.residual"])
