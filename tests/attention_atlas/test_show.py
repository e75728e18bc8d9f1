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

from attention_atlas import CheckpointError, ShowError, open_model, show
from model.tracing.kinds import TRANSLATION
from pages.shared.attention_viewer import explore
from pages.shared.provenance import view_sentence
from pages.shared.service import Service
from tests.model.hub import tiny
from tests.pages.kinds import read
from tests.payloads import read_payload
from tests.views.viewer.test_given_weights import weights
from views.components import attention_kinds
from views.viewer import built_files
from views.viewer.attention_maps import AttentionMaps
from views.viewer.shown_maps import read_trace

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
    assert rows[0].endswith(",weight,chosen")
    assert float(rows[1].split(",")[-2]) == translated.cross_attention[0, 0, 0, 0]


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
    attention = weights(4, 2, 6, 6)
    header, numbers = payload(show(attention, TOKENS, layers=[3, 0]).html)
    assert header["kinds"]["layers-1"]["rows"] == ["1", "4", "mean"]
    np.testing.assert_array_equal(numbers["layers-1"], attention[[0, 3]])


def test_two_texts_have_a_choice_of_which_attends_to_which():
    attention = weights(2, 4, 6, 6)
    for view in ("maps", "text"):
        header, _ = payload(show(attention, TOKENS, second_at=4, pair="ab", view=view).html)
        assert header["kinds"]["layers-1"]["segments"] == [[0, 0, 0, 0, 1, 1]] * 2
        assert header["kinds"]["layers-1"]["grouped"]["segments"] == [[0, 0, 1, 1]] * 2
        choice = next(control for control in header["controls"] if control["name"] == "pair")
        assert [id for id, _ in choice["options"]] == ["all", "aa", "ab", "ba", "bb"] and choice["first"] == "ab"
    lines = show(attention, TOKENS, second_at=4, view="lines").html
    assert "pair" in {control["name"] for control in payload(lines)[0]["controls"]}
    assert "pair" not in {control["name"] for control in payload(show(attention, TOKENS).html)[0]["controls"]}


def test_the_texts_of_a_trace_are_known():
    model = open_model(tiny.network("bert"), reader=tiny.tokenizer())
    trace = model.trace("A car.", second="She sells one.")
    header, _ = payload(show(trace, pair="ba").html)
    assert header["kinds"]["encoder"]["segments"] == [list(trace.source.segments)] * 2
    maps = read_trace(trace, None)["encoder"]
    first = trace.source.segments.index(1)
    np.testing.assert_array_equal(maps.of_pair(1, 0).weights, maps.weights[:, :, first:, :first])


def test_the_scale_is_logarithmic_from_64_tokens_on():
    for count, scale, first in ((63, None, "shared"), (64, None, "log"), (64, "own", "own"), (8, "log", "log")):
        header, _ = payload(show(weights(1, 1, count, count), ["a"] * count, scale=scale).html)
        assert next(control for control in header["controls"] if control["name"] == "scale")["first"] == first


def test_a_trace_of_a_picture_is_drawn_over_it():
    trace = open_model(tiny.network("vit"), reader=tiny.processor()).trace(tiny_picture())
    shown = show(trace)
    assert repr(shown).startswith("<Shown: picture of vision 2 x 4 x 17 x 17>")
    header, arrays = payload(shown.html)
    assert header["grid"] == [4, 4] and [panel["shows"] for panel in header["panels"]] == ["cls", "from", "to"]
    np.testing.assert_allclose(arrays["weights"][:2, :4], trace.attention("vision"), atol=1e-7)
    np.testing.assert_allclose(arrays["weights"][2, 4], trace.attention("vision").mean(axis=(0, 1)), atol=1e-6)
    assert arrays["pixels"].shape == (*trace.pixels.shape[:2], 3)
    assert list(payload(show(trace, view="maps").html)[0]["kinds"]) == ["vision"]


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("view", ["maps", "lines", "text"])
def test_a_page_of_127_tokens_is_below_9_megabytes(view, causal):
    attention = weights(12, 12, 127, 127)
    shown = show(np.tril(attention) if causal else attention, ["token"] * 127, view=view)
    assert len(shown.html) < (4_500_000 if causal else 9_000_000)


@pytest.mark.nightly
@pytest.mark.parametrize(("view", "causal"), [("maps", False), ("maps", True), ("lines", True), ("text", False)])
def test_a_page_of_442_tokens_is_below_80_megabytes(view, causal):
    attention = weights(12, 12, 442, 442)
    shown = show(np.tril(attention) if causal else attention, ["token"] * 442, view=view)
    assert len(shown.html) < (40_000_000 if causal else 80_000_000)


def test_more_is_refused_before_it_is_made():
    with pytest.raises(ShowError, match=r"a page of 8\d MB, and 80 are the most; show some of them, such as layers="):
        show(np.full((12, 12, 470, 470), 1 / 470, dtype=np.float32), ["token"] * 470)


def test_a_frame_of_a_fixed_height():
    frame = show(weights(1, 1, 3, 3), list("abc"), height=300)._repr_html_()
    assert "height: 300px" in frame and 'data-fixed-height="yes"' in frame


@pytest.mark.parametrize(
    "attention, tokens, options, message",
    [
        (weights(2, 4, 3, 6), (TOKENS,), {}, "3 rows and 6 columns"),
        (weights(2, 4, 6, 6), (), {}, "Give the tokens beside the attention"),
        (weights(1, 1, 6, 1400), (TOKENS,), {}, "6 rows and 1,400 columns"),
        (weights(2, 4, 6, 6), (TOKENS[:5],), {}, "5 query tokens and 6 rows"),
        (weights(2, 4, 6, 6), (TOKENS,), {"view": "neurons"}, "There is no view 'neurons'"),
        (weights(2, 4, 6, 6), (TOKENS,), {"kind": "self"}, "There is no kind 'self'"),
        (weights(2, 4, 6, 6), (TOKENS,), {"layers": [2]}, "There are 2 layers"),
        (weights(2, 4, 6, 6), (TOKENS,), {"layers": [0, 2]}, "counted from 0; 2 is not among them"),
        (weights(2, 4, 6, 6), (TOKENS,), {"layers": "ab"}, "Give the numbers of layers"),
        (weights(2, 4, 6, 6), (TOKENS,), {"layers": "all"}, "Give the numbers of layers"),
        (weights(2, 4, 6, 6), (TOKENS,), {"layers": -1}, "Give the numbers of layers"),
        (weights(2, 4, 6, 6), (TOKENS,), {"layers": [-1]}, "counted from 0; -1 is not among them"),
        (weights(2, 4, 6, 6), (TOKENS,), {"layers": [[0]]}, "Give the numbers of layers"),
        (weights(2, 4, 6, 6), (TOKENS,), {"layers": slice(0, 1)}, "Give the numbers of layers"),
        (weights(2, 4, 6, 6), (TOKENS,), {"second_at": "cats"}, "second_at='cats' is no place"),
        (weights(2, 4, 6, 6), (TOKENS,), {"pair": "ac"}, "no pair 'ac'; choose one of all, aa, ab, ba, bb"),
        (weights(2, 4, 6, 6), (TOKENS,), {"pair": "ab"}, "There is one text only"),
        (weights(2, 4, 6, 6), (TOKENS,), {"second_at": 6}, "second_at=6 is no place"),
        (weights(2, 4, 6, 6), (TOKENS,), {"scale": "auto"}, "no scale 'auto'; choose one of shared, own, log"),
        (weights(2, 4, 6, 6), (TOKENS,), {"view": "picture"}, "Only a trace of a picture is drawn over it"),
        (weights(2, 4, 6, 6), (TOKENS,), {"height": 20}, "A frame is from 120 to 5000 pixels high"),
        (np.full((12, 17, 400, 400), 1 / 400, dtype=np.float32), (["a"] * 400,), {}, r"87 MB, .* layers=range"),
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
    assert html.escape(shown.html) in shown._repr_html_() and shown._repr_html_().startswith("<!DOCTYPE html><iframe")
    assert f">{shown.title}: trust this notebook, or run the cell, to see it.</iframe>" in shown._repr_html_()
    shown.save(tmp_path / "view.html")
    assert (tmp_path / "view.html").read_text(encoding="utf-8") == shown.html
    (tmp_path / "file").touch()
    with pytest.raises(CheckpointError, match="could not be written"):
        shown.save(tmp_path / "file" / "view.html")


def test_show_and_the_page_draw_the_same_maps_with_the_same_script(translated, tmp_path):
    """Both begin with `AttentionMaps`; what is sent for a kind is equal, and the same script draws it."""
    service = Service(SimpleNamespace(card={}, folder=tmp_path, loaded_by="", weights_sha256="", kinds=TRANSLATION))
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


def test_a_page_has_the_language_that_is_asked_for(monkeypatch):
    weights = np.full((1, 1, 2, 2), 0.5, np.float32)
    assert '<html lang="en">' in show(weights, ["a", "b"]).html
    korean = show(weights, ["a", "b"], lang="ko")
    assert '<html lang="ko">' in korean.html and korean.title == "\uc5b4\ud150\uc158"
    assert len(re.findall(r"\((?:NPZ|CSV|SVG)\)", korean.html)) == 3 and " as SVG" not in korean.html
    monkeypatch.setenv("ATLAS_LANGUAGE", "ko")
    assert show(weights, ["a", "b"]).html == korean.html
    assert show(weights, ["a", "b"], lang="en").title == "Attention"
    with pytest.raises(ShowError, match="There is no language 'xx'; choose one of en, "):
        show(weights, ["a", "b"], lang="xx")
    monkeypatch.setattr("attention_atlas.views.viewer.shown_maps.find_spec", lambda name: None)
    with pytest.raises(ShowError, match="pip install babel"):
        show(weights, ["a", "b"], lang="ko")
