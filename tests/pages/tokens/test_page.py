"""The Tokens page: every number equals the model's, and every setting changes the page."""

import re

import numpy as np
import pytest

from model.lessons.contexts import follow_word
from model.lessons.embedding import find_neighbours, recompute_embedding
from model.lessons.word_order import compare_orders
from pages.tokens.contexts import SENTENCES
from pages.tokens.word_order import ORDERS
from tests.pages.charts import charts, check_caption, curve, numbers
from tests.pages.conftest import SENTENCE, html_of
from views import map_labels
from views.text.numbers import three_digits


@pytest.fixture(scope="module")
def steps(translator):
    ids = translator.tokenizer.encode_source(SENTENCE)
    return recompute_embedding(translator.network, translator.tokenizer, ids)


def test_tokens_and_ids(open_app, steps):
    for step in ("tokens", "ids"):
        texts = [option.content for option in chips(open_app("tokens", step=step)).proto.options]
        ids = [f" {id}" for id in steps.ids] if step == "ids" else [""] * len(steps.ids)
        expected = [f"{token.strip()}{id}" for token, id in zip(steps.tokens, ids, strict=True)]
        assert [text.replace("\\", "") for text in texts] == expected
    assert f"Characters: {len(SENTENCE)}. Tokens: {len(steps.ids) - 1}, " in html_of(open_app("tokens"))


@pytest.mark.parametrize(("step", "name"), [("rows", "rows"), ("scaled", "scaled"), ("positions", "embedded")])
def test_each_step_draws_its_vectors(open_app, steps, step, name):
    (figure,) = charts(open_app("tokens", step=step))
    np.testing.assert_allclose(numbers(figure["data"][0]["z"]), getattr(steps, name), atol=1e-5)
    assert figure["data"][0]["y"] == [
        label.replace("<", "&lt;").replace(">", "&gt;") for label in map_labels.numbered(steps.tokens)
    ]


def test_one_token_is_shown_in_all_steps(open_app, steps):
    html = html_of(open_app("tokens", piece="3"))
    table = html[html.index("First numbers of token 3") :]
    for array in (steps.rows, steps.scaled, steps.positions, steps.embedded, steps.recorded):
        cells = "".join(f'<td class="aa-number">{three_digits(float(value))}</td>' for value in array[2, :4])
        assert cells in table
    assert f"row {steps.ids[2]}" in table
    strip = html[html.index("One token, from its text") :]
    assert f">{steps.tokens[2].strip()}<" in strip and f">{steps.ids[2]}<" in strip
    for array in (steps.scaled, steps.positions, steps.embedded):
        assert f"256 numbers, length {three_digits(float(np.linalg.norm(array[2])))}" in strip


def test_click_on_a_chip_selects_a_token(open_app, steps):
    app = open_app("tokens", step="ids")
    chips(app).set_value("3").run()
    assert app.query_params["piece"] == "3"
    assert "First numbers of token 3" in html_of(app) and f"row {steps.ids[2]}" in html_of(app)


def test_the_title_of_single_dimensions_is_what_the_curves_show(open_app):
    app = open_app("tokens", part="dimensions")
    (figure,) = charts(app)
    chosen, held = (float(curve(figure, name)[1][0]) for name in ("words that choose", "held-out words"))
    scores = f" scores {three_digits(chosen)} on the words that choose it, and {three_digits(held)} on held-out words<"
    assert scores in html_of(app)


def chips(app):
    """Return the chips of which one token is selected."""
    return next(group for group in app.get("pills") if group.key == "piece")


def test_steps_equal_the_network(open_app):
    assert float(check_caption(open_app("tokens"), "first layer read").rsplit(" ", 1)[1].rstrip(".")) < 1e-6


def test_table_is_built_when_it_is_opened(open_app, steps):
    app = open_app("tokens")
    assert not app.dataframe
    app.session_state["table"] = True
    app.run()
    np.testing.assert_allclose(app.dataframe[0].value.to_numpy(), steps.embedded, atol=1e-5)


def test_neighbours_equal_the_models(open_app, translator):
    ids = translator.tokenizer.encode_source(SENTENCE)
    place = 4
    expected = find_neighbours(translator.network, translator.tokenizer, ids[place], 20)
    app = open_app("tokens", part="neighbours", near=str(place + 1), count="20")
    html = html_of(app)
    assert html.count('<tr><th scope="row"><span data-said="token" translate="no"') == 20
    assert all(f">{three_digits(near.cosine)}</span>" in html for near in expected.nearest)
    (figure,) = charts(app)
    assert numbers(figure["data"][0]["y"]).sum() == len(translator.tokenizer) - 1
    assert f"Nearest tokens to {expected.token.strip()}" in html
    assert "cosine_similarity" in check_caption(app, "Check: ")


def test_spellings_equal_the_tokenizers(open_app, translator):
    app = open_app("tokens", part="spelling", word="street", other="\uac70\ub9ac")
    html = html_of(app)
    for text in ("street", "Street", "STREET", "streets", "str\u00e9\u00e9t", "\uac70\ub9ac"):
        row = html[html.index(f">{text}</span></td>") :]
        tokens = [
            token.strip() or "\u2423" for token in translator.tokenizer.display(translator.tokenizer.encode(text))
        ]
        assert f'<td class="aa-number">{len(tokens)}</td>' in row[:120]
        listed = re.findall(r'data-said="token" translate="no" role="listitem">(.*?)</span>', row[: row.index("</tr>")])
        assert listed == tokens
    back, whole = re.search(r"give (\d+) of (\d+) spellings", check_caption(app, "Check: ")).groups()
    assert back == whole


@pytest.mark.parametrize(
    ("typed", "reason"), [("", "no word"), (" \u200b", "no word"), ("a" * 61, "61 characters"), ("\u0007", "no word")]
)
def test_words_that_cannot_be_split_get_one_sentence(open_app, typed, reason):
    app = open_app("tokens", part="spelling")
    app.text_input(key="word").set_value(typed).run()
    assert not app.exception
    (warning,) = app.warning
    assert reason in warning.value


def test_marks_in_a_word_are_not_interpreted(open_app):
    html = html_of(open_app("tokens", part="spelling", word="<img src=x onerror=alert(1)>"))
    assert "<img" not in html
    assert "&lt;img src=x" in html


def test_a_word_in_three_contexts(open_app, translator):
    app = open_app("tokens", part="contexts")
    computed = follow_word(translator.network, translator.tokenizer, list(SENTENCES), "cat")
    cosines, plane = charts(app)
    for pair, expected in zip(("1 and 2", "1 and 3", "2 and 3"), computed.cosines, strict=True):
        np.testing.assert_allclose(curve(cosines, f"sentences {pair}")[1], expected, atol=1e-6)
    for number, path in enumerate(computed.projection, 1):
        x, y = curve(plane, f"Sentence {number}")
        np.testing.assert_allclose(np.stack([x, y], axis=1), path, atol=1e-3)
    assert "embeddings of the word differ by 0 between" in check_caption(app, "Check: ")


def test_an_adjective_in_one_of_the_contexts(open_app, translator):
    app = open_app("tokens", part="contexts", adjective="cute")
    longer = SENTENCES[0].replace("cat", "cute cat")
    computed = follow_word(translator.network, translator.tokenizer, [*SENTENCES, longer], "cat")
    cosines, plane = charts(app)
    expected = dict(zip(computed.pairs, computed.cosines, strict=True))[0, 3]
    np.testing.assert_allclose(curve(cosines, "sentences 1 and 4")[1], expected, atol=1e-6)
    assert [trace["name"] for trace in cosines["data"]] == [
        f"sentences {pair}" for pair in ("1 and 2", "1 and 3", "1 and 4", "2 and 3")
    ]
    assert plane["data"][3]["name"] == "Sentence 1 with \u201ccute\u201d"
    pairs, sentences = ([line["line"]["color"] for line in figure["data"]] for figure in (cosines, plane))
    assert len(set(pairs)) == 1 and len(set(sentences)) == 4 and not set(pairs) & set(sentences)
    styles = {line["name"]: line["line"]["dash"] for line in cosines["data"]}
    assert len(set(styles.values())) == 4
    without = charts(open_app("tokens", part="contexts"))[0]["data"]
    assert all(styles[line["name"]] == line["line"]["dash"] for line in without)
    last = three_digits(expected[-1])
    assert any(f"{last} after the last layer" in text.value for text in app.markdown)


def test_typed_sentences_and_their_errors(open_app):
    query = {
        "part": "contexts",
        "word": "bank",
        "s1": "the bank of the river",
        "s2": "a bank",
        "s3": "no",
    }
    app = open_app("tokens", **query)
    assert "Sentence 3 does not have the word" in app.warning[0].value
    app.text_input(key="s3").set_value("my bank is closed").run()
    assert not app.warning
    assert len(charts(app)) == 2
    app.text_input(key="s2").set_value("").run()
    assert "Sentence 2" in app.warning[0].value
    app.text_input(key="s2").set_value("word " * 300).run()
    assert "tokens" in app.warning[0].value
    assert not app.exception


def test_two_orders(open_app, translator):
    app = open_app("tokens", part="word-order")
    expected = compare_orders(translator.network, translator.tokenizer, *ORDERS)
    (figure,) = charts(app)
    np.testing.assert_allclose(numbers(figure["data"][0]["z"]), expected.distances, atol=1e-4)
    assert list(figure["data"][0]["x"]) == list(expected.stages)
    assert any("The same bag" in text.value for text in app.markdown)
    assert {"+13", "\u22121"} <= set(re.findall(r"[+\u2212-]\d+(?=<)", html_of(app)))
    translations = re.findall(r'lang="fr" dir="auto".*?>(.*?)</p>', html_of(app))
    assert len(set(translations)) == 2
    line = check_caption(app, "with all positions set to 0")
    bare, trained = (float(number.rstrip(".")) for number in re.findall(r"up to ([\d.e-]+)", line))
    assert bare < 1e-4 < 0.1 < trained


def test_other_bag_of_words_is_reported(open_app):
    app = open_app("tokens", part="word-order", o1="I see a dog", o2="I see a cat")
    assert any(
        "Not the same bag" in text.value and "dog" in text.value and "cat" in text.value for text in app.markdown
    )


def test_compared_sizes_and_a_width_not_divisible_by_heads(open_app, translator):
    html = html_of(open_app("tokens", part="sizes", d_model="512"))
    assert html.count("512 / 8 = 64") == 2  # the typed sizes and the paper's
    assert "256 / 8 = 32" in html
    assert "256 \u2192 1,024 \u2192 256" in html
    assert "6 + 6" in html
    app = open_app("tokens", part="sizes")
    assert f"{translator.parameters:,}" in check_caption(app, "weight file has")
    app.number_input(key="d_model").set_value(250).run()
    (warning,) = app.warning
    refused = warning.value.replace("\\", "")
    assert refused == (
        "d_model 250 is not divisible by n_heads 8: every head needs the same d_k = d_model / n_heads. "
        "Choose a d_model that is a multiple of 8."
    )
    app.number_input(key="n_heads").set_value(10).run()
    assert not app.warning
    assert "250 / 10 = 25" in html_of(app)


def test_nonsense_in_the_address_falls_back(open_app):
    query = {"part": "bogus", "step": "9", "piece": "zzz", "near": "", "count": "-5", "d_model": "x", "n_heads": "0"}
    app = open_app("tokens", **query)
    assert not app.warning
    assert "and the special token" in html_of(app)
    for part in ("neighbours", "sizes"):
        app = open_app("tokens", **{**query, "part": part})
        assert not app.warning


@pytest.mark.parametrize("text", ["", "  ", "car " * 240])
def test_bad_input_gets_one_sentence(open_app, text):
    app = open_app("tokens")
    app.text_input(key="text").set_value(text).run()
    assert not app.exception
    assert len(app.warning) == 1


def test_the_page_works_after_a_new_sentence(open_app):
    app = open_app("tokens", piece="6", near="6")
    app.text_input(key="text").set_value("No.").run()
    assert not app.exception
    app.text_input(key="text").set_value("\U0001f600 <b>$x$</b>").run()
    assert not app.exception
    assert any("U+1F600 1/4" in option.content.replace("\\", "") for option in chips(app).proto.options)
