"""Networks whose layers differ: those with attention keep their numbers, those of other numbers of heads are drawn."""

from __future__ import annotations

import csv
import io
import logging
from pathlib import Path

import numpy as np
import pytest

from model import HeadInterventions
from model.open_model import open_model
from model.tracing.head_interventions import Scale
from tests.model.hub import tiny
from tests.new_process import clear_all
from tests.pages.kinds import maps_by_kind
from tests.pages.listed import listed_heads
from tests.pages.models.opened_model_page import open_maps, page_text
from views.text.numbers import three_digits

TEXT = "The quick fox."


@pytest.fixture(scope="module")
def unlike(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    logging.getLogger("transformers").setLevel(logging.ERROR)
    folder = tmp_path_factory.mktemp("unlike")
    return {name: tiny.save(name, folder / name) for name in ("lfm2", "laguna")}


@pytest.fixture
def listed_unlike(unlike: dict[str, Path], monkeypatch: pytest.MonkeyPatch) -> dict[str, Path]:
    monkeypatch.setenv("ATLAS_MODELS", ", ".join(map(str, unlike.values())))
    clear_all()
    yield unlike
    clear_all()


@pytest.mark.parametrize("look", ["maps", pytest.param("lines", marks=pytest.mark.nightly), "one-weight"])
def test_a_hybrid_names_its_layers_as_the_network_does(open_app, listed_unlike, look):
    app = open_app("models", model="lfm2", text=TEXT, look=look, layer="4")
    assert not app.exception
    assert "layers 2, 4" in page_text(app)
    if look == "maps":
        header, weights = open_maps(app)
        assert header["rows"] == ["2", "4", "mean"]
        model = open_model(listed_unlike["lfm2"], device="cpu")
        np.testing.assert_allclose(weights[1, :-1], model.trace(TEXT).attention("decoder")[1], atol=1e-5)


def test_a_hybrid_s_heads_and_interventions_name_its_layers(open_app, listed_unlike):
    rows = listed_heads(open_app("models", model="lfm2", text=TEXT, part="heads"))["rows"]
    assert {row["id"].split("-")[1] for row in rows} == {"2", "4"}
    app = open_app("models", model="lfm2", text=TEXT, part="what-if", heads2=["3"], heads4=["1"])
    assert not app.exception
    assert "Moved most: masked decoder self-attention, layer 4" in page_text(app)
    model = open_model(listed_unlike["lfm2"], device="cpu")
    plan = HeadInterventions((Scale("decoder", ((1, 2), (3, 0)), 0.0),))
    loss = model.score(model.trace(TEXT, intervention=plan)).mean()
    assert three_digits(float(loss)) in [metric.value for metric in app.metric]


def test_layers_of_other_numbers_of_heads_are_a_choice(open_app, listed_unlike):
    app = open_app("models", model="laguna", text=TEXT, kind="decoder-8-heads", layer="4", head="8")
    assert not app.exception
    maps = maps_by_kind(app)
    model = open_model(listed_unlike["laguna"], device="cpu")
    trace = model.trace(TEXT)
    assert list(maps) == list(trace.records) == ["decoder-4-heads", "decoder-8-heads"]
    for name, (header, weights) in maps.items():
        assert header["rows"] == [str(layer + 1) for layer in model.layers[name]] + ["mean"]
        np.testing.assert_allclose(weights[:-1, :-1], trace.attention(name), atol=1e-5)
    assert "Decoder, layers with 8 heads" in str(app.get("bidi_component")[0].proto.bytes)


@pytest.mark.parametrize("part", ["heads", "what-if"])
def test_sections_show_all_layers_of_other_numbers_of_heads(open_app, listed_unlike, part):
    app = open_app("models", model="laguna", text=TEXT, part=part, of="decoder-8-heads", kind="decoder-8-heads")
    assert not app.exception
    if part == "heads":
        assert len(listed_heads(app)["rows"]) == 2 * 4 + 2 * 8
    else:
        assert "recomputed in double precision" in page_text(app)


def test_show_has_all_layers_with_their_numbers(unlike):
    from attention_atlas.views.viewer.notebook_sections import download_files

    from attention_atlas import show
    from views.viewer.shown_maps import read_trace

    trace = open_model(unlike["laguna"], device="cpu").trace(TEXT)
    maps = read_trace(trace, "decoder")
    numbers = {name: each.layer_numbers for name, each in maps.items()}
    assert numbers == {"decoder-4-heads": (0, 2), "decoder-8-heads": (1, 3)}
    (table,) = [file.content for file in download_files(maps, pictures=False) if file.name.endswith(".csv")]
    text = table.decode("utf-8-sig")
    layers = {(row["kind"], row["layer"]) for row in csv.DictReader(io.StringIO(text))}
    assert layers == {
        ("decoder-4-heads", "1"),
        ("decoder-4-heads", "3"),
        ("decoder-8-heads", "2"),
        ("decoder-8-heads", "4"),
    }
    assert "decoder-8-heads 1 x 8" in repr(show(trace, layers=[3], view="lines"))
    with pytest.raises(ValueError, match="None of these layers has attention; counted from 0, these have: 1, 3"):
        show(open_model(unlike["lfm2"], device="cpu").trace(TEXT), layers=[0])
