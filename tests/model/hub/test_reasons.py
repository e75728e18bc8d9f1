"""A refusal states the true reason, and a model with an eager form only is asked for it."""

from __future__ import annotations

import ast
import json
import pkgutil
from pathlib import Path

import numpy as np
import pytest
import torch
import transformers
from PIL import Image

from model import HeadInterventions, OpenError
from model.hub.errors import reason_of
from model.open_model import open_model
from model.tracing.head_interventions import OneHot, Scale
from tests.model.hub import tiny
from tests.model.hub.conftest import PICTURE, TEXT
from tests.model.hub.test_tasks import build, change_config, save

ROOT = Path(__file__).resolve().parents[3]
FALCON = {
    "vocab_size": tiny.VOCABULARY,
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    **tiny.ENDS,
}
GPT_NEO = {
    "vocab_size": tiny.VOCABULARY, "hidden_size": 32, "num_layers": 2, "num_heads": 4, "intermediate_size": 40,
    "attention_types": [[["global"], 2]], "max_position_embeddings": 64, **tiny.ENDS,
}  # fmt: skip
EAGER_ONLY = [
    ("Falcon", "FalconForCausalLM", FALCON),
    ("Falcon", "FalconForCausalLM", FALCON | {"alibi": True}),
    ("Falcon", "FalconForSequenceClassification", FALCON | {"num_labels": 3}),
    ("GPTNeo", "GPTNeoForCausalLM", GPT_NEO),
    ("Data2VecVision", "Data2VecVisionModel", tiny.PICTURE),
]


@pytest.mark.parametrize(("config", "architecture", "sizes"), EAGER_ONLY, ids=lambda part: str(part)[:30])
@pytest.mark.parametrize("live", [False, True])
def test_a_model_with_an_eager_form_only_opens(tmp_path, config, architecture, sizes, live):
    network = build(config, architecture, sizes)
    reader = tiny.processor() if network.main_input_name == "pixel_values" else tiny.tokenizer()
    model = open_model(network, reader=reader) if live else open_model(save(tmp_path, network), device="cpu")
    network.config._attn_implementation = "eager"  # with another form Falcon's own answers differ, by rounded biases
    trace = model.trace(PICTURE if model.vision else TEXT)
    assert trace.verify().max_difference < 1e-5
    with torch.no_grad():
        given = {"pixel_values": torch.from_numpy(trace.received)[None]} if model.vision else {}
        output = network(**(given or {"input_ids": torch.tensor([trace.source.ids])}))
    own = output.logits if hasattr(output, "logits") else output.last_hidden_state
    np.testing.assert_allclose(trace.logits, own[0].numpy(), atol=1e-4)


@pytest.mark.parametrize("name", ["bert", "t5", "vit"])
def test_an_untouched_model_that_answers_nan(name):
    network = tiny.network(name)
    with torch.no_grad():
        list(network.parameters())[-1].fill_(float("nan"))
    reader = tiny.processor() if name == "vit" else tiny.tokenizer()
    with pytest.raises(OpenError, match="Weights of this model are NaN or infinite, such as"):
        open_model(network, reader=reader)


def test_a_model_that_masks_at_random(tmp_path):
    sizes = tiny.PICTURE | {"decoder_hidden_size": 32, "decoder_num_hidden_layers": 1, "decoder_num_attention_heads": 4,
                            "decoder_intermediate_size": 40, "mask_ratio": 0.5}  # fmt: skip
    network = build("ViTMAE", "ViTMAEForPreTraining", sizes)
    with pytest.raises(OpenError, match="differently each time, since it masks or samples at random"):
        open_model(save(tmp_path, network), device="cpu")


@pytest.mark.parametrize(
    ("config", "architecture", "sizes"),
    [
        ("Swinv2", "Swinv2ForImageClassification", {"embed_dim": 16, "depths": [1, 1], "num_heads": [2, 2]}),
        ("Swin", "SwinModel", {"embed_dim": 16, "depths": [1, 1], "num_heads": [2, 2]}),
        ("DonutSwin", "DonutSwinModel", {"embed_dim": 16, "depths": [1, 1], "num_heads": [2, 2]}),
    ],
)
def test_windows_are_not_called_a_lack_of_attention(config, architecture, sizes):
    network = build(config, architecture, sizes | {"image_size": 32, "patch_size": 4, "window_size": 4})
    with pytest.raises(OpenError, match="attend within windows"):
        open_model(network, reader=tiny.processor())


def test_noise_in_a_live_model():
    network = tiny.network("gpt2")
    network.transformer.ln_f.register_forward_hook(lambda module, inputs, output: output + torch.randn_like(output))
    with pytest.raises(OpenError, match="differently each time"):
        open_model(network, reader=tiny.tokenizer())


def test_a_processor_that_makes_pictures_of_another_size(monkeypatch):
    """A network without the argument that interpolates positions reads one size."""
    monkeypatch.setattr("model.hub.forward_run.picture_options", lambda network, pixels: {})
    wide = transformers.ViTImageProcessor(size={"height": 48, "width": 64})
    for network in (tiny.network("vit"), tiny.network("clip-vision"), tiny.network("deit")):
        with pytest.raises(OpenError, match="pictures of 64 x 48 pixels, and this model reads 32 x 32 only"):
            open_model(network, reader=wide)


def test_a_picture_of_another_size_than_the_first_one():
    """The processor keeps the aspect ratio: the square picture on opening fits, the wide one does not."""
    processor = transformers.BitImageProcessor(size={"shortest_edge": 32}, do_center_crop=False)

    class OneSize(transformers.ViTForImageClassification):
        """A class that cannot interpolate its positions."""

        def forward(self, pixel_values=None, **options):
            return super().forward(pixel_values, **options)

    network = OneSize(transformers.ViTConfig(**tiny.PICTURE | {"num_labels": 3})).eval()
    model = open_model(network, reader=processor)
    with pytest.raises(OpenError, match="pictures of 64 x 32 pixels, and this model reads 32 x 32 only"):
        model.trace(PICTURE.resize((64, 32)))


@pytest.mark.parametrize("name", ["Sam2ImageProcessor", "InklingImageProcessor"])
def test_a_missing_library_is_named(tmp_path, name):
    if transformers.utils.is_torchvision_available():
        pytest.skip("torchvision is installed")
    folder = tiny.save("vit", tmp_path)
    file = folder / "preprocessor_config.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | {"image_processor_type": name}))
    with pytest.raises(
        OpenError, match="image processor of this model needs the library torchvision, which is not inst"
    ):
        open_model(folder, device="cpu")


@pytest.mark.parametrize(
    ("message", "library"),
    [
        ("\nX requires the SentencePiece library but it was not found in your environment.", "SentencePiece"),
        ("No module named 'tiktoken'", "tiktoken"),
        ("Please `pip install protobuf` first", "protobuf"),
    ],
)
def test_a_missing_library_of_a_tokenizer_is_named(tmp_path, monkeypatch, message, library):
    from model.hub import readers

    def fail(*_, **__):
        raise ImportError(message)

    monkeypatch.setattr(transformers.AutoTokenizer, "from_pretrained", fail)
    with pytest.raises(OpenError, match=f"tokenizer of this model needs the library {library}, which is not installed"):
        readers.load_reader(tmp_path, False, transformers.BertConfig())


@pytest.mark.parametrize(
    "settings", [{"model_type": "a-later-type", "architectures": ["ALaterModel"]}, {"n_head": 0}, {"n_head": 3}]
)
@pytest.mark.parametrize(
    ("version", "stated"), [("99.1.0", True), ("4.2.0", False), ("5.0.0.dev0", False), ("x", False)]
)
def test_a_model_of_a_later_version_says_so(tmp_path, settings, version, stated):
    folder = tiny.save("gpt2", tmp_path)
    change_config(folder, transformers_version=version, **settings)
    with pytest.raises(OpenError) as caught:
        open_model(folder, device="cpu")
    assert ("Version 99.1.0 of the library transformers wrote this model" in str(caught.value)) == stated
    assert (f"version {transformers.__version__}" in str(caught.value)) == stated


def test_a_folder_of_a_later_version_that_fits_opens(tmp_path):
    folder = tiny.save("gpt2", tmp_path)
    change_config(folder, transformers_version="99.1.0")
    assert open_model(folder, device="cpu").task == "complete"


def test_missing_weights_are_not_blamed_on_a_version(tmp_path):
    folder = tiny.save("gpt2", tmp_path)
    change_config(folder, transformers_version="99.1.0", n_layer=3)
    with pytest.raises(OpenError, match="weights lack"):
        open_model(folder, device="cpu")


def test_pictures_in_pieces_are_refused_for_that_reason():
    class Pieces:
        """A processor that cuts pictures itself."""

        def __call__(self, images: Image.Image, return_tensors: str) -> dict[str, torch.Tensor]:
            return {"pixel_values": torch.zeros(1, 16, 192)}

    with pytest.raises(OpenError, match="has the shape 1 x 16 x 192, not rows and columns"):
        open_model(tiny.network("vit"), reader=Pieces())


def test_forms_of_attention_that_disagree_are_the_reason():
    """Without types of tokens, PaliGemma's eager form hides later tokens, and its fused form does not."""
    config = transformers.PaliGemmaConfig(
        text_config=tiny.GROUPED | {"model_type": "gemma"},
        vision_config=tiny.PICTURE | {"projection_dim": 32},
        projection_dim=32,
        image_token_index=tiny.VOCABULARY - 1,
    )
    network = transformers.PaliGemmaForConditionalGeneration(config).eval()
    for parameter in network.parameters():
        if parameter.ndim > 1:
            torch.nn.init.normal_(parameter, std=0.3)
    with pytest.raises(OpenError, match="answers differently than in its own eager form"):
        open_model(network, reader=tiny.tokenizer())


@pytest.mark.parametrize("alibi", [False, pytest.param(True, marks=pytest.mark.nightly)])
def test_heads_that_share_keys_and_values_are_changed_where_softmax_is_watched(alibi):
    model = open_model(build("Falcon", "FalconForCausalLM", FALCON | {"alibi": alibi}), reader=tiny.tokenizer())
    assert not model.proof.by_interface
    before = model.trace(TEXT)
    changed = model.trace(TEXT, intervention=HeadInterventions((OneHot("decoder", ((1, 2),), 0),)))
    np.testing.assert_array_equal(changed.attention("decoder")[1, 2, :, 0], 1)
    ablated = model.trace(TEXT, intervention=HeadInterventions((Scale("decoder", ((0, 1),), 0.0),)))
    assert ablated.verify().max_difference < 1e-5
    assert np.abs(ablated.logits - before.logits).max() > 1e-4
    np.testing.assert_array_equal(model.trace(TEXT, intervention=HeadInterventions(())).logits, before.logits)


def test_scores_that_are_reported_as_weights_are_the_reason():
    sizes = tiny.TEXT_SIZES | {"embedding_size": 32, **{f"{part}_groups": 1 for part in ("q", "k", "v")}}
    with pytest.raises(OpenError, match="that are not weights: their rows have other sums"):
        open_model(build("SqueezeBert", "SqueezeBertForMaskedLM", sizes), reader=tiny.tokenizer())


def test_a_decoder_without_a_causal_mask():
    sides = [transformers.BertConfig(**tiny.TEXT_SIZES) for _ in range(2)]
    config = transformers.EncoderDecoderConfig(encoder=sides[0].to_dict(), decoder=sides[1].to_dict())
    config.decoder_start_token_id, config.pad_token_id, config.eos_token_id = 2, 0, 3
    network = transformers.EncoderDecoderModel(config).eval()
    with pytest.raises(OpenError, match="decoder of this model attends to later tokens.*is_decoder"):
        open_model(network, reader=tiny.tokenizer(), task="translate")


def raised_sentences() -> list[tuple[str, str]]:
    """Module and sentence of every call that raises what a library does."""
    return [
        (name := ".".join(path.relative_to(ROOT).with_suffix("").parts), sentence(name, node.args[0]))
        for folder in ("model", "pages")
        for path in (ROOT / folder).rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "raised_as"
    ]


def sentence(module: str, argument: ast.expr) -> str:
    """A literal; or a constant of the module, or an entry of one."""
    if isinstance(argument, ast.Constant):
        return argument.value
    if isinstance(argument, ast.Subscript):
        return sentence(module, argument.value)[argument.slice.value]
    return pkgutil.resolve_name(f"{module}:{argument.id}")


def test_every_sentence_about_what_a_library_raises_has_a_place_for_its_error():
    sentences = raised_sentences()
    assert len(sentences) >= 12
    assert [(name, text) for name, text in sentences if "({reason})" not in text] == []


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (KeyError("rope_theta"), "KeyError: 'rope_theta'"),
        (ZeroDivisionError(), "ZeroDivisionError"),
        (ValueError("No size.\nSecond line"), "ValueError: No size"),
        (ValueError("Field 'a':\n  expected int:\n four\nSee"), "ValueError: Field 'a': expected int: four"),
        (OSError(2, "No such file", "/srv/app/a/b.json"), "FileNotFoundError: [Errno 2] No such file: 'b.json'"),
        (ValueError(r"C:\Users\me\b.json is none"), "ValueError: b.json is none"),
        (ValueError("see https://hub.co/docs/a, 3/4 of a/b"), "ValueError: see https://hub.co/docs/a, 3/4 of a/b"),
        (
            ValueError("see https://hub.co/docs/a and ./a/b or ~/c/d"),
            "ValueError: see https://hub.co/docs/a and ./a/b or ~/c/d",
        ),
        (ValueError("OSError:/srv/x/y.json is bad"), "ValueError: OSError:y.json is bad"),
        (ValueError("none: 'C:\\Users\\A B\\c d.json'"), "ValueError: none: 'c d.json'"),
        (ValueError('at "/srv/A B/c d.json"'), 'ValueError: at "c d.json"'),
        (ValueError("file:///srv/secret/x.json"), "ValueError: x.json"),
        (ValueError(r"\\host\share\x.json"), "ValueError: x.json"),
        (ValueError("a\x1b[31m\u202eb"), "ValueError: a [31m b"),
        (ValueError("illegal header b'Bearer hf_secret'"), "ValueError: illegal header b'Bearer HF_TOKEN'"),
        (ValueError("x" * 500), "ValueError: " + "x" * 200),
    ],
)
def test_the_error_of_a_library_is_stated_without_folders_and_tokens(error, reason, monkeypatch):
    monkeypatch.setenv("HF_TOKEN", "hf_secret")
    assert reason_of(error) == reason


def test_folders_with_spaces_are_left_out_without_quotation_marks_too(tmp_path):
    folder = tmp_path / "My Models" / "a b"
    folder.mkdir(parents=True)
    text = reason_of(ValueError(f"no file c.json in {folder}, nor {folder}/d.json, see https://hub.co/docs/a b/c"))
    assert text == "ValueError: no file c.json in a b, nor d.json, see https://hub.co/docs/a b/c"


@pytest.mark.parametrize(
    ("file", "settings", "message"),
    [
        ("config.json", {"n_embd": 64}, r"^\d+ tensors of the weights have another size .*, transformer\.h\.0"),
        ("config.json", {"n_head": "four"}, r"gpt2 cannot have \(\w+: .*'n_head': .*expected int.*\); save"),
        (
            "config.json",
            {"activation_function": "none"},
            r"cannot be loaded into this type of model \(KeyError: 'none'\)",
        ),
        ("tokenizer.json", {"model": {"type": "Other"}}, r"no tokenizer\.json that can be read \(\w+: .+\); put it"),
    ],
)
def test_a_folder_that_the_library_refuses_has_the_library_s_reason(tmp_path, file, settings, message):
    folder = tiny.save("gpt2", tmp_path)
    change_json(folder / file, settings)
    with pytest.raises(OpenError, match=message):
        open_model(folder, device="cpu")


def change_json(file: Path, settings: dict) -> None:
    file.write_text(json.dumps(json.loads(file.read_text(encoding="utf-8")) | settings), encoding="utf-8")


def test_a_folder_with_an_adapter_alone_is_refused_for_that(tmp_path):
    (tmp_path / "adapter_config.json").write_text('{"peft_type": "LORA"}')
    with pytest.raises(
        OpenError, match=r"has the adapter of a model and no config\.json; load both with the library peft"
    ):
        open_model(tmp_path, device="cpu")
