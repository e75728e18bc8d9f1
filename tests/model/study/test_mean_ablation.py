"""A study replaces heads by their means over its own inputs, as if they were biases of networks without the heads."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
import torch
from PIL import Image

from model.causal.head_outputs import FILE, HeadMeans
from model.causal.metrics import TargetLoss
from model.runtime.processes import ProcessGroup
from model.study.networks import open_studied_model, studied_checkpoint
from model.study.run import run_study
from model.study.study_data import StudyError, StudyInput, StudyInputs
from tests.model.hub import tiny
from tests.model.hub.conftest import PICTURE
from tests.model.hub.test_ablation import PROJECTIONS, network_without_head

ALONE = ProcessGroup(0, 1, torch.device("cpu"))
TEXTS = ("The quick fox wants a car.", "The lazy dog jumps.", "A fox.")
LONG = TEXTS[0] * 20  # more positions than the network has


def texts(*contents: str) -> StudyInputs:
    return StudyInputs("texts", [partial(StudyInput, content) for content in contents])


@torch.no_grad()
def test_effects_are_those_of_networks_with_the_mean_as_a_bias(opened, tmp_path):
    model, layer, head = opened("gpt2"), 1, 2
    study = run_study(studied_checkpoint(model, "gpt2"), texts(*TEXTS, LONG), tmp_path, ALONE, replacement="mean")
    assert (study.inputs, study.facts["skipped"], study.facts["replacement"]) == (len(TEXTS), 1, "mean")
    network, ids = tiny.network("gpt2"), [torch.tensor([model.trace(text).source.ids]) for text in TEXTS]
    seen: list[torch.Tensor] = []
    name = PROJECTIONS["gpt2"].format(layer)
    network.get_submodule(name).register_forward_pre_hook(lambda _, given: seen.append(given[0][0]))
    own, usual = slice(8 * head, 8 * head + 8), [float(network(one, labels=one).loss) for one in ids]
    mean = torch.cat(seen)[:, own].mean(dim=0)
    stored = HeadMeans.load(tmp_path, model.weights_sha256)
    np.testing.assert_allclose(stored.means["decoder"][layer, head], mean, atol=1e-6)
    assert stored.inputs == len(TEXTS)
    without = network_without_head("gpt2", layer, head)
    without.get_submodule(name).bias.data += mean @ network.get_submodule(name).weight.data[own]
    changes = [float(without(one, labels=one).loss) - before for one, before in zip(ids, usual, strict=True)]
    effect = study.kinds["decoder"].effect
    assert effect.mean[layer, head] == pytest.approx(np.mean(changes), abs=1e-5)
    assert effect.sd[layer, head] == pytest.approx(np.std(changes), abs=1e-5)


def test_a_study_goes_on_with_its_means_and_refuses_another_replacement(opened, tmp_path):
    studied, whole = studied_checkpoint(opened("gpt2"), "gpt2"), tmp_path / "whole"
    first = run_study(studied, texts(*TEXTS), whole, ALONE, replacement="mean")
    means = (whole / FILE).read_bytes()
    (whole / "shards" / "000001.safetensors").unlink()
    again = run_study(studied, texts(*TEXTS), whole, ALONE, replacement="mean")
    assert (whole / FILE).read_bytes() == means
    np.testing.assert_array_equal(again.kinds["decoder"].effect.mean, first.kinds["decoder"].effect.mean)
    with pytest.raises(StudyError, match="differs in replacement"):
        run_study(studied, texts(*TEXTS), whole, ALONE)
    other = tmp_path / "zero"
    run_study(studied, texts(*TEXTS), other, ALONE)
    with pytest.raises(StudyError, match="differs in replacement"):
        run_study(studied, texts(*TEXTS), other, ALONE, replacement="mean")


def test_a_picture_has_the_loss_of_its_class(opened, tmp_path):
    model = opened("vit")
    pictures = [PICTURE, PICTURE.rotate(90), Image.new("RGB", (40, 40), "red")]
    contents = []
    for number, picture in enumerate(pictures):
        picture.save(tmp_path / f"{number}.png")
        contents.append((tmp_path / f"{number}.png").read_bytes())
    inputs = StudyInputs("pictures", [partial(StudyInput, content, label=1) for content in contents])
    study = run_study(studied_checkpoint(model, "vit"), inputs, tmp_path / "out", ALONE, replacement="mean")
    means = model.measure_head_means(map(model.trace, pictures))
    changes = []
    for picture in pictures:
        trace = model.trace(picture)
        result = model.replace_heads(trace, "mean", metric=TargetLoss((1,)), means=means)
        usual = torch.from_numpy(trace.logits).double().log_softmax(dim=-1).reshape(-1)[1]
        assert result.reference == pytest.approx(-float(usual), abs=1e-5)
        changes.append(result.effects["vision"])
    np.testing.assert_allclose(study.kinds["vision"].effect.mean, np.mean(changes, axis=0), atol=1e-6)


def test_recurrent_networks_have_no_means_of_heads(tmp_path):
    with pytest.raises(StudyError, match="cannot be replaced by a mean"):
        run_study(open_studied_model("lstm-dot", "cpu"), texts("A cat."), tmp_path, ALONE, replacement="mean")
