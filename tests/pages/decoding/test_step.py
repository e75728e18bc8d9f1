"""The stage of *Decoding, Step by step*: the place of the step, and the map that is drawn."""

import html
import json
import re

import numpy as np
from streamlit.testing.v1 import AppTest

from tests.pages.conftest import html_of
from tests.payloads import read_payload
from views.components.component import labels


def sent_to_the_stage(app: AppTest) -> bytes:
    [stage] = [part for part in app.get("bidi_component") if part.proto.component_name == "decoding_stage"]
    return stage.proto.bytes


def chosen_in(app: AppTest) -> dict[str, str]:
    [chosen] = [text for text in re.findall(r'data-chosen="([^"]*)"', html_of(app)) if "cross_layer" in text]
    return json.loads(html.unescape(chosen))


def test_the_stage_holds_the_place_of_the_step_and_has_all_weights(open_app, trace):
    app = open_app("decoding", step="3")
    payload = sent_to_the_stage(app)
    header, arrays = read_payload(payload)
    assert header["french"] == labels(trace.next_tokens) and header["english"] == labels(trace.source_tokens)
    np.testing.assert_allclose(arrays["cross"], trace.cross_attention, atol=5e-4)
    np.testing.assert_allclose(arrays["decoder"], trace.decoder_attention, atol=5e-4)
    assert [control["name"] for control in header["controls"]] == ["cross_layer", "cross_head", "step"]
    assert all(control["elsewhere"] for control in header["controls"])
    assert chosen_in(app) == {"cross_layer": "4", "cross_head": "mean", "step": "3"}
    app.button(key="step_forward").click().run()
    assert chosen_in(app)["step"] == "4"
    assert sent_to_the_stage(app) == payload  # the step is in a mark alone


def test_an_address_names_step_layer_and_head(open_app):
    app = open_app("decoding", step="2", cross_layer="mean", cross_head="6")
    assert chosen_in(app) == {"cross_layer": "mean", "cross_head": "6", "step": "2"}
    assert chosen_in(open_app("decoding", step="x", cross_layer="9", cross_head="-1")) == {
        "cross_layer": "4",
        "cross_head": "mean",
        "step": "1",
    }


def test_a_sample_has_the_probabilities_of_its_draw(open_app):
    header, _ = read_payload(sent_to_the_stage(open_app("decoding", method="sampling", temperature="0.5", seed="4")))
    assert len(header["drawn"]) == len(header["french"]) and header["decoding"]["temperature"] == 0.5


def test_a_step_is_announced_once(open_app):
    """By the stage; by the strip of tokens where there is no stage."""
    assert "data-announced" not in html_of(open_app("decoding", step="3"))
    assert "data-announced" in html_of(open_app("decoding", step="3", part="linear-softmax"))
