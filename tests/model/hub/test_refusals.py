"""Checkpoints that cannot be opened are refused in one sentence, without running code or filling the memory."""

from __future__ import annotations

import json
import resource
import struct
import threading
import time
from pathlib import Path
from urllib.error import URLError

import pytest
import transformers

from model import OpenError
from model.hub import downloading, folder, forward_run, source, trace_limits, verification
from model.open_model import open_model
from tests.model.hub import tiny


@pytest.fixture
def checkpoint(tmp_path: Path) -> Path:
    return tiny.save("gpt2", tmp_path)


def change_config(checkpoint: Path, **settings: object) -> None:
    file = checkpoint / "config.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | settings))


def assert_refused(source_: object, message: str) -> None:
    with pytest.raises(OpenError, match=message) as caught:
        open_model(source_, device="cpu", dtype="float32")
    assert "\n" not in str(caught.value)
    assert str(caught.value).endswith(".")


def test_a_missing_folder(tmp_path):
    assert_refused(tmp_path / "nowhere", "no such folder")


def test_a_folder_without_a_configuration(tmp_path):
    assert_refused(tmp_path, "no config.json")


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"model_type": 3}', "[" * 100_000])
def test_a_damaged_configuration(checkpoint, text):
    (checkpoint / "config.json").write_text(text)
    assert_refused(checkpoint, r"config.json (cannot be read \(\w+: .+\); save|names no type)")


def test_an_unknown_type(checkpoint):
    change_config(checkpoint, model_type="no-such-type", architectures=["NoSuchModel"])
    assert_refused(checkpoint, "does not support models of type no-such-type")


def test_code_of_its_own_is_never_run(checkpoint):
    ran = checkpoint / "ran"
    (checkpoint / "modeling_own.py").write_text(f"open({str(ran)!r}, 'w')")
    names = {"AutoModelForCausalLM": "modeling_own.Own", "AutoConfig": "modeling_own.Config"}
    change_config(checkpoint, auto_map=names, architectures=["Own"])
    assert_refused(checkpoint, "program code of its own, which is never run")
    assert not ran.exists()


def test_pickled_weights_are_never_loaded(checkpoint):
    (checkpoint / "model.safetensors").rename(checkpoint / "kept")
    ran = checkpoint / "ran"
    (checkpoint / "pytorch_model.bin").write_bytes(f"cos\nsystem\n(S'touch {ran}'\ntR.".encode())
    assert_refused(checkpoint, "pickled")
    assert not ran.exists()
    (checkpoint / "pytorch_model.bin").unlink()
    assert_refused(checkpoint, "no safetensors file")


@pytest.mark.parametrize("keep", [0, 5, 9, 200, -10])
def test_truncated_weights(checkpoint, keep):
    file = checkpoint / "model.safetensors"
    file.write_bytes(file.read_bytes()[:keep])
    assert_refused(checkpoint, "model.safetensors is damaged or cut short")


def test_a_header_that_claims_to_be_huge(checkpoint):
    (checkpoint / "model.safetensors").write_bytes(struct.pack("<Q", 2**62) + b"{}")
    assert_refused(checkpoint, "damaged")


def test_a_billion_layers(checkpoint):
    change_config(checkpoint, n_layer=10**9)
    began = time.process_time()  # not the wall time, which measures the machine
    assert_refused(checkpoint, "config.json names 1,000,000,000 layers, but the weights are only 28 tensors")
    assert time.process_time() - began < 5


def test_missing_weights_are_not_filled_with_random_ones(checkpoint):
    change_config(checkpoint, n_layer=3)
    assert_refused(checkpoint, r"The weights lack 12 tensors .* it would answer with random numbers")


def test_weights_of_another_size(checkpoint):
    change_config(checkpoint, n_embd=64)
    assert_refused(
        checkpoint, r"^\d+ tensors of the weights have another size than config\.json states, transformer\.h\.0"
    )


def test_a_missing_tokenizer(checkpoint):
    for file in (*checkpoint.glob("tokenizer*"), *checkpoint.glob("special*")):
        file.unlink()
    assert_refused(checkpoint, r"no tokenizer.json that can be read \(\w+: |The tokenizer has")


def test_a_tokenizer_of_another_model(checkpoint):
    change_config(checkpoint, vocab_size=100)
    assert_refused(checkpoint, "tokens|cannot be loaded|lack")


def test_a_link_to_a_file_elsewhere(checkpoint, tmp_path_factory):
    elsewhere = tmp_path_factory.mktemp("elsewhere") / "weights"
    (checkpoint / "model.safetensors").rename(elsewhere)
    (checkpoint / "model.safetensors").symlink_to(elsewhere)
    assert_refused(checkpoint, "A file of this folder is elsewhere")


def test_a_model_larger_than_the_memory(checkpoint):
    files = folder.inspect_checkpoint(checkpoint)
    assert files.bytes == files.parameters * 4
    folder.check_size(files, 4, free=2 * files.bytes)
    with pytest.raises(OpenError, match=r"The weights need 0\.0 GB"):
        folder.check_size(files, 4, free=files.bytes)


def test_maps_larger_than_the_limit():
    small, large, huge = 144 * 512**2, 144 * 1024**2, 1024 * 4096**2
    layers, many = range(12), range(32)
    assert trace_limits.plan_retention(small, layers, "auto") == trace_limits.TraceRetention("all", False)
    assert trace_limits.plan_retention(large, layers, "auto") == trace_limits.TraceRetention("weights", True)
    assert trace_limits.plan_retention(large, layers, 3) == trace_limits.TraceRetention("all", False, 3)
    with pytest.raises(OpenError, match="34.4 GB, where 1.0 GB are allowed"):
        trace_limits.plan_retention(huge, many, "auto")
    with pytest.raises(OpenError, match="1.2 GB"):
        trace_limits.plan_retention(large, layers, "all")


def test_a_model_that_answers_differently_under_the_tap(monkeypatch):
    """Of the four runs the last, with our tap, has outputs that are a thousandth larger."""
    runs = iter([0.0, 0.0, 0.0, 1e-3, 1e-3])
    monkeypatch.setattr(verification, "output_tensor", lambda output: forward_run.output_tensor(output) + next(runs))
    with pytest.raises(OpenError, match=r"answers differently, by \d\.\de-0[45] where 1e-04 is allowed"):
        open_model(tiny.network("gpt2"), reader=tiny.tokenizer())


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda maps: maps.flip(-1), r"differ from those that this model reports itself by .*1e-05 is allowed"),
        (lambda maps: maps * 0.99, "that are not weights: their rows have other sums than the recorded ones"),
    ],
)
def test_maps_that_are_not_those_that_the_model_reports(monkeypatch, change, reason: str):
    def changed_weights(output):
        reported = forward_run.reported_weights(output)
        return {name: tuple(change(maps) for maps in layers) for name, layers in reported.items()}

    monkeypatch.setattr(verification, "reported_weights", changed_weights)
    with pytest.raises(OpenError, match=reason):
        open_model(tiny.network("bert"), reader=tiny.tokenizer())


def test_a_model_with_numbers_that_are_not_finite():
    network = tiny.network("gpt2")
    network.lm_head.weight.data[0, 0] = float("nan")
    with pytest.raises(OpenError, match="Weights of this model are NaN or infinite, such as"):
        open_model(network, reader=tiny.tokenizer())


def test_no_softmax_attention(tmp_path):
    sizes = {"vocab_size": tiny.VOCABULARY, "hidden_size": 32, "num_hidden_layers": 2, "state_size": 4}
    transformers.MambaForCausalLM(transformers.MambaConfig(**sizes)).save_pretrained(tmp_path)
    tiny.tokenizer().save_pretrained(tmp_path)
    assert_refused(tmp_path, "no softmax attention")


def test_windowed_attention(tmp_path):
    sizes = {"image_size": 32, "patch_size": 4, "embed_dim": 16, "depths": [1, 1], "num_heads": [2, 2]}
    config = transformers.SwinConfig(**sizes, window_size=4)
    transformers.SwinForImageClassification(config).save_pretrained(tmp_path)
    tiny.processor().save_pretrained(tmp_path)
    assert_refused(tmp_path, "within windows or bands")


def test_a_speech_model(tmp_path):
    sizes = {"d_model": 32, "encoder_layers": 1, "decoder_layers": 1, "encoder_attention_heads": 2}
    config = transformers.WhisperConfig(**sizes, decoder_attention_heads=2, vocab_size=tiny.VOCABULARY, pad_token_id=0)
    transformers.WhisperForConditionalGeneration(config).save_pretrained(tmp_path)
    tiny.tokenizer().save_pretrained(tmp_path)
    assert_refused(tmp_path, "reads neither text nor pictures")


@pytest.mark.parametrize(
    "text", ["../../etc", "/etc/passwd", "a/b/c", "a b", "owner/../x", "", "-x/y", "owner/name@a@b"]
)
def test_a_source_that_is_neither_a_folder_nor_an_id(text):
    assert not source.looks_like_id(text)
    with pytest.raises(OpenError, match="no such folder|no config.json|without config.json|lies elsewhere"):
        open_model(text)


@pytest.mark.parametrize("text", ["gpt2", "owner/name", "owner/name@main", "owner/na.me-2_x@0123abc"])
def test_which_sources_are_ids(text):
    assert source.looks_like_id(text)


def test_a_missing_repository_is_reported_without_retries(monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    pauses: list[float] = []
    monkeypatch.setattr(time, "sleep", pauses.append)
    assert_refused("owner/no-such-model", r"not in this machine's cache, and the hub .* \(HF_HUB_OFFLINE\)")
    with pytest.raises(OpenError, match="download it first"):
        open_model("owner/no-such-model", download=False)
    assert pauses == []


def test_requests_to_the_hub_time_out_after_three_seconds(monkeypatch):
    monkeypatch.delenv("HF_HUB_OFFLINE", raising=False)
    assert downloading.OFFLINE_AFTER == 3
    monkeypatch.setattr(downloading, "OFFLINE_AFTER", 0.05)
    ended, timeouts = threading.Event(), []

    def hang(_: object, timeout: float) -> None:
        timeouts.append(timeout)
        ended.wait(60)
        raise OSError

    monkeypatch.setattr(downloading, "urlopen", hang)
    assert downloading.find_disconnection() == "TimeoutError: 0.05 s"  # while the request still hangs
    assert timeouts == [0.05]
    ended.set()

    def refuse(_: object, timeout: float) -> None:
        raise URLError(ConnectionRefusedError(111, "Connection refused"))

    monkeypatch.setattr(downloading, "OFFLINE_AFTER", 30)
    monkeypatch.setattr(downloading, "urlopen", refuse)
    assert downloading.find_disconnection() == "URLError: <urlopen error [Errno 111] Connection refused>"


def test_a_picture_model_without_its_processor(tmp_path):
    tiny.save("vit", tmp_path)
    (tmp_path / "preprocessor_config.json").unlink()
    assert_refused(tmp_path, "no preprocessor_config.json")


@pytest.mark.parametrize(
    "change_",
    [
        lambda tensor: tensor.update(shape=["a", 2]),
        lambda tensor: tensor.update(shape=[-1, -48]),
        lambda tensor: tensor.update(shape=[10**12, 10**12]),
        lambda tensor: tensor.update(shape=None),
        lambda tensor: tensor.update(dtype=["F32"]),
        lambda tensor: tensor.pop("shape"),
        lambda tensor: tensor.pop("dtype"),
    ],
)
def test_a_header_with_wrong_shapes(checkpoint, change_):
    file = checkpoint / "model.safetensors"
    content = file.read_bytes()
    (length,) = struct.unpack("<Q", content[:8])
    header = json.loads(content[8 : 8 + length])
    change_(next(entry for name, entry in header.items() if name != "__metadata__"))
    text = json.dumps(header).encode()
    file.write_bytes(struct.pack("<Q", len(text)) + text + content[8 + length :])
    assert_refused(checkpoint, "model.safetensors is damaged")


@pytest.mark.parametrize("settings", [{"n_embd": 10**8}, {"vocab_size": 10**9}, {"n_positions": 10**9}])
def test_a_huge_configuration_takes_no_memory(checkpoint, settings):
    change_config(checkpoint, **settings)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    began = time.process_time()
    assert_refused(checkpoint, "cannot be loaded|weights lack|cannot have")
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 200_000  # kilobytes
    assert time.process_time() - began < 20


def test_a_configuration_of_many_gigabytes_is_not_read(checkpoint):
    with open(checkpoint / "config.json", "wb") as file:
        file.truncate(20 * 2**30)  # holes, which take no space on the disk
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert_refused(checkpoint, "config.json has more than 5 MB")
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 200_000


@pytest.mark.parametrize("name", ["config.json", "tokenizer.json", "chat_template.jinja"])
def test_no_file_links_outside_its_folder(checkpoint, tmp_path_factory, name):
    elsewhere = tmp_path_factory.mktemp("elsewhere") / "file"
    file = checkpoint / name
    elsewhere.write_bytes(file.read_bytes() if file.exists() else b"{{ 1 }}")
    file.unlink(missing_ok=True)
    file.symlink_to(elsewhere)
    assert_refused(checkpoint, "A file of this folder is elsewhere")


def test_code_of_a_tokenizer_is_never_run(checkpoint):
    ran = checkpoint / "ran"
    (checkpoint / "own.py").write_text(f"open({str(ran)!r}, 'w')")
    file = checkpoint / "tokenizer_config.json"
    own = {"auto_map": {"AutoTokenizer": ["own.Own", None]}, "tokenizer_class": "Own"}
    file.write_text(json.dumps(json.loads(file.read_text()) | own))
    try:
        open_model(checkpoint, device="cpu")
    except OpenError as error:
        assert "tokenizer" in str(error)
    assert not ran.exists()


def test_the_token_of_the_hub_is_in_no_message(monkeypatch, caplog, capsys):
    monkeypatch.setenv("HF_TOKEN", "hf_secretsecret")
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(OpenError) as caught:
        open_model("owner/no-such-model")
    assert "secret" not in f"{caught.value}{caplog.text}{capsys.readouterr()}"
