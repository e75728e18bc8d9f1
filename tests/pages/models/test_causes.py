"""The section *Causes* of an opened model: each method as the model computes it, or one sentence that refuses it."""

from __future__ import annotations

import numpy as np
import pytest

from model.causal import patching_estimate
from model.causal.patched_answer import patched_probabilities
from model.causal.patched_translation import patch_noise_parts_in_steps, patch_parts_in_steps
from model.causal.path_edges import cut_answer_in_steps, path_edges_in_steps
from model.hub.causal.opened_pair import answer_position, compare_answers, pair_texts
from model.hub.opened_pictures import patch_trace
from model.open_model import open_model
from model.runtime.progress import run_to_end
from pages.shared.causes.path_views import SENT
from pages.shared.causes.text_pairs import quoted
from tests.model.hub import tiny
from tests.model.hub.conftest import PICTURE
from tests.new_process import clear_all
from tests.pages.conftest import ROOT
from tests.pages.drawn import matrices, path_graph
from tests.pages.models.opened_model_page import page_text
from tests.pages.reading import table
from tests.pages.recipes import record_files, run_recipe
from tests.tiers import nightly
from views.text.numbers import percent, three_digits

TEXTS = "The quick brown fox jumps", "The quick brown dog jumps"
MASKED = "The quick [MASK] fox jumps", "The quick [MASK] dog jumps"
PAIR = {"text": TEXTS[0], "other": TEXTS[1]}


@pytest.fixture(scope="module")
def models(checkpoints, tmp_path_factory):
    """Name of an architecture -> opened model; one has streams that are refused."""
    folders = {name: checkpoints[name] for name in ("gpt2", "bert", "bert-classes", "t5", "gpt-j", "vit")}
    folders["albert"] = tiny.save("albert", tmp_path_factory.mktemp("shared") / "albert")
    return {name: open_model(folder, device="cpu") for name, folder in folders.items()}, folders


@pytest.fixture(autouse=True)
def listed(models, monkeypatch):
    monkeypatch.setenv("ATLAS_MODELS", ", ".join(map(str, models[1].values())))
    clear_all()
    yield
    clear_all()


def causes(open_app, name: str, cause: str, **query):
    return open_app("models", model=name, part="causes", cause=cause, **query)


@pytest.mark.parametrize(("name", "text"), [("gpt2", TEXTS[0]), ("bert", MASKED[0]), ("bert-classes", TEXTS[0])])
def test_every_layer_says_what_the_model_computes(open_app, models, name, text):
    model = models[0][name]
    lens = model.logit_lens(model.trace(text))
    app = causes(open_app, name, "lens", text=text, position="3")
    rows = table(app, "Most probable token, by layer")[1:]
    skipped = 1 if name == "bert-classes" else 2  # columns of tokens
    for place, row in enumerate(rows):
        shares = map(percent, lens.top_probabilities[:, place, 0].tolist())
        assert all(cell.endswith(share) for cell, share in zip(row[skipped:], shares, strict=True))
    one = table(app, "All layers at one position")[1:]
    assert [row[2] for row in one] == list(map(str, lens.ranks[:, 2].tolist()))
    assert "something is wrong" not in page_text(app) and not app.warning


def test_the_parts_of_a_logit_sum_to_it_or_are_refused(open_app, models):
    model = models[0]["gpt2"]
    trace = model.trace(TEXTS[0])
    best = trace.logits[-1].argsort()[::-1]
    app = causes(open_app, "gpt2", "logit", text=TEXTS[0], minus=str(best[1]))
    attribution = model.logit_attribution(trace, int(best[0]), int(best[1]))
    rows = {row[0]: row[1] for row in table(app, "Parts of the logit")[1:]}
    assert rows["sum: the logit"] == three_digits(attribution.logit)
    assert "rounding stays below" in page_text(app)
    refused = causes(open_app, "bert", "logit", text=TEXTS[0])
    assert ["not a matrix times" in each.value for each in refused.info] == [True]
    assert not refused.exception and "Direct logit" in page_text(refused)


@pytest.mark.parametrize(
    ("name", "query"),
    [
        ("gpt2", {}),
        ("gpt2", {"other": "The dog", "direction": "noising", "headsite": "values", "site": "attention_output"}),
        ("gpt2", {"headcells": "each"}),
        ("bert", {"text": MASKED[0], "other": MASKED[1]}),
        ("t5", {"site": "feed_forward_output", "headkind": "cross", "headcells": "each"}),
        nightly("albert", {"text": MASKED[0], "other": MASKED[1]}),
    ],
    ids=str,
)
def test_patched_cells_are_the_models(open_app, models, name, query):
    model, query = models[0][name], PAIR | query
    pair = pair_texts(model, query["text"], query["other"])
    direction, metric = query.get("direction", "denoising"), next(iter(pair.experiments))
    alignment = pair.alignment(pair.best_alignment, direction)
    app = causes(open_app, name, "patching", cellscale="metric", **query)
    drawn = [(header["map"], values) for header, values in matrices(app).values()]
    heads, each = query.get("headsite", "head_output"), "headcells" in query
    sites = [heads] if name == "albert" else [query.get("site", "residual"), heads]
    for site in sites:
        by_position = True if each and site == heads else None
        parts = (query.get("headkind", model.kinds[0].name),) if by_position else ()
        options = {"parts": parts, "direction": direction, "by_position": by_position, "alignment": alignment}
        grids = run_to_end(patch_parts_in_steps(model.resumable, pair.experiments[metric], site, **options))
        for part, result in grids.items():
            values = [values for id, values in drawn if id == f"{site}-{part}" or id.startswith(f"{site}-{part}-")]
            expected = result.effects if by_position else result.effects[None]
            np.testing.assert_allclose(np.stack(values), expected, atol=2e-4)
    assert ("cannot be followed" in "".join(each.value for each in app.info)) == (name == "albert")
    assert "something is wrong" not in page_text(app) and not app.warning


@pytest.mark.parametrize(
    ("name", "cause", "query"),
    [
        ("gpt2", "patching", {"other": "The dog", "headcells": "each"}),
        ("bert", "paths", {"text": MASKED[0], "other": MASKED[1]}),
        ("t5", "noise", {"noisy": ["2"], "samples": "2"}),
        ("vit", "noise", {"samples": "2", "patchlayer": "1"}),
        nightly("vit", "patching", {"patchlayer": "1"}),
        nightly("vit", "paths", {}),
    ],
)
def test_recipes_compute_the_same_numbers(open_app, models, tmp_path, monkeypatch, name, cause, query):
    for link, folder in (
        ("assets", ROOT / "assets"),
        (name, models[1][name]),
    ):  # a page names a folder without its path
        (tmp_path / link).symlink_to(folder)
    makers = record_files(monkeypatch)
    causes(open_app, name, cause, **PAIR | query)
    printed, settings = run_recipe(makers, "paths" if cause == "paths" else "patching", tmp_path, monkeypatch)
    assert float(printed[-1]) < 1e-4 and settings["input"]["opened"].endswith(name)
    assert settings["link"].startswith("/models?") and "transformers" in settings["versions"]


def test_the_chosen_cell_states_the_answers_of_three_runs(open_app, models):
    model = models[0]["gpt2"]
    pair = pair_texts(model, *TEXTS)
    cell = next(iter(pair.experiments["answer"].clean_labels)), (1, 3)
    app = causes(open_app, "gpt2", "patching", cell="residual-decoder.2.4", **PAIR)
    experiment = pair.experiments["answer"]
    patched = patched_probabilities(
        model.resumable, experiment, "residual", *cell, position=answer_position(experiment)
    )
    answers = compare_answers(model, experiment, patched)
    rows = table(app, "Most probable answers")[1:]
    assert [row[1:] for row in rows] == [
        list(map(three_digits, (each.clean, each.corrupt, each.changed))) for each in answers
    ]
    assert f"Probability of {quoted(pair.names[0])}" in page_text(app)


@pytest.mark.parametrize(
    ("name", "query"),
    [
        ("gpt2", {"noisy": ["4"], "site": "feed_forward_output"}),
        nightly("t5", {"noisy": ["1", "2"], "metric": "loss", "headsite": "values", "seed": "3"}),
        nightly("bert", {"text": MASKED[0], "noisy": ["5"], "position": "3"}),
        nightly("bert-classes", {"noisy": ["2"]}),
    ],
    ids=str,
)
def test_cells_of_noisy_runs_are_the_models_with_standard_errors(open_app, models, name, query):
    model, query = models[0][name], {"text": TEXTS[0], "samples": "3"} | query
    own = model.read_trace(model.trace(query["text"]))
    stack, noisy = next(iter(own.labels)), [int(place) - 1 for place in query["noisy"]]
    places = {"gpt2": len(own.next_ids) - 1, "bert": 2}
    experiment, seed = own.experiment(places.get(name)), int(query.get("seed", 0))
    app = causes(open_app, name, "noise", cellscale="metric", **query)
    drawn = {header["map"]: values for header, values in matrices(app).values()}
    for site in (query.get("site", "residual"), query.get("headsite", "head_output")):
        steps = patch_noise_parts_in_steps(model.resumable, experiment, site, {stack: noisy}, samples=3, seed=seed)
        for part, result in run_to_end(steps).items():
            np.testing.assert_allclose(drawn[f"{site}-{part}"], result.effects, atol=2e-4)
    assert "(standard error of 3 samples)" in " ".join(page_text(app).split())
    assert quoted(own.labels[stack][noisy[0]]) in page_text(app) and "something is wrong" not in page_text(app)


def test_edges_are_drawn_and_cut(open_app, models):
    model = models[0]["gpt2"]
    experiment = pair_texts(model, *TEXTS).experiments["answer"]
    edges = run_to_end(path_edges_in_steps(model.resumable, experiment))
    cut = list(edges.edges[:2])
    app = causes(open_app, "gpt2", "paths", cut=",".join(edge.id for edge in cut), **PAIR)
    header = path_graph(app)
    assert [edge["id"] for edge in header["edges"]] == [edge.id for edge in edges.edges[:SENT]]
    assert header["cut"] == [edge.id for edge in cut]
    answer = run_to_end(cut_answer_in_steps(model.resumable, experiment, cut, answer_position(experiment)))
    assert three_digits(answer.value) in page_text(app)
    assert [row[3] for row in table(app, "Most probable answers")[1:]] == [
        three_digits(each.changed) for each in compare_answers(model, experiment, answer.probabilities)
    ]
    app = app.button(key="reset_cut").click().run()
    assert "No edge is cut" in page_text(app)


def test_paths_of_texts_of_different_lengths_and_of_own_attention_are_refused_in_a_sentence(open_app, models):
    app = causes(open_app, "gpt2", "paths", text=TEXTS[0], other=TEXTS[1] + " again")
    assert "texts need the same number of" in "".join(each.value for each in app.info)
    assert not [each for each in app.get("bidi_component") if each.proto.component_name == "path_graph"]
    app = causes(open_app, "gpt-j", "paths", **PAIR)
    assert len(app.info) == 1 and not app.error and not app.exception


def test_long_grids_state_their_time_and_ask(open_app, models, monkeypatch):
    monkeypatch.setattr(patching_estimate, "ASKED_FROM", 10)
    app = causes(open_app, "gpt2", "patching", **PAIR)
    (question,) = [each.value for each in app.info]
    model = models[0]["gpt2"]
    runs = sum(model.estimate_patching(*TEXTS, site).runs for site in ("residual", "head_output"))
    assert f"takes {runs} runs of the model, about 1 second." in " ".join(question.split())
    assert not matrices(app)
    app = app.button(key="agree_patch").click().run()
    assert matrices(app) and app.query_params["patch"] == str(runs)


@pytest.mark.parametrize(
    ("name", "query", "sentence"),
    [
        ("bert", PAIR, "once into both texts"),
        ("bert", {"cause": "lens", "second": "Another text."}, "this trace is of two"),
        ("gpt-j", PAIR | {"headsite": "queries"}, "do not pass our tap"),
        ("gpt2", PAIR | {"other": TEXTS[0]}, "Both texts are the same"),
        ("t5", PAIR | {"target": "A text."}, "leave out its second text"),
        ("albert", {"cause": "noise"}, "cannot be followed"),
        ("gpt2", {"cause": "noise", "noisy": [""]}, "Choose at least one token"),
    ],
)
def test_what_cannot_be_measured_is_one_sentence(open_app, name, query, sentence):
    app = causes(open_app, name, **{"cause": "patching", "text": TEXTS[0]} | query)
    assert [sentence in each.value for each in app.info] == [True]
    assert not app.exception


@pytest.mark.parametrize("cause", ["lens", nightly("logit"), nightly("patching")])
def test_a_picture_has_the_views_of_vision(open_app, models, cause):
    model = models[0]["vit"]
    app = causes(open_app, "vit", cause)
    assert not app.exception and not app.warning and "something is wrong" not in page_text(app)
    trace = model.trace(PICTURE)
    lens, whole = model.logit_lens(patch_trace(trace)), model.logit_lens(trace)
    np.testing.assert_array_equal(lens.probabilities, whole.probabilities)


def test_a_picture_has_integrated_gradients_and_leave_one_out(open_app, models):
    model = models[0]["vit"]
    app = open_app("models", model="vit", part="layers", integrate="99")
    assert not app.exception and not app.warning and "something is wrong" not in page_text(app)
    trace = patch_trace(model.trace(PICTURE))
    without = run_to_end(model.leave_out_patches_in_steps(trace))
    assert without.shape == (trace.grid[0] * trace.grid[1], len(trace.classes))
    assert any("Rank correlation with leave-one-out" in each.value for each in app.html)
    assert "is missing, with" in page_text(app)
