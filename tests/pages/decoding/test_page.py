"""The decoding page: every number equals the model's, and the address sets every choice."""

import re

import numpy as np
import pytest
import torch
from streamlit.testing.v1 import AppTest

from model import DecodingOptions
from model.decoding.search import beam_search, sampling_probabilities
from model.runtime.arrays import softmax
from model.runtime.messages import UserError
from pages.decoding.teacher_forcing import parse_tokens
from tests.pages.charts import check_caption
from tests.pages.conftest import PATIENCE, ROOT, SENTENCE, go, html_of
from tests.pages.reading import marked, number, table
from tests.pages.stepped import labels, read_step_view
from views.text import literal
from views.text.numbers import three_digits

STEPS = ("step-by-step", "linear-softmax", "teacher-forcing", "beam-search")
TARGET = "Je veux vendre un v\u00e9lo."


def visible(tokens) -> list[str]:
    return [literal.token(token) for token in tokens]


def close(text: str, value: float) -> bool:
    """Whether `text` is `value` with three digits; the last may differ, since threads round differently."""
    return number(text) == pytest.approx(value, rel=6e-3, abs=1e-6)


def test_step_shows_previous_generated_and_following_tokens(open_app, trace):
    app = open_app("decoding", step="3")
    assert marked(app, "aa-now") == visible(trace.next_tokens[2:3])
    assert marked(app, "aa-later") == visible(trace.next_tokens[3:])


def test_forwards_and_back(open_app, trace):
    app = open_app("decoding")
    assert app.button(key="step_back").disabled
    app.button(key="step_forward").click().run()
    app.button(key="step_forward").click().run()
    assert marked(app, "aa-now") == visible(trace.next_tokens[2:3])
    assert app.slider(key="step").value == 3
    app.button(key="step_back").click().run()
    assert marked(app, "aa-now") == visible(trace.next_tokens[1:2])
    app.slider(key="step").set_value(len(trace.next_ids)).run()
    assert app.button(key="step_forward").disabled


@pytest.mark.parametrize(("layer", "head"), [("mean", "mean"), ("2", "3"), ("4", "mean"), ("mean", "1")])
def test_cross_attention_of_the_step(open_app, trace, layer, head):
    app = open_app("decoding", step="2", cross_layer=layer, cross_head=head)
    weights = trace.cross_attention[:, :, 1]  # (layers, heads, source)
    weights = weights.mean(axis=1) if head == "mean" else weights[:, int(head) - 1]
    weights = weights.mean(axis=0) if layer == "mean" else weights[int(layer) - 1]
    (strip,) = [html.value for html in app.html if "Cross-attention of step 2" in html.value]
    pairs = re.findall(r'style="background:[^"]*"[^>]*>([^<]*)<small>([^<]*)</small>', strip)
    assert [token for token, _ in pairs] == [literal.html(token) for token in visible(trace.source_tokens)]
    assert all(close(number, weight) for (_, number), weight in zip(pairs, weights, strict=True))
    assert any("add up to 1.00" in caption.value for caption in app.caption)


def test_logit_scaled_filtered_probability(open_app, translator, trace):
    app = open_app("decoding", step="2", try_temperature="0.5", try_k="4", try_p="0.95", shown="20")
    header, numbers = read_step_view(app)
    assert header["at"] == {"try_temperature": 4, "try_k": 4, "try_p": 18}
    logits = trace.logits[1].astype(np.float64)
    logits[list(translator.config.never_generated)] = -np.inf
    order = np.argsort(-logits)
    expected = sampling_probabilities(torch.from_numpy(logits), 0.5, 4, 0.95).numpy()
    # of another translator object, whose weights may lie at other addresses: kernels then add in another order
    np.testing.assert_allclose(numbers["sorted"], trace.logits[1][order[np.isfinite(logits[order])]], atol=1e-5)
    rows = order[:20]
    assert labels(header, "row") == visible(translator.tokenizer.labels(rows.tolist()))
    np.testing.assert_array_equal(numbers["rank"], range(1, 21))
    np.testing.assert_allclose(numbers["logit"], logits[rows], rtol=1e-6)
    np.testing.assert_allclose(numbers["scaled"], logits[rows] / 0.5, rtol=1e-6)
    np.testing.assert_allclose(numbers["probability"], expected[rows], rtol=1e-5, atol=1e-9)
    np.testing.assert_array_equal(np.isnan(numbers["filtered"]), expected[rows] == 0)
    assert numbers["kept"] == (expected > 0).sum() <= 4
    assert numbers["mass"] == pytest.approx(softmax(logits / 0.5)[expected > 0].sum(), rel=1e-5)
    line = check_caption(app, "function that sampling uses")
    assert float(line.rsplit(" ", 1)[1].rstrip(".")) < 1e-6


def test_sampling_uses_the_settings_of_the_header(open_app):
    app = open_app("decoding", method="sampling", temperature="0.5", top_k="3", seed="4")
    header, numbers = read_step_view(app)
    assert not any(axis["slider"] for axis in header["axes"])
    np.testing.assert_allclose(numbers["scaled"], numbers["logit"] / 0.5)
    assert (~np.isnan(numbers["filtered"])).sum() == numbers["kept"] == 3


def test_the_output_layer_and_the_worked_rows(open_app, trace):
    app = open_app("decoding", part="linear-softmax", step="4")
    rows = table(app, "The largest logits of step 4")[1:]
    produced = trace.predictions(5)[3]
    assert [row[1] for row in rows[:5]] == visible(candidate.token for candidate in produced.top)
    assert all(close(row[5], candidate.probability) for row, candidate in zip(rows, produced.top, strict=False))
    assert close(rows[0][3], float(trace.logits[3].max()))
    line = check_caption(app, "computed once more")
    assert float(re.search(r"own\s+(\S+)\.", line)[1]) < 1e-4
    worked = table(app, "Rows as scores")[1:]
    assert [row[1] for row in worked] == ["0", "1", "0"]
    assert [row[3] for row in worked] == ["no: the sum is 0.400", "yes", "yes"]


@pytest.mark.parametrize(
    "rows", ["", ";", "a b", "1 nan", "1 2;" * 9, "1 " * 9, "1e999", "<b>", "[[1, 2], []]", "[[1, x]]"]
)
def test_invalid_rows_get_one_sentence(open_app, rows):
    app = open_app("decoding", part="linear-softmax")
    app.text_area(key="rows").set_value(rows).run()
    assert not app.exception
    assert len(app.warning) == 1


def test_typed_rows_are_classified(open_app):
    app = open_app("decoding", part="linear-softmax", rows="1.5 -0.5; 0, 1, 0.9")
    assert [row[1:4] for row in table(app, "Rows as scores")[1:]] == [
        ["0", "1.00", "no: a number is below 0"],
        ["1", "1.90", "no: the sum is 1.90"],
    ]


@pytest.mark.parametrize(
    "rows",
    [
        "[[0.2, 0.1, 0.1], [0.4, 0.5, 0.1]]",
        "0.2 0.1 0.1\n0.4 0.5 0.1",
        "[[0.2 0.1 0.1]\n [0.4 0.5 0.1]]",
        "tensor([[0.2000, 0.1000, 0.1000],\n        [0.4000, 0.5000, 0.1000]], grad_fn=<SoftmaxBackward0>)",
        "[0.2, 0.1, 0.1], [0.4, 0.5, 0.1]",
    ],
)
def test_pasted_rows(open_app, rows):
    app = open_app("decoding", part="linear-softmax", rows=rows)
    assert [row[0] for row in table(app, "Rows as scores")[1:]] == ["0.2 0.1 0.1", "0.4 0.5 0.1"]
    assert table(app, "Rows as scores")[1][3] == "no: the sum is 0.400"


def test_shifted_pair_of_the_tutorial(open_app):
    app = open_app("decoding", part="teacher-forcing", target="Je veux acheter une voiture.")
    rows = table(app, "The shifted target")
    assert rows[1] == ["decoder reads", "<s>", "Je", "veux", "acheter", "une", "voiture", "."]
    assert rows[2] == ["should generate", "Je", "veux", "acheter", "une", "voiture", ".", "</s>"]
    html = html_of(app)
    assert re.findall(r'aa-encoder"[^>]*>.*?</div>', html)[0].count("listitem") == 8
    assert "both runs read the same" in " ".join(line.value for line in app.markdown)


def test_typed_tokens_are_shifted(open_app):
    app = open_app("decoding", part="teacher-forcing", forced_input="tokens")
    assert not app.exception
    shifted = table(app, "The shifted target")
    words = ["\ub098\ub294", "\ucc28\ub97c", "\uc0ac\uace0\uc2f6\ub2e4"]
    assert shifted[1] == ["decoder reads", "<s>", *words]
    assert shifted[2] == ["should generate", *words, "</s>"]
    rows = table(app, "Given tokens, position by position")[1:]
    assert [row[1] for row in rows] == ["<s>", *words]
    assert rows[2][2] == "".join(["<s>", *words[:2]])  # chips in a row
    assert [row[4] for row in rows] == [
        "<s>, the same",
        *(f"its own choice at position {place}" for place in (1, 2, 3)),
    ]
    app.text_input(key="decoder_tokens").set_value("[[sos], 'ich', 'will', \"<b>\"]").run()
    assert table(app, "The shifted target")[1] == ["decoder reads", "<s>", "ich", "will", "<b>"]
    app.text_input(key="decoder_tokens").set_value(" ").run()
    assert not app.exception and len(app.warning) == 1
    app.button(key="try-decoding-teacher-forcing").click().run()
    assert "Teacher-forced and free-running" in html_of(app)


@pytest.mark.parametrize(
    "text",
    [
        "a b c",
        "a, b, c",
        "[a, b, c]",
        "['a', 'b', 'c']",
        '[[sos], "a", "b", "c"]',
        "<s> a b c </s>",
        "[BOS] a b c [EOS]",
    ],
)
def test_notations_of_typed_tokens(text):
    assert parse_tokens(text) == ("a", "b", "c")


@pytest.mark.parametrize("text", ["", "<s>", "[]", "a " * 25, "a" * 41])
def test_unusable_typed_tokens(text):
    with pytest.raises(UserError):
        parse_tokens(text)


def test_forced_and_free_position_by_position(open_app, translator):
    app = open_app("decoding", part="teacher-forcing", target=TARGET)
    rows = table(app, "Teacher-forced and free-running")[1:]
    forced, free = translator.trace(SENTENCE, target=TARGET), translator.trace(SENTENCE)
    for place, expected in enumerate(forced.predictions(1)):
        assert rows[place][1] == literal.token(forced.target_tokens[place])
        assert rows[place][2].removeprefix("\u2260 ") == literal.token(expected.top[0].token)
        assert rows[place][2].startswith("\u2260") == (expected.rank != 1)
        assert rows[place][3] == literal.token(expected.token)
        assert rows[place][5] == str(expected.rank)
    written = [row[7].removeprefix("\u2260 ") for row in rows if row[7]]
    assert written == visible(free.next_tokens)
    departs = next(n for n, (a, b) in enumerate(zip(forced.next_ids, free.next_ids, strict=False)) if a != b)
    assert f"chooses a different token at position {departs + 1}" in " ".join(line.value for line in app.markdown)
    assert rows[departs][7].startswith("\u2260") and not rows[departs - 1][7].startswith("\u2260")
    line = check_caption(app, "free run chooses another token")
    assert float(line.rsplit(" ", 1)[1].rstrip(".")) < 1e-4


def test_buttons_fill_the_target(open_app):
    app = open_app("decoding", part="teacher-forcing", text="I am a student.")
    app.button(key="take_reference").click().run()
    assert app.text_input(key="target").value == "Je suis un \u00e9tudiant."
    app.button(key="take_pair").click().run()
    assert app.text_input(key="text").value == SENTENCE
    assert app.text_input(key="target").value == "Je veux acheter une voiture."
    app.button(key="take_own").click().run()
    assert app.text_input(key="target").value == ""
    assert not app.exception


@pytest.mark.parametrize("target", ["\u200b", "chat " * 200, "x" * 20_000])
def test_unusable_target_gets_one_sentence(open_app, target):
    app = open_app("decoding", part="teacher-forcing")
    app.text_input(key="target").set_value(target).run()
    assert not app.exception
    assert len(app.warning) == 1
    assert "English" not in app.warning[0].value


@pytest.mark.parametrize("target", ["<script>x</script> **b** $x$", "\U0001f600 \u05d0\x07", "\ud800 lone"])
def test_hostile_targets_are_shown_literally(target):
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=PATIENCE)
    app.query_params["part"] = "teacher-forcing"
    app.session_state["target"] = target
    go(app, "decoding").run()
    assert not app.exception and not app.warning
    assert "<script>" not in html_of(app)
    assert marked(app, "aa-differs")


@pytest.mark.parametrize("query", [{"try_beam": "3", "try_penalty": "1.0"}, {"method": "beam", "beam": "2"}])
def test_the_beam(open_app, translator, query):
    app = open_app("decoding", part="beam-search", **query)
    width, alpha = (3, 1.0) if "try_beam" in query else (2, 0.6)
    options = DecodingOptions("beam", beam=width, length_penalty=alpha)
    best = beam_search(translator.network, translator.tokenizer.encode_source(SENTENCE), options)
    rows = table(app, "What the search returns")[1:]
    assert [row[1] for row in rows[:-1]] == [translator.tokenizer.decode(hypothesis.ids) for hypothesis in best]
    assert all(close(row[3], h.log_probability) and close(row[4], h.score) for row, h in zip(rows, best, strict=False))
    assert rows[-1][0] == "greedy"
    assert rows[-1][1] == translator.translate(SENTENCE)
    line = check_caption(app, "one teacher-forced pass")
    assert "are the same" in line
    assert float(line.rsplit(" ", 1)[1].rstrip(".")) < 1e-3


def test_tree_is_drawn_with_and_without_pruned_nodes(open_app):
    def fates(app) -> set[str]:
        (drawing,) = app.get("bidi_component")
        return set(re.findall(r'data-fate=\\?"(\w+)', drawing.proto.json))

    assert "pruned" not in fates(open_app("decoding", part="beam-search"))
    whole = open_app("decoding", part="beam-search", nodes="all")
    assert fates(whole) >= {"kept", "finished", "pruned"}
    whole.session_state["tree_table"] = True
    whole.run()
    frame = whole.dataframe[0].value
    assert set(frame["fate"]) >= {"kept", "finished", "pruned"}
    assert frame["on the winning path"].sum() == len(frame.loc[frame["on the winning path"], "step"].unique())


@pytest.mark.parametrize("part", STEPS)
def test_nonsense_in_the_address_falls_back(open_app, part):
    nonsense = dict.fromkeys(
        ("step", "try_temperature", "try_k", "try_p", "cross_layer", "cross_head", "shown", "nodes", "try_beam"), "x"
    )
    for values in (nonsense, dict.fromkeys(nonsense, "-5")):
        app = open_app("decoding", part=part, **values, try_penalty="9", part_="?")
        assert not app.warning
    assert not open_app("decoding", part="bogus").warning


@pytest.mark.parametrize("part", STEPS)
def test_shorter_sentence_limits_the_step(open_app, part):
    app = open_app("decoding", part=part, step="8")
    app.text_input(key="text").set_value("Yes.").run()
    assert not app.exception


@pytest.mark.parametrize("part", STEPS)
def test_bad_input_gets_one_sentence(open_app, part):
    app = open_app("decoding", part=part)
    app.text_input(key="text").set_value("  ").run()
    assert not app.exception
    assert len(app.warning) == 1


@pytest.mark.parametrize("part", STEPS)
def test_the_longest_sentence(open_app, part):
    app = open_app("decoding", text="a " * 120, part=part)
    assert not app.warning


@pytest.mark.parametrize(
    ("part", "key"),
    [
        ("step-by-step", "choice_table"),
        ("linear-softmax", "output_table"),
        ("teacher-forcing", "forcing_table"),
        ("beam-search", "tree_table"),
    ],
)
def test_tables_are_built_when_they_are_opened(open_app, part, key):
    app = open_app("decoding", part=part)
    assert not app.dataframe
    app.session_state[key] = True
    app.run()
    frame = app.dataframe[0].value
    assert len(frame) >= 7
    numbers = frame.select_dtypes("number")
    assert three_digits(float(numbers.to_numpy(dtype=float)[0, 0]))
