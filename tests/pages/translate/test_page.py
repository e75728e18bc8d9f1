"""The home page: sentence, translation, and the candidates at each position."""

import re

import pytest
from streamlit.testing.v1 import AppTest

from tests.pages.charts import check_caption
from tests.pages.conftest import PATIENCE, ROOT, SENTENCE, html_of
from views.controls import sentence_input


def test_the_page_has_navigation_and_sidebar(open_app):
    app = open_app()
    assert app.title[0].value == "Attention Atlas"
    sidebar = app.sidebar
    assert sidebar.text[0].value
    sizes = sidebar.html[0].value
    for word in ("d_model", "heads", "d_k", "d_ff", "vocabulary", "parameters", "65\u202fM"):
        assert word in sizes
    sidebar.button[0].click().run()
    assert not app.exception


def test_translation_tokens_probabilities_and_candidates(open_app):
    app = open_app()
    assert app.text_input(key="text").value == SENTENCE
    html = html_of(app)
    assert 'lang="fr"' in html
    read = re.search(r"encoder reads (\d+) tokens", html)
    written = re.search(r"decoder generates (\d+) tokens", html)
    assert int(read[1]) >= 2
    cards = re.findall(r'<div role="listitem"><table>.*?</table></div>', html)
    assert len(cards) == int(written[1])
    for card in cards:
        assert len(re.findall("<tr", card)) in (5, 6)
        assert card.count("aa-chosen") == 1
    assert len(app.get("bidi_component")) == 2  # the stage and the diagram


def test_step_by_step_probabilities_agree_with_one_pass(open_app):
    line = check_caption(open_app(), "Checked")
    assert float(line.rsplit(" ", 1)[1].rstrip(".")) < 1e-4


def test_the_table_has_a_row_for_each_token(open_app):
    app = open_app()
    assert not app.dataframe
    app.session_state["table"] = True
    app.run()
    table = app.dataframe[0].value
    assert list(table.columns[:4]) == ["position", "token", "probability", "rank"]
    assert table["probability"].between(0, 1).all()
    assert (table["rank"] >= 1).all()
    top = table[[f"probability {place}" for place in range(1, 6)]].to_numpy()
    assert (top[:, :-1] >= top[:, 1:]).all()


def test_an_example_fills_the_box(open_app):
    app = open_app()
    app.session_state["example"] = None
    pills = next(group for group in app.get("pills") if group.key == "example")
    pills.set_value(sentence_input.EXAMPLES[0]).run()
    assert app.text_input(key="text").value == sentence_input.EXAMPLES[0]
    assert not app.exception


def test_without_a_sentence_in_the_address_the_default_is_translated():
    fresh = AppTest.from_file(str(ROOT / "app.py"), default_timeout=PATIENCE).run()
    assert fresh.text_input(key="text").value == sentence_input.DEFAULT
    assert not fresh.exception


def test_decoding_methods_show_their_settings(open_app):
    beam = open_app(method="beam", beam="2")
    assert beam.number_input(key="beam").value == 2
    assert "one pass" in " ".join(caption.value for caption in beam.caption)
    sampling = open_app(method="sampling", seed="7")
    assert sampling.number_input(key="seed").value == 7
    again = open_app(method="sampling", seed="7")
    assert html_of(again) == html_of(sampling)


def test_invalid_input_gets_one_sentence_and_the_page_stays(open_app):
    for text in ("", "   ", "\u200b", "car " * 240, "x" * 5000):
        app = open_app()
        app.text_input(key="text").set_value(text).run()
        assert not app.exception
        assert len(app.warning) == 1
        assert app.warning[0].value
        assert len(app.get("bidi_component")) == 1


@pytest.mark.parametrize("text", ["<script>x</script> **b** $x$", "\u202e\u05d0\u05d1 a\x00b\x1b[0m", "\ud800 lone"])
def test_hostile_text_is_never_markup(text):
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=PATIENCE)
    app.session_state["text"] = text
    app.run()
    assert not app.exception
    assert "<script>" not in html_of(app)
    assert all("<script>" not in element.value for element in app.markdown)
