"""What people give in place of a model, a picture or a chat: understood where it is exact, else refused by its name."""

from __future__ import annotations

import accelerate
import numpy as np
import peft
import pytest
import torch
import torch.distributed as dist
import transformers
from torch.distributed import fsdp
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor.parallel import ColwiseParallel, parallelize_module
from torch.nn.parallel import DistributedDataParallel
from torch.testing._internal.distributed.fake_pg import FakeStore

import attention_atlas
import model
from model import OpenError, UserError
from model.hub.source import read_source
from model.open_model import open_model
from tests.model.hub import tiny
from tests.model.hub.tiny_pictured import build, picture

WORDS = "the fox was too tired"
TEMPLATE = (
    "{% if tools %}<tools {{ tools | length }}>{% endif %}{% for m in messages %}<{{ m.role }}>"
    "{% if m.reasoning is defined %}{{ m.reasoning }}{% endif %}"
    "{% if m.content is defined %}{{ m.content }}{% endif %}{% if m.tool_calls is defined %}call{% endif %}[SEP]"
    "{% endfor %}{% if add_generation_prompt %}<assistant>{% endif %}{% if thinking %}hm{% endif %}"
)


@pytest.mark.parametrize(
    ("pasted", "read"),
    [
        ("https://huggingface.co/openai-community/gpt2/tree/main", "openai-community/gpt2"),
        ("https://huggingface.co/openai-community/gpt2/blob/abc123/model.safetensors", "openai-community/gpt2@abc123"),
        ("http://www.huggingface.co/gpt2?library=transformers", "gpt2"),
        ("hf.co/owner/name/resolve/v1.0/config.json?download=true", "owner/name@v1.0"),
        ("https://huggingface.co/owner/name.git", "owner/name"),
        ("  'owner/name' ", "owner/name"),
        ("\u201cowner/name/\u201d", "owner/name"),
        ("hf download owner/name --revision dev", "owner/name@dev"),
        ("huggingface-cli download owner/name", "owner/name"),
        ("git clone https://huggingface.co/owner/name", "owner/name"),
        ('AutoModel.from_pretrained("owner/name", revision="v2")', "owner/name@v2"),
        ("pipeline('fill-mask', model='owner/name')", "owner/name"),
        ("hf://owner/name", "owner/name"),
        ("owner/name@v1", "owner/name@v1"),
        ("owner/name/model.safetensors", "owner/name"),
        ("'owner/name/onnx/model_quantized.onnx'", "owner/name"),
        ("owner/name@v1/tokenizer.json", "owner/name@v1"),
        ("owner/name/resolve/dev/model-00001-of-00002.safetensors", "owner/name@dev"),
        ("owner/name/tree/main", "owner/name"),
        ("gpt2/config.json", "gpt2"),
        ("gpt2/blob/main/pytorch_model.bin", "gpt2"),
        ("hf://owner/name@dev/pytorch_model.bin", "owner/name@dev"),
        ("https://huggingface.co/owner/name/model.safetensors", "owner/name"),
        ("https://huggingface.co/owner/name/tree/refs%2Fpr%2F3", "owner/name@refs/pr/3"),
        ("owner/name@refs/pr/3", "owner/name@refs/pr/3"),
        ("https://huggingface.co/api/models/owner/name", "owner/name"),
        ("wget https://huggingface.co/owner/name/resolve/main/model.safetensors", "owner/name"),
        ("[the model](https://hf.co/owner/name)", "owner/name"),
        (f"/home/a/hub/models--owner--name/snapshots/{'0a' * 20}/model.safetensors", f"owner/name@{'0a' * 20}"),
        ("models--gpt2", "gpt2"),
        ("owner/run.json", "owner/run.json"),
        ("owner/model.v2", "owner/model.v2"),
        ("runs/today/checkpoint-500", "runs/today/checkpoint-500"),
        ("./owner/name/model.safetensors", "./owner/name/model.safetensors"),
        ("assets/translator/other.safetensors", "assets/translator/other.safetensors"),
    ],
)
def test_pasted_sources_are_read(pasted, read):
    assert read_source(pasted) == read


def test_pasted_paths_are_read(tmp_path):
    tiny.save("gpt2", tmp_path)
    for pasted in (f"'{tmp_path}'", f" {tmp_path}/ ", f"file://{tmp_path}", str(tmp_path / "model.safetensors")):
        assert read_source(pasted) == tmp_path
    assert open_model(f'"{tmp_path}"', device="cpu").name == tmp_path.name
    alone = tmp_path.parent / "notes.txt"
    alone.write_text("x")
    with pytest.raises(OpenError, match="notes.txt is a file without config.json beside it"):
        read_source(str(alone))
    (tmp_path / "model.gguf").write_bytes(b"GGUF")
    with pytest.raises(OpenError, match="format of llama.cpp"):
        read_source(tmp_path / "model.gguf")


def test_a_folder_of_the_hub_s_cache_is_the_snapshot_of_its_branch(tmp_path):
    repository, commit = tmp_path / "models--owner--name", "1b" * 20
    tiny.save("gpt2", repository / "snapshots" / commit)
    (repository / "refs").mkdir()
    (repository / "refs" / "main").write_text(commit)
    assert read_source(repository) == repository / "snapshots" / commit
    assert open_model(str(repository), device="cpu").task == "complete"


@pytest.mark.parametrize(
    ("pasted", "said"),
    [
        ("https://huggingface.co/datasets/owner/name", "one of the hub's datasets"),
        ("datasets/owner/name", "one of the hub's datasets"),
        ("hf://spaces/owner/name/app.py", "one of the hub's spaces"),
        (
            "https://huggingface.co/models?search=bert",
            r"\?search=bert is no address of a model; give the address",
        ),
        ("https://huggingface.co/papers/1706.03762", "papers/1706.03762 is no address of a model"),
        ("https://github.com/owner/name", "https://github.com/owner/name is no address of a model"),
        ("model-00001-of-00003.safetensors", "model-00001-of-00003.safetensors is the name of a file; give the folder"),
        ("config.json", "config.json is the name of a file"),
        ("owner/name/model.Q4_K_M.gguf", "format of llama.cpp"),
    ],
)
def test_what_names_no_model_is_said_to_be_what_it_is(pasted, said):
    with pytest.raises(OpenError, match=said):
        open_model(pasted, download=False)


class Around(torch.nn.Module):
    def __init__(self, network: torch.nn.Module) -> None:
        super().__init__()
        self.parts = torch.nn.ModuleList([torch.nn.Linear(2, 2), network])


def test_compiled_and_parallel_models_open_as_what_is_inside():
    network, reader = tiny.network("llama"), tiny.tokenizer()
    expected = open_model(network, reader=reader, device="cpu").trace(WORDS).attention("decoder")
    partly = tiny.network("llama")
    partly.model.layers[0] = torch.compile(partly.model.layers[0], backend="eager")
    in_place = tiny.network("llama")
    in_place.compile(backend="eager")
    own_forward = tiny.network("llama")
    own_forward.forward = torch.compile(own_forward.forward, backend="eager")
    wrapped = torch.compile(torch.nn.DataParallel(network), backend="eager")
    for given in (torch.compile(network, backend="eager"), wrapped, partly, in_place, own_forward):
        traced = open_model(given, reader=reader, device="cpu").trace(WORDS)
        np.testing.assert_allclose(traced.attention("decoder"), expected, atol=1e-6)
    with pytest.raises(OpenError, match=r"Around is a module around .* open_model\(model\.parts\[1\], reader="):
        open_model(Around(network), reader=reader)


@pytest.fixture(scope="module")
def chatting():
    reader = transformers.PreTrainedTokenizerFast(
        tokenizer_object=tiny.tokenizer().backend_tokenizer, unk_token="[UNK]", bos_token="[CLS]", pad_token="[PAD]"
    )
    reader.chat_template = TEMPLATE
    return open_model(tiny.network("llama"), reader=reader, device="cpu")


def text_of(trace) -> str:
    return "".join(trace.tokens("source").labels).replace("\u2423", " ")


@pytest.mark.parametrize(
    ("message", "options"),
    [
        ({"role": "assistant", "reasoning": "a fox"}, {}),
        ({"role": "assistant", "tool_calls": [{"function": {"name": "f", "arguments": {}}}]}, {}),
        ({"role": "assistant", "content": None, "reasoning": "a fox"}, {}),
        ({"role": "user", "content": "a fox"}, {"add_generation_prompt": False}),
        ({"role": "user", "content": "a fox"}, {"thinking": True}),
        ({"role": "tool", "content": "3"}, {"add_generation_prompt": True}),
        ({"role": "assistant", "content": "a fox was"}, {"continue_final_message": True}),
        ({"role": "user", "content": "a fox"}, {"tools": [{"type": "function", "function": {"name": "f"}}]}),
    ],
)
def test_chats_are_rendered_as_by_the_library(chatting, message, options):
    chat = [{"role": "user", "content": "Hi"}, message]
    begins = {"add_generation_prompt": message["role"] in ("user", "tool")} | options
    expected = chatting.reader.apply_chat_template(chat, tokenize=False, **begins)
    ids = chatting.reader(expected, add_special_tokens=False)["input_ids"]
    assert list(chatting.trace(messages=chat, **options).tokens("source").ids) == ids


def test_a_content_of_text_parts_is_joined_for_a_template_of_texts(chatting):
    parts = [{"type": "text", "text": "a fox"}, {"type": "text", "text": "was tired"}]
    joined = chatting.trace(messages=[{"role": "user", "content": "a fox\nwas tired"}])
    assert chatting.trace(messages=[{"role": "user", "content": parts}]).tokens("source").ids == (
        joined.tokens("source").ids
    )
    with pytest.raises(OpenError, match="a part of type image, and this is read as text alone"):
        chatting.trace(messages=[{"role": "user", "content": [{"type": "image"}]}])
    with pytest.raises(OpenError, match="leave return_tensors out"):
        chatting.trace(messages=[{"role": "user", "content": "Hi"}], return_tensors="pt")
    with pytest.raises(TypeError, match="has tools only with messages"):
        chatting.trace("Hi", tools=[])


def test_a_doubled_first_token_has_a_note(chatting):
    (note,) = chatting.trace("[CLS]the fox").notes
    assert note.startswith("The text begins with [CLS] twice: once in the text itself")
    assert chatting.trace("the fox").notes == chatting.trace("[CLS]the fox", add_special_tokens=False).notes == ()
    assert [trace.notes for trace in chatting.trace(["[CLS]the fox", "the fox"])] == [(note,), ()]


def test_a_first_token_that_was_given_twice_has_a_note_for_that(chatting):
    text = "[CLS][CLS]the fox"
    hi = [{"role": "user", "content": "Hi"}]
    for trace in (
        chatting.trace(text, add_special_tokens=False),
        chatting.trace(list(chatting.reader(text, add_special_tokens=False)["input_ids"])),
        chatting.trace(messages=hi, chat_template="{{ bos_token }}[CLS]{{ messages[0].content }}"),
    ):
        assert trace.notes == ("The text begins with [CLS] twice, and both were given; leave one out to have it once.",)
    assert chatting.trace(messages=hi, chat_template="{{ bos_token }}{{ messages[0].content }}").notes == ()


def test_the_first_token_of_a_masked_model_is_one_of_a_beginning(opened):
    (note,) = opened("bert").trace("[CLS]the fox").notes
    assert note.startswith("The text begins with [CLS] twice: once in the text itself, and once as the tokenizer adds")


def test_a_first_token_that_a_text_with_a_picture_has_twice_has_a_note():
    network, processor = build("llava")
    model = open_model(network, reader=processor, device="cpu")
    first = model.reader.decode(model.reader("")["input_ids"][:1])
    (note,) = model.trace(first + "<image>The fox", picture=picture()).notes
    assert note.startswith(f"The text begins with {first} twice")
    assert model.trace("<image>The fox", picture=picture()).notes == ()


def test_one_except_catches_the_errors_of_both_names_of_the_package(chatting):
    assert attention_atlas.UserError is UserError
    for error in (attention_atlas.OpenError, attention_atlas.ShowError, OpenError, attention_atlas.InputError):
        assert issubclass(error, UserError)
    other = attention_atlas.HeadInterventions((attention_atlas.Scale("decoder", ((0, 0),), 0.0),))
    with pytest.raises(model.InterventionError, match=r"from attention_atlas\.model, and this model from model, the"):
        chatting.trace(WORDS, intervention=other)


def test_attention_that_is_fused_alone_is_refused_for_that(monkeypatch):
    monkeypatch.setattr(transformers.PreTrainedModel, "set_attn_implementation", lambda network, name: None)
    with pytest.raises(OpenError, match="by PyTorch's fused function, which returns no weights"):
        open_model(tiny.network("bert"), reader=tiny.tokenizer(), device="cpu")


def test_attention_within_windows_is_refused_for_that_and_not_for_a_size():
    sizes = {"embed_dim": 16, "image_size": [64, 64], "depths": [1, 1, 1, 1], "num_heads": [1, 2, 4, 8]}
    network = transformers.HieraModel(transformers.HieraConfig(**sizes)).eval()
    reader = transformers.ViTImageProcessor(size={"height": 64, "width": 64})
    with pytest.raises(OpenError, match="attend within windows or bands of the input"):
        open_model(network, reader=reader, device="cpu")


def test_adapters_are_read_wherever_the_wrapper_is():
    plain, reader = tiny.network("llama"), tiny.tokenizer()
    expected = open_model(plain, reader=reader, device="cpu").trace(WORDS).logits
    adapter = peft.LoraConfig(target_modules=["q_proj", "v_proj"], init_lora_weights=False)
    torch.manual_seed(1)
    adapted = peft.get_peft_model(tiny.network("llama"), adapter)
    logits = open_model(adapted, reader=reader, device="cpu").trace(WORDS).logits
    assert np.abs(logits - expected).max() > 0.01
    torch.manual_seed(1)
    around = peft.get_peft_model(torch.compile(tiny.network("llama"), backend="eager"), adapter)
    for given in (torch.compile(adapted, backend="eager"), torch.nn.DataParallel(adapted), around):
        traced = open_model(given, reader=reader, device="cpu").trace(WORDS)
        np.testing.assert_allclose(traced.logits, logits, atol=1e-5)
    mixed = peft.PeftMixedModel(tiny.network("llama"), adapter)
    with pytest.raises(OpenError, match=r"open_model\(model\.base_model\.model, reader="):
        open_model(mixed, reader=reader)
    prompt = peft.PromptTuningConfig(task_type="CAUSAL_LM", num_virtual_tokens=2)
    with pytest.raises(OpenError, match="adds vectors to the prompt, outside of the model's own layers"):
        open_model(peft.get_peft_model(tiny.network("llama"), prompt), reader=reader)


@pytest.fixture
def one_process(tmp_path):
    """A group of this process alone."""
    dist.init_process_group("gloo", init_method=f"file://{tmp_path}/meeting", rank=0, world_size=1)
    yield
    dist.destroy_process_group()


def test_a_model_of_data_parallel_training_opens_as_what_is_inside(one_process):
    reader = tiny.tokenizer()
    expected = open_model(tiny.network("llama"), reader=reader, device="cpu").trace(WORDS).logits
    inside = torch.compile(tiny.network("llama"), backend="eager")
    averaged = torch.optim.swa_utils.AveragedModel(tiny.network("llama"))
    for given in (DistributedDataParallel(tiny.network("llama")), DistributedDataParallel(inside), averaged):
        traced = open_model(given, reader=reader, device="cpu").trace(WORDS)
        np.testing.assert_allclose(traced.logits, expected, atol=1e-5)


def sharded(form: str) -> torch.nn.Module:
    """A model whose weights are cut into parts, or the parts of it."""
    network, cpu = tiny.network("llama"), torch.device("cpu")
    if form == "whole":
        return fsdp.FullyShardedDataParallel(network, device_id=cpu)
    if form == "compiled":
        return torch.compile(fsdp.FullyShardedDataParallel(network, device_id=cpu), backend="eager")
    if form == "a layer":
        network.model.layers[0] = fsdp.FullyShardedDataParallel(network.model.layers[0], device_id=cpu)
    elif form == "in a module":
        return Around(fsdp.FullyShardedDataParallel(network, device_id=cpu))
    elif form == "DeepSpeed":
        for weight in network.model.layers[1].parameters():
            weight.ds_shape, weight.data = weight.shape, torch.empty(0)
    else:
        mesh = init_device_mesh("cpu", (1,))
        for part in (*network.model.layers, network):
            fsdp.fully_shard(part, mesh=mesh)
    return network


@pytest.mark.parametrize("form", ["whole", "compiled", "a layer", "in a module", "fully_shard", "DeepSpeed"])
def test_a_model_that_is_cut_into_parts_is_refused_for_that(one_process, form):
    with pytest.raises(OpenError, match=r"^The weights of this \w+ are cut into parts on several processes; save the"):
        open_model(sharded(form), reader=tiny.tokenizer())


def test_weights_on_several_devices_of_a_mesh_are_parts(tmp_path):
    dist.init_process_group("fake", store=FakeStore(), rank=0, world_size=2)
    try:
        network = tiny.network("llama")
        plan = {"model.layers.0.mlp.gate_proj": ColwiseParallel(), "model.layers.0.mlp.up_proj": ColwiseParallel()}
        parallelize_module(network, init_device_mesh("cpu", (2,)), plan)
        with pytest.raises(OpenError, match="The weights of this Linear are cut into parts on several processes"):
            open_model(network, reader=tiny.tokenizer())
    finally:
        dist.destroy_process_group()


def test_weights_that_accelerate_moves_without_a_device_map_are_read(tmp_path):
    reader, cpu = tiny.tokenizer(), torch.device("cpu")
    expected = open_model(tiny.network("llama"), reader=reader, device="cpu").trace(WORDS).logits
    offloaded = (
        accelerate.cpu_offload(tiny.network("llama"), execution_device=cpu),
        accelerate.cpu_offload_with_hook(tiny.network("llama"), execution_device=cpu)[0],
        accelerate.disk_offload(tiny.network("llama"), tmp_path, execution_device=cpu),
    )
    for given in offloaded:
        assert not hasattr(given, "hf_device_map")
        traced = open_model(given, reader=reader, device="cpu").trace(WORDS)
        np.testing.assert_allclose(traced.logits, expected, atol=1e-5)
    empty = tiny.network("llama").to("meta")
    with pytest.raises(OpenError, match="has no weights, as it was built on the device meta; load them first"):
        open_model(empty, reader=reader)


@pytest.mark.parametrize("name", ["llama", "gpt2", "bert", "t5"])
def test_an_eager_form_that_overflows_in_float16_is_named(name):
    """The fused form computes scores in float32; `eager` computes them in float16, where 720,000 is infinite."""
    network, names = tiny.network(name), ("q_proj.w", "k_proj.w", "query.w", "key.w", "Attention.q.w", "Attention.k.w")
    with torch.no_grad():
        for key, weight in network.named_parameters():
            if any(part in key for part in names):
                weight.mul_(300)
            elif "c_attn.weight" in key:
                weight[:, :64].mul_(300)
    network = network.half()
    network.set_attn_implementation("sdpa")
    with pytest.raises(OpenError, match=r"^Untouched, .* its own eager form, .* open it in float32 \(dtype='float32'"):
        open_model(network, reader=tiny.tokenizer(), device="cpu")
    network.set_attn_implementation("eager")
    with pytest.raises(OpenError, match=r"^This model computes numbers that are NaN .* float16 has no numbers above"):
        open_model(network, reader=tiny.tokenizer(), device="cpu")
    assert open_model(network.float(), reader=tiny.tokenizer(), device="cpu").trace(WORDS).records


@pytest.mark.parametrize(
    "source",
    ["owner/name:Q4_K_M", "owner/name/model-Q4_0.gguf", "llama-server -hf owner/name:IQ2_XS", "model.GGUF",
     "ollama run hf.co/owner/name:UD-Q4_K_XL"],
)  # fmt: skip
def test_a_source_of_llama_cpp_is_named(source):
    with pytest.raises(OpenError, match="GGUF format of llama.cpp"):
        open_model(source, download=False)
