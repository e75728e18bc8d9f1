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
from pages.shared.attention_viewer import export
from pages.shared.attention_viewer.export import SavedView, describe_view
from pages.shared.attention_viewer.provenance import (
    ViewedAttention,
    drop_special_tokens,
    group_tokens,
    merge_into_words,
    view_picture,
    view_sentence,
)
from tests.pages.conftest import ROOT, SENTENCE
from tests.views.components.test_attention_grid import read as read_grid
from tests.views.components.test_html_export import payload_of
from views import kind_labels, map_weights
from views.components import attention_grid
from views.components.attention_grid import Sheet
from views.controls import samples
from views.export import downloads

HOSTILE = '</script> I\'m "here" ``` \u00e9\u202e.'


@pytest.fixture(scope="module")
def translator():
    return Translator.load()


@pytest.fixture(scope="module")
def trace(translator):
    return translator.trace(SENTENCE)


def make_view(
    translator: Translator | RecurrentTranslator, trace, kind: str, sentence: str = SENTENCE
) -> ViewedAttention:
    return view_sentence(trace, kind_labels.KINDS[kind], translator, {"sentence": sentence, "tokenizer_sha256": "t"})


def make_saved_view(viewed: ViewedAttention) -> SavedView:
    """Return a saved view of the maps, with the first head open."""
    sheet = Sheet(
        map_weights.with_means(viewed.attention),
        viewed.layers,
        viewed.heads,
        viewed.queries,
        viewed.keys,
        viewed.kind.name,
        viewed.kind.title,
        viewed.kind.causal,
        True,
        (0, 0),
    )
    files = {"map.csv": lambda: downloads.matrix_csv(viewed.attention[0, 0], viewed.queries, viewed.keys, viewed.kind)}
    descriptions = {"map.csv": "the open map."}
    view = {"look": "maps", "layer": "1", "head": "1"}
    return SavedView(
        viewed,
        view,
        "/attention?text=x",
        "shared",
        "file-of-maps",
        lambda: attention_grid.snapshot(sheet),
        files,
        descriptions,
    )


def run_recipe(viewed: ViewedAttention, monkeypatch) -> np.ndarray:
    monkeypatch.chdir(ROOT)
    names = {}
    exec("\n".join(viewed.recipe), names)
    return names["attention"]


def test_every_file_of_the_archive_has_the_displayed_numbers(translator, trace):
    viewed = make_view(translator, trace, "decoder")
    content = export.build_archive(make_saved_view(viewed))
    assert content == export.build_archive(
        make_saved_view(make_view(translator, translator.trace(SENTENCE), "decoder"))
    )
    read = zipfile.ZipFile(io.BytesIO(content))
    names = ["README.txt", "attention.npz", "map.csv", "overview.svg", "settings.json", "view.html"]
    assert read.namelist() == names
    with np.load(io.BytesIO(read.read("attention.npz"))) as stored:
        np.testing.assert_array_equal(stored["attention"], trace.decoder_attention)
        assert stored["key_tokens"].tolist() == [name.strip() for name in trace.target_tokens]
    rows = list(csv.reader(io.StringIO(read.read("map.csv").decode("utf-8-sig"))))[1:]
    np.testing.assert_array_equal(np.array([row[1:] for row in rows], np.float32), trace.decoder_attention[0, 0])
    _, weights = read_grid(payload_of(read.read("view.html")))
    np.testing.assert_array_equal(weights[:-1, :-1], trace.decoder_attention)
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
    saved = replace(make_saved_view(make_view(translator, trace, "cross")), explanation=explanation)
    page = export.build_html(saved).decode()
    texts = re.findall(r"<(?:p|dd)>(.*?)</(?:p|dd)>", page, re.DOTALL)
    assert len(texts) > 5 and not [text for text in texts if re.search(r"\]\(|\*\*|`|glossary", text)]
    readme = zipfile.ZipFile(io.BytesIO(export.build_archive(saved))).read("README.txt").decode()
    assert "](" not in readme


def test_the_readme_computes_the_same_numbers(translator, tmp_path, monkeypatch, capsys):
    trace = translator.trace(HOSTILE)
    viewed = make_view(translator, trace, "cross", HOSTILE)
    view = make_saved_view(drop_special_tokens(merge_into_words(viewed, group_tokens(viewed.kind, trace))))
    read = zipfile.ZipFile(io.BytesIO(export.build_archive(view)))
    (tmp_path / "attention.npz").write_bytes(read.read("attention.npz"))
    (code,) = re.findall(r"^```python\n(.*?)^```$", read.read("README.txt").decode(), re.DOTALL | re.MULTILINE)
    monkeypatch.chdir(tmp_path)
    exec(code, {})
    assert float(capsys.readouterr().out) == 0
    assert json.loads(read.read("settings.json"))["settings"]["special_tokens"] == "hidden"


def test_recipes(translator, trace, monkeypatch):
    for kind in kind_labels.KINDS:
        viewed = make_view(translator, trace, kind)
        np.testing.assert_array_equal(run_recipe(viewed, monkeypatch), viewed.attention)


@pytest.mark.parametrize("name", ["lstm-additive", "lstm-dot"])
def test_the_recipe_of_an_alignment_loads_the_right_network(monkeypatch, name):
    network = RecurrentTranslator.load(name, "cpu")
    trace = network.trace(SENTENCE)
    of_tokens = make_view(network, trace, "cross")
    for viewed in (of_tokens, merge_into_words(of_tokens, group_tokens(of_tokens.kind, trace))):
        np.testing.assert_array_equal(run_recipe(viewed, monkeypatch), viewed.attention)
    assert viewed.recipe[2] == f"translator = RecurrentTranslator.load({name!r})"


def test_a_picture_is_identified_by_its_hash_and_not_in_the_files(monkeypatch):
    classifier = VisionClassifier.load()
    name = samples.NAMES[2]
    pixels = classifier.prepare(samples.picture(name).image)
    key = hashlib.sha256(pixels.tobytes()).hexdigest()
    trace = classifier.trace(pixels)
    viewed = drop_special_tokens(view_picture(key, trace, classifier.card["weights_sha256"], name))
    assert viewed.queries[0] == "row 1, column 1"
    np.testing.assert_array_equal(run_recipe(viewed, monkeypatch), viewed.attention)
    few = {"attention": viewed.attention[:, :, :3, :3], "queries": viewed.queries[:3], "keys": viewed.keys[:3]}
    own = replace(view_picture(key, trace, "w"), **few)
    description = describe_view(make_saved_view(own))
    assert description["input"] == {"pixels_sha256": key}
    read = zipfile.ZipFile(io.BytesIO(export.build_archive(make_saved_view(own))))
    assert "The picture is not in this folder" in read.read("README.txt").decode()
    assert "samples/" not in read.read("README.txt").decode()
    assert f"samples/{name}.jpg" in "\n".join(viewed.recipe)


def test_a_link_contains_the_sample(translator, trace, monkeypatch):
    settings = {"view": "Full maps", "layer": "2", "text": "A & B", "picture": "church"}
    monkeypatch.setattr(export.bound_settings, "view_query", lambda: dict(settings))
    viewed = replace(
        make_view(translator, trace, "encoder"), kind=kind_labels.VISION, source={"sample": "church"}, page="vision"
    )
    assert export.view_link(viewed) == "/vision?layer=2&picture=church&text=A+%26+B&view=Full+maps"
    settings["picture"] = "own"
    own = replace(viewed, source={"pixels_sha256": "1"})
    assert export.view_link(own) == "/vision?layer=2&text=A+%26+B&view=Full+maps"


@pytest.mark.parametrize(
    ("query", "labels"),
    [
        ({}, ["Overview as PNG", "Overview as SVG", "One HTML file", "Everything as ZIP"]),
        ({"look": "lines"}, ["One HTML file", "Everything as ZIP"]),
        ({"look": "one-weight"}, []),
    ],
)
def test_each_view_offers_its_downloads(open_app, query, labels):
    app = open_app("attention", **query)
    offered = [button.proto.label for button in app.get("download_button")]
    assert [label for label in offered if label.startswith(("Overview", "One HTML", "Everything"))] == labels
