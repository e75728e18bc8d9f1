"""Training curves from a metrics file: one written by hand, and the one that ships."""

import json

import numpy as np
import pytest

from model import Translator
from model.runtime.training_record import METRICS, read_metrics, training_curves
from model.translator import SHIPPED

ROWS = [
    {"event": "start", "epoch": 0, "recipe": {"label_smoothing": 0.1, "average_decay": 0.9}},
    {"event": "step", "epoch": 0, "step": 5, "loss": 4.0, "nll": 3.5, "rate": 0.1},
    {"event": "step", "epoch": 0, "step": 10, "loss": 3.0, "nll": 2.5, "rate": 0.2},
    {"event": "epoch", "epoch": 0, "steps": 10, "seconds": 1.0, "heldout_nll": 2.0},
    {"event": "start", "epoch": 1, "recipe": {}},
    {"event": "step", "epoch": 1, "step": 15, "loss": 2.0, "nll": 1.5, "rate": 0.1},
    {"event": "epoch", "epoch": 1, "steps": 30, "seconds": 1.0, "heldout_nll": 1.0},
    {"event": "step", "epoch": 2, "step": 35, "loss": 1.0, "nll": 0.5, "rate": 0.05},
]


def write(folder, rows, tail=""):
    folder.joinpath(METRICS).write_text("".join(json.dumps(row) + "\n" for row in rows) + tail, encoding="utf-8")


def test_curves_by_step_and_by_epoch(tmp_path):
    write(tmp_path, ROWS, tail='{"event": "st')
    curves = training_curves(tmp_path)
    assert curves.steps.tolist() == [5, 10, 15]
    assert curves.epochs.tolist() == [0.5, 1.0, 1.25]
    assert curves.losses.tolist() == [4, 3, 2]
    assert curves.nlls.tolist() == [3.5, 2.5, 1.5]
    assert curves.rates.tolist() == [0.1, 0.2, 0.1]
    assert (curves.heldout_steps.tolist(), curves.heldout_epochs.tolist()) == ([10, 30], [1, 2])
    assert curves.heldout_nlls.tolist() == [2, 1]
    assert (curves.smoothing, curves.average_decay) == (0.1, 0.9)


def test_without_a_finished_epoch_there_are_no_curves(tmp_path):
    assert training_curves(tmp_path) is None
    write(tmp_path, ROWS[:3])
    assert training_curves(tmp_path) is None


def test_the_shipped_record_is_the_shipped_models():
    curves, training = training_curves(SHIPPED), Translator.load().card["training"]
    assert curves.heldout_nlls.tolist() == pytest.approx(training["heldout_nll"])
    assert curves.heldout_steps[-1] == training["steps"]
    assert len(curves.heldout_nlls) == training["epochs"]
    assert curves.smoothing == training["recipe"]["label_smoothing"]
    assert (np.diff(curves.steps) > 0).all()
    assert len(curves.steps) == sum(row["event"] == "step" for row in read_metrics(SHIPPED / METRICS))
    assert (curves.losses > curves.nlls).mean() > 0.9  # smoothing only adds loss after the first steps
