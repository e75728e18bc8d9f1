"""Folders as people have them: with what nothing needs, tokens that no text uses, or files that are not there."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import peft
import pytest
import torch
import transformers
from safetensors.torch import save_file

from model import OpenError
from model.hub import library_version
from model.hub.folder import inspect_checkpoint
from model.hub.forward_run import read_config
from model.open_model import hash_of, open_model
from tests.model.hub import tiny
from tests.model.hub.hub_server import Hub, serving

WORDS = "the fox was too tired"


@pytest.fixture
def checkpoint(tmp_path: Path) -> Path:
    return tiny.save("gpt2", tmp_path)


def change_config(folder: Path, **settings: object) -> None:
    file = folder / "config.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | settings))


def refusal(source: object, **options: object) -> str:
    with pytest.raises(OpenError) as caught:
        open_model(source, device="cpu", **options)
    return str(caught.value)


@pytest.mark.parametrize("architectures", [["GPT2LMHeadModel"], ["gpt2LMHEADModel"], None])
def test_code_that_the_library_does_not_need_is_not_run(checkpoint, architectures):
    (checkpoint / "modeling_own.py").write_text(f"open({str(checkpoint / 'ran')!r}, 'w')")
    names = {"AutoModelForCausalLM": "modeling_own.Own", "AutoConfig": "modeling_own.Config"}
    change_config(checkpoint, auto_map=names, architectures=architectures)
    assert open_model(checkpoint, device="cpu").task in ("complete", "encode")
    assert not (checkpoint / "ran").exists()


@pytest.mark.parametrize("settings", [{"model_type": "own"}, {"architectures": ["OwnGPT2Model"]}])
def test_a_type_or_class_of_its_own_needs_its_code(checkpoint, settings):
    change_config(checkpoint, auto_map={"AutoModel": "modeling_own.Own"}, **settings)
    assert "needs program code of its own, which is never run" in refusal(checkpoint)


def test_the_same_weights_once_more_are_neither_counted_nor_hashed_nor_downloaded(tmp_path, monkeypatch):
    network = tiny.network("gpt2")
    network.save_pretrained(tmp_path, max_shard_size="20KB")
    tiny.tokenizer().save_pretrained(tmp_path)
    alone, own = inspect_checkpoint(tmp_path), hash_of(tmp_path)
    tensors = {name: tensor.clone() for name, tensor in network.state_dict().items()}
    for name in ("consolidated.safetensors", "consolidated.00.safetensors", "model.fp16.safetensors"):
        save_file(tensors, tmp_path / name)
    assert len(list(tmp_path.glob("model-*-of-*.safetensors"))) > 1
    assert inspect_checkpoint(tmp_path) == alone
    assert hash_of(tmp_path) == own
    with serving(Hub({"owner/tiny": tmp_path}), tmp_path.parent / "cache", monkeypatch) as hub:
        opened = open_model("owner/tiny", device="cpu")
        assert not [line for line in hub.requests if "consolidated" in line or "fp16" in line]
        assert open_model("owner/tiny", device="cpu", download=False).weights_sha256 == opened.weights_sha256 == own


def test_an_adapter_beside_its_base_is_applied_wherever_its_base_was(tmp_path, monkeypatch):
    tiny.save("llama", tmp_path)
    plain = open_model(tmp_path, device="cpu").trace(WORDS).logits
    adapted = peft.get_peft_model(tiny.network("llama"), peft.LoraConfig(target_modules=["q_proj", "v_proj"]))
    generator = torch.Generator().manual_seed(0)
    for name, parameter in adapted.named_parameters():
        if "lora_B" in name:
            torch.nn.init.normal_(parameter, generator=generator)
    adapted.save_pretrained(tmp_path)
    file = tmp_path / "adapter_config.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | {"base_model_name_or_path": "/etc"}))
    opened = open_model(tmp_path, device="cpu")
    trace = opened.trace(WORDS)
    expected = open_model(adapted, reader=tiny.tokenizer(), device="cpu").trace(WORDS)
    np.testing.assert_allclose(trace.logits, expected.logits, atol=1e-5)
    assert np.abs(trace.logits - plain).max() > 0.01
    monkeypatch.setattr(library_version, "find_spec", lambda name: None)
    assert "which the library peft applies, and that is not installed; install it" in refusal(tmp_path)
    monkeypatch.undo()
    (tmp_path / "adapter_model.safetensors").rename(tmp_path / "adapter_model.bin")
    assert "has an adapter of its model, adapter_config.json, without adapter_model.safetensors" in refusal(tmp_path)


@pytest.mark.parametrize("name", ["model.safetensors", "config.json", "tokenizer.json"])
def test_a_pointer_of_git_lfs_is_named(checkpoint, name):
    pointer = f"version https://git-lfs.github.com/spec/v1\noid sha256:{'4d7a' * 16}\nsize 14960032\n"
    (checkpoint / name).write_text(pointer)
    message = refusal(checkpoint)
    assert message.startswith(f"{name} is a pointer of Git LFS, not the file itself; run `git lfs pull`")


def test_pointers_that_nothing_reads_are_no_reason_to_refuse(checkpoint):
    """As `git lfs pull --include model.safetensors` leaves a repository with weights for several libraries."""
    pointer = f"version https://git-lfs.github.com/spec/v1\noid sha256:{'4d7a' * 16}\nsize 14960032\n"
    names = ("pytorch_model.bin", "tf_model.h5", "flax_model.msgpack", "model.fp16.safetensors", "picture.png")
    for name in names:
        (checkpoint / name).write_text(pointer)
    assert open_model(checkpoint, device="cpu").trace(WORDS).verify().max_difference < 1e-5
    (checkpoint / "source.spm").write_text(pointer)
    assert refusal(checkpoint).startswith("source.spm is a pointer of Git LFS")


def test_a_repository_of_gguf_files_alone_is_named_before_a_download(tmp_path, monkeypatch):
    folder = tmp_path / "files"
    folder.mkdir()
    (folder / "model-Q4_K_M.gguf").write_bytes(b"GGUF\3\0\0\0")
    (folder / "config.json").write_text('{"model_type": "llama"}')
    with serving(Hub({"owner/tiny": folder}), tmp_path / "cache", monkeypatch) as hub:
        for source in ("owner/tiny", "https://huggingface.co/owner/tiny/blob/main/model-Q4_K_M.gguf"):
            assert refusal(source).startswith("These weights are in the GGUF format of llama.cpp")
        assert not [line for line in hub.requests if "/resolve/" in line]


@pytest.mark.parametrize("kept", [(), ("config.json",)])
def test_weights_in_the_format_gguf_are_named(checkpoint, kept):
    for file in checkpoint.iterdir():
        if file.name not in kept:
            file.unlink()
    (checkpoint / "model-Q4_K_M.gguf").write_bytes(b"GGUF\3\0\0\0")
    assert refusal(checkpoint).startswith("These weights are in the GGUF format of llama.cpp")


def larger_tokenizer(words: list[str], special: str | None = None) -> transformers.PreTrainedTokenizerFast:
    reader = transformers.PreTrainedTokenizerFast(tokenizer_object=tiny.tokenizer().backend_tokenizer)
    reader.add_special_tokens({"unk_token": "[UNK]", "pad_token": special or "[PAD]", "mask_token": "[MASK]"})
    reader.add_tokens(words)
    return reader


@pytest.mark.parametrize(
    "words", [[f"<new{number}>" for number in range(900)], ["lazy", "dog", *(f"<new{number}>" for number in range(30))]]
)
@pytest.mark.parametrize("name", ["gpt2", "bert", "bart"])
def test_tokens_that_no_text_uses_are_no_reason_to_refuse(name, words):
    reader = larger_tokenizer(words, special="<padding>")
    assert len(reader) > tiny.VOCABULARY
    network = tiny.network(name)
    opened = open_model(network, reader=reader, device="cpu")
    plain = open_model(network, reader=larger_tokenizer([]), device="cpu")
    for kind in plain.kinds:
        given = opened.trace(WORDS).attention(kind.name), plain.trace(WORDS).attention(kind.name)
        np.testing.assert_array_equal(*given)
    assert len(opened.trace(["the fox", WORDS])) == 2  # padded, though the tokenizer's padding is unknown
    with pytest.raises(OpenError, match=rf"the token '<new29>' in this text, number \d+, .* end at {319}; leave"):
        opened.trace("the fox <new29>")


def test_a_masked_model_whose_mask_is_unknown_is_not_scored():
    reader = larger_tokenizer(["<a>", "<b>", "<c>", "<d>", "<e>", "<f>"])
    reader.add_special_tokens({"mask_token": "<mask>"})
    opened = open_model(tiny.network("bert"), reader=reader, device="cpu")
    with pytest.raises(OpenError, match="no token that masks another and that this model knows"):
        opened.score(opened.trace(WORDS))


def test_the_tokenizer_of_another_model_is_still_refused():
    config = transformers.GPT2Config(vocab_size=20, n_embd=32, n_layer=2, n_head=4)
    message = refusal(transformers.GPT2LMHeadModel(config).eval(), reader=tiny.tokenizer())
    assert message.startswith(f"The tokenizer has {len(tiny.tokenizer())} tokens and the model 20; put the tokenizer's")


def test_a_configuration_is_read_without_what_it_asks_to_be_returned(checkpoint):
    change_config(checkpoint, output_attentions=True, return_dict=False)
    config = read_config(checkpoint)
    assert (config.output_attentions, config.return_dict) == (False, True)
