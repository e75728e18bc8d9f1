"""The page of a model of pictures and text: the text with its picture, maps, attention within it; or the text alone."""

from __future__ import annotations

import numpy as np
import pytest

from model import HeadInterventions, Scale, open_model
from model.hub.ablation import ablate
from model.hub.causal.opened_pair import pair_texts
from model.runtime.progress import run_to_end
from pages.models import picture_text
from tests.model.hub.tiny_pictured import WORDS, save
from tests.new_process import clear_all
from tests.pages.conftest import ROOT
from tests.pages.drawn import matrices
from tests.pages.listed import listed_heads
from tests.pages.models.opened_model_page import open_maps, page_text
from tests.pages.reading import number, table
from tests.pages.recipes import record_files, run_recipe
from tests.payloads import read_payload
from tests.views.controls.odd_pictures import encoded, photo
from views import patch_grid
from views.controls import samples
from views.html import generated_tokens
from views.text.numbers import percent


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return save("llava", tmp_path_factory.mktemp("pictured"))


@pytest.fixture
def opened_page(folder, open_app, monkeypatch):
    """A function that opens the page of the model."""
    monkeypatch.setenv("ATLAS_MODELS", str(folder))
    clear_all()
    yield lambda **settings: open_app("models", model="llava", text=WORDS, **settings)
    clear_all()


def running_text(app):
    """Header and arrays of the running text."""
    (element,) = [part for part in app.get("bidi_component") if part.proto.component_name == "attention_text"]
    return read_payload(element.proto.bytes)


def test_the_text_is_shown_with_the_chosen_picture_in_it(opened_page, folder):
    app = opened_page(picture=samples.NAMES[1], layer="2", head="3")
    assert not app.exception and not app.warning
    header, arrays = running_text(app)
    trace = open_model(folder, device="cpu").trace(WORDS, picture=samples.picture(samples.NAMES[1]).image)
    np.testing.assert_allclose(arrays["decoder"], trace.attention("decoder"), atol=1e-5)
    assert header["pictures"][0]["places"] == trace.pictures[0].places.tolist()
    np.testing.assert_allclose(arrays["picture 0"][..., 0] / 255, trace.pictures[0].pixels.mean(axis=-1), atol=0.2)
    assert "It goes on" in page_text(app) and "besides text" not in page_text(app)


def test_maps_have_the_picture_as_one_token_and_the_tower_its_patches(opened_page):
    app = opened_page(part="attention")
    header, weights = open_maps(app)
    assert not app.exception and "picture 1" in header["keys"] and weights.shape[-1] == 9
    app = opened_page(part="within")
    header, weights = open_maps(app)
    assert not app.exception and header["keys"][:2] == ["CLS", "row 1, column 1"] and weights.shape[-1] == 17


def test_of_many_tokens_one_map_is_sent(opened_page, monkeypatch):
    monkeypatch.setattr(picture_text, "MOST_WEIGHTS", 100)
    app = opened_page(layer="2", head="mean")
    header, arrays = running_text(app)
    assert not app.exception and arrays["decoder"].shape == (1, 1, 24, 24)
    assert [control["name"] for control in header["controls"]] == ["direction"]


def test_an_uploaded_picture_is_the_one_that_is_traced(opened_page, folder):
    picture = photo(40, 30)
    app = opened_page(layer="2", head="3")
    app.get("file_uploader")[0].set_value(("own.png", encoded(picture), "image/png")).run()
    assert not app.exception and not app.warning
    _, arrays = running_text(app)
    trace = open_model(folder, device="cpu").trace(WORDS, picture=picture)
    np.testing.assert_allclose(arrays["decoder"], trace.attention("decoder"), atol=1e-5)
    sample = open_model(folder, device="cpu").trace(WORDS, picture=samples.picture(samples.NAMES[0]).image)
    assert np.abs(arrays["decoder"] - sample.attention("decoder")).max() > 1e-3


def upload_two(app, *pictures):
    """Upload two pictures together."""
    files = [(f"{number}.png", encoded(each), "image/png") for number, each in enumerate(pictures)]
    return app.get("file_uploader")[0].set_value(files).run()


def test_pictures_that_are_uploaded_together_are_where_the_text_has_them(opened_page, folder):
    own = photo(40, 30), photo(30, 40).rotate(180)
    text = "A <image> and <image> too"
    app = upload_two(opened_page(layer="2", head="3"), *own)
    assert not app.exception and not app.warning and not app.error
    described = [each.value.replace("\\", "") for each in app.caption if "Your picture" in each.value]
    assert [each[:2] for each in described] == ["1.", "2."]
    header, _ = running_text(app)
    trace = open_model(folder, device="cpu").trace(WORDS, picture=list(own))
    assert [each["places"] for each in header["pictures"]] == [each.places.tolist() for each in trace.pictures]
    next(box for box in app.get("text_area") + app.get("text_input") if box.label == "Text").set_value(text).run()
    header, arrays = running_text(app)
    trace = open_model(folder, device="cpu").trace(text, picture=list(own))
    np.testing.assert_allclose(arrays["decoder"], trace.attention("decoder"), atol=1e-5)
    assert [each["places"] for each in header["pictures"]] == [each.places.tolist() for each in trace.pictures]
    for place, each in enumerate(trace.pictures):
        grey = patch_grid.grey(patch_grid.as_bytes(each.pixels)).astype(int)
        np.testing.assert_allclose(arrays[f"picture {place}"][..., 0].astype(int), grey[..., 0], atol=1)
    app = upload_two(app, *[own[0]] * 5)
    assert "5 pictures are more than the 4" in app.warning[0].value


def test_the_attention_within_each_of_several_pictures(opened_page, folder):
    own = photo(40, 30), photo(30, 40).rotate(180)
    app = upload_two(opened_page(part="within"), *own)
    shown = [open_maps(app)[1]]
    next(box for box in app.selectbox if box.label == "Picture").set_value("2").run()
    assert not app.exception and not app.warning
    shown.append(open_maps(app)[1])
    trace = open_model(folder, device="cpu").trace(WORDS, picture=list(own))
    for maps, each in zip(shown, trace.pictures, strict=True):
        np.testing.assert_allclose(maps[:-1, :-1], each.tower.attention("vision"), atol=1e-3)


def test_two_texts_with_different_pictures_are_patched(opened_page, folder, tmp_path, monkeypatch):
    model, names = open_model(folder, device="cpu"), samples.NAMES[1:3]
    pictured = model.with_picture(*(samples.picture(name).image for name in names))
    metric = next(iter(pair_texts(pictured, WORDS, WORDS).experiments.values())).metric
    makers = record_files(monkeypatch)
    query = {"part": "causes", "cause": "patching", "cellscale": "metric", "picture": names[0]}
    app = opened_page(other=WORDS, otherpicture=names[1], **query)
    assert not app.exception and not app.info and not app.warning
    drawn = {header["map"]: values for header, values in matrices(app).values()}
    effects = pictured.patch(WORDS, WORDS, metric, "residual").effects
    np.testing.assert_allclose(drawn["residual-decoder"], effects, atol=2e-4)
    for link, target in (("assets", ROOT / "assets"), ("llava", folder)):
        (tmp_path / link).symlink_to(target)
    printed, settings = run_recipe(makers, "patching", tmp_path, monkeypatch)
    assert float(printed[-1]) < 1e-4 and settings["input"]["other_sample"] == names[1]


def test_heads_of_the_text_are_ranked_by_their_ablation_with_the_picture(opened_page, folder):
    app = opened_page(part="heads", picture=samples.NAMES[1])
    assert not app.exception and not app.warning
    rows = listed_heads(app)["rows"]
    model, image = open_model(folder, device="cpu"), samples.picture(samples.NAMES[1]).image
    trace = model.trace(WORDS, picture=image)
    expected = ablate(model, trace, WORDS, {"picture": image}, kinds=["decoder"])["decoder"]
    effects = sorted((row["effect"] for row in rows), key=abs)
    np.testing.assert_allclose(effects, sorted(expected.ravel(), key=abs), atol=1e-4)


def test_a_head_is_ablated_with_the_picture_and_the_text_goes_on_from_it(opened_page, folder):
    ablated = {"headsdo": "ablate", "heads1": ["2"], "heads2": ["1"], "layer": "2", "head": "3"}
    app = opened_page(part="what-if", picture=samples.NAMES[1], n="3", **ablated)
    assert not app.exception and not app.warning
    model, image = open_model(folder, device="cpu"), samples.picture(samples.NAMES[1]).image
    plan = HeadInterventions((Scale("decoder", ((0, 1), (1, 0)), 0.0),))
    sides = [model.score(model.trace(WORDS, picture=image)).mean()]
    sides.append(model.score(model.trace(WORDS, picture=image, intervention=plan), plan).mean())
    shown = [number(metric.value) for metric in app.metric]
    assert shown[:2] == pytest.approx(sides, rel=5e-3)
    after = run_to_end(model.generate_in_steps(WORDS, 3, plan, picture=image))
    assert generated_tokens.sentence(after or "\u2014", "") in page_text(app)


def test_causes_are_measured_with_the_picture_that_is_shown(opened_page, folder, tmp_path, monkeypatch):
    model, query = (
        open_model(folder, device="cpu"),
        {"part": "causes", "cellscale": "metric", "picture": samples.NAMES[1]},
    )
    pictured = model.with_picture(samples.picture(samples.NAMES[1]).image)
    pair = pair_texts(pictured, WORDS, "The quick dog")
    metric = next(iter(pair.experiments.values())).metric
    makers = record_files(monkeypatch)
    app = opened_page(cause="patching", other="The quick dog", **query)
    drawn = {header["map"]: values for header, values in matrices(app).values()}
    for site in ("residual", "head_output"):
        effects = pictured.patch(WORDS, "The quick dog", metric, site).effects
        np.testing.assert_allclose(drawn[f"{site}-decoder"], effects, atol=2e-4)
    assert not app.exception and not app.info and not app.warning
    for link, target in (("assets", ROOT / "assets"), ("llava", folder)):
        (tmp_path / link).symlink_to(target)
    printed, settings = run_recipe(makers, "patching", tmp_path, monkeypatch)
    assert float(printed[-1]) < 1e-4 and settings["input"]["pixels_sha256"]
    app = opened_page(cause="noise", samples="2", **query)
    assert not app.exception and not app.info and "standard error of 2 samples" in " ".join(page_text(app).split())
    offered = next(widget for widget in app.multiselect if widget.label == "Tokens that get noise").options
    assert len(offered) == len(model.read_pictures(WORDS, samples.picture(samples.NAMES[1]).image).tokens.ids) - 16


@pytest.mark.nightly
@pytest.mark.parametrize("cause", ["lens", "logit", "paths"])
def test_an_uploaded_picture_is_the_one_whose_causes_are_measured(opened_page, folder, cause):
    picture = photo(40, 30)
    app = opened_page(part="causes", cause=cause, other="The quick dog")
    app.get("file_uploader")[0].set_value(("own.png", encoded(picture), "image/png")).run()
    assert not app.exception and not app.warning and not app.error and "something is wrong" not in page_text(app)
    if cause != "lens":
        return
    model = open_model(folder, device="cpu")
    lens = model.with_picture(picture).logit_lens(model.trace(WORDS, picture=picture))
    rows = table(app, "Most probable token, by layer")[1:]
    shares = map(percent, map(float, lens.top_probabilities[-1, :, 0]))
    assert all(row[-1].endswith(share) for row, share in zip(rows, shares, strict=True))


def test_the_text_alone_has_its_own_page(opened_page):
    app = opened_page(reads="text", part="heads")
    assert not app.exception and "picture" not in " ".join(widget.label for widget in app.selectbox)
    assert not [part for part in app.get("bidi_component") if part.proto.component_name == "attention_text"]
