"""The section *Why drop recurrence*: the drawing, the numbers, and times measured once per process."""

import pytest

from model.lessons.forward_times import FILE, ForwardTimes, NetworkTimes
from model.networks.recurrent_config import VARIANTS
from model.recurrent_translator import SHIPPED
from pages.history import recurrence
from server import run_context
from tests.new_process import clear_all
from tests.pages.charts import charts, check_caption, curve
from tests.pages.conftest import html_of
from views.text.numbers import three_digits

NETWORKS = ("transformer", *VARIANTS)
STEPS = {"transformer": 19, "rnn-vector": 15, "lstm-vector": 15, "lstm-additive": 22, "lstm-dot": 16}  # S = 8, T = 7


@pytest.fixture
def fresh():
    """Clear measured times before and after a test."""
    clear_all()
    yield
    clear_all()


@pytest.mark.parametrize("name", NETWORKS)
def test_each_network_is_drawn_and_its_steps_are_checked(open_app, name):
    app = open_app("history", part="recurrence", network=name)
    line = check_caption(app, "the drawing has")
    assert f"{STEPS[name]} steps; the drawing has {STEPS[name]}." in " ".join(line.split())
    (drawing,) = [each for each in app.get("bidi_component") if each.proto.component_name == "inline_svg"]
    assert f"{STEPS[name]} steps wait for each other" in str(drawing.proto)


def test_table_has_all_five_networks(open_app):
    html = html_of(open_app("history", part="recurrence"))
    table = html[html.index("Steps that wait and path lengths") :]
    for steps, decoding, cells in (
        (19, 11 + 12 * 7 - 4, (1, 1, 10)),
        (15, 15, ("\u2013", 8, 8)),
        (22, 22, (8, 8, 2)),
        (16, 22, (8, 8, 2)),
    ):
        assert "".join(f'<td class="aa-number">{cell}</td>' for cell in (steps, decoding, *cells)) in table


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ({}, "passes **8 sub-layers**"),
        ({"from": "s3", "to": "t2"}, "passes **5 sub-layers**"),
        ({"from": "s5", "to": "s2"}, "passes **4 sub-layers**"),
        ({"from": "s2", "to": "s5"}, "**no path leads**"),
        ({"network": "lstm-additive", "from": "s2", "to": "s5"}, "passes **4 sub-layers**"),
        ({"network": "transformer", "from": "s2", "to": "s5"}, "passes **1 sub-layer**"),
        ({"from": "zzz", "to": "t99"}, "passes **8 sub-layers**"),
    ],
)
def test_path_between_two_selected_tokens(open_app, query, text):
    app = open_app("history", part="recurrence", **query)
    assert any(text in element.value for element in app.markdown)


def test_shipped_times_are_shown_until_a_user_measures(open_app, fresh):
    app = open_app("history", part="recurrence")
    shipped = ForwardTimes.read(SHIPPED)
    assert any("Shipped figures" in text.value for text in app.markdown)
    (figure,) = charts(app)
    for name, label in (("transformer", "Transformer"), ("lstm-vector", "LSTM, one vector")):
        x, y = curve(figure, label)
        assert list(x) == list(shipped.lengths)
        assert list(y) == pytest.approx(shipped.networks[name].lowest)


def measure_times(app):
    app.button(key="measure_times").click().run()
    assert not app.exception
    return app


def test_times_are_measured_once_per_process(open_app, fresh, monkeypatch):
    calls = []

    def measure(models):
        calls.append(list(models))
        yield from ()
        return ForwardTimes(
            {name: NetworkTimes((1.0, 2.0), (3.0, 4.0), 1e-6, "ff") for name in models}, (8, 256), 5, "A test", 1, "2"
        )

    monkeypatch.setattr(recurrence, "forward_times_in_steps", measure)
    app = measure_times(open_app("history", part="recurrence"))
    assert any("Measured on this server" in text.value and "A test" in text.value for text in app.markdown)
    assert f'<td class="aa-number">{three_digits(2.0)}</td>' in html_of(app)
    again = open_app("history", part="recurrence")  # another visitor
    assert not [button for button in again.button if button.key == "measure_times"]
    assert any("Measured on this server" in text.value for text in again.markdown)
    assert calls == [list(NETWORKS)]


def test_measurement_runs_through_the_queue(open_app, fresh, monkeypatch):
    measure, turns = recurrence.forward_times_in_steps, []
    monkeypatch.setattr(recurrence, "forward_times_in_steps", lambda models: measure(models, lengths=(8, 16), rounds=2))
    monkeypatch.setattr(run_context, "yield_slot", lambda: turns.append(1))
    app = measure_times(open_app("history", part="recurrence"))
    assert any("2 rounds" in text.value for text in app.markdown)
    assert len(turns) >= 2
    assert "largest difference" in check_caption(app, "passes that were timed")


def test_nothing_is_measured_while_others_wait(open_app, fresh, monkeypatch):
    app = open_app("history", part="recurrence")
    monkeypatch.setattr(type(run_context.run_queue()), "waiting", property(lambda turns: 3))
    monkeypatch.setattr(recurrence, "forward_times_in_steps", lambda models: pytest.fail("measured"))
    measure_times(app)
    assert "Other visitors are waiting" in app.info[0].value
    assert any("Shipped figures" in text.value for text in app.markdown)


def test_damaged_figures_get_one_sentence(open_app, fresh, monkeypatch, tmp_path):
    (tmp_path / FILE).write_text("{}")
    monkeypatch.setattr(recurrence, "SHIPPED", tmp_path)
    app = open_app("history", part="recurrence")
    assert FILE in app.warning[0].value.replace("\\", "")


def test_sentence_of_one_word_is_drawn(open_app):
    app = open_app("history", part="recurrence", text="Go")
    assert not app.warning
