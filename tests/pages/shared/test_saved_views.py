"""Files of the attention viewer: the displayed numbers, the same bytes each time, and a recipe to recompute them."""

import csv
import hashlib
import io
import json
import re
import zipfile
from dataclasses import replace

import numpy as np
import pytest

from model import RecurrentTranslator, Translator, VisionClassifier
from pages.shared import provenance
from pages.shared.attention_viewer import export
from pages.shared.attention_viewer.export import SavedView, describe_view
from pages.shared.provenance import Provenance, view_picture, view_sentence
from tests.pages.conftest import ROOT, SENTENCE
from tests.payloads import read_payload
from tests.views.components.test_html_export import payload_of
from views import kind_labels
from views.components import attention_grid
from views.controls import samples
from views.export import downloads
from views.viewer.attention_maps import KindMaps

HOSTILE = '</script> I\'m "here" ``` \u00e9\u202e.'


@pytest.fixture(scope="module")
def translator():
    return Translator.load()


@pytest.fixture(scope="module")
def trace(translator):
    return translator.trace(SENTENCE)


def make_view(
    translator: Translator | RecurrentTranslator, trace, kind: str, sentence: str = SENTENCE
) -> tuple[KindMaps, Provenance]:
    source = {"sentence": sentence, "tokenizer_sha256": "t"}
    maps, provenance = view_sentence(trace, {kind: kind_labels.KINDS[kind]}, translator, source)
    return maps[kind], provenance


def make_saved_view(shown: KindMaps, provenance: Provenance, whole: KindMaps | None = None) -> SavedView:
    """Return a saved view of the maps, with the first head open."""
    axes = shown.queries.labels, shown.keys.labels
    return SavedView(
        shown,
        provenance,
        provenance.recipe(whole or shown, shown),
        {"look": "maps", "layer": "1", "head": "1"},
        "/attention?text=x",
        "shared",
        "file-of-maps",
        lambda: attention_grid.snapshot(attention_grid.sheet_of(shown)),
        {"map.csv": (lambda: downloads.matrix_csv(shown.weights[0, 0], *axes, shown.kind), "the open map.")},
    )


def run_recipe(whole: KindMaps, provenance: Provenance, shown: KindMaps, monkeypatch) -> np.ndarray:
    monkeypatch.chdir(ROOT)
    names = {}
    exec("\n".join(provenance.recipe(whole, shown)), names)
    return names["attention"]


def test_every_file_of_the_archive_has_the_displayed_numbers(translator, trace):
    viewed = make_view(translator, trace, "decoder")
    content = export.build_archive(make_saved_view(*viewed))
    again = make_view(translator, translator.trace(SENTENCE), "decoder")
    assert content == export.build_archive(make_saved_view(*again))
    read = zipfile.ZipFile(io.BytesIO(content))
    names = ["README.txt", "attention.npz", "map.csv", "overview.svg", "settings.json", "view.html"]
    assert read.namelist() == names
    with np.load(io.BytesIO(read.read("attention.npz"))) as stored:
        np.testing.assert_array_equal(stored["attention"], trace.decoder_attention)
        assert stored["key_tokens"].tolist() == [name.strip() for name in trace.target_tokens]
    rows = list(csv.reader(io.StringIO(read.read("map.csv").decode("utf-8-sig"))))[1:]
    np.testing.assert_array_equal(np.array([row[1:] for row in rows], np.float32), trace.decoder_attention[0, 0])
    (weights,) = read_payload(payload_of(read.read("view.html")))[1].values()
    np.testing.assert_array_equal(weights, trace.decoder_attention)
    description = json.loads(read.read("settings.json"))
    assert description["model"] == {"weights_sha256": translator.card["weights_sha256"], "tokenizer_sha256": "t"}
    assert description["input"] == {
        "sentence": SENTENCE,
        "target": trace.target_text,
        "target_ids": list(trace.next_ids),
    }
    assert description["settings"]["layer"] == "1" and description["settings"]["units"] == "tokens"
    assert description["check"]["largest_difference"] == trace.verification["decoder"].max_difference
    assert set(description["versions"]) == {"Attention Atlas", "python", "torch", "numpy"}


@pytest.mark.parametrize("explanation", ["overview", "lines", "file-of-maps", "file-of-lines", "what-this-checks"])
def test_texts_of_a_saved_page_have_no_markdown(translator, trace, explanation):
    saved = replace(make_saved_view(*make_view(translator, trace, "cross")), explanation=explanation)
    page = export.build_html(saved).decode()
    texts = re.findall(r"<(?:p|dd)>(.*?)</(?:p|dd)>", page, re.DOTALL)
    assert len(texts) > 5 and not [text for text in texts if re.search(r"\]\(|\*\*|`|glossary", text)]
    readme = zipfile.ZipFile(io.BytesIO(export.build_archive(saved))).read("README.txt").decode()
    assert "](" not in readme


def test_the_readme_computes_the_same_numbers(translator, tmp_path, monkeypatch, capsys):
    trace = translator.trace(HOSTILE)
    whole, provenance = make_view(translator, trace, "cross", HOSTILE)
    view = make_saved_view(whole.in_words().without_special(), provenance, whole)
    read = zipfile.ZipFile(io.BytesIO(export.build_archive(view)))
    (tmp_path / "attention.npz").write_bytes(read.read("attention.npz"))
    (code,) = re.findall(r"^```python\n(.*?)^```$", read.read("README.txt").decode(), re.DOTALL | re.MULTILINE)
    monkeypatch.chdir(tmp_path)
    exec(code, {})
    assert float(capsys.readouterr().out) == 0
    assert json.loads(read.read("settings.json"))["settings"]["special_tokens"] == "hidden"


def test_recipes(translator, trace, monkeypatch):
    for kind in kind_labels.KINDS:
        whole, provenance = make_view(translator, trace, kind)
        np.testing.assert_array_equal(run_recipe(whole, provenance, whole, monkeypatch), whole.weights)


@pytest.mark.parametrize("name", ["lstm-additive", "lstm-dot"])
def test_the_recipe_of_an_alignment_loads_the_right_network(monkeypatch, name):
    network = RecurrentTranslator.load(name, "cpu")
    trace = network.trace(SENTENCE)
    whole, provenance = make_view(network, trace, "cross")
    for shown in (whole, whole.in_words(), whole.in_words().without_special().layers([0])):
        np.testing.assert_array_equal(run_recipe(whole, provenance, shown, monkeypatch), shown.weights)
    assert provenance.recipe(whole, whole)[2] == f"translator = RecurrentTranslator.load({name!r})"


def test_a_picture_is_identified_by_its_hash_and_not_in_the_files(monkeypatch):
    classifier = VisionClassifier.load()
    name = samples.NAMES[2]
    pixels = classifier.prepare(samples.picture(name).image)
    key = hashlib.sha256(pixels.tobytes()).hexdigest()
    trace = classifier.trace(pixels)
    maps, provenance = view_picture(key, trace, classifier.card["weights_sha256"], name)
    whole = maps["vision"]
    shown = whole.without_special()
    assert shown.queries.labels[0] == "row 1, column 1"
    np.testing.assert_array_equal(run_recipe(whole, provenance, shown, monkeypatch), shown.weights)
    few = [axis.select((0, 1, 2)) for axis in (whole.queries, whole.keys)]
    own = replace(whole, weights=whole.weights[:, :, :3, :3], queries=few[0], keys=few[1])
    own_provenance = view_picture(key, trace, "w")[1]
    description = describe_view(make_saved_view(own, own_provenance))
    assert description["input"] == {"pixels_sha256": key}
    read = zipfile.ZipFile(io.BytesIO(export.build_archive(make_saved_view(own, own_provenance))))
    assert "The picture is not in this folder" in read.read("README.txt").decode()
    assert "samples/" not in read.read("README.txt").decode()
    assert f"samples/{name}.jpg" in "\n".join(provenance.recipe(whole, whole))


def test_a_link_contains_the_sample(monkeypatch):
    settings = {"view": "Full maps", "layer": "2", "text": "A & B", "picture": "church"}
    monkeypatch.setattr(provenance.bound_settings, "view_query", lambda: dict(settings))
    assert provenance.view_link("vision") == "/vision?layer=2&picture=church&text=A+%26+B&view=Full+maps"
    settings["picture"] = "own"
    assert provenance.view_link("vision") == "/vision?layer=2&text=A+%26+B&view=Full+maps"


@pytest.mark.parametrize(
    ("query", "labels"),
    [
        (
            {},
            [
                "Overview as PNG",
                "Overview as PNG with the sentence",
                "Overview as SVG",
                "One HTML file",
                "Everything as ZIP",
            ],
        ),
        ({"look": "lines"}, ["One HTML file", "Everything as ZIP"]),
        ({"look": "one-weight"}, []),
    ],
)
def test_each_view_offers_its_downloads(open_app, query, labels):
    app = open_app("attention", **query)
    offered = [button.proto.label for button in app.get("download_button")]
    assert [label for label in offered if label.startswith(("Overview", "One HTML", "Everything"))] == labels
