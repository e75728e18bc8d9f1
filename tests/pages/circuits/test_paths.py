"""The section *Paths* shows the edges that the model measures, and the translation with some of them cut."""

from __future__ import annotations

import pytest

from model.causal.path_edges import cut_edges_in_steps, path_edges_in_steps
from model.causal.sentence_pairs import pair_sentences, prepare_pair
from model.runtime.progress import run_to_end
from pages.shared.causes import path_views
from tests.pages.conftest import SENTENCE
from tests.pages.drawn import path_graph
from tests.pages.reading import marked, table
from tests.pages.recipes import record_files, run_recipe
from views.text.numbers import three_digits

HOUSE = "I want to buy a house."


@pytest.fixture(scope="module")
def measured(translator):
    """The experiment, the place of its target, and all edges."""
    causal = translator.resumable
    pair = pair_sentences(causal, translator.tokenizer, *map(translator.read_ids, (SENTENCE, HOUSE)))
    experiment = prepare_pair(causal, translator.tokenizer, pair, pair.proposed, "difference")
    return experiment, pair.proposed, run_to_end(path_edges_in_steps(causal, experiment))


@pytest.mark.nightly
def test_the_strongest_edges_and_cuts_with_undo_and_reset(open_app, translator, measured):
    experiment, place, edges = measured
    cut = [edges.edges[0], edges.edges[1]]
    ids = [edge.id for edge in cut]
    app = open_app("circuits", part="paths", other=HOUSE, cut=",".join([*ids, "nonsense", ids[0]]), edges="5")
    header = path_graph(app)
    assert [(edge["id"], edge["written"]) for edge in header["edges"]] == [
        (edge.id, three_digits(edge.effect)) for edge in edges.edges[: path_views.SENT]
    ]
    assert header["cut"] == ids
    rows = table(app, "Edges of the graph")[1:]
    assert [row[3] for row in rows] == [three_digits(edge.effect) for edge in edges.edges[:5]]
    assert [bool(row[4]) for row in rows] == [True, True, False, False, False]
    for expected in (cut, cut[:1], []):
        run = run_to_end(cut_edges_in_steps(translator.resumable, experiment, expected, place))
        assert marked(app, "aa-text")[2] == translator.tokenizer.decode(run.ids)
        (line,) = [each.value for each in app.markdown if " for A, " in each.value]
        assert (three_digits(run.value) in line) and (("No edge is cut" in line) == (not expected))
        if expected:
            app.button(key="undo_cut").click().run()
            assert app.query_params.get("cut", "") in (ids[0], "")
    assert app.button(key="undo_cut").disabled and app.button(key="reset_cut").disabled


@pytest.mark.nightly
def test_weak_edges_are_left_out(open_app, measured):
    app = open_app("circuits", part="paths", other=HOUSE, edges="50", least="50")
    effects = [edge.effect for edge in measured[2].edges]
    strong = [effect for effect in effects[:50] if abs(effect) >= 0.5 * abs(effects[0])]
    rows = table(app, "Edges of the graph")[1:]
    assert [row[3] for row in rows] == list(map(three_digits, strong)) and len(strong) < 50


@pytest.mark.nightly
def test_the_recipe_selects_and_cuts_the_same_edges(open_app, measured, tmp_path, monkeypatch):
    makers, cut = record_files(monkeypatch), measured[2].edges[3].id
    app = open_app("circuits", part="paths", other=HOUSE, edges="10", least="20", cut=cut)
    rows, generated = table(app, "Edges of the graph")[1:], marked(app, "aa-text")[2]
    (stated,) = [each.value for each in app.markdown if " for A, " in each.value]
    printed, settings = run_recipe(makers, "paths", tmp_path, monkeypatch)
    assert [three_digits(float(line.split()[1])) for line in printed[:-3]] == [row[3] for row in rows]
    assert three_digits(float(printed[-3])) in stated and printed[-2] == generated and float(printed[-1]) < 1e-4
    assert settings["input"]["cut"] == [cut] and settings["input"]["smallest_percent"] == 20
    assert cut.replace(",", "%2C") in settings["link"]


@pytest.mark.nightly
def test_reset_restores_all_edges(open_app, measured):
    ids = [edge.id for edge in measured[2].edges[:3]]
    app = open_app("circuits", part="paths", other=HOUSE, cut=",".join(ids))
    app.button(key="reset_cut").click().run()
    assert path_graph(app)["cut"] == [] and "cut" not in app.query_params


def test_cancelled_paths_wait_until_they_are_asked_for(open_app):
    app = open_app("circuits", part="paths", text="Did you see the car?", other="Did you see the house?", measure="no")
    assert ["takes about" in each.value for each in app.info] == [True]
    assert not [each for each in app.get("bidi_component") if each.proto.component_name == "path_graph"]
    assert app.button(key="agree_measure").label == "Measure the paths"


def test_long_sentences_are_asked_about_first(open_app):
    start = "I think that the old man in the big house near the river wants to buy a new car for his daughter, and " * 4
    app = open_app("circuits", part="paths", text=f"{start}a cat.", other=f"{start}a dog.")
    assert any("takes about" in each.value for each in app.info)
    assert not [each for each in app.get("bidi_component") if each.proto.component_name == "path_graph"]


def test_different_lengths_get_a_sentence(open_app):
    app = open_app("circuits", part="paths", other="I want to buy a big car.")
    assert ["these have 8 and 9" in each.value for each in app.info] == [True]
