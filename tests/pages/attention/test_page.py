"""The page *Attention* renders the traced weights, and the address determines the view."""

import json

import numpy as np
import pytest

from model.attribution.head_labels import text_scores
from model.text.word_alignment import find_links
from model.tracing.kinds import KINDS
from pages.shared.models import load_alignment, load_service
from pages.shared.warmup import WARMUPS, initial_answer
from server import warm_up
from tests.drawn_rows import row_names
from tests.pages.apart import sent_weights
from tests.pages.charts import check_caption
from tests.pages.conftest import go
from tests.pages.kinds import chosen_options, maps_by_kind, read
from tests.payloads import read_payload
from views import kind_labels, map_labels, map_weights
from views.components import component
from views.components.attention_lines import LinesView, LockedToken
from views.controls import sentence_input
from views.text.numbers import three_digits


def lines(app) -> dict[str, tuple[dict, np.ndarray]]:
    """Header and weights of the lines of each kind."""
    (element,) = app.get("bidi_component")
    header, weights = read_payload(element.proto.bytes)
    return {kind: (fields, weights[kind]) for kind, fields in header["kinds"].items()}


@pytest.mark.parametrize("kind", kind_labels.KINDS)
def test_overview_and_detail_show_the_trace(open_app, trace, kind):
    app = open_app("attention", kind=kind, layer="2", head="3")
    assert list(maps_by_kind(app)) == list(kind_labels.KINDS)  # all kinds are sent, whichever is open
    header, weights = maps_by_kind(app)[kind]
    attention = trace.attention(kind)
    np.testing.assert_allclose(weights[:-1, :-1], attention, atol=1e-5)
    np.testing.assert_allclose(weights[:-1, -1], attention.mean(axis=1), atol=1e-5)
    queries, keys = trace.axes(kind)
    assert (header["queries"], header["keys"]) == (row_names(trace, kind), component.labels(keys))
    assert header["read"] == (None if kind == "encoder" else component.labels(queries))
    assert header["causal"] == (kind == "decoder")
    assert header["scales"] == {theme: list(colours) for theme, colours in component.scales(kind).items()}
    assert chosen_options(app) == {
        "kind": kind,
        "units": "tokens",
        "marks": "shown",
        "layer": "2",
        "head": "3",
        "scale": "shared",
    }
    assert header["detail"] == {
        "heading": kind_labels.KINDS[kind].heading("{map}"),
        "query_axis": kind_labels.KINDS[kind].query_axis,
        "key_axis": kind_labels.KINDS[kind].key_axis,
    }


@pytest.mark.parametrize(("layer", "head"), [("mean", "2"), ("3", "mean"), ("mean", "mean")])
def test_means(open_app, trace, layer, head):
    app = open_app("attention", kind="cross", layer=layer, head=head)
    row, column = map_labels.ids_with_mean(4).index(layer), map_labels.ids_with_mean(8).index(head)
    assert (chosen_options(app)["layer"], chosen_options(app)["head"]) == (layer, head)
    drawn = maps_by_kind(app)["cross"][1][row, column]
    expected = trace.cross_attention
    expected = expected.mean(axis=1) if head == "mean" else expected[:, int(head) - 1]
    expected = expected.mean(axis=0) if layer == "mean" else expected[int(layer) - 1]
    np.testing.assert_allclose(drawn, expected, atol=1e-5)


def test_choices_do_not_change_the_sent_bytes(open_app):
    """How the browser draws each is tested in tests/browser/test_kinds_component.py."""
    contents = [
        open_app("attention", **query).get("bidi_component")[0].proto.bytes
        for query in ({}, {"kind": "cross", "layer": "1", "head": "2", "scale": "log"}, {"units": "words"})
    ]
    assert len(set(contents)) == 1


def test_initial_html_has_the_maps_and_controls_of_the_page(open_app):
    app = open_app("attention", text=sentence_input.DEFAULT)
    warm_up.warm_up(WARMUPS)
    answer = initial_answer("attention")
    assert answer.sentence == app.text_input(key="text").value
    assert answer.view.chosen == chosen_options(app)
    rendered, initial = read(app.get("bidi_component")[0].proto.bytes), read(answer.view.payload)
    assert initial[0].keys() == rendered[0].keys() and initial[0]["controls"] == rendered[0]["controls"]
    assert list(initial[1]) == ["cross"] and initial[1]["cross"][0] == rendered[1]["cross"][0]
    np.testing.assert_array_equal(initial[1]["cross"][1], rendered[1]["cross"][1])


def test_it_opens_with_the_most_focused_aligned_head_and_the_address_names_it(open_app, trace):
    service = load_service()
    table = load_alignment(service.model.folder, service.model.card["tokenizer_sha256"])
    links = find_links(table, trace.source_ids, trace.next_ids)
    scores = text_scores(trace.cross_attention, KINDS["cross"], *trace.ids("cross"), links)
    entropy = np.where(trace.cross_attention > 0, -trace.cross_attention * np.log(trace.cross_attention), 0).sum(-1)
    aligned = [place for place in np.ndindex(4, 8) if scores.label(*place).name == "aligned"]
    layer, head = min(aligned, key=lambda place: entropy[place].mean())
    named = {"kind": "cross", "layer": map_labels.to_id(layer), "head": map_labels.to_id(head)}
    for look in ("maps", "one-weight", "lines"):
        app = open_app("attention", look=look)
        address = {name: app.query_params[name] for name in named}
        assert address == named, look
        if look == "lines":
            assert chosen_options(app)["view"] == as_sent(LinesView((layer,), (head,)))
        else:
            assert chosen_options(app).items() >= named.items()
        again = open_app("attention", **{name: app.query_params[name] for name in app.query_params})
        assert chosen_options(again) == chosen_options(app)  # as after a reload
    go(app, "heads")
    app.run()
    assert not set(named) & set(app.query_params)  # nobody has chosen it


@pytest.mark.parametrize(
    ("query", "opened"),
    [
        ({"kind": "cross"}, ("cross", "1", "1")),
        ({"layer": "3"}, ("encoder", "3", "1")),
        ({"head": "mean"}, ("encoder", "1", "mean")),
        ({"look": "one-weight", "encoder_query_piece": "2"}, ("encoder", "1", "1")),
        ({"look": "lines", "lines": "2-3-80"}, ("encoder", "1", "1")),
    ],
)
def test_an_address_that_names_a_part_opens_as_before(open_app, query, opened):
    app = open_app("attention", **query)
    assert tuple(app.query_params[name] for name in ("kind", "layer", "head")) == opened


def test_whole_words_without_special_tokens(open_app, trace):
    app = open_app("attention", kind="encoder", units="words", marks="hidden", layer="2", head="1")
    assert (chosen_options(app)["units"], chosen_options(app)["marks"]) == ("words", "hidden")
    header, _ = maps_by_kind(app)["encoder"]
    words = header["grouped"]
    assert [name.strip() for name in words["keys"]] == ["I", "want", "to", "buy", "a", "car", ".", "</s>"]
    assert words["starts"] == [list(range(8))] * 2 and words["special"] == header["special"] == [[7], [7]]
    assert words["detail"]["key_axis"] == "English key word"
    removed = trace.encoder_attention[:, :, :-1, -1].mean(axis=-1)
    (line,) = [c.value for c in app.caption if c.value.startswith("Hidden columns have")]
    assert three_digits(removed.mean()) in line and three_digits(removed.max()) in line


@pytest.mark.parametrize("kind", ["cross", "decoder"])
def test_one_weight_is_sent_with_queries_keys_and_scores(open_app, trace, kind):
    """The browser computes the weight; tests/browser/test_choices_at_once.py compares it with the record."""
    app = open_app("attention", kind=kind, look="one-weight", layer="3", head="5")
    header, numbers = sent_weights(app, kind)
    record = trace.records[kind]
    np.testing.assert_array_equal(numbers["queries"], record.queries)
    np.testing.assert_array_equal(numbers["keys"], record.keys)
    assert "scores" not in numbers and header["causal"] == (kind == "decoder")
    np.testing.assert_array_equal(list(numbers["masks"]), [] if record.allowed is None else [record.allowed])
    assert header["labels"] == [row_names(trace, kind), component.labels(trace.axes(kind)[1])]
    lengths = {name: str(len(trace.axes(name)[0])) for name in ("encoder", "decoder", "cross")}
    queries = {f"{name}_query_piece": length for name, length in lengths.items()}
    keys = {f"{name}_key_piece": "strongest" for name in lengths}
    assert chosen_options(app) == {"kind": kind, "layer": "3", "head": "5"} | queries | keys
    assert {(form["plain"], form["allowed"]) for form in header["forms"]} == {(True, len(numbers["masks"]) - 1)}
    assert "largest difference from" in check_caption(app, "Computed here in double precision")


def test_the_check_is_on_the_page(open_app):
    line = check_caption(open_app("attention", kind="decoder"), "recomputed")
    assert "Weight on masked keys: 0." in line
    line = check_caption(open_app("attention", kind="cross"), "recomputed")
    assert "nothing is masked" in line


def test_invalid_settings_in_the_address_are_ignored(open_app):
    app = open_app("attention", kind="bogus", layer="99", head="-1", scale="", method="x")
    assert list(chosen_options(app).values()) == ["encoder", "tokens", "shown", "1", "1", "shared"]
    assert not app.warning


def test_the_translation_follows_the_decoding_settings(open_app):
    texts = [
        next(html.value for html in open_app("attention", **query).html if 'lang="fr"' in html.value)
        for query in ({}, {"method": "greedy"}, {"method": "beam", "beam": "3"})
    ]
    assert texts[0] == texts[1]
    assert 'lang="fr"' in texts[2]


@pytest.mark.parametrize("text", ["", "  ", "car " * 240])
def test_bad_input_gets_one_sentence(open_app, text):
    app = open_app("attention")
    app.text_input(key="text").set_value(text).run()
    assert not app.exception
    assert len(app.warning) == 1
    assert not app.get("bidi_component")


def test_the_longest_sentence_is_rendered(open_app):
    app = open_app("attention", text="a " * 120, kind="encoder")
    assert not app.warning
    assert len(app.get("bidi_component")) == 1


def test_lines_show_the_trace_and_store_the_view(open_app, trace):
    app = open_app("attention", kind="cross", look="lines", lines="1.4-2.3-90-k2")
    sent = lines(app)
    assert list(sent) == list(kind_labels.KINDS)  # all kinds are sent, whichever is open
    for kind, (header, weights) in sent.items():
        attention = trace.attention(kind)
        np.testing.assert_allclose(weights, attention, atol=1e-5)
        assert [header["queries"], header["keys"]] == [row_names(trace, kind), component.labels(trace.axes(kind)[1])]
    assert sent["cross"][0]["queryAxis"] == "French query token"
    assert sent["cross"][0]["grouped"]["queryAxis"] == "French query word"
    view = LinesView((0, 3), (1, 2), 0.9, LockedToken("key", 1))
    assert chosen_options(app) == {"kind": "cross", "units": "tokens", "marks": "shown", "view": as_sent(view)}
    drawn = map_weights.strongest_keys(trace.cross_attention[[0, 3]][:, [1, 2]], 0.9)
    assert f"now {drawn.sum()} of {drawn.size} weights" in app.caption[0].value.replace("\n", " ")
    app = open_app("attention", look="lines", lines="99-nonsense", units="words")
    assert chosen_options(app) == {
        "kind": "encoder",
        "units": "words",
        "marks": "shown",
        "view": as_sent(LinesView((0,), (0,))),
    }
    words = len(lines(app)["encoder"][0]["grouped"]["queries"])
    assert f"of {words**2} weights" in app.caption[0].value.replace("\n", " ")


def as_sent(view: LinesView) -> dict:
    """Return the fields of a view as the component sends them."""
    return json.loads(json.dumps(view, default=vars))
