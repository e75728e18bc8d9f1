"""Hostile folders: no file elsewhere is read, no pipe is waited for, no number fills the memory, no panic escapes."""

from __future__ import annotations

import json
import os
import resource
import shutil
import socket
import threading
import time
from pathlib import Path

import pytest

from model import OpenError
from model.hub import errors, loading
from model.hub.checkpoint_summary import summarize_folder
from model.hub.folder import TEMPLATES, check_references, open_regular
from model.open_model import hash_of, open_model
from tests.model.hub import tiny
from tests.model.hub.conftest import TEXT, example_input
from tests.tiers import nightly


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """Name of an architecture -> its folder; copied by `checkpoint`."""
    return {name: tiny.save(name, tmp_path_factory.mktemp(name)) for name in ("gpt2", "bert-classes", "t5", "vit")}


@pytest.fixture
def checkpoint(saved, tmp_path):
    """A function: name of an architecture -> a copy of its folder."""

    def copy(name: str) -> Path:
        return Path(shutil.copytree(saved[name], tmp_path / name))

    return copy


def change(file: Path, **settings: object) -> None:
    file.write_text(json.dumps(json.loads(file.read_text(encoding="utf-8")) | settings), encoding="utf-8")


def assert_refused(folder: Path, message: str, seconds: float = 30) -> None:
    """The folder is refused in a sentence, in bounded processor time and memory of this process."""
    before, start = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.process_time()
    with pytest.raises(OpenError, match=message) as caught:
        open_model(folder, device="cpu", dtype="float32")
    assert time.process_time() - start < seconds
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 300_000  # kilobytes
    text = str(caught.value)
    assert text.endswith(".") and "\n" not in text and len(text) < 400


@pytest.mark.parametrize(
    "name", ["../other.safetensors", "/etc/hostname", "sub/../../x.safetensors", "missing.safetensors", ""]
)
def test_an_index_names_only_files_of_its_folder(checkpoint, tmp_path, name):
    folder = checkpoint("gpt2")
    shutil.copy(folder / "model.safetensors", tmp_path / "other.safetensors")
    index = {"metadata": {}, "weight_map": {"transformer.wte.weight": name}}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index))
    (folder / "model.safetensors").rename(folder / "model-00001-of-00001.safetensors")
    assert_refused(folder, "names the file .*(not in this folder|outside of this folder)")


def test_an_index_that_names_its_own_files_opens(checkpoint):
    folder = checkpoint("gpt2")
    files = tiny.network("gpt2").state_dict()
    (folder / "model.safetensors").rename(folder / "model-00001-of-00001.safetensors")
    index = {"metadata": {}, "weight_map": {name: "model-00001-of-00001.safetensors" for name in files}}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index))
    assert open_model(folder, device="cpu", dtype="float32").trace(TEXT).verify().max_difference < 1e-5


@pytest.mark.parametrize(
    ("json_name", "settings"),
    [
        ("tokenizer_config.json", {"vocab_file": "../elsewhere.txt"}),
        ("tokenizer_config.json", {"fast_tokenizer_files": ["../tokenizer.5.0.0.json"]}),
        ("config.json", {"transformers_weights": "../other.safetensors"}),
        ("config.json", {"text_config": {"backbone": ["..", "../elsewhere.txt"]}}),
    ],
)
def test_no_setting_names_a_file_outside(checkpoint, tmp_path, json_name, settings):
    folder = checkpoint("gpt2")
    for name in ("elsewhere.txt", "tokenizer.5.0.0.json", "other.safetensors"):
        (tmp_path / name).write_text("{}")
    change(folder / json_name, **settings)
    assert_refused(folder, f"{json_name} names the file .* outside of this folder")


def test_paths_that_lead_nowhere_or_state_an_origin_are_no_reason_to_refuse(checkpoint, tmp_path):
    folder = checkpoint("gpt2")
    change(folder / "tokenizer_config.json", special_tokens_map_file="/elsewhere/map.json", name_or_path=str(tmp_path))
    change(folder / "config.json", _name_or_path=str(tmp_path), note="a/b or ..")
    check_references(folder)
    assert open_model(folder, device="cpu", dtype="float32").name == "gpt2"


FILES = ["config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json", "generation_config.json"]


@pytest.mark.parametrize("name", [*FILES, "added_tokens.json", "chat_template.jinja", "spiece.model", "notes"])
@pytest.mark.parametrize("make", ["pipe", "socket", "folder", "link to a pipe", "link in a circle"])
def test_only_regular_files_are_read(checkpoint, monkeypatch, make, name):
    folder = checkpoint("gpt2")
    (folder / name).unlink(missing_ok=True)
    if make == "folder" and name == "notes":
        pytest.skip("a folder of any other name is ignored")
    _place(make, folder, name, monkeypatch)
    assert_refused(folder, "is not a regular file|cannot be read")
    assert summarize_folder("x", folder).problem is not None


def _place(make: str, folder: Path, name: str, monkeypatch) -> None:
    if make == "pipe":
        os.mkfifo(folder / name)
    elif make == "socket":
        monkeypatch.chdir(folder)  # the path of a socket must be short
        with socket.socket(socket.AF_UNIX) as unix:
            unix.bind(name)
    elif make == "folder":
        (folder / name).mkdir()
    elif make == "link to a pipe":
        os.mkfifo(folder / "pipe")
        (folder / name).symlink_to("pipe")
    else:
        (folder / name).symlink_to(name)


def test_pipes_among_templates_are_not_read(checkpoint):
    folder = checkpoint("gpt2")
    (folder / TEMPLATES).mkdir()
    os.mkfifo(folder / TEMPLATES / "x.jinja")
    assert_refused(folder, "x.jinja is not a regular file")


def test_a_device_is_not_read(tmp_path):
    with pytest.raises(OpenError, match="null is not a regular file"):
        open_regular(Path("/dev/null"))
    with pytest.raises(OpenError, match="not a regular file"):
        os.mkfifo(tmp_path / "model.safetensors")
        hash_of(tmp_path)


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("bert-classes", {"num_labels": 10**9}),
        nightly("bert-classes", {"num_labels": 3 * 10**7, "id2label": None}),
        nightly("bert-classes", {"type_vocab_size": 10**9}),
        ("t5", {"num_decoder_layers": 10**7}),
        nightly("t5", {"relative_attention_num_buckets": 10**10}),
        ("vit", {"image_size": 10**6}),
        ("vit", {"num_channels": 10**8}),
        ("gpt2", {"n_inner": 10**9}),
        ("gpt2", {"n_embd": 10**6, "n_layer": 20, "n_head": 1000}),
        ("gpt2", {"n_layer": 27, "text_config": {"num_hidden_layers": 10**8}}),
        ("gpt2", {"n_positions": 10**12}),
        ("gpt2", {"vocab_size": -5}),
    ],
)
def test_no_number_of_a_configuration_fills_the_memory(checkpoint, monkeypatch, name, settings):
    monkeypatch.setattr(loading, "SECONDS", 1.5)
    folder = checkpoint(name)
    change(folder / "config.json", **settings)
    assert_refused(
        folder, "Building this model|lack|cannot have|cannot be loaded|belong together|need|cannot be read|small files"
    )


@pytest.mark.parametrize(
    "config",
    [
        {"model_type": "distilbert", "architectures": ["DistilBertForMaskedLM"], "n_layers": 10**7},
        nightly({"model_type": "bart", "architectures": ["BartForConditionalGeneration"], "encoder_layers": 10**8}),
        {"model_type": "gemma3", "architectures": ["Gemma3ForConditionalGeneration"],
         "text_config": {"num_hidden_layers": 10**7}},
        nightly({"model_type": "mixtral", "architectures": ["MixtralForCausalLM"], "num_local_experts": 10**9}),
        nightly({"model_type": "swin", "architectures": ["SwinForImageClassification"], "depths": [10**7, 10**7]}),
        {"model_type": "xlnet", "architectures": ["XLNetLMHeadModel"], "n_layer": 27, "d_head": 10**9},
    ],
)  # fmt: skip
def test_no_number_of_another_type_fills_the_memory(checkpoint, monkeypatch, config):
    monkeypatch.setattr(loading, "SECONDS", 1.5)
    folder = checkpoint("gpt2")
    (folder / "config.json").write_text(json.dumps(config))
    assert_refused(folder, "Building this model|lack|cannot have|cannot be loaded|belong together|reads no text")


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("gpt2", {"n_head": 0}), ("bert-classes", {"num_attention_heads": 0}), ("t5", {"num_heads": 0}),
        ("t5", {"d_kv": 0}), ("vit", {"patch_size": 0}), ("vit", {"num_attention_heads": 0}), ("gpt2", {"n_embd": 0}),
        ("gpt2", {"n_layer": 0}), ("gpt2", {"n_layer": -3}), ("gpt2", {"vocab_size": "many"}),
        ("vit", {"image_size": [0, 0]}),
        ("gpt2", {"n_head": float("nan")}), ("bert-classes", {"id2label": {"0": "a"}}),
        ("bert-classes", {"num_labels": 0}),
    ],
)  # fmt: skip
def test_zero_heads_and_other_impossible_sizes_are_refused_in_a_sentence(checkpoint, name, settings):
    folder = checkpoint(name)
    change(folder / "config.json", **settings)
    assert_refused(folder, ".")


def test_numbers_of_an_image_processor_fill_no_memory(checkpoint):
    folder = checkpoint("vit")
    change(folder / "preprocessor_config.json", size={"height": 10**5, "width": 10**5})
    assert_refused(folder, "Building this model|short input|picture")


@pytest.mark.parametrize(
    "pattern",
    [r"(a+)+$|(?:(?:.+)+)+\n", r"(?:\w+\s?)+\$", r"(((((.*)*)*)*)*)*!", "(" * 5000 + ")" * 5000, r"(?<=a+)b", "["],
)
@pytest.mark.parametrize("part", ["pre_tokenizer", "normalizer"])
def test_a_pathological_expression_of_a_tokenizer_ends_in_a_sentence(checkpoint, monkeypatch, pattern, part):
    """A panic of the tokenizer's library is a `BaseException`, which nothing else here would catch."""
    monkeypatch.setattr(loading, "SECONDS", 1.5)
    folder = checkpoint("gpt2")
    file = folder / "tokenizer.json"
    split = {"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Isolated", "invert": False}
    replace = {"type": "Replace", "pattern": {"Regex": pattern}, "content": ""}
    change(file, **{part: split if part == "pre_tokenizer" else replace})
    try:
        model = open_model(folder, device="cpu", dtype="float32")
        model.trace("a" * 60 + "!")
    except OpenError as error:
        assert str(error).endswith(".")


def test_a_panic_while_a_text_is_traced_is_a_sentence(opened, monkeypatch):
    """Also one that no short input has shown."""
    panic = type("PanicException", (BaseException,), {"__module__": "pyo3_runtime"})
    model = opened("gpt2")

    def fail(*_, **__):
        raise panic("called `Result::unwrap()` on an `Err` value")

    monkeypatch.setattr("model.hub.input_forms.tokenize", fail)
    for run in (model.trace, model.count_weights, model.generate):
        with pytest.raises(OpenError, match=r"fails on this input \(PanicException: called `Result::unwrap"):
            run(TEXT)


@pytest.mark.parametrize("error", [ZeroDivisionError(), KeyError("x"), IndexError(), RuntimeError("size of tensor a")])
@pytest.mark.parametrize("name", ["gpt2", nightly("bert"), nightly("t5"), nightly("vit")])
def test_whatever_a_run_raises_is_one_sentence(opened, monkeypatch, name, error):
    model = opened(name)
    trace = model.trace(example_input(model))

    def fail(*_, **__):
        raise error

    monkeypatch.setattr("model.hub.opened_model.run_network", fail)
    monkeypatch.setattr("model.hub.scoring.run_network", fail)
    with pytest.raises(OpenError, match=rf"fails on this input \({type(error).__name__}.*\).*\.$"):
        model.trace(example_input(model))
    if name == "bert":
        with pytest.raises(OpenError, match="fails on this input"):
            model.score(trace)
    with pytest.raises(OpenError, match="This model reads"):
        model.trace()
    with pytest.raises(TypeError):
        model.trace(example_input(model), texts=2)


def test_what_ends_a_thread_passes():
    for signal in (KeyboardInterrupt, SystemExit, GeneratorExit):
        with pytest.raises(signal), errors.raised_as("Never."):
            raise signal


def test_a_trial_ends_at_its_time(checkpoint, monkeypatch):
    folder = checkpoint("gpt2")
    monkeypatch.setattr(loading, "SECONDS", 0.0)
    with pytest.raises(OpenError, match="more than 1.5 GB or 0 seconds"):
        open_model(folder, device="cpu")


@pytest.mark.nightly
def test_the_trial_s_process_is_started_anew_where_it_has_ended(saved):
    helper = loading._helper()
    first = loading.try_out(saved["gpt2"], "gpt2", None)
    helper._process.kill()
    assert loading.try_out(saved["gpt2"], "gpt2", None) == first
    assert first.parameters == sum(each.numel() for each in tiny.network("gpt2").parameters())


def test_trials_of_several_threads_do_not_mix(saved):
    results: dict[str, int] = {}
    threads = [
        threading.Thread(
            target=lambda name=name: results.update({name: loading.try_out(saved[name], name, None).parameters})
        )
        for name in ("gpt2", "t5", "vit")
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == {name: sum(each.numel() for each in tiny.network(name).parameters()) for name in results}
    assert len(results) == 3


def test_a_folder_that_may_not_be_read_is_a_sentence(checkpoint, monkeypatch):
    folder = checkpoint("gpt2")
    scandir = os.scandir

    def refuse(path: Path):
        if path == folder:
            raise PermissionError(13, "Permission denied", str(folder))
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refuse)
    problem = summarize_folder("x", folder).problem
    assert problem is not None and "PermissionError" in str(problem) and str(folder.parent) not in str(problem)
    assert_refused(folder, r"cannot be opened as a model \(PermissionError: \[Errno 13\] Permission denied")
