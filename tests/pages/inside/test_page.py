"""The page Inside a layer: shown numbers equal the model's, and every choice changes them."""

import json
import math
import re

import numpy as np
import pytest

from model.lessons.dropout import HIDDEN, draw_dropout
from model.lessons.feed_forward import measure_hidden_units
from model.lessons.feed_forward_sums import split_sums
from model.lessons.layer_steps import recompute_attention, record_layer_inputs
from model.lessons.residual import recompute_add_and_norms
from model.lessons.scaling import trained_run_in_steps
from model.runtime.progress import run_to_end
from tests.pages.charts import check_caption
from tests.pages.conftest import html_of
from tests.pages.drawn import matrices, metrics
from tests.pages.reading import number, programs
from tests.pages.stepped import labels, read_step_view
from views.text.numbers import three_digits

ANIMAL = "The animal didn't cross the street because it was too tired."
PARTS = ("seven-steps", "one-query", "heads", "memory", "scaling", "feed-forward", "add-norm")


def table(app, name: str) -> list[list[str]]:
    """Return the cells of the table with this name, as text."""
    html = next(html.value for html in app.html if f'aria-label="{name}' in html.value)
    return [
        [re.sub("<[^>]+>", "", cell) for cell in re.findall(r"<t[dh][^>]*>(.*?)</t[dh]>", row)]
        for row in re.findall("<tr.*?</tr>", html)
    ][1:]


@pytest.mark.parametrize(
    ("step", "name", "field"),
    [
        ("products", "Q K\u1d40", "products"),
        ("scores", "Scores", "scores"),
        ("masked", "Masked scores", "masked_scores"),
        ("output", "Output", "output"),
        ("sublayer-output", "All heads", "concatenated"),
    ],
)
def test_step_shows_the_recorded_matrix(open_app, translator, trace, step, name, field):
    app = open_app("inside", step=step, kind="decoder", layer="2", head="5")
    inputs = record_layer_inputs(translator.network, trace, "decoder", 1)
    steps = recompute_attention(translator.network, trace, inputs, "decoder", 1, 4)
    np.testing.assert_allclose(matrices(app)[name][1], getattr(steps, field), atol=1e-4)


@pytest.mark.parametrize("kind", ["encoder", "decoder", "cross"])
def test_every_step_is_checked(open_app, kind):
    app = open_app("inside", kind=kind, layer="3", head="2")
    rows = table(app, "All seven steps")
    assert len(rows) == 7
    assert all(number(row[-1]) < 1e-4 for row in rows)
    assert any(number(row[-1]) > 0 for row in rows)


def test_query_key_and_value_are_projections_of_x(open_app, translator, trace):
    module = translator.network.decoder[0].cross_attention
    for name, letter, linear in (("query", "Q", module.query), ("key", "K", module.key), ("value", "V", module.value)):
        drawn = matrices(open_app("inside", kind="cross", projection=name))
        weight = linear.weight[:32].numpy()
        np.testing.assert_array_equal(drawn[f"W{letter.lower()}"][1], weight.T)
        product = drawn["X"][1] @ weight.T + linear.bias[:32].numpy()
        np.testing.assert_allclose(drawn[letter][1], product, atol=1e-4)
        assert len(drawn["X"][1]) == len(trace.target_ids if name == "query" else trace.source_ids)


def test_the_projections_link_to_attention_without_them(open_app):
    (link,) = (each for each in open_app("inside").get("page_link") if each.proto.query_string)
    assert link.proto.page.endswith("history") and "part=without-projections" in link.proto.query_string
    assert not [each for each in open_app("inside", step="weights").get("page_link") if each.proto.query_string]


def test_one_query_starts_at_the_pronoun(open_app, translator):
    app = open_app("inside", inside="one-query", text=ANIMAL, layer="2", head="4")
    rows = table(app, "One query against all keys")
    assert rows[0][0] == "query it" and rows[-1][0] == "sum"
    trace = translator.trace(ANIMAL)
    place = [token.strip() for token in trace.source_tokens].index("it")
    weights = trace.encoder_attention[1, 3, place]
    assert [number(row[4]) for row in rows[1:-1]] == pytest.approx(weights.tolist(), rel=0.01)
    assert number(rows[-1][4]) == 1
    line = check_caption(app, "double precision")
    assert float(re.search(r"difference ([\d.e-]+)\.", line)[1]) < 1e-5


def test_cross_attention_queries_are_of_the_decoder(open_app, trace):
    app = open_app("inside", inside="one-query", kind="cross", cross_query="1")
    rows = table(app, "One query against all keys")
    assert rows[0][0] == f"query &lt;s&gt; \u2192 {trace.next_tokens[0].strip()}"
    assert len(rows) == len(trace.source_ids) + 2


def test_heads_both_forms_and_the_worked_shapes(open_app, trace):
    app = open_app("inside", inside="heads", kind="cross")
    strongest = trace.attention("cross")[0].max(axis=-1).mean(axis=-1)
    share = three_digits(float(strongest.max()))
    most = f"head {strongest.argmax() + 1} gives its strongest key {share} of the weight on average"
    assert most in html_of(app)
    counts = table(app, "Forms of heads")
    narrow = "263,168"  # 4 (256 x 256 + 256)
    full = "2,103,552"  # 8 x 3 (256 x 256 + 256) + 8 x 256 x 256 + 256
    assert counts[1][1:] == [narrow, narrow, full, narrow]
    assert counts[2][1] == counts[2][2] == counts[2][4]
    assert counts[4][1] == "\u2013"
    assert number(counts[4][2]) < 1e-5 and number(counts[4][3]) < 1e-5 < number(counts[4][4])
    shapes = {row[0]: row[1:] for row in table(app, "Shapes of multi-head attention")}
    assert {name: row[1] for name, row in shapes.items()} == {
        "ids": "(10, 20)",
        "embedding table, one row a token": "(100, 512)",
        "embeddings": "(10, 20, 512)",
        "positions, the same for all sequences": "(20, 512)",  # one table for ten sequences
        "embeddings + positions": "(10, 20, 512)",
        "w_q of all heads": "(512, 512)",
        "w_k of all heads": "(512, 512)",
        "w_v of all heads": "(512, 512)",
        "W_Q of one head": "(512, 64)",
        "queries, projected": "(10, 20, 512)",
        "split into heads": "(10, 20, 8, 64)",
        "heads first": "(10, 8, 20, 64)",
        "scores": "(10, 8, 20, 20)",
        "weights \u00d7 values": "(10, 8, 20, 64)",
        "tokens first again": "(10, 20, 8, 64)",
        "heads joined": "(10, 20, 512)",
        "w_0, also called W_O": "(512, 512)",
        "times W_O": "(10, 20, 512)",
    }
    assert shapes["scores"][0] == f"(1, 8, {len(trace.target_ids)}, {len(trace.source_ids)})"
    assert shapes["embedding table, one row a token"][0] == "(8000, 256)"

    def typed(key: str, value: int, row: str) -> str:
        app.number_input(key=key).set_value(value).run()
        return {row[0]: row[2] for row in table(app, "Shapes of multi-head attention")}[row]

    assert typed("shape_heads", 4, "weights \u00d7 values") == "(10, 4, 20, 128)"  # d_v follows the number of heads
    assert typed("shape_heads", 8, "heads joined") == "(10, 20, 512)"
    assert typed("shape_d_v", 48, "heads joined") == "(10, 20, 384)"
    assert typed("shape_d_v", 0, "heads joined") == "(10, 20, 512)"
    assert typed("shape_keys", 3, "scores") == "(10, 8, 20, 3)"
    assert typed("shape_vocabulary", 30_000, "embedding table, one row a token") == "(30000, 512)"
    app.number_input(key="shape_heads").set_value(7).run()
    assert "not divisible" in app.warning[0].value


def test_memory_layout_of_the_worked_example(open_app):
    app = open_app("inside", inside="memory")
    rows = table(app, "Strides before and after")
    assert [row[2] for row in rows] == ["(1000, 200, 20, 1)", "(200, 1000, 20, 1)", "(600, 200, 20, 1)"]
    assert "view size is not compatible" in programs(app)[0]
    np.testing.assert_array_equal(matrices(app)["transposed"][1][:2], [[0, 1000, 2000], [200, 1200, 2200]])
    app.text_input(key="shape").set_value("1 4").run()
    (program,) = programs(app)  # only the section's program: no message of PyTorch
    assert "import torch" in program


def test_view_of_a_typed_shape_equals_torch(open_app):
    app = open_app("inside", inside="memory")
    rows = table(app, "Result of view")
    assert [row[1:3] for row in rows] == [["(15, 200)", "(200, 1)"], ["", ""], ["(15, 200)", "(200, 1)"]]
    assert "view size is not compatible" in rows[1][3]
    app.text_input(key="asked_view").set_value("7 -1").run()
    assert all("is invalid for input of size 3000" in row[3] for row in table(app, "Result of view"))
    app.text_input(key="asked_view").set_value("2 x").run()
    assert len(app.warning) == 1


@pytest.mark.parametrize(
    "shape", ["", "3", "0 4", "3 41", "x", "1 2 3 4 5", "40 40 40 40", "26 40 40 40", "[[3, 5], [x]]"]
)
def test_invalid_shapes_get_one_sentence(open_app, shape):
    app = open_app("inside", inside="memory")
    app.text_input(key="shape").set_value(shape).run()
    assert not app.exception
    assert len(app.warning) == 1


def test_a_tensor_of_more_than_a_million_numbers_is_refused_with_their_count(open_app):
    app = open_app("inside", inside="memory", shape="40 40 40 16")
    assert "1,024,000 numbers. It may hold 1,000,000 at most" in app.warning[0].value
    app.text_input(key="shape").set_value("40 25 40 25").run()  # a million, which is allowed
    assert not app.exception and not app.warning


@pytest.mark.parametrize("shape", ["(3, 5, 10, 20)", "[3, 5, 10, 20]", "torch.Size([3, 5, 10, 20])", "3,\n5,\n10,\n20"])
def test_pasted_shapes(open_app, shape):
    app = open_app("inside", inside="memory", shape=shape, asked_view="(-1, 200)")
    assert table(app, "Strides before and after")[0][1] == "(3, 5, 10, 20)"
    assert [row[1:3] for row in table(app, "Result of view")][0] == ["(15, 200)", "(200, 1)"]


def test_scaling_on_the_trained_model_and_on_random_vectors(open_app, translator, trace):
    app = open_app("inside", inside="scaling", undone="cross", toy_width="2")
    run = run_to_end(trained_run_in_steps(translator.network, trace, ("cross",), math.sqrt(32)))
    rows = {row[0]: row[1:] for row in table(app, "The trained model both ways")}
    assert number(rows["loss of the translation on the left, nats per token"][1]) == pytest.approx(run.loss, rel=0.01)
    assert rows["entropy, encoder"][0] == rows["entropy, encoder"][1]
    assert number(rows["entropy, cross"][1]) < number(rows["entropy, cross"][0])
    assert trace.target_text in html_of(app).replace("&#x27;", "'")
    assert float(metrics(app)["Variance of q \u00b7 k, d_k 2"]) == pytest.approx(2, rel=0.05)
    assert float(metrics(app)["After the division"]) == pytest.approx(1, rel=0.05)
    figures = [json.loads(chart.proto.spec) for chart in app.get("plotly_chart")]
    assert sorted(len(figure["data"]) for figure in figures) == [2, 6]


@pytest.mark.parametrize("stack", ["encoder", "decoder"])
def test_hidden_units(open_app, translator, trace, stack):
    app = open_app("inside", inside="feed-forward", stack=stack, layer="2")
    hidden_units = measure_hidden_units(translator.network, trace, stack, 1)
    numbers = metrics(app)
    assert numbers["Widths"] == "256 \u2192 1,024 \u2192 256"
    assert numbers["Units that fire for no token"] == f"{hidden_units.never} of 1,024"
    rows = table(app, "Units by token")
    assert [row[1] for row in rows] == [f"{fired} of 1,024" for fired in hidden_units.fired]
    unit, value = (array[0] for array in hidden_units.strongest(0, 1))
    assert rows[0][2].startswith(f"{unit + 1}: {three_digits(float(value))}")
    header, values = matrices(app)["Activation"]
    columns = [int(name) - 1 for name in header["columns"]]
    np.testing.assert_allclose(values, hidden_units.hidden[:, columns], atol=1e-4)


def test_one_token_through_the_feed_forward_layer(open_app, translator, trace):
    header, numbers = read_step_view(open_app("inside", inside="feed-forward", stack="decoder", layer="2"))
    units = measure_hidden_units(translator.network, trace, "decoder", 1)
    steps = {
        "x": units.stream,
        "before": units.before,
        "hidden": units.hidden,
        "output": units.output,
    }
    for name, expected in steps.items():
        np.testing.assert_allclose(numbers[name], expected, atol=1e-4)
    np.testing.assert_allclose(numbers["sum"], units.stream + units.output, atol=1e-4)
    assert [label.strip() for label in labels(header, "fed_token")] == [token.strip() for token in trace.target_tokens]


def test_add_and_norm(open_app, translator, trace):
    app = open_app("inside", inside="add-norm", stack="decoder", norm_place="2")
    expected = recompute_add_and_norms(translator.network, trace, "decoder")
    np.testing.assert_allclose(
        matrices(app)["Output \u00f7 stream"][1], np.stack([s.share for s in expected], axis=1), rtol=1e-3
    )
    header, numbers = read_step_view(app)
    widths = [expected[0].before[1], *(length[1] for s in expected for length in (s.added, s.after))]
    np.testing.assert_allclose(numbers["length"], widths, rtol=1e-5)
    assert labels(header, "stream_step")[:3] == ["input", "1 + self", "1 norm"]
    rows = table(app, "Lengths")
    assert [row[0] for row in rows[:3]] == ["1 self-attention", "1 cross-attention", "1 feed-forward"]
    assert [row[1] for row in rows] == [three_digits(float(s.before[1])) for s in expected]
    for row in table(app, "Means and variances"):
        assert row[3] == "0" and row[4] == "1.00"


def test_dropout_at_one_add_and_norm(open_app, translator, trace):
    query = {"inside": "add-norm", "stack": "decoder", "norm_place": "2", "dropped": "2 cross-attention"}
    app = open_app("inside", **query, dropout="0.5", draw="9")
    expected = draw_dropout(translator.network, trace, "decoder", (1, "cross", 1), 0.5, 8, 9)
    title = next(name for name in matrices(app) if name.endswith("2 cross-attention: without and with dropout"))
    np.testing.assert_allclose(matrices(app)[title][1], np.vstack([expected.without, expected.drawn]), atol=1e-3)
    rows = table(app, title)
    assert [row[1] for row in rows] == [str(int(masks.sum())) for masks in expected.kept]
    assert [row[2] for row in rows] == [three_digits(float(cosine)) for cosine in expected.cosines]


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("text", ["<b>a</b> $x$ **y** :smile:", "a " * 120])
def test_unusual_and_long_sentences(open_app, part, text):
    app = open_app("inside", inside=part, text=text)
    assert not app.exception
    assert not app.warning
    assert "<b>" not in html_of(app)


def test_nonsense_in_the_address_falls_back(open_app):
    nonsense = {"kind": "x", "layer": "mean", "head": "99", "step": "?", "projection": "", "stack": "no"}
    numbers = {"encoder_query": "0", "norm_place": "-1", "toy_width": "x", "toy_seed": "-5", "shape_heads": "0"}
    for part in ("nowhere", *PARTS):
        app = open_app("inside", inside=part, undone="?", **nonsense, **numbers)
        assert not app.exception and not app.warning


def test_bad_input_gets_one_sentence(open_app):
    app = open_app("inside")
    app.text_input(key="text").set_value(" ").run()
    assert len(app.warning) == 1
    assert not matrices(app)


def test_tables_are_built_when_they_are_opened(open_app):
    app = open_app("inside", step="weights")
    assert not app.dataframe
    app.session_state["steps_table"] = True
    app.run()
    np.testing.assert_allclose(app.dataframe[0].value.to_numpy(), matrices(app)["Weights"][1], atol=1e-6)


def test_both_sums_are_split_into_products_and_bias(open_app, translator, trace):
    query = {"stack": "decoder", "layer": "2", "fed_token": "3", "fed_unit": "7", "fed_dimension": "11"}
    app = open_app("inside", inside="feed-forward", **query)
    units = measure_hidden_units(translator.network, trace, "decoder", 1)
    into, out = split_sums(translator.network, units, ("decoder", 1), 2, 6, 10)
    named = (("Unit 7, its sum and ReLU", "b\u2081", into), ("Dimension 11 of the output", "b\u2082", out))
    for title, bias, expected in named:
        rows = {row[0]: row[-1] for row in table(app, title)}
        assert rows["sum of all products"] == three_digits(expected.product_sum)
        assert rows[f"bias {bias}"] == three_digits(expected.bias)
        assert rows["sum with the bias"] == three_digits(expected.total)
        assert rows[str(expected.largest(1)[0] + 1)] == three_digits(float(expected.products[expected.largest(1)[0]]))
    assert "something is wrong" not in " ".join(each.value for each in app.caption)


def test_shapes_of_the_feed_forward_network(open_app, trace):
    app = open_app("inside", inside="feed-forward")
    rows = {row[0]: row[1:] for row in table(app, "Shapes of the feed-forward network")}
    count = len(trace.source_ids)
    assert rows["x, the tokens"][0] == f"(1, {count}, 256)" and rows["W\u2081"] == ["(256, 1024)"] * 2
    assert rows["b\u2081"] == ["(1024,)"] * 2 and rows["W\u2082"] == ["(1024, 256)"] * 2
    assert rows["parameters"][0] == "525,568"  # 256 x 1024 + 1024 + 1024 x 256 + 256
    app.number_input(key="fed_hidden").set_value(2048).run()
    assert {row[0]: row[2] for row in table(app, "Shapes of the feed-forward network")}["W\u2082"] == "(2048, 256)"
    paper = table(app, "Quality by d_ff in the paper")
    assert [row[0] for row in paper] == ["1,024", "2,048", "4,096"] and [row[1] for row in paper] == ["2", "4", "8"]


def test_hidden_units_are_dropped_as_a_third_place(open_app, translator, trace):
    query = {
        "inside": "add-norm",
        "norm_place": "2",
        "dropped": "2 feed-forward, inside",
        "dropout": "0.5",
        "draw": "9",
    }
    app = open_app("inside", **query)
    draws = draw_dropout(translator.network, trace, "encoder", (1, HIDDEN, 1), 0.5, 8, 9)
    rows = matrices(app)
    name = next(name for name in rows if "2 feed-forward, inside" in name)
    np.testing.assert_allclose(rows[name][1], np.vstack([draws.without, draws.drawn]), atol=1e-4)
    code = " ".join(programs(app))
    assert "rates = (0.5, 0.5)" in code and "hidden * kept" in code
