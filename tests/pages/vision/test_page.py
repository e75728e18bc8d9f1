"""The Vision page: it shows what the shipped classifier computes for the picture."""

import base64
import html
import json
import re
from unittest.mock import patch

import numpy as np
import pytest
from PIL import Image
from streamlit.testing.v1 import AppTest

from model import CheckpointError, VisionClassifier
from model.attribution.vision_analysis import principal_filters
from model.lessons.classification import recompute_classification
from pages.shared.models import load_vision as loaded_service
from tests.new_process import clear_all
from tests.pages.charts import check_caption, without_bounds
from tests.pages.conftest import PATIENCE, ROOT, go, html_of
from tests.pages.drawn import matrices
from tests.pages.kinds import chosen_options, maps_by_kind
from tests.pages.reading import table
from tests.payloads import read_payload
from tests.views.components.test_patch_picture import read
from tests.views.controls.odd_pictures import encoded, photo
from views import map_labels, map_weights, patch_grid
from views.controls import samples
from views.html.class_bars import ranked
from views.text import literal
from views.text.numbers import percent, three_digits

VIEWS = ("patches", "cls", "any-patch", "layers", "positions", "full-maps")


@pytest.fixture(scope="module")
def classifier():
    return VisionClassifier.load()


@pytest.fixture(scope="module")
def trace(classifier):
    return classifier.trace(samples.picture(samples.NAMES[0]).image)


def ranked_bars(trace, low: bool = True) -> str:
    """Return the bars of all classes, the most probable first; low ones of a sample."""
    order = np.argsort(-trace.probabilities, kind="stable")
    return ranked([trace.classes[place] for place in order], trace.probabilities[order], low=low)


def component(app: AppTest, name: str | tuple[str, ...]):
    (expected,) = [part.proto for part in app.get("bidi_component") if part.proto.component_name.endswith(name)]
    return expected


def patch_picture(app: AppTest) -> tuple[dict, np.ndarray, np.ndarray]:
    """Return the header of the patch picture with its selection, the selected head's weights, and the picture."""
    header, weights, picture = read(component(app, ("patch_picture", "picture_stage")).bytes)
    selection = selection_of(app, header)
    place = tuple(
        names.index(selection.get(each, names[0]))
        for each, names in zip(("layer", "head"), header["names"], strict=True)
    )
    top = header["tops"][place[0]][place[1]] if selection.get("scale") == "shared" else None
    name = ",".join(map(str, (header["id"], *place)))
    exact = re.findall(rf'data-exact="{name} ([^"]*)"', html_of(app))
    one = np.frombuffer(base64.b64decode(exact[0]), "<f4").reshape(weights.shape[2:]) if exact else weights[place]
    return header | {"chosen": selection, "top": top, "exact": bool(exact)}, one, picture


def selection_of(app: AppTest, header: dict) -> dict[str, str]:
    """Return the selection of a component."""
    names = {control["name"] for control in header["controls"]}
    marks = [json.loads(html.unescape(expected)) for expected in re.findall(r'data-chosen="([^"]*)"', html_of(app))]
    return next(mark for mark in marks if set(mark) == names)


def sheet(app: AppTest) -> tuple[dict, np.ndarray, np.ndarray]:
    """Return header, maps and underlay of the overview."""
    header, arrays = read_payload(component(app, "attention_grid").bytes)
    (kind,) = header["kinds"]
    maps_shown = map_weights.with_means(arrays[kind])
    return header | {"chosen": selection_of(app, header)}, maps_shown, arrays[f"{kind} picture"]


def captions(app: AppTest) -> str:
    return "\n".join(caption.value for caption in app.caption)


def test_answer_equals_the_models_in_every_view(open_app, trace):
    for view in VIEWS:
        app = open_app("vision", view=view)
        assert app.title[0].value == "Vision"
        assert ranked_bars(trace) in html_of(app)
        for name in trace.classes:
            assert literal.markdown(name) in captions(app)
        assert f"only these {len(trace.classes)} classes" in captions(app)
        assert not app.warning


def test_answer_as_numbers_in_a_fold(open_app, classifier, trace):
    app = open_app("vision")
    assert "CLS before the norm" not in matrices(app)
    app.session_state["from_cls"] = True
    app.run()
    assert not app.exception
    expected = recompute_classification(classifier.network, trace)
    drawn = matrices(app)
    for name, vector in (("CLS before the norm", expected.before), ("CLS after the norm, y", expected.after)):
        np.testing.assert_allclose(drawn[name][1][0], vector, rtol=1e-3, atol=1e-3)
    _, *rows = table(app, "From logits to probabilities")
    assert [row[0] for row in rows] == [str(index) for index in range(len(trace.classes))]
    assert [row[1] for row in rows] == list(trace.classes)
    assert [row[2] for row in rows] == [three_digits(float(logit)) for logit in expected.logits]
    assert [row[4] for row in rows] == [percent(float(share)) for share in expected.probabilities]


def test_the_sidebar_describes_the_classifier(open_app, classifier):
    app = open_app("vision")
    sizes = "".join(html.value for html in app.sidebar.html)
    for word in ("ViT-B/16", "86\u202fM", "patch side", f">{classifier.config.image_size}<"):
        assert word in sizes
    if "top1" in classifier.card.get("evaluation", {}):
        assert f"{100 * classifier.card['evaluation']['top1']:.1f}\u00a0%" in sizes


def test_patches_show_one_patch_as_pixels_vector_and_embedding(open_app, classifier, trace):
    app = open_app("vision", row="3", column="5")
    header, weights, picture = patch_picture(app)
    assert header["chosen"] == {"row": "3", "column": "5"}
    assert weights.size == 0
    np.testing.assert_array_equal(picture, patch_grid.as_bytes(trace.pixels))
    app.session_state["table"] = True
    app.run()
    table = app.dataframe[0].value
    number = 2 * trace.grid[1] + 4
    vector = table[table["step"] == "vector"].iloc[:, 2].to_numpy(float)
    size = classifier.config.patch_size
    pixels = trace.pixels[2 * size : 3 * size, 4 * size : 5 * size].transpose(2, 0, 1).ravel()
    np.testing.assert_allclose(vector, 2 * pixels.astype(float) - 1, atol=1e-7)
    embedded = table[table["step"] == "embedding"].iloc[:, 2:].to_numpy(float)
    np.testing.assert_allclose(embedded[:, 1], trace.patches[number], atol=1e-5)
    np.testing.assert_allclose(embedded[:, 0], trace.patches[number], atol=1e-4)
    (text,) = [part.value for part in app.markdown if "Recomputed for this patch" in part.value]
    assert float(without_bounds(text).rsplit(" ", 1)[1].rstrip(".")) < 1e-4
    steps = next(expected for expected in drawn_patches(app) if expected[0]["shows"] == "steps")
    np.testing.assert_array_equal(steps[1], trace.patches)
    np.testing.assert_array_equal(steps[2], picture)


def drawn_patches(app: AppTest) -> list[tuple[dict, np.ndarray, np.ndarray]]:
    """Return header, embeddings and picture of the components of the selected patch."""
    expected = []
    for each in app.get("bidi_component"):
        if each.proto.component_name.endswith("one_patch"):
            header, arrays = read_payload(each.proto.bytes)
            expected.append((header, arrays.get("embeddings", np.zeros((0, 0))), arrays["pixels"]))
    return expected


def test_patches_show_sequence_and_filters(open_app, classifier, trace):
    app = open_app("vision", row="1", column="2")
    (sequence,) = (header for header, *_ in drawn_patches(app) if header["shows"] == "sequence")
    assert sequence["grid"] == list(trace.grid) and sequence["first"] == "CLS"
    assert selection_of(app, sequence) == {"row": "1", "column": "2"}
    message, shares = html_of(app), principal_filters(classifier.network, 28)[1]
    assert message.count("<figure ") == 28
    assert f"<figcaption>{100 * shares[0]:.1f}\u00a0%</figcaption>" in message


def test_cls_attention_equals_the_trace(open_app, trace):
    app = open_app("vision", view="cls", layer="2", head="3", opacity="40", kept="35")
    header, drawn, underlay = sheet(app)
    expected = trace.attention[:, :, 0, 1:].reshape(*trace.attention.shape[:2], *trace.grid)
    np.testing.assert_allclose(drawn[:-1, :-1], expected, atol=1e-5)
    np.testing.assert_allclose(drawn[:-1, -1], expected.mean(axis=1), atol=1e-5)
    np.testing.assert_allclose(drawn[-1, -1], expected.mean(axis=(0, 1)), atol=1e-5)
    np.testing.assert_array_equal(underlay, patch_grid.grey(patch_grid.as_bytes(trace.pixels)))
    assert header["chosen"] == {"layer": "2", "head": "3", "scale": "own", "opacity": "40"}
    large, row, picture = patch_picture(app)
    np.testing.assert_allclose(row, trace.attention[1, 2, :1], atol=1e-5)
    np.testing.assert_array_equal(picture, underlay)
    assert (large["chosen"]["opacity"], large["chosen"]["kept"]) == ("40", "35")
    assert large["panels"][0]["shows"] == "cls"
    assert large["classes"] == list(trace.classes)
    np.testing.assert_allclose(large["read"][-1], trace.probabilities, atol=1e-4)  # after the last layer: the answer
    assert len(large["read"]) == len(trace.attention)
    app.session_state["table"] = True
    app.run()
    np.testing.assert_allclose(app.dataframe[0].value.to_numpy(), expected[1, 2], atol=1e-5)


def test_full_maps_equal_the_trace(open_app, trace):
    app = open_app("vision", view="full-maps", layer="2", head="3")
    ((header, weights),) = maps_by_kind(app).values()
    assert weights.shape[2:] == trace.attention.shape[2:]
    assert (
        header["keys"][:3] == ["CLS", "row 1, column 1", "row 1, column 2"]
        and len(header["keys"]) == trace.attention.shape[-1]
    )
    np.testing.assert_allclose(weights[1, 2], trace.attention[1, 2], rtol=1e-3, atol=1e-6)
    assert chosen_options(app)["scale"] == "own"  # with a shared scale one strong head would leave the others blank
    assert "scaled_dot_product_attention" in captions(app)


def test_scales(open_app, trace):
    on_patches = trace.attention[:, :, 0, 1:]
    app = open_app("vision", view="cls", scale="shared")
    assert patch_picture(app)[0]["top"] == pytest.approx(float(on_patches.max()), abs=1e-5)
    assert sheet(app)[0]["chosen"]["scale"] == "shared"
    app = open_app("vision", view="cls")
    assert patch_picture(app)[0]["top"] is None
    app = open_app("vision", view="any-patch", scale="shared", layer="1", head="1")
    assert patch_picture(app)[0]["top"] == pytest.approx(float(trace.attention[0, 0, 1:, 1:].max()), abs=1e-5)


@pytest.mark.parametrize(("layer", "head"), [("2", "3"), ("6", "mean"), ("mean", "1"), ("mean", "mean")])
def test_any_patch_has_the_whole_matrix_of_one_head(open_app, trace, layer, head):
    app = open_app("vision", view="any-patch", layer=layer, head=head, row="4", column="9")
    header, matrix, _ = patch_picture(app)
    expected = trace.attention
    expected = expected.mean(axis=1) if head == "mean" else expected[:, int(head) - 1]
    expected = expected.mean(axis=0) if layer == "mean" else expected[int(layer) - 1]
    np.testing.assert_allclose(matrix, expected, atol=1e-5)
    assert (header["chosen"]["row"], header["chosen"]["column"]) == ("4", "9") and header["exact"]
    assert [panel["shows"] for panel in header["panels"]] == ["from", "to"]
    app.session_state["table"] = True
    app.run()
    table, chosen = app.dataframe[0].value, 1 + 3 * trace.grid[1] + 8
    np.testing.assert_allclose(table["What it attends to"], expected[chosen, 1:], atol=1e-5)
    np.testing.assert_allclose(table["What attends to it"], expected[1:, chosen], atol=1e-5)


@pytest.mark.parametrize("view", ["cls", "any-patch"])
def test_the_check_is_on_the_page(open_app, trace, view):
    line = check_caption(open_app("vision", view=view), "recomputed")
    difference, rows = (float(part.split(" ")[-1]) for part in line.replace("\n", " ").rstrip(". ").split(". ")[:2])
    assert difference < 1e-4
    assert rows < 1e-4


@pytest.mark.parametrize(
    ("sent", "followed"), [({"row": "3", "column": "5"}, {"row": "3", "column": "5"}), ({"row": "99"}, {}), ("x", {})]
)
def test_valid_selection_of_the_browser_is_stored(open_app, sent, followed):
    before = patch_picture(open_app("vision", view="any-patch"))[0]["chosen"]
    with patch("views.components.patch_picture._MOUNT._mount") as mount:
        app = open_app("vision", view="any-patch")
    app.session_state["any"] = {"chosen": before | sent if isinstance(sent, dict) else sent}
    with patch("streamlit.session_state", app.session_state):
        mount.call_args.kwargs["on_chosen_change"]()
    app.run()
    assert patch_picture(app)[0]["chosen"] == before | followed


def test_at_least_four_samples_are_recognised(classifier):
    traces = {name: classifier.trace(samples.picture(name).image) for name in samples.NAMES}
    right = [name for name, trace in traces.items() if trace.classes[trace.answer].replace(" ", "-").lower() == name]
    assert len(traces) == 6
    assert len(right) >= 4, right


def test_another_picture_gives_other_numbers(open_app, classifier):
    app = open_app("vision", view="cls", picture="church")
    expected = classifier.trace(samples.picture("church").image)
    assert ranked_bars(expected) in html_of(app)
    picture = photo()
    app.get("file_uploader")[0].set_value(("a.png", encoded(picture), "image/png")).run()
    assert not app.exception
    expected = classifier.trace(picture)
    assert ranked_bars(expected, low=False) in html_of(app)
    np.testing.assert_allclose(sheet(app)[1][0, 0].ravel(), expected.attention[0, 0, 0, 1:], atol=1e-5)


def test_results_of_an_own_picture_end_with_the_visit(open_app):
    open_app("vision")  # the first sample, which all visitors share
    service = loaded_service()
    before = set(service.traces._entries), set(service.analyses._entries)
    app = open_app("vision", view="positions")
    shared = set(service.traces._entries), set(service.analyses._entries)
    app.get("file_uploader")[0].set_value(("a.png", encoded(photo(70, 50)), "image/png")).run()
    assert not app.exception
    assert (set(service.traces._entries), set(service.analyses._entries)) == shared
    assert before[0] == shared[0]
    ((own_traces, own_analyses),) = app.session_state["own_results"].values()
    assert len(own_traces._entries) == 1 and own_analyses._entries
    of_the_network = {key for key in shared[1] if key[0] in ("plain pictures", "position similarity")}
    assert len(of_the_network) == 2 and not of_the_network & set(own_analyses._entries)  # computed once for all


def test_bad_upload_gets_one_sentence_and_the_page_stays(open_app):
    app = open_app("vision", view="cls")
    app.get("file_uploader")[0].set_value(("a.png", b"<svg/>", "image/png")).run()
    assert not app.exception
    assert len(app.warning) == 1
    assert sheet(app)


def test_nonsense_in_the_address_falls_back(open_app, trace):
    nonsense = dict(picture="../x", row="99", column="-1", layer="77", head="x", scale="", opacity="900", kept="a")
    app = open_app("vision", view="bogus", **nonsense)
    assert app.get("button_group")[0].value == "patches"
    rows, columns = trace.grid
    assert patch_picture(app)[0]["chosen"] == {"row": str(rows // 2), "column": str(columns // 2)}
    app = open_app("vision", view="cls", **nonsense)
    assert sheet(app)[0]["chosen"] == {
        "layer": str(len(trace.attention)),
        "head": "mean",
        "scale": "own",
        "opacity": "60",
    }
    assert patch_picture(app)[0]["chosen"]["kept"] == "60"
    assert not app.warning


def test_selected_head_stays_in_another_view(open_app, trace):
    app = open_app("vision", view="cls", layer="2", head="3")
    for view in VIEWS:
        app.session_state["view"] = view
        app.run()
        assert not app.exception
    app.session_state["view"] = "any-patch"
    app.run()
    assert map_labels.describe("2", "3") in patch_picture(app)[0]["title"]


def test_broken_installation_gets_one_sentence():
    clear_all()
    reason = "model.safetensors is missing from *assets*."
    with patch("model.VisionClassifier.load", side_effect=CheckpointError(reason)):
        app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=PATIENCE)
        go(app, "vision").run()
    clear_all()
    assert not app.exception
    assert app.error[0].value.replace("\\", "") == reason


def test_page_opens_on_the_church_and_reports_plain_pictures(open_app, classifier):
    app = open_app("vision")
    assert app.query_params["picture"] == "church"
    (message,) = [element.value for element in app.markdown if "The background counts too" in element.value]
    for colour, name, expected in (
        ((110, 160, 220), "sky blue", "parachute"),
        ((60, 140, 50), "grass green", "golf ball"),
    ):
        plain = classifier.trace(Image.new("RGB", (50, 50), colour))
        assert plain.classes[plain.probabilities.argmax()] == expected
        assert f"{name}: {expected}, {percent(float(plain.probabilities.max()))}" in message
