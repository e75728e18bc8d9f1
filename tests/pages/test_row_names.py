"""Rows of a decoder have one name on all pages: the token read, and the one that is chosen there; files have both."""

from __future__ import annotations

import csv
import io

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from attention_atlas import show
from tests.attention_atlas.test_show import payload, saved
from tests.drawn_rows import row_names, shown
from tests.pages.apart import sent_weights
from tests.pages.attention.test_page import lines
from tests.pages.drawn import matrices
from tests.pages.kinds import maps_by_kind
from tests.pages.recipes import record_files
from tests.payloads import read_payload
from views.components import component
from views.kind_labels import KINDS
from views.viewer.attention_maps import from_trace

SENTENCES = (
    "Where did you learn to cook?",
    "She gave him the book that he had lost.",
    "My brothers have never seen such unbelievable mountains.",
)
DECODING = ("decoder", "cross")


def stage_of(app) -> dict:
    """What home's stage shows."""
    (stage,) = [part for part in app.get("bidi_component") if part.proto.component_name == "stage"]
    return read_payload(stage.proto.bytes)[0]


def heads_of(app) -> dict:
    """The axes of the list of heads."""
    (listed,) = [part for part in app.get("bidi_component") if part.proto.component_name == "head_list"]
    return read_payload(listed.proto.bytes)[0]["axes"]


@pytest.mark.parametrize("text", SENTENCES)
def test_every_page_names_a_row_as_home_does(open_app, translator, text):
    trace = translator.trace(text)
    home = stage_of(open_app("translate", text=text))
    chosen = list(map(shown, trace.next_tokens))
    assert home["french"] == chosen
    inputs = [home["start"], *chosen[:-1]]
    home["rows"] = [home["rowName"].format(read=read, chosen=token) for read, token in zip(inputs, chosen, strict=True)]
    assert home["rows"] == row_names(trace, "cross")
    maps = maps_by_kind(open_app("attention", text=text, kind="cross"))
    drawn = lines(open_app("attention", text=text, kind="cross", look="lines"))
    steps = open_app("attention", text=text, kind="decoder", look="one-weight")
    heads = heads_of(open_app("heads", text=text))
    for kind in DECODING:
        keys = component.labels(trace.axes(kind)[1])
        compared = matrices(open_app("compare", text=text, kind=kind))
        places = [maps[kind][0], drawn[kind][0], heads[kind]]
        places += [
            {"queries": item["rows"], "keys": item["columns"]} for item, _ in map(compared.get, ("Before", "After"))
        ]
        labels = sent_weights(steps, kind)[0]["labels"]
        for header in (*places, dict(zip(("queries", "keys"), labels, strict=True))):
            assert (header["queries"], header["keys"]) == (home["rows"], keys)
        options = [select for select in header_options(steps) if select["name"] == f"{kind}_query_piece"]
        assert [label for _, label in options[0]["options"]] == [
            f"{place} {name}" for place, name in enumerate(home["rows"], 1)
        ]
    assert maps["encoder"][0]["queries"] == maps["encoder"][0]["keys"] == component.labels(trace.source_tokens)


def header_options(app) -> list[dict]:
    """The choices of the view "One weight"."""
    (element,) = [part for part in app.get("bidi_component") if part.proto.component_name == "one_weight"]
    return read_payload(element.proto.bytes)[0]["controls"]


@pytest.mark.parametrize("text", SENTENCES)
@pytest.mark.parametrize("view", ["maps", "lines", "text"])
def test_show_names_rows_as_the_pages_do(translator, text, view):
    trace = translator.trace(text)
    for kind in DECODING:
        header, _ = payload(show(trace, kind=kind, view=view).html)
        (fields,) = header["kinds"].values()
        assert (fields["queries"], fields["keys"]) == (row_names(trace, kind), component.labels(trace.axes(kind)[1]))


@pytest.mark.parametrize("text", SENTENCES)
def test_a_target_that_is_given_is_only_read(translator, text):
    own = translator.trace(text)
    trace = translator.trace(text, target=own.target_text)
    assert trace.next_ids == own.next_ids and not any(trace.chosen) and trace.given
    header, _ = payload(show(trace, kind="cross").html)
    assert header["kinds"]["cross"]["queries"] == component.labels(trace.target_tokens)
    assert trace.chosen_at("cross") == () == own.chosen_at("encoder")
    assert translator.trace(text, target_ids=own.next_ids).chosen == own.next_tokens  # a decoder chose these


@pytest.mark.parametrize("marks", ["shown", "hidden"])
@pytest.mark.parametrize("units", ["tokens", "words"])
def test_files_keep_the_token_read_and_gain_the_one_chosen(open_app, translator, monkeypatch, marks, units):
    text = SENTENCES[1]
    trace = translator.trace(text)
    makers = record_files(monkeypatch)
    open_app("attention", text=text, kind="decoder", layer="1", head="1", marks=marks, units=units)
    whole = from_trace(trace, KINDS)["decoder"]
    maps = whole.in_words() if units == "words" else whole
    hidden = marks == "hidden"
    rows = list(csv.reader(io.StringIO(makers["decoder-layer-1-head-1.csv"]().decode("utf-8-sig"))))
    read = [label.strip() for label in maps.queries.labels]  # `<s>` stays: the first word is chosen there
    keys = [label.strip() for label in maps.keys.labels][hidden:]
    assert rows[0] == ["query \\ key", *(f"{place} {key}" for place, key in enumerate(keys, 1)), "chosen"]
    assert [row[0] for row in rows[1:]] == [f"{place} {token}" for place, token in enumerate(read, 1)]
    chosen = [row[-1] for row in rows[1:]]
    if units == "tokens":
        assert chosen == [token.strip() for token in trace.next_tokens]
    assert chosen[0] == trace.next_tokens[0].strip() and chosen[-1] == "</s>"
    arrays = np.load(io.BytesIO(makers["decoder.npz"]()))
    assert (arrays["query_tokens"].tolist(), arrays["chosen"].tolist()) == (read, chosen)
    np.testing.assert_array_equal(arrays["attention"], maps.weights[..., hidden:])


def test_lines_and_comparisons_have_both_tokens_in_their_files(open_app, translator, monkeypatch):
    text, makers = SENTENCES[1], record_files(monkeypatch)
    trace = translator.trace(text)
    open_app("attention", text=text, kind="cross", look="lines", lines="1-1-100")
    header, *rows = csv.reader(io.StringIO(makers["cross-lines.csv"]().decode("utf-8-sig")))
    assert header == ["layer", "head", "query", "query token", "key", "key token", "weight", "chosen"]
    tokens = list(zip(trace.target_tokens, trace.next_tokens, strict=True))
    assert {(int(row[2]), row[3], row[7]) for row in rows} == {
        (place, read.strip(), chosen.strip()) for place, (read, chosen) in enumerate(tokens, 1)
    }
    open_app("compare", text=text, kind="decoder", layer="1", head="1")
    name = next(name for name in makers if name.startswith("compare-decoder") and name.endswith(".csv"))
    header, *rows = csv.reader(io.StringIO(makers[name]().decode("utf-8-sig")))
    assert header == ["query", "key", "Before", "After", "difference", "chosen"]
    assert [row[5] for row in rows[:: len(tokens)]] == [chosen.strip() for _, chosen in tokens]
    assert [row[0] for row in rows[:: len(tokens)]] == [f"{n} {read.strip()}" for n, (read, _) in enumerate(tokens, 1)]


def test_the_file_of_a_step_of_decoding_names_its_row_as_other_files_do(open_app, translator, monkeypatch):
    text, makers = SENTENCES[1], record_files(monkeypatch)
    trace = translator.trace(text)
    open_app("decoding", text=text, step="3", layer="2", head="1")
    header, row = csv.reader(io.StringIO(makers["cross-attention-step-3.csv"]().decode("utf-8-sig")))
    assert (header[0], header[-1]) == ("query \\ key", "chosen")
    assert (row[0], row[-1]) == (f"1 {trace.target_tokens[2].strip()}", trace.next_tokens[2].strip())


def test_a_row_at_which_two_sentences_choose_otherwise_states_both(open_app, translator):
    other = "She gave him the house that he had lost."
    traces = [translator.trace(text) for text in (SENTENCES[1], other)]
    app = open_app("compare", text=SENTENCES[1], b="other", other=other, kind="cross")
    drawn = matrices(app)
    difference = next(item for name, (item, _) in drawn.items() if " minus " in name)
    chosen = dict(
        zip(*(map(str.strip, tokens) for tokens in (traces[0].target_tokens, traces[0].next_tokens)), strict=True)
    )
    both = [name for name in difference["rows"] if " / " in name]
    assert both and all(name.split(" \u2192 ")[1].split(" / ")[0] == chosen[name.split(" \u2192 ")[0]] for name in both)
    assert any("chat \u2192 noir / blanc" in caption.value for caption in app.caption)


WORDS = st.lists(st.text("abc\u00e9\u05d0\u05d1", min_size=1, max_size=4), min_size=2, max_size=6)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(WORDS)
def test_arrays_are_shown_with_the_tokens_that_a_decoder_chose(words):
    weights = np.full((1, 1, len(words), len(words)), 1 / len(words), np.float32)
    chosen = [*words[1:], ""]
    page = show(weights, words, chosen=chosen, view="maps").html
    (fields,) = payload(page)[0]["kinds"].values()
    plain = [name.replace("\u2068", "").replace("\u2069", "") for name in fields["queries"]]
    assert plain == [*(f"{read} \u2192 {next_}" for read, next_ in zip(words, words[1:], strict=False)), words[-1]]
    assert fields["keys"] == fields["read"] == words
    rows = list(csv.DictReader(io.StringIO(saved(page, "attention.csv").decode("utf-8-sig"))))
    assert [row["chosen"] for row in rows[:: len(words)]] == chosen
