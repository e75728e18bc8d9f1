"""The sign for pictures unlike the training pictures: shown above the threshold only, with the measured figures."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from model import VisionClassifier
from model.attribution.training_distance import TrainingDistance, TrainingDistances
from tests.pages.vision.views import PATIENCE, service, trace
from views.controls import samples

REPORTED = {"photographs of other things": {"pictures": 50, "found": 25, "low": 0.3664, "high": 0.6336}}


def _sign() -> None:
    import streamlit as st

    from pages.vision.stated_answer import render_unlike_sign
    from tests.pages.vision.views import service

    render_unlike_sign(service(), st.session_state["trace"])


def open_sign(distance: float | None, reported: dict, monkeypatch) -> AppTest:
    shown = trace()  # before the network is given distances of another size
    validation = {"pictures": 2000, "found": 86, "low": 0.035, "high": 0.053}
    measured = TrainingDistances(np.zeros((3, 2)), np.eye(2), 3.0, {"validation": validation, "reported": reported})
    monkeypatch.setattr(service().model, "training_distances", measured)
    app = AppTest.from_function(_sign, default_timeout=PATIENCE)
    found = None if distance is None else TrainingDistance(distance, 3.0)
    app.session_state["trace"] = replace(shown, training_distance=found)
    app.run()
    assert not app.exception
    return app


@pytest.mark.parametrize("distance", [None, 1.0, 3.0])
def test_nothing_is_marked_up_to_the_threshold(distance, monkeypatch):
    assert not open_sign(distance, REPORTED, monkeypatch).info


def test_a_picture_above_the_threshold_is_marked_with_what_was_measured(monkeypatch):
    (sign,) = open_sign(4.25, REPORTED, monkeypatch).info
    text = " ".join(sign.value.split())
    assert (
        "its vectors are 4.25 from the nearest class, above 3.00, where only 4.3 % of 2,000 validation pictures" in text
    )
    assert text.endswith("of pictures of other things 50.0 % of 50 photographs of other things (36.6 % to 63.4 %).")


def test_without_reported_pictures_the_sign_states_false_alarms_alone(monkeypatch):
    (sign,) = open_sign(4.25, {}, monkeypatch).info
    assert sign.value.strip().endswith("validation pictures of these classes are.")


def test_no_sample_of_the_app_is_marked_and_noise_is():
    classifier = VisionClassifier.load(device="cpu")
    for name in samples.NAMES:
        distance = classifier.trace(samples.picture(name).image).training_distance
        assert distance is not None and not distance.is_unlike, (name, distance)
    pixels = np.random.default_rng(0).random((112, 112, 3), dtype=np.float32)
    assert classifier.trace(pixels).training_distance.is_unlike
    figures = classifier.training_distances.figures
    assert figures["validation"]["found"] <= 0.05 * figures["validation"]["pictures"] == 100
    assert figures["samples"] == figures["samples"] | {"pictures": 6, "found": 0}
