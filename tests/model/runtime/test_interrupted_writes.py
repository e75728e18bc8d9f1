"""A full disk and a killed process: old files stay intact, and no partial file remains.

Tested for every writer of this project: checkpoints, metrics, cards and exports.
"""

import errno
import os
import signal
from pathlib import Path

import pytest
import torch
from torch.optim.swa_utils import AveragedModel

from model.export.marian import write_marian
from model.export.vit import write_vit
from model.runtime.checkpoint import (
    TEMPORARY_SUFFIX,
    CheckpointError,
    load_tensors,
    read_json,
    remove_leftovers,
    write_json,
)
from model.runtime.training_record import read_metrics
from tests.model.images import tiny_vision
from tests.model.networks import tiny_network
from training.__main__ import main
from training.card import write_weights
from training.loop import MetricsLog, TrainingState
from training.optimizer import Recipe, build_optimizers


def contents(folder) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def save_checkpoint(folder, tokenizer, seed):
    network, recipe = tiny_network(seed), Recipe()
    state = TrainingState(network, AveragedModel(network), build_optimizers(network, recipe), recipe, epoch=seed)
    state.save(folder / "checkpoint.safetensors")


def save_card(folder, tokenizer, seed):
    write_json(folder / "card.json", {"evaluation": {"greedy": {"bleu": seed}}})


def save_weights(folder, tokenizer, seed):
    write_json(folder / "config.json", {"seed": 0})
    write_weights(folder, tiny_network(seed))


def export_marian(folder, tokenizer, seed):
    write_marian(tiny_network(seed, vocabulary_size=len(tokenizer)), tokenizer, folder)


def export_vit(folder, tokenizer, seed):
    write_vit(tiny_vision(seed), folder)


WRITERS = [save_checkpoint, save_card, save_weights, export_marian, export_vit]


def full_at(stage: str, monkeypatch) -> None:
    """Fill the disk: "open" has no space for a name, "write" for half of the content, "fsync" for its last block."""
    error = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def fail(*_, **__):
        raise error

    if stage != "write":
        monkeypatch.setattr({"open": "tempfile.mkstemp", "fsync": "os.fsync"}[stage], fail)
        return
    real = os.fdopen

    def fdopen(*arguments, **options):
        file = real(*arguments, **options)

        class Filling:
            def __enter__(self):
                return self

            def __exit__(self, *_):
                file.close()

            def write(self, content):
                file.write(content[: len(content) // 2])
                raise error

        return Filling()

    monkeypatch.setattr("os.fdopen", fdopen)


@pytest.mark.parametrize("stage", ["open", "write", "fsync"])
@pytest.mark.parametrize("write", WRITERS)
def test_a_full_disk_leaves_the_old_files_and_one_sentence(tmp_path, tokenizer, monkeypatch, write, stage):
    write(tmp_path, tokenizer, 1)
    before = contents(tmp_path)
    with monkeypatch.context() as patched:
        full_at(stage, patched)
        with pytest.raises(CheckpointError, match=r"could not be written to .*\(No space left on device\)") as caught:
            write(tmp_path, tokenizer, 2)
    assert "make room on the disk" in str(caught.value) and "\n" not in str(caught.value)
    assert contents(tmp_path) == before
    write(tmp_path, tokenizer, 2)
    assert contents(tmp_path).keys() == before.keys() and contents(tmp_path) != before


def kill_before_the_rename(act) -> None:
    """Run `act` in a copy of this process that is killed, as by `kill -9`, before it renames a file."""
    child = os.fork()
    if child == 0:
        os.replace = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
        try:
            act()
        finally:
            os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL


@pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs a system that can fork")
def test_a_kill_between_write_and_rename_leaves_the_old_card_and_the_next_run_cleans_up(tmp_path):
    save_card(tmp_path, None, 1)
    before = contents(tmp_path)
    kill_before_the_rename(lambda: save_card(tmp_path, None, 2))
    left = contents(tmp_path)
    assert left.pop("card.json") == before["card.json"]
    assert [name.endswith(TEMPORARY_SUFFIX) for name in left] == [True]
    remove_leftovers(tmp_path)
    assert contents(tmp_path) == before
    save_card(tmp_path, None, 2)
    assert read_json(tmp_path / "card.json")["evaluation"]["greedy"]["bleu"] == 2


def test_a_new_run_removes_temporary_files_of_a_killed_one(tmp_path, data_file, monkeypatch):
    (tmp_path / f".checkpoint.safetensors.x{TEMPORARY_SUFFIX}").write_bytes(b"half")
    monkeypatch.setattr("training.run_options.train", lambda *_: (_ for _ in ()).throw(ValueError("stop here")))
    tiny = ("--preset", "tiny", "--vocabulary", "340", "--heldout", "6", "--validation", "6", "--device", "cpu")
    assert main(["translator", "--data", str(data_file), "--out", str(tmp_path), *tiny]) == 2
    assert not list(tmp_path.glob(f".*{TEMPORARY_SUFFIX}"))


def test_a_full_disk_ends_training_with_one_sentence_and_keeps_the_log(tmp_path, monkeypatch, capsys):
    log = MetricsLog(tmp_path / "metrics.jsonl", 0, active=True)
    log.write(event="epoch", epoch=0)

    class Full(type(log.path)):
        def open(self, *_, **__):
            return Path("/dev/full").open("w", encoding="utf-8")

    log.path = Full(log.path)
    with pytest.raises(CheckpointError, match=r"metrics\.jsonl could not be written .*No space left on device"):
        log.write(event="step", epoch=1, loss=1.0)
    assert read_metrics(tmp_path / "metrics.jsonl") == [{"event": "epoch", "epoch": 0}]


def test_an_unreadable_card_text_becomes_a_sentence_and_no_error(tmp_path):
    network = tiny_vision()
    write_json(tmp_path / "config.json", network.config.to_dict())
    write_json(tmp_path / "card.json", write_weights(tmp_path, network))
    from model.classifier import VisionClassifier

    assert "card.md is missing" in VisionClassifier.load(tmp_path, "cpu").card_markdown
    (tmp_path / "card.md").write_bytes(b"\xff")
    assert "git checkout -- assets" in VisionClassifier.load(tmp_path, "cpu").card_markdown


def test_half_a_checkpoint_is_refused(tmp_path):
    save_checkpoint(tmp_path, None, 1)
    path = tmp_path / "checkpoint.safetensors"
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(CheckpointError, match=r"checkpoint\.safetensors in .* is damaged; restore it"):
        load_tensors(path)
    network = tiny_network()
    state = TrainingState(network, AveragedModel(network), build_optimizers(network, Recipe()), Recipe())
    weights = torch.cat([parameter.flatten() for parameter in network.parameters()])
    with pytest.raises(CheckpointError):
        state.load(path)
    assert torch.equal(weights, torch.cat([parameter.flatten() for parameter in network.parameters()]))
