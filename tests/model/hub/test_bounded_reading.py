"""Whatever its files contain, a folder is summarized within bounds of memory and time, and again only if it changes."""

from __future__ import annotations

import json
import os
import struct
import subprocess
import time
import tracemalloc
from pathlib import Path

import pytest

from model import OpenError
from model.hub import bounded_json, checkpoint_summary, folder
from model.hub.allowlist import AllowedModel, ModelAllowlist
from model.hub.checkpoint_summary import cached_ids, summarize_allowed, summarize_folder
from model.runtime.messages import UserError

TENSOR = {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}
MOST_SECONDS, MOST_BYTES = 3.0, 150_000_000  # of one folder at its worst, while its memory is traced


def write_header(file: Path, header: bytes, length: int | None = None, data: bytes = bytes(24)) -> None:
    file.write_bytes(struct.pack("<Q", len(header) if length is None else length) + header + data)


def text_of(header: dict) -> bytes:
    return json.dumps(header).encode()


@pytest.fixture
def checkpoint(tmp_path) -> Path:
    """A folder with a configuration and one tensor."""
    path = tmp_path / "checkpoint"
    path.mkdir()
    (path / "config.json").write_text('{"model_type": "gpt2", "n_layer": 1, "n_head": 2}')
    write_header(path / "model.safetensors", text_of({"a": TENSOR}))
    return path


def problem_of(checkpoint: Path) -> str:
    """Why a folder cannot be opened, found within the bounds; empty if no reason is found."""
    tracemalloc.start()
    try:
        start = time.process_time()
        problem = summarize_folder("x", checkpoint).problem
        seconds, peak = time.process_time() - start, tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert seconds < MOST_SECONDS and peak < MOST_BYTES, (seconds, peak)
    text = "" if problem is None else str(problem)
    assert len(text) < 300 and "\n" not in text and (text.endswith(".") or not text)
    text.encode()
    return text


def test_a_summary_states_the_sizes(checkpoint):
    summary = summarize_folder("x", checkpoint)
    assert (summary.type, summary.layers, summary.heads, summary.parameters, summary.bytes, summary.problem) == (
        "gpt2",
        (1,),
        2,
        6,
        24,
        None,
    )


HEADERS = {
    "300 numbers of 4,000 digits": (
        b'{"a": {"dtype": "F32", "shape": [' + b",".join([b"9" * 4000] * 300) + b'], "data_offsets": [0, 24]}}',
        "model.safetensors has a number of more than 40 digits; save or download the model again.",
    ),
    "a number of a million digits": (b'{"a": -' + b"9" * 1_000_000 + b"}", "number of more than 40 digits"),
    "a fraction of a million digits": (b'{"a": 0.' + b"1" * 1_000_000 + b"}", "number of more than 40 digits"),
    "a huge exponent": (
        b'{"a": {"dtype": "F32", "shape": [1e999999999], "data_offsets": [0, 24]}}',
        "is damaged or cut short",
    ),
    "an offset without a number": (
        b'{"a": {"dtype": "F32", "shape": [6], "data_offsets": [0, NaN]}}',
        "is damaged or cut short",
    ),
    "infinite offsets": (
        b'{"a": {"dtype": "X9", "shape": [6], "data_offsets": [-Infinity, Infinity]}}',
        "is damaged or cut short",
    ),
    "two million values": (
        b'{"a": [' + b",".join([b"{}"] * 2_000_000) + b"]}",
        "model.safetensors has more than 500,000 values, more than any model needs; save or download the model again.",
    ),
    "two million lists": (b'{"a": ' + b"[" * 2_000_000 + b"}", "more than 500,000 values"),
    "deep lists": (b'{"a": ' + b"[" * 400_000 + b"]" * 400_000 + b"}", "is damaged or cut short"),
    "deep objects": (b'{"a":' * 200_000 + b"0" + b"}" * 200_000, "is damaged or cut short"),
    "a product of 100,000 sizes": (
        text_of({"a": TENSOR | {"shape": [2**62] * 100_000}}),
        "is damaged or cut short",
    ),
    "a product of a type that is not known": (
        text_of({"a": TENSOR | {"dtype": "F4", "shape": [10**30] * 1000}}),
        "is damaged or cut short",
    ),
    "a name twice": (b'{"a": %s, "a": %s}' % (text_of(TENSOR), text_of(TENSOR)), "is damaged or cut short"),
    "a setting twice": (
        b'{"a": {"dtype": "F32", "shape": [2, 3], "shape": [6], "data_offsets": [0, 24]}}',
        "is damaged or cut short",
    ),
    "not UTF-8": (b'{"\xff": %s}' % text_of(TENSOR), "is damaged or cut short"),
    "a list": (b"[]", "is damaged or cut short"),
    "nothing": (b"", "is damaged or cut short"),
    "a text of 15 MB": (text_of({"a": TENSOR, "__metadata__": {"b": "\u2603" + "x" * 15_000_000}}), ""),
    "half a character": (b'{"\\ud800": %s}' % text_of(TENSOR), ""),
}


@pytest.mark.parametrize("shape", HEADERS)
def test_a_hostile_header_takes_neither_time_nor_memory(checkpoint, shape):
    header, expected = HEADERS[shape]
    write_header(checkpoint / "model.safetensors", header)
    problem = problem_of(checkpoint)
    assert expected in problem and bool(expected) == bool(problem)


def test_a_long_header_is_not_read(checkpoint):
    with open(checkpoint / "model.safetensors", "wb") as file:
        file.write(struct.pack("<Q", 53_000_000))
        file.truncate(53_000_008)  # holes, which take no space on the disk
    assert problem_of(checkpoint) == (
        "The headers of the weight files have more than 20 MB in model.safetensors, or 50 MB in all, more "
        "than any model needs; save or download the model again."
    )


def test_many_headers_are_bounded_together(checkpoint, monkeypatch):
    monkeypatch.setattr(folder, "MOST_HEADERS", 1000)
    (checkpoint / "model.safetensors").unlink()
    for number in range(20):
        write_header(checkpoint / f"model-{number:05}.safetensors", text_of({"a": TENSOR}))
    assert "or 0 MB in all" in problem_of(checkpoint)


CONFIGS = {
    "10 MB": (
        b'{"model_type": "gpt2", "x": "' + b"a" * 10_000_000 + b'"}',
        "config.json has more than 5 MB, more than any model needs; save or download the model again.",
    ),
    "a million values": (b'{"model_type": "gpt2", "x": [' + b"1," * 1_000_000 + b"1]}", "more than 500,000 values"),
    "many digits": (b'{"model_type": "gpt2", "n_layer": ' + b"9" * 4000 + b"}", "config.json has a number of more"),
    "a huge exponent": (b'{"model_type": "gpt2", "n_layer": 1e999999999}', ""),
    "no numbers": (b'{"model_type": "gpt2", "n_layer": NaN, "n_head": -Infinity}', ""),
    "sizes of other types": (b'{"model_type": "gpt2", "n_layer": true, "n_head": [[]], "text_config": 3}', ""),
    "a setting twice": (b'{"model_type": "gpt2", "n_layer": 900, "n_layer": 1}', ""),
    "deep": (b'{"model_type": "gpt2", "x": ' + b"[" * 200_000 + b"]" * 200_000 + b"}", "config.json cannot be read"),
    "a long type": (b'{"model_type": "' + b"x" * 1_000_000 + b'"}', "config.json names no type of model"),
    "half a character": (b'{"model_type": "\\ud800"}', "config.json names no type of model"),
    "markup": (b'{"model_type": "<b>x</b>"}', "config.json names no type of model"),
    "another code": ('{"model_type": "gpt2"}'.encode("utf-16"), "config.json cannot be read"),
    "a billion layers": (b'{"model_type": "gpt2", "n_layer": 1000000000}', "names 1,000,000,000 layers"),
}


@pytest.mark.parametrize("shape", CONFIGS)
def test_a_hostile_configuration_takes_neither_time_nor_memory(checkpoint, shape):
    content, expected = CONFIGS[shape]
    (checkpoint / "config.json").write_bytes(content)
    problem = problem_of(checkpoint)
    assert expected in problem and bool(expected) == bool(problem)


@pytest.mark.parametrize(
    "name", ["stray.json", "tokenizer.json", "model.safetensors.index.json", "tokenizer_config.json"]
)
def test_other_files_are_not_read_before_a_model_is_opened(checkpoint, name):
    with open(checkpoint / name, "wb") as file:
        file.write(b"[" * 1000)
        file.truncate(100_000_000)
    assert problem_of(checkpoint) == ""


def test_settings_and_indices_are_read_within_bounds(checkpoint, monkeypatch):
    """Which happens in the process of the trial, when a model is opened."""
    (checkpoint / "stray.json").write_text('["../config.json"]')
    folder.check_references(checkpoint)
    for name, most in (("tokenizer_config.json", 5), ("config.4.0.0.json", 5), ("model.safetensors.index.json", 20)):
        with open(checkpoint / name, "wb") as file:
            file.truncate(30_000_000)
        with pytest.raises(OpenError, match=f"^{name} has more than {most} MB"):
            folder.check_references(checkpoint)
        (checkpoint / name).write_text('{"file": "../checkpoint.json"}')
        (checkpoint.parent / "checkpoint.json").touch()
        with pytest.raises(OpenError, match=f"^{name} names the file ../checkpoint.json outside"):
            folder.check_references(checkpoint)
        (checkpoint / name).unlink()


@pytest.mark.parametrize("name", ["config.json", "model.safetensors"])
@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir, lambda file: file.symlink_to("/dev/zero")])
def test_what_is_no_file_is_not_read(checkpoint, name, make):
    (checkpoint / name).unlink()
    make(checkpoint / name)
    assert "is not a regular file" in problem_of(checkpoint) or "elsewhere" in problem_of(checkpoint)


def test_many_small_files_are_not_looked_at(checkpoint, monkeypatch):
    monkeypatch.setattr(folder, "MOST_ENTRIES", 30)
    for number in range(31):
        (checkpoint / f"{number}.txt").touch()
    assert problem_of(checkpoint) == "This folder has more than 30 entries; give the folder of one model."


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("model.safetensors", lambda file: os.truncate(file, 10)),
        ("model.safetensors", lambda file: os.truncate(file, 10_000)),
        ("config.json", lambda file: os.truncate(file, 5)),
    ],
)
def test_a_file_that_changes_while_it_is_read(checkpoint, monkeypatch, name, change):
    def change_then_open(file: Path):
        stream = folder.open_regular(file)
        if file.name == name:
            change(file)
        return stream

    monkeypatch.setattr(folder, "open_regular", change_then_open)
    assert "damaged" in problem_of(checkpoint) or "cannot be read" in problem_of(checkpoint)


def test_a_name_of_other_bytes_is_stated(checkpoint):
    (checkpoint / "model.safetensors").unlink()
    write_header(Path(os.fsdecode(os.fsencode(checkpoint) + b"/\xff.safetensors")), b"{")
    assert problem_of(checkpoint) == "?.safetensors is damaged or cut short; save or download the model again."
    assert UserError("{name}", name="\udcff").values == {"name": "?"}


@pytest.fixture
def inspected(monkeypatch) -> list[Path]:
    """The folders whose files are read."""
    paths: list[Path] = []

    def inspect(path: Path):
        paths.append(path)
        return folder.inspect_checkpoint(path)

    monkeypatch.setattr(checkpoint_summary, "inspect_checkpoint", inspect)
    return paths


def test_a_list_of_twenty_folders_starts_no_process_and_reads_each_once(tmp_path, monkeypatch, inspected):
    def fail(*_, **__):
        raise AssertionError("a process is started")

    monkeypatch.setattr(subprocess.Popen, "__init__", fail)
    monkeypatch.setattr(os, "fork", fail)
    monkeypatch.setattr(os, "posix_spawn", fail)
    models = []
    for number in range(20):
        path = tmp_path / f"model-{number}"
        path.mkdir()
        (path / "config.json").write_text('{"model_type": "gpt2", "n_layer": 1}')
        write_header(path / "model.safetensors", text_of({"a": TENSOR}))
        models.append(AllowedModel(path.name, str(path)))
    first = summarize_allowed(ModelAllowlist(tuple(models), False))
    assert [model.problem for model in first] == [None] * 20 and len(inspected) == 20
    assert summarize_allowed(ModelAllowlist(tuple(models), False)) == first and len(inspected) == 20


def test_a_folder_is_read_again_when_a_file_has_changed(checkpoint, inspected):
    assert summarize_folder("x", checkpoint).problem is None
    state = os.stat(checkpoint / "config.json")
    (checkpoint / "config.json").write_text('{"model_type": "gpt2", "n_layer": 9, "n_head": 2}')  # as long as before
    os.utime(checkpoint / "config.json", ns=(state.st_atime_ns, state.st_mtime_ns))
    assert "names 9 layers" in str(summarize_folder("x", checkpoint).problem)
    os.truncate(checkpoint / "model.safetensors", 20)
    assert "damaged" in str(summarize_folder("x", checkpoint).problem)
    (checkpoint / "model.safetensors").unlink()
    assert "no safetensors file" in str(summarize_folder("x", checkpoint).problem)
    assert len(inspected) == 4
    assert "no safetensors file" in str(summarize_folder("x", checkpoint).problem) and len(inspected) == 4


def test_free_memory_is_asked_every_time(checkpoint, monkeypatch, inspected):
    assert summarize_folder("x", checkpoint).problem is None
    monkeypatch.setattr(folder, "free_memory", lambda: 30)
    assert "The weights need" in str(summarize_folder("x", checkpoint).problem)
    monkeypatch.setattr(folder, "free_memory", lambda: 10**9)
    assert summarize_folder("x", checkpoint).problem is None and len(inspected) == 1


def test_what_is_remembered_refers_to_no_content(checkpoint):
    (checkpoint / "config.json").write_text("{" + "x" * 1_000_000)
    problem = summarize_folder("x", checkpoint).problem
    assert problem is not None and problem.__traceback__ is None and problem.__context__ is None


def test_the_cache_of_the_hub_is_listed_by_names(tmp_path, monkeypatch):
    for name, file in (
        ("models--owner--one", "snapshots/0123/config.json"),
        ("models--two", "snapshots/0123/config.json"),
        ("models--owner--weights", "snapshots/0123/model.safetensors"),
        ("models--owner--empty", "refs/main"),
        ("datasets--owner--texts", "snapshots/0123/config.json"),
        ("models--a--b--c", "snapshots/0123/config.json"),
        ("models--owner--<b>", "snapshots/0123/config.json"),
    ):
        path = tmp_path / name / file
        path.parent.mkdir(parents=True)
        path.touch()
    (tmp_path / "models--owner--file").touch()
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    assert cached_ids() == ["owner/one", "two"]
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path / "missing"))
    assert cached_ids() == []


def test_the_longest_numbers_of_the_library_are_read(tmp_path):
    content = b'{"model_max_length": 1000000000000000019884624838656, "x": [0.0, Infinity]}'
    assert bounded_json.parse_bounded(content, tmp_path)["model_max_length"] == int(1e30)
