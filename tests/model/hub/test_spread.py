"""A model that is spread over devices has the same outputs as on one."""

from __future__ import annotations

from importlib.util import find_spec

import numpy as np
import pandas as pd
import pytest
from pyarrow.parquet import read_table

from model import OpenError, open_model
from model.hub import loading
from model.hub.ablation import ablate
from model.hub.loading import load_model
from model.hub.opened_model import OpenedModel
from model.study.__main__ import main
from tests.model.hub import tiny
from tests.model.hub.conftest import TEXT

spreads = pytest.mark.skipif(find_spec("accelerate") is None, reason="needs accelerate")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tiny.save("gpt2", tmp_path_factory.mktemp("gpt2"))


def test_missing_accelerate_is_reported(folder, monkeypatch):
    monkeypatch.setattr(loading, "find_spec", lambda name: None)
    with pytest.raises(OpenError, match="the library accelerate, which is not installed; install it, or choose"):
        open_model(folder, device="spread")


@spreads
def test_half_in_memory_and_half_on_disk_gives_the_same_outputs(folder, tmp_path, opened):
    names = ("wte", "wpe", "drop", "h.0", "ln_f")
    places = {"lm_head": "cpu", **{f"transformer.{name}": "cpu" for name in names}, "transformer.h.1": "disk"}
    spread = OpenedModel(load_model(folder, None, "float32", places), "gpt2", "")
    whole = opened("gpt2")
    assert spread.device_name == "CPU, disk" and spread.parameters == whole.parameters
    spread_trace, whole_trace = spread.trace(TEXT), whole.trace(TEXT)
    np.testing.assert_allclose(spread_trace.attention("decoder"), whole_trace.attention("decoder"), atol=1e-6)
    np.testing.assert_allclose(spread_trace.logits, whole_trace.logits, atol=1e-5)
    changes = ablate(spread, spread_trace, TEXT, {})["decoder"]
    np.testing.assert_allclose(changes, ablate(whole, whole_trace, TEXT, {})["decoder"], atol=1e-5)


@spreads
def test_weights_are_spread_over_all_devices(folder, opened):
    spread = open_model(folder, device="spread", dtype="float32")
    assert "disk" not in spread.device_name
    np.testing.assert_allclose(spread.trace(TEXT).logits, opened("gpt2").trace(TEXT).logits, atol=1e-5)


@spreads
def test_a_study_in_less_memory_than_the_weights_need_gives_the_same(folder, tmp_path, capsys):
    assert open_model(folder, device="spread", memory=120_000).device_name == "CPU, disk"
    texts, tables = tmp_path / "texts.txt", []
    texts.write_text(f"{TEXT}\nA car.")
    for device in (["cpu"], ["spread", "--memory", "0.00012"]):
        out = tmp_path / device[0]
        assert main([str(folder), str(texts), "--out", str(out), "--device", *device]) == 0, capsys.readouterr().err
        tables.append(read_table(out / "heads.parquet").to_pandas())
    pd.testing.assert_frame_equal(*tables, rtol=0, atol=1e-6)
    assert (tables[0]["effect_mean"].abs() > 1e-5).any()
