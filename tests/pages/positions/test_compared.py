"""The part *Compared*, on random networks: every number is the networks' own or the study's."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from model.lessons.position_effects import STACKS, position_losses_in_steps
from model.lessons.positions_compared import FILE, load_position_comparison
from model.networks.config import POSITION_KINDS
from model.position_translator import PositionTranslator
from model.runtime.checkpoint import read_json, write_json
from model.runtime.progress import as_one_call
from pages.shared.models import load_positions
from server import singleton
from tests.every_view import View
from tests.model.random_positions import LONGEST, write_comparison, write_networks
from tests.pages import test_every_view as every_view
from tests.pages.charts import charts, check_caption, text_without_links
from tests.pages.conftest import SENTENCE, html_of, visit
from tests.pages.drawn import matrices
from tests.pages.in_korean import english_texts
from tests.pages.reading import table
from views.map_weights import with_means
from views.text.numbers import three_digits

NAMES = {
    "sinusoidal": "Sinusoids",
    "learned": "Learned table",
    "rotary": "Rotary",
    "alibi": "ALiBi",
    "none": "No positions",
}
LONG = "The animal did not cross the street because it was too tired and the street was too wide."
TRANSLATIONS = "Translations by positions"
offered = every_view.offered


@contextmanager
def shipped(folder: Path):
    """Make the app read its networks from a folder."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("model.position_translator.SHIPPED", folder)
        load_positions._results.clear()
        yield
    load_positions._results.clear()


def open_part(**query: str):
    return visit("positions", facet="compared", **query)


def sentences(app) -> str:
    return " ".join(map(text_without_links, (*app.markdown, *app.caption, *app.info, *app.warning)))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return write_networks(tmp_path_factory.mktemp("positions"))


@pytest.fixture(scope="module")
def networks(folder):
    return {kind: PositionTranslator.load(folder / kind) for kind in POSITION_KINDS}


@pytest.fixture(scope="module")
def study(folder, networks):
    return load_position_comparison({kind: network.weights_sha256 for kind, network in networks.items()}, folder)


@pytest.fixture
def all_ship(folder):
    with shipped(folder):
        yield


@pytest.mark.usefixtures("all_ship")
def test_every_network_translates_and_scores_the_reference(networks, trace):
    app = open_part()
    header, *rows = table(app, TRANSLATIONS)
    assert header == ["positions", "translation", "tokens", "\u2212ln\u00a0p per token of the reference"]
    assert [row[0] for row in rows] == list(NAMES.values())
    forced = {kind: network.trace(SENTENCE, target_ids=trace.next_ids) for kind, network in networks.items()}
    assert [row[1] for row in rows] == [network.translate(SENTENCE) or "\u2014" for network in networks.values()]
    assert [row[3] for row in rows] == [
        three_digits(float(networks[kind].score(each).mean())) for kind, each in forced.items()
    ]
    assert "something is wrong" not in check_caption(app, "attention of all networks recomputed")
    assert f"at most {LONGEST} tokens a side" in sentences(app) and "Not trained yet" not in sentences(app)
    maps = matrices(app)
    for kind, each in forced.items():
        item, values = maps[NAMES[kind]]
        np.testing.assert_allclose(values, with_means(each.encoder_attention)[-2, -1], atol=2e-3)
        assert item["rows"] == item["columns"]


@pytest.mark.usefixtures("all_ship")
def test_kind_layer_and_head_are_those_of_the_address(networks, trace):
    maps = matrices(open_part(kind="cross", layer="1", head="2"))
    assert list(maps) == list(NAMES.values())
    for kind, network in networks.items():
        expected = network.trace(SENTENCE, target_ids=trace.next_ids).cross_attention[0, 1]
        np.testing.assert_allclose(maps[NAMES[kind]][1], expected, atol=2e-3)


@pytest.mark.usefixtures("all_ship")
@pytest.mark.parametrize("view", ["maps", "lengths", "shuffled"])
def test_a_sentence_beyond_the_learned_table_is_refused_by_that_network_alone(view):
    app = open_part(text=LONG, rivals=view)
    _, *rows = table(app, TRANSLATIONS)
    assert [row[0] for row in rows if row[3] == "\u2014"] == ["Learned table"]
    notices = [notice.value.replace("\\", "") for notice in app.info if notice.value.startswith("**Learned table.")]
    assert len(notices) == 1 and f"the model reads at most {LONGEST}. Shorten it by" in notices[0]
    if view == "maps":
        assert list(matrices(app)) == [name for name in NAMES.values() if name != "Learned table"]


@pytest.mark.usefixtures("all_ship")
@pytest.mark.parametrize("rivals", ["maps", "lengths", "shuffled"])
def test_files_labels_bounds_and_words(in_pseudo, offered, rivals):
    view = View("positions", "facet", "compared", {"rivals": rivals})
    every_view.test_files_labels_bounds_and_words(in_pseudo, offered, view)


@pytest.mark.usefixtures("all_ship")
@pytest.mark.parametrize("rivals", ["maps", "lengths", "shuffled"])
def test_in_korean(rivals):
    assert english_texts(open_part(rivals=rivals, lang="ko")) == []


@pytest.mark.usefixtures("all_ship")
def test_loss_and_bleu_by_length_are_the_studys(study):
    app = open_part(rivals="lengths")
    loss, bleu = charts(app)
    assert loss["layout"]["xaxis"]["ticktext"] == ["1 to 16<br>(n\u00a0=\u00a0200)", "17 to 40<br>(n\u00a0=\u00a030)"]
    for figure, values in (
        (loss, [group.loss for group in study.lengths]),
        (bleu, [group.bleu for group in study.lengths]),
    ):
        assert figure["layout"]["annotations"][0]["text"] == "longer than in training"
        assert figure["layout"]["shapes"][0]["x0"] == 0.5
        for kind, name in NAMES.items():
            (points,) = [each for each in figure["data"] if each.get("name") == name]
            bands = [group[kind] for group in values if group[kind] is not None]
            assert points["y"] == [band.value for band in bands]
            assert points["error_y"]["arrayminus"] == pytest.approx([band.value - band.low for band in bands])
    rows = {row[0]: row[1:] for row in table(app, "Loss by length")}
    assert rows["Learned table"][2] == "\u2014" and rows["Sinusoids"][1].startswith("2.16 (1.66\u00a0\u2013")
    assert {name: rows[name][0] for name in NAMES.values()} == dict.fromkeys(NAMES.values(), "1") | {"Sinusoids": "3"}
    assert {row[3] for row in table(app, "BLEU by length")[1:]} == {"\u2014"}  # 30 pairs: only the loss is claimed
    seeds = table(app, "Means over seeds")
    assert seeds[1][:3] == ["1 to 16", "Sinusoids", "3"] and len(seeds) == 2
    result = next(element.value for element in app.markdown if element.value.startswith("**Result"))
    assert "On 1 to 16 tokens the loss, in nats per token, is lowest with Sinusoids (2.16) and highest with" in result
    assert "the largest difference between seeds of one kind, over all lengths, is 0.100" in result
    once = sentences(app)
    assert "Trained once: Learned table, Rotary, ALiBi, No positions. How much another seed" in once
    assert "1,290,240" not in once


@pytest.mark.usefixtures("all_ship")
def test_shuffled_positions_held_out_and_on_the_sentence(study, networks, trace):
    app = open_part(rivals="shuffled", shuffle="3")
    _, *rows = table(app, "Increase of the loss with shuffled positions, held out")
    for row, kind in zip(rows, POSITION_KINDS, strict=True):
        assert row[:2] == [NAMES[kind], "3" if kind == "sinusoidal" else "1"]
        for cell, where in zip(row[2:], STACKS, strict=True):
            assert cell.startswith(f"{three_digits(study.shuffled[kind][where].value)} (")
    _, *rows = table(app, "Increase of the loss with shuffled positions, your sentence")
    for row, network in zip(rows, networks.values(), strict=True):
        arguments = list(trace.source_ids), list(trace.next_ids), 3, 0
        losses = as_one_call(position_losses_in_steps)(network.network, *arguments)
        assert row[1] == three_digits(losses.mean("both", "kept"))
        increases = [losses.mean(where, "shuffled") - losses.mean(where, "kept") for where in STACKS]
        assert [float(cell.replace("\u2212", "-")) for cell in row[2:]] == pytest.approx(increases, rel=0.01, abs=1e-6)
    assert rows[-1][2:] == ["0", "0", "0"]  # without positions there is nothing to shuffle
    assert "something is wrong" not in check_caption(app, "put in by the same intervention")


def test_kinds_that_are_not_trained_or_not_measured_are_named(tmp_path):
    folder = write_networks(tmp_path, ("sinusoidal", "rotary", "none"))
    hashes = {kind: read_json(folder / kind / "card.json")["weights_sha256"] for kind in ("sinusoidal", "none")}
    write_comparison(folder, hashes)
    with shipped(folder):
        app = open_part(rivals="lengths")
        assert [row[0] for row in table(app, TRANSLATIONS)[1:]] == ["Sinusoids", "Rotary", "No positions"]
        assert "3 of 5 networks are shown. Not trained yet: Learned table, ALiBi." in sentences(app)
        assert "which were measured before they were trained: Rotary." in sentences(app)
        assert [row[0] for row in table(app, "Loss by length")[1:]] == ["Sinusoids", "No positions"]
        assert not open_part(rivals="shuffled").warning


@pytest.mark.parametrize("kinds", [(), ("sinusoidal",)])
def test_fewer_than_two_networks_get_one_sentence(tmp_path, kinds):
    with shipped(write_networks(tmp_path, kinds) if kinds else tmp_path):
        app = open_part()
        (notice,) = app.info
        assert f"`assets/positions` has {len(kinds)} of them, and two are needed" in notice.value
        assert TRANSLATIONS not in html_of(app) and not load_positions._results


@pytest.mark.parametrize("view", ["lengths", "shuffled"])
def test_a_study_that_is_missing_or_of_other_weights_is_one_sentence(tmp_path, view):
    folder = write_networks(tmp_path, ("sinusoidal", "none"))
    write_json(folder / FILE, read_json(folder / FILE) | {"weights_sha256": {"none": "0"}})
    with shipped(folder):
        (warning,) = open_part(rivals=view).warning
        assert "belongs to other weights; run `make positions-study`" in warning.value.replace("\\", "")
    (folder / FILE).unlink()
    with shipped(folder):
        app = open_part(rivals=view)
        assert len(app.warning) == 1 and "run `make positions-study` to measure it" in app.warning[0].value
        assert len(table(app, TRANSLATIONS)) == 3


def test_damaged_weights_are_one_sentence(tmp_path):
    folder = write_networks(tmp_path, ("sinusoidal", "none"))
    weights = folder / "none" / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:1000])
    with shipped(folder):
        (error,) = open_part().error
        assert "git checkout -- assets" in error.value


@pytest.mark.usefixtures("all_ship")
def test_networks_are_loaded_when_the_part_is_opened_and_released_when_idle(monkeypatch):
    visit("positions")
    assert not load_positions._results
    open_part()
    assert all(load_positions.is_ready(kind) for kind in POSITION_KINDS)
    monkeypatch.setattr(load_positions, "_clock", lambda: float("inf"))
    assert singleton.release_all_idle() >= len(POSITION_KINDS) and not load_positions._results
