"""A study in shards has the same numbers whether it is resumed or not, in one process or in two."""

import shutil
import threading
from dataclasses import dataclass, replace
from functools import partial
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from PIL import Image
from pyarrow.parquet import read_table

from model.attribution.head_labels import HeadScores
from model.attribution.head_statistics import HeadMeasurements, load_statistics
from model.causal.head_replacement import FILE, HeadMeans
from model.causal.metrics import TargetLoss
from model.runtime.checkpoint import CheckpointError
from model.runtime.processes import ProcessGroup
from model.study.networks import StudiedModel, open_studied_model, studied_checkpoint
from model.study.run import TABLE, Shards, run_study
from model.study.study_data import StudyError, StudyInput, StudyInputs
from model.tracing.kinds import CROSS, DECODER
from tests.model.hub import tiny
from tests.model.hub.conftest import PICTURE
from tests.model.hub.test_ablation import PROJECTIONS, network_without_head

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


ALONE = ProcessGroup(0, 1, torch.device("cpu"))
COUNT = 150


def numbers(text: str, kind: str) -> np.ndarray:
    """`(layer, head)`, of two layers with three heads: random, the same for the same text."""
    return np.random.default_rng([int(text), len(kind)]).random((2, 3))


def measure(item: StudyInput, kinds, ablates: bool) -> dict[str, HeadMeasurements]:
    if item.content == "13":
        raise StudyError("Too long.")
    scores = {"previous": 1.0, "same": 2.0} if int(item.content) % 2 else {"same": 2.0}
    return {
        kind: HeadMeasurements(
            HeadScores({name: numbers(item.content, kind) / part for name, part in scores.items()}, scores),
            numbers(item.content, kind) - 0.5 if ablates else None,
            {"entropy": numbers(item.content, kind) * 3},
        )
        for kind in kinds
    }


SUBJECT = StudiedModel(
    "made up", SimpleNamespace(weights_sha256="abc", kinds=(DECODER, CROSS)), ("texts",), True, measure
)
INPUTS = StudyInputs("texts", [partial(StudyInput, str(number)) for number in range(COUNT)])


@pytest.fixture(scope="module")
def finished_study(tmp_path_factory):
    """A finished study and its folder."""
    out = tmp_path_factory.mktemp("whole")
    return run_study(SUBJECT, INPUTS, out, ALONE), out


def table(out) -> dict:
    return read_table(out / TABLE).to_pydict()


def test_means_and_spreads_are_over_the_inputs_that_have_them(finished_study):
    statistics, out = finished_study
    used = [number for number in range(COUNT) if number != 13]
    effects = np.stack([numbers(str(number), "cross") - 0.5 for number in used])
    previous = np.stack([numbers(str(number), "cross") for number in used if number % 2])
    cross = statistics.kinds["cross"]
    np.testing.assert_allclose(cross.effect.mean, effects.mean(axis=0), atol=1e-12)
    np.testing.assert_allclose(cross.effect.sd, effects.std(axis=0), atol=1e-12)
    np.testing.assert_allclose(cross.scores["previous"].mean, previous.mean(axis=0), atol=1e-12)
    np.testing.assert_allclose(cross.scores["previous"].sd, previous.std(axis=0), atol=1e-12)
    assert cross.chance == {"previous": 1.0, "same": 2.0}
    assert (statistics.inputs, statistics.of, statistics.facts["skipped"]) == (COUNT - 1, "texts", 1)
    assert statistics.facts["reasons"] == {"Too long.": 1}


def test_the_table_has_a_row_for_each_head_in_full(finished_study):
    statistics, out = finished_study
    rows = table(out)
    assert rows["kind"] == ["decoder"] * 6 + ["cross"] * 6
    assert (rows["layer"], rows["head"]) == ([1, 1, 1, 2, 2, 2] * 2, [1, 2, 3] * 4)
    assert rows["effect_mean"][6:] == statistics.kinds["cross"].effect.mean.ravel().tolist()
    assert rows["entropy_sd"][:6] == statistics.kinds["decoder"].measures["entropy"].sd.ravel().tolist()
    assert rows["previous_chance"] == [1.0] * 12
    assert rows["label"][7] == statistics.kinds["cross"].label(0, 1).name
    metadata = read_table(out / TABLE).schema.metadata
    assert (metadata[b"weights_sha256"], metadata[b"inputs"]) == (b"abc", b"149")


def test_the_json_has_the_shipped_format(finished_study):
    statistics, out = finished_study
    read = load_statistics(out, "abc")
    assert read.to_dict() == statistics.to_dict()
    with pytest.raises(CheckpointError, match="belongs to other weights"):
        load_statistics(out, "def")


def test_a_resumed_study_measures_missing_shards_only_and_gives_the_same_results(finished_study, tmp_path):
    out = shutil.copytree(finished_study[1], tmp_path / "resumed")
    shards = Shards.of(out, COUNT)
    assert (len(shards), shards.size, shards.missing()) == (75, 2, [])
    for number in (3, 70):
        shards.file(number).unlink()
    (out / TABLE).unlink()
    (out / "shards" / ".000003.safetensors.x.part").write_bytes(b"half")  # an unfinished file of a killed process
    measured = []

    def record_and_measure(item, *rest):
        measured.append(item.content)
        return measure(item, *rest)

    run_study(replace(SUBJECT, measure=record_and_measure), INPUTS, out, ALONE)
    assert measured == ["6", "7", "140", "141"]
    assert table(out) == table(finished_study[1])
    assert not list((out / "shards").glob(".*"))


@dataclass(frozen=True)
class Thread(ProcessGroup):
    """One of two processes, simulated by a thread."""

    barrier: threading.Barrier = None

    def wait(self, meanwhile=None) -> None:
        self.barrier.wait(30)


def test_two_processes_share_the_inputs_and_give_the_same_bits(finished_study, tmp_path):
    barrier, measured = threading.Barrier(2), {0: [], 1: []}

    def work(rank: int) -> None:
        def record_and_measure(item, *rest):
            measured[rank].append(item.content)
            return measure(item, *rest)

        run_study(
            replace(SUBJECT, measure=record_and_measure),
            INPUTS,
            tmp_path,
            Thread(rank, 2, torch.device("cpu"), barrier),
        )

    threads = [threading.Thread(target=work, args=(rank,)) for rank in (0, 1)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert {rank: len(mine) for rank, mine in measured.items()} == {0: 76, 1: 74}
    assert sorted(map(int, measured[0] + measured[1])) == list(range(COUNT))
    assert table(tmp_path) == table(finished_study[1])


def test_one_kind_and_without_ablation(tmp_path):
    statistics = run_study(SUBJECT, INPUTS.part(3), tmp_path, ALONE, kinds=["cross"], ablates=False)
    assert list(statistics.kinds) == ["cross"] and statistics.kinds["cross"].effect is None
    assert "effect_mean" not in table(tmp_path)
    assert load_statistics(tmp_path, "abc").kinds["cross"].effect is None


def test_a_folder_with_another_study_is_refused(finished_study):
    for changed, message in (
        ({"inputs": INPUTS.part(9)}, "differs in inputs, data_sha256"),
        ({"kinds": ["cross"]}, "differs in kinds"),
        ({"ablates": False}, "differs in ablates"),
    ):
        inputs = changed.pop("inputs", INPUTS)
        with pytest.raises(StudyError, match=message):
            run_study(SUBJECT, inputs, finished_study[1], ALONE, **changed)


def test_a_damaged_shard_is_reported(finished_study, tmp_path):
    out = shutil.copytree(finished_study[1], tmp_path / "damaged")
    Shards.of(out, COUNT).file(5).write_bytes(b"half")
    with pytest.raises(StudyError, match="000005.safetensors is damaged; remove it"):
        run_study(SUBJECT, INPUTS, out, ALONE)


def test_unusable_inputs_and_numbers_that_are_not_finite_are_reported(tmp_path):
    def measure_nan(item, kinds, ablates):
        measured = measure(item, kinds, ablates)
        measured["cross"].effect[0, 0] = np.nan
        return measured

    with pytest.raises(StudyError, match="Not one of the 2 inputs could be used: .* not finite"):
        run_study(replace(SUBJECT, measure=measure_nan), INPUTS.part(2), tmp_path, ALONE)


def test_missing_kinds_and_inputs_of_another_form_are_reported(tmp_path):
    with pytest.raises(StudyError, match="no attention 'encoder'; choose from decoder, cross"):
        run_study(SUBJECT, INPUTS, tmp_path, ALONE, kinds=["encoder"])
    with pytest.raises(StudyError, match="reads texts, and these are pictures"):
        run_study(SUBJECT, replace(INPUTS, form="pictures"), tmp_path, ALONE)
    assert not list(tmp_path.iterdir())
