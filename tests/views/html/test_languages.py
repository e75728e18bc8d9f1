"""Browsers do not translate the output of a network and its tokens, and screen readers know their language."""

import re
from types import SimpleNamespace

import numpy as np
import pytest

from pages.shared import tables
from tests.payloads import read_payload
from views import kind_labels
from views.components import attention_grid, attention_lines, matrix_row, step_view
from views.html import aligned_tokens, decoding_steps, generated_tokens
from views.svg import beam, course_sentences, head_arcs, unrolled
from views.text import literal
from views.viewer.attention_maps import KindMaps, MapAxis

CHAT = SimpleNamespace(token="chat", probability=0.5)
PRODUCED = SimpleNamespace(token="chat", probability=0.5, top=[CHAT])


def test_tokens_are_not_translated():
    assert literal.TOKEN == ' data-said="token" translate="no"'
    views = [
        generated_tokens.sentence("Le chat dort.", "fr", [(3, 7)]),
        generated_tokens.sentence_cell("Le chat dort.").html,
        generated_tokens.chips(["Le", "chat"], "decoder", [0.5, 0.5], language="fr"),
        generated_tokens.chips(["The", "cat"], "encoder", language="en"),
        generated_tokens.cards([PRODUCED]),
        aligned_tokens.aligned_tokens(["chat"], ["chien"], [(0, 0)], ("A", "B"), "none"),
    ]
    for html in views:
        marked = re.findall(r"<\w+[^>]*data-said=.token.[^>]*>", html)
        assert marked and all('translate="no"' in element for element in marked)


def test_french_output_states_its_language():
    for html in (
        generated_tokens.sentence("Le chat.", "fr"),
        generated_tokens.sentence_cell("Le chat.").html,
        generated_tokens.chips(["chat"], "decoder", language="fr"),
        generated_tokens.cards([PRODUCED]),
    ):
        assert 'lang="fr"' in html
    assert 'lang="fr"' in generated_tokens.chips(["chat"], "decoder")
    assert 'lang="en"' in generated_tokens.chips(["cat"], "encoder")


def test_tokens_on_the_axes_of_a_step_view_state_their_language():
    source = step_view.Axis("token", "Token", ["cat"], data_kind="token", language="en")
    numbers = step_view.Axis("unit", "Unit", ["1"], data_kind="number")
    view = step_view.StepView((source, numbers), {}, ())
    header, _ = read_payload(step_view.payload(view, "light"))
    assert [axis["said"] for axis in header["axes"]] == ["token en", "number"]


def axis_languages(header: dict) -> list[list[str]]:
    """Every pair of languages in a payload."""
    inner = [each for value in header.values() if isinstance(value, dict | list) for each in nested(value)]
    return ([list(header["languages"])] if "languages" in header else []) + inner


def nested(value: object) -> list[list[str]]:
    if isinstance(value, dict):
        return axis_languages(value)
    return [each for item in value for each in nested(item)] if isinstance(value, list) else []


AXES = MapAxis(("chat",)), MapAxis(("the", "cat"))
CROSS = KindMaps(kind_labels.KINDS["cross"], np.full((1, 1, 1, 2), 0.5, np.float32), *AXES, (0,))


def test_maps_and_lines_state_the_languages_of_both_sides():
    matrix = matrix_row.RowMatrix("m", np.eye(2), rows=["a", "b"], languages=("fr", "en"))
    headers = [
        attention_grid.payload(attention_grid.sheet_of(CROSS), "light"),
        attention_lines.payload(attention_lines.AttentionLines(CROSS, attention_lines.LinesView((0,), (0,))), "light"),
        matrix_row.payload([matrix], "light"),
    ]
    for content in headers:
        assert axis_languages(read_payload(content)[0]) == [["fr", "en"]]


@pytest.mark.parametrize("kind", [*kind_labels.KINDS, *kind_labels.ALIGNMENTS])
def test_each_kind_of_the_translator_knows_its_languages(kind: str):
    of = (kind_labels.KINDS | kind_labels.ALIGNMENTS)[kind]
    expected = {"encoder": ("en", "en"), "decoder": ("fr", "fr")}.get(kind, ("fr", "en"))
    assert of.languages == of.of_words.languages == expected


def test_a_kind_of_another_model_has_no_language():
    for name in ("encoder", "decoder", "cross", "vision", "mine"):
        assert kind_labels.any_model_kind(name).languages == ("", "")


def test_drawings_and_tables_state_the_language_of_tokens():
    weights = np.full((1, 2, 2), 0.5, np.float32)
    rows = [unrolled.SublayerRow(side, side, side, "encoder", [1]) for side in ("source", "target")]
    drawn = {
        "fr": [
            tables.token_column("t", ["chat"], "fr").cells[0].html,
            decoding_steps.differing_cell("chat", "fr").html,
            beam.beam([[beam.Node("chat", 1, -1, -1, "kept", True, 0)]], "t"),
            course_sentences.two_columns(["chat"], "rest", {"a": [1, 0]}, "t", kind="decoder"),
        ],
        "en": [
            head_arcs.head_arcs(["a", "b"], ["a", "b"], weights, "light", "t", True, ("en", "en")),
            course_sentences.bar_rows(["cat"], [1], "t", kind="cross", language="en", covered=False),
        ],
    }
    for language, views in drawn.items():
        for html in views:
            marked = re.findall(r"<(?!title)\w+[^>]*data-said=.token.[^>]*>", html)
            assert marked and all(f'translate="no" lang="{language}"' in element for element in marked)
    both = unrolled.unrolled(rows, {"source": ["cat"], "target": ["chat"]}, [], [], "t")
    assert re.findall(r'lang="(\w+)"', both) == ["en", "fr"]
    assert 'lang="fr"' in decoding_steps.token_strip(["<s>"], "le", ["chat"])
