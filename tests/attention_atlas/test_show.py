"""The Python side of `show`; tests/browser/test_notebook_view.py tests the page in a browser."""

from __future__ import annotations

import base64
import html
import inspect
import io
import re
from types import SimpleNamespace

import numpy as np
import pytest
from attention_atlas.model import ConvolutionClassifier

from attention_atlas import CheckpointError, ShowError, show
from attention_atlas.shown_maps import read_trace
from model.tracing.kinds import TRANSLATION
from pages.shared.attention_viewer import explore
from pages.shared.attention_viewer.provenance import view_sentence
from pages.shared.service import Service
from tests.model.hub import tiny
from tests.pages.kinds import read
from tests.payloads import read_payload
from tests.views.viewer.test_given_weights import weights
from views.components import attention_kinds
from views.viewer import built_files
from views.viewer.attention_maps import AttentionMaps

TOKENS = ["[CLS]", "un", "##like", "##ly", "cats", "[SEP]"]


def payload(page: str) -> tuple[dict, dict[str, np.ndarray]]:
    """Header and arrays of the first component in a page."""
    return read_payload(base64.b64decode(re.search(r'class="payload">([^<]*)<', page)[1]))


def saved(page: str, name: str) -> bytes:
    """A file that a page offers."""
    return base64.b64decode(re.search(rf'download="{name}" href="data:[^;]*;base64,([^"]*)"', page)[1])


def test_a_trace_shows_the_requested_kind_with_every_digit(translated):
    shown = show(translated, kind="cross")
    header, numbers = payload(shown.html)
    assert list(header["kinds"]) == ["cross"] and shown.title == "Cross-attention"
    layers, heads, queries, keys = translated.cross_attention.shape
    np.testing.assert_array_equal(numbers["cross"], translated.cross_attention)
    assert {control["name"] for control in header["controls"]} == {"units", "marks", "layer", "head", "scale"}
    assert repr(shown) == f"<Shown: maps of cross {layers} x {heads} x {queries} x {keys}>"
    arrays = np.load(io.BytesIO(saved(shown.html, "attention.npz")))
    np.testing.assert_array_equal(arrays["cross"], translated.cross_attention)
    rows = saved(shown.html, "attention.csv").decode("utf-8-sig").splitlines()
    assert len(rows) == 1 + translated.cross_attention.size
    assert float(rows[1].split(",")[-1]) == translated.cross_attention[0, 0, 0, 0]


def test_all_kinds_of_a_trace_are_a_choice_or_one_below_the_other(translated):
    header, _ = payload(show(translated).html)
    assert list(header["kinds"]) == ["encoder", "decoder", "cross"]
    assert header["kinds"]["decoder"]["causal"] and not header["kinds"]["cross"]["causal"]
    assert show(translated, view="lines").html.count('class="payload"') == 3


def test_lines_between_whole_words_are_merged_as_in_the_app(translated):
    header, numbers = payload(show(translated, kind="cross", view="lines", words=True).html)
    keys = header["kinds"][""]["keys"]
    assert "didn't" in keys and numbers[""].shape[3] == len(keys) < len(translated.source_tokens)


def test_arrays_of_weights(translated):
    header, numbers = payload(show(weights(2, 4, 6, 6), TOKENS).html)
    kind = header["kinds"]["layers-1"]
    assert kind["queries"] == ["[CLS]", "un", "like", "ly", "cats", "[SEP]"]
    assert kind["grouped"]["queries"] == ["[CLS]", "unlikely", "cats", "[SEP]"]
    assert kind["special"] == [[0, 5], [0, 5]] and numbers["layers-1"].shape == (2, 4, 6, 6)
    lines = payload(show(weights(2, 4, 3, 6), ["a", "b", "c"], TOKENS, view="lines").html)[0]["kinds"][""]
    assert lines["queries"] == ["a", "b", "c"] and lines["keys"] == kind["queries"]


def test_the_tuple_of_a_model_of_transformers():
    network, tokenizer = tiny.network("bert"), tiny.tokenizer()
    network.set_attn_implementation("eager")
    inputs = tokenizer("The quick fox wants a car.", return_tensors="pt")
    attentions = network(**inputs, output_attentions=True).attentions
    shown = show(attentions, tokenizer.convert_ids_to_tokens(inputs["input_ids"][0]))
    (decoded,) = payload(shown.html)[1].values()
    np.testing.assert_array_equal(decoded[1, 2], attentions[1][0, 2].detach().numpy())


def test_layers_that_differ_in_their_heads_are_shown_in_runs():
    attentions = tuple(weights(1, heads, 6, 6) for heads in (4, 2, 2))
    header, _ = payload(show(attentions, TOKENS).html)
    assert {name: (kind["rows"], kind["columns"]) for name, kind in header["kinds"].items()} == {
        "layers-1": (["1", "mean"], ["1", "2", "3", "4", "mean"]),
        "layers-2": (["2", "3", "mean"], ["1", "2", "mean"]),
    }
    kinds = next(control for control in header["controls"] if control["name"] == "kind")
    assert [label for _, label in kinds["options"]] == ["Layer 1", "Layers 2 to 3"]
    assert show(attentions, TOKENS, view="lines").html.count('class="payload"') == 2


def test_some_layers():
    shown = show(weights(4, 2, 6, 6), TOKENS, layers=range(1, 3))
    assert payload(shown.html)[0]["kinds"]["layers-1"]["rows"] == ["2", "3", "mean"]


@pytest.mark.parametrize(
    "attention, tokens, options, message",
    [
        (weights(2, 4, 3, 6), (TOKENS,), {}, "3 rows and 6 columns"),
        (weights(2, 4, 6, 6), (), {}, "Give the tokens beside the attention"),
        (weights(2, 4, 6, 6), (TOKENS[:5],), {}, "5 query tokens and 6 rows"),
        (weights(2, 4, 6, 6), (TOKENS,), {"view": "neurons"}, "There is no view 'neurons'"),
        (weights(2, 4, 6, 6), (TOKENS,), {"kind": "self"}, "There is no kind 'self'"),
        (weights(2, 4, 6, 6), (TOKENS,), {"layers": [2]}, "There are 2 layers"),
        (weights(2, 4, 6, 6), (TOKENS,), {"layers": [0, 2]}, "Give neighbouring layers"),
        (np.full((12, 12, 400, 400), 1 / 400, dtype=np.float32), (["a"] * 400,), {}, "would make a page of"),
    ],
)
def test_arguments_that_do_not_fit_raise_an_error_of_one_sentence(attention, tokens, options, message):
    with pytest.raises(ShowError, match=message) as error:
        show(attention, *tokens, **options)
    assert str(error.value).endswith(".") and "\n" not in str(error.value)


def test_a_kind_that_a_trace_lacks_raises_an_error(translated):
    with pytest.raises(ShowError, match="no attention 'vision'; choose one of encoder, decoder, cross"):
        show(translated, kind="vision")
    with pytest.raises(ShowError, match="brings its own tokens"):
        show(translated, TOKENS)
    trace = ConvolutionClassifier.load(device="cpu").trace(tiny_picture())
    with pytest.raises(ShowError, match="holds no attention"):
        show(trace)


def tiny_picture():
    from PIL import Image

    return Image.linear_gradient("L").convert("RGB")


def test_the_page_is_shown_in_a_frame_and_saved_to_a_file(translated, tmp_path):
    shown = show(translated, kind="encoder")
    assert html.escape(shown.html) in shown._repr_html_() and shown._repr_html_().startswith("<iframe")
    assert f">{shown.title}: trust this notebook, or run the cell, to see it.</iframe>" in shown._repr_html_()
    shown.save(tmp_path / "view.html")
    assert (tmp_path / "view.html").read_text(encoding="utf-8") == shown.html
    (tmp_path / "file").touch()
    with pytest.raises(CheckpointError, match="could not be written"):
        shown.save(tmp_path / "file" / "view.html")


def test_show_and_the_page_draw_the_same_maps_with_the_same_script(translated):
    """Both begin with `AttentionMaps`; what is sent for a kind is equal, and the same script draws it."""
    service = Service(SimpleNamespace(card={}, loaded_by="", weights_sha256="", kinds=TRANSLATION))
    on_page = explore.initial_maps(service, "A sentence.", translated)
    assert isinstance(on_page.maps, AttentionMaps)
    (kind, (header, weights)), *others = read(attention_kinds.payload(on_page, "light"))[1].items()
    assert kind == "encoder" and not others
    shown = show(translated, kind="encoder")
    packed = base64.b64decode(re.search(r'class="payload">([^<]*)<', shown.html)[1])
    (header_shown, weights_shown) = read(packed)[1]["encoder"]
    assert header_shown == header
    np.testing.assert_array_equal(weights_shown, weights)
    assert built_files.embedded_script("attention_grid") in shown.html
    assert built_files.file_name("modules", "attention_grid") in built_files.loader("attention_grid")
    maps, _ = view_sentence(translated, service.kinds, service.model, {"sentence": ""})
    assert inspect.getsourcefile(type(read_trace(translated, None))) == inspect.getsourcefile(type(maps))
