"""The command line with wrong arguments, data and folders."""

import json
import shutil

import pytest

from model.attribution.agreement import FILE, METHODS, read_measured_agreement
from tests.training.programs import finish, start, toy_training
from training.__main__ import main
from training.loop import CHECKPOINT


def call(capsys, *arguments) -> tuple[int, str]:
    """Exit status and stderr."""
    status = main([str(argument) for argument in arguments])
    return status, capsys.readouterr().err


def refused(capsys, *arguments) -> str:
    """The one-sentence message of a command that must be refused with exit status 2."""
    status, printed = call(capsys, *arguments)
    assert status == 2
    assert printed.startswith("training: ") and printed.endswith(".\n") and printed.count("\n") == 1
    return printed.removeprefix("training: ").rstrip("\n")


@pytest.fixture
def folder(trained, tmp_path):
    """A copy of the finished translator."""
    return shutil.copytree(trained, tmp_path / "copy")


def test_a_missing_file_ends_the_program_with_status_2_and_no_traceback(tmp_path):
    program = start("translator", "--data", tmp_path / "none.tsv", "--out", tmp_path / "out")
    printed = finish(program)
    assert program.returncode == 2
    assert printed == (
        f"training: There is no file {tmp_path / 'none.tsv'}; "
        f"give --data a .tsv, .txt, .tsv.gz or .zip of sentence pairs.\n"
    )
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    "words", [["--help"], *([name, "--help"] for name in ("translator", "evaluate", "agreement", "heads"))]
)
def test_help_names_every_option_and_its_default(capsys, words):
    with pytest.raises(SystemExit) as end:
        main(words)
    assert end.value.code == 0
    printed = capsys.readouterr().out
    assert printed.startswith("usage: python -m training")
    if words[0] == "translator":
        for option in (
            "--resume",
            "--preset",
            "--vocabulary",
            "--epochs",
            "--batch-tokens",
            "--precision",
            "--heldout",
        ):
            assert option in printed
        assert "default 3500" in printed and "default bf16" in printed


@pytest.mark.parametrize("words", [[], ["dance"], ["translator"], ["translator", "--epochs", "many"]])
def test_an_unknown_or_incomplete_command_shows_the_usage(capsys, words):
    with pytest.raises(SystemExit) as end:
        main(words)
    assert end.value.code == 2
    assert "usage: python -m training" in capsys.readouterr().err


def test_a_wrong_line_is_named_before_anything_is_written(capsys, tmp_path):
    path = tmp_path / "pairs.tsv"
    path.write_text("Go.\tVa !\nbroken\n")
    out = tmp_path / "out"
    expected = f"{path}, line 2: no tab; every line needs English, a tab, French."
    assert refused(capsys, "translator", "--data", path, "--out", out) == expected
    assert not out.exists()


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"epochs": 0}, "epochs is 0; it must be at least 1."),
        ({"precision": "fp16"}, "precision is 'fp16'; choose bf16 or fp32."),
        ({"dropout": 1.5}, "dropout 1.5 is outside [0, 1)."),
        ({"heldout": 0}, "0 sentences held out leave nothing to measure on; hold out at least 1."),
        ({"device": "abacus"}, "This machine has no device 'abacus'; use auto or cpu."),
    ],
)
def test_an_option_out_of_range_is_refused_before_anything_is_written(capsys, data_file, tmp_path, options, sentence):
    assert refused(capsys, *toy_training(data_file, tmp_path / "out", **options)) == sentence
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("size", [0, 100])
def test_a_vocabulary_too_small_for_the_letters_is_refused(capsys, data_file, tmp_path, size):
    printed = refused(capsys, *toy_training(data_file, tmp_path / "out", vocabulary=size))
    assert printed.startswith(f"No tokenizer of {size} tokens can be trained on this text;")


def test_resuming_without_a_checkpoint_is_refused(capsys, data_file, tmp_path):
    expected = f"There is no {CHECKPOINT} in {tmp_path} to resume; leave --resume out to start."
    assert refused(capsys, *toy_training(data_file, tmp_path), "--resume") == expected


def test_a_new_run_over_a_checkpoint_is_refused_and_does_not_change_it(capsys, data_file, folder):
    before = {file.name: file.read_bytes() for file in folder.iterdir()}
    expected = f"{folder} contains a {CHECKPOINT}; give --resume to go on, or another --out."
    assert refused(capsys, *toy_training(data_file, folder)) == expected
    assert {file.name: file.read_bytes() for file in folder.iterdir()} == before


@pytest.mark.parametrize(
    ("options", "part"),
    [
        ({"learning_rate": 0.5}, "belongs to another recipe; give the same options or another --out."),
        ({"heldout": 5}, "was trained on other data; give the same --data, --heldout and --validation."),
        ({"preset": "small"}, "contains a network of other sizes; give the same options."),
        ({"dropout": 0.3}, "contains a network of other sizes; give the same options."),
    ],
)
def test_resuming_another_run_is_refused_and_changes_nothing(capsys, data_file, folder, options, part):
    before = {file.name: file.read_bytes() for file in folder.iterdir()}
    assert part in refused(capsys, *toy_training(data_file, folder, **{"epochs": 3, **options}), "--resume")
    assert {file.name: file.read_bytes() for file in folder.iterdir()} == before


def test_resuming_without_the_tokenizer_is_refused(capsys, data_file, folder):
    (folder / "tokenizer.model").unlink()
    printed = refused(capsys, *toy_training(data_file, folder), "--resume")
    assert printed == "There is no tokenizer at tokenizer.model; restore it or train one."


def test_a_finished_run_is_evaluated_by_name(capsys, data_file, folder):
    (folder / "card.md").unlink()
    words = ("--model", folder, "--data", data_file, "--heldout", 6, "--device", "cpu")
    assert main([str(word) for word in ("evaluate", *words)]) == 0
    assert (folder / "card.md").read_text().startswith("# Model card: English-French translator")


@pytest.mark.nightly
def test_agreement_writes_figures_for_these_weights(capsys, data_file, folder):
    words = ["agreement", "--data", data_file, "--model", folder, "--sentences", 3, "--device", "cpu", "--heldout"]
    assert call(capsys, *words, 5)[0] == 0  # fewer held out than in training is safe
    written = json.loads((folder / FILE).read_text())
    card = json.loads((folder / "card.json").read_text())
    assert written["sentences"] == 3 and written["source_words"] >= 9 and written["target_words"] >= 3
    assert read_measured_agreement(card["weights_sha256"], folder) == written
    for figures in written["ways"].values():
        assert all(-1 <= figures[method]["mean"] <= 1 for method in METHODS)
        assert sum(figures[method]["best"] for method in METHODS) == pytest.approx(1)
    assert "was trained on some of these held-out sentences" in refused(capsys, *words, 7)


def test_evaluating_a_folder_without_a_translator_is_refused(capsys, data_file, tmp_path):
    printed = refused(capsys, "evaluate", "--model", tmp_path, "--data", data_file, "--heldout", 6)
    assert printed.startswith(f"config.json is missing from {tmp_path.name};")


def test_evaluating_tampered_weights_is_refused(capsys, data_file, folder):
    content = bytearray((folder / "model.safetensors").read_bytes())
    content[-1] ^= 1
    (folder / "model.safetensors").write_bytes(content)
    printed = refused(capsys, "evaluate", "--model", folder, "--data", data_file, "--heldout", 6)
    assert "model.safetensors" in printed and "does not match its recorded SHA-256" in printed
