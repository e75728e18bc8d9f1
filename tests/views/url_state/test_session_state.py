"""What a visit keeps of its settings, and when an address decides about them."""

from __future__ import annotations

from urllib.parse import quote_plus

import pytest

from views.url_state.codecs import AnyText, OneOf, WholeNumber
from views.url_state.session_state import LONGEST_TEXT, MOVED, DrawnControl, SessionSettings, comparable

A, B = {"text": ("A",)}, {"text": ("B",)}
BEAM = {"method": ("beam",)}
METHOD = OneOf(("greedy", "beam", "sampling"))


def draw(visitor: SessionSettings, name: str, codec, default, varies: bool = False):
    """As a control does."""
    value = visitor.chosen(name, codec, default, varies)
    visitor.shown[name] = DrawnControl(value, codec, default, varies)
    return value


def opened(query=A, page="attention") -> SessionSettings:
    """A visit that was told the address it came with."""
    visitor = SessionSettings()
    visitor.arrive(page, query, False, {})
    draw(visitor, "text", AnyText(), "", True)
    draw(visitor, "method", METHOD, "greedy")
    visitor.tell()
    return visitor


def rerun(visitor: SessionSettings, query, **values) -> None:
    """A message of a browser that believes in `query`, and whose controls show `values`; then all is drawn."""
    visitor.arrive(visitor.page, query, False, {})
    for name, value in values.items():
        visitor.take(name, value)
    draw(visitor, "text", AnyText(), "", True)
    draw(visitor, "method", METHOD, "greedy")
    visitor.tell()


def test_a_whole_address_says_everything_and_the_beginning_of_one_what_it_names():
    visitor = opened(A | {"method": ("beam",), "look": ("lines",)})
    assert visitor.address() == A | {"method": ("beam",), "look": ("lines",)}
    visitor.arrive("attention", {"kind": ("cross",)}, False, {})
    assert visitor.address() == A | {"method": ("beam",), "kind": ("cross",), "look": ("lines",)}
    visitor.arrive("attention", B, False, {})
    assert visitor.address() == B


def test_shared_settings_follow_to_other_pages_and_own_ones_wait_for_their_page():
    visitor = opened(A | {"layer": ("2",), "look": ("lines",)})
    visitor.arrive("tokens", {}, False, {})  # by the menu
    assert visitor.address() == A | {"layer": ("2",)}
    visitor.place("step")["step"] = ("Ids",)
    visitor.tell()
    visitor.arrive("attention", {}, False, {})
    assert visitor.address() == A | {"layer": ("2",), "look": ("lines",)}
    visitor.arrive("tokens", {}, False, {})
    assert visitor.address() == A | {"layer": ("2",), "step": ("Ids",)}


def test_going_back_decides_even_to_an_address_that_this_visit_wrote():
    visitor = opened(A)
    rerun(visitor, A, text="B", method="greedy")
    assert visitor.address() == B
    visitor.arrive("attention", A, True, {"text": "B", "method": "greedy"})
    visitor.take("text", "B")  # what the box showed before
    assert draw(visitor, "text", AnyText(), "", True) == "A"


def gone_back() -> tuple[SessionSettings, dict]:
    """A visit that went from B back to A, and has told A; what the browser says of it until it has heard."""
    visitor = opened(A)
    rerun(visitor, A, text="B", method="greedy")
    rerun(visitor, B, text="B", method="greedy")
    moved = A | {MOVED: ("1",)}
    visitor.arrive("attention", moved, True, {"text": "B", "method": "greedy"})
    draw(visitor, "text", AnyText(), "", True)
    draw(visitor, "method", METHOD, "greedy")
    assert visitor.tell() == A
    return visitor, moved


def test_a_click_before_the_answer_to_going_back_takes_nothing_of_the_address_that_was_left():
    visitor, moved = gone_back()
    rerun(visitor, moved, text="B", method="beam")
    rerun(visitor, moved, text="B", method="sampling")
    assert visitor.address() == A | {"method": ("sampling",)}


def test_what_is_typed_before_the_answer_to_going_back_counts():
    visitor, moved = gone_back()
    rerun(visitor, moved, text="C", method="greedy")
    assert visitor.address() == {"text": ("C",)}


def test_after_the_answer_to_going_back_the_sentence_that_was_left_can_be_typed_anew():
    visitor, _ = gone_back()
    rerun(visitor, A, text="B", method="greedy")
    assert visitor.address() == B


def test_the_browser_s_word_for_going_back_is_no_part_of_an_address():
    visitor = SessionSettings()
    visitor.adopt(A | {MOVED: ("1",)})
    visitor.arrive("attention", A | {MOVED: ("1",)}, False, {})
    assert visitor.tell() == A


def test_an_address_that_is_heard_of_after_going_back_does_not_decide():
    visitor = opened(A)
    rerun(visitor, A, text="B", method="greedy")
    rerun(visitor, B, text="B", method="beam")
    visitor.arrive("attention", A, True, {"text": "B", "method": "beam"})
    draw(visitor, "text", AnyText(), "", True)
    draw(visitor, "method", METHOD, "greedy")
    visitor.tell()
    rerun(visitor, B | BEAM, text="A", method="sampling")  # the answer from before, and then a click
    assert visitor.address() == A | {"method": ("sampling",)}


def test_a_browser_that_has_not_heard_yet_takes_nothing_back():
    visitor = opened(A)
    rerun(visitor, A, text="A", method="beam")
    visitor.choose("text", "B", drawn=True)  # an example is pressed ...
    rerun(visitor, A | BEAM, text="A", method="beam")
    assert visitor.address() == B | BEAM
    rerun(visitor, A | BEAM, text="A", method="sampling")  # ... and at once another method
    assert visitor.address() == B | {"method": ("sampling",)}


def test_deeds_to_and_fro_count_before_the_browser_has_heard_of_the_first():
    visitor = opened(A)
    for method in ("beam", "greedy", "sampling", "greedy", "beam"):
        rerun(visitor, A, text="A", method=method)
        assert visitor.shown["method"].value == method
    rerun(visitor, A | {"method": ("sampling",)}, text="A", method="beam")  # it heard of one that is over
    assert visitor.shown["method"].value == "beam"


def test_an_older_address_than_the_browser_has_heard_of_can_only_be_gone_back_to():
    visitor = opened(A)
    rerun(visitor, A, text="B", method="greedy")
    rerun(visitor, B, text="B", method="beam")
    visitor.arrive("attention", A, False, {"text": "B", "method": "beam"})  # without the browser saying so
    assert visitor.address() == A


def test_the_browser_is_told_unless_it_believes_in_the_address_already():
    visitor = opened(A)
    visitor.arrive("attention", A, False, {})
    assert visitor.tell() is None
    visitor.place("method")["method"] = ("beam",)
    assert visitor.tell() == A | {"method": ("beam",)}
    visitor.arrive("attention", A, True, {})  # it went back while that was on its way, and hears of it only then
    assert visitor.tell() == A
    assert visitor.tell() is None
    visitor.place("method")["method"] = ("beam",)
    visitor.tell()
    visitor.arrive("attention", A, False, {})  # a click on what it still shows
    visitor.place("method").clear()
    visitor.shared |= A
    assert visitor.tell() == A


@pytest.mark.parametrize(("varies", "kept"), [(False, {}), (True, {"layer": ("1",)})])
def test_a_default_that_differs_from_page_to_page_is_said_once_it_was_chosen(varies, kept):
    visitor = opened(A)
    draw(visitor, "layer", OneOf(("1", "2")), "1", varies)
    for chosen in ("2", "1"):
        visitor.take("layer", chosen)
        draw(visitor, "layer", OneOf(("1", "2")), "1", varies)
    assert visitor.address() == A | kept


def test_what_another_page_can_show_is_kept_and_other_nonsense_is_not():
    visitor = opened(A | {"layer": ("6",), "beam": ("99",), "look": ("<b>",)})
    assert draw(visitor, "layer", OneOf(("1", "2")), "1", True) == "1"
    assert draw(visitor, "beam", WholeNumber(1, 8), 4) == 4
    assert draw(visitor, "look", OneOf(("Maps", "lines")), "Maps", True) == "Maps"
    assert visitor.address() == A | {"layer": ("6",)}


def test_limits_that_change_move_a_value_that_was_shown():
    visitor = opened(A | {"step": ("45",)})
    assert draw(visitor, "step", WholeNumber(1, 50, nearest=True), 1) == 45
    assert draw(visitor, "step", WholeNumber(1, 10, nearest=True), 1) == 10
    assert visitor.address() == A | {"step": ("10",)}


def test_an_address_keeps_what_no_control_has_asked_for_within_bounds():
    many = {f"n{number}": ("1",) for number in range(500)}
    visitor = opened(many | A | {"row": ("3",), "x" * 41: ("1",), "<script>": ("1",), "long": ("1" * 9000,)})
    found = visitor.address()
    assert "text" in found and len(found) <= 81
    assert not {"x" * 41, "<script>", "long"} & set(found)
    assert opened(A | {"row": ("3",)}).address() == A | {"row": ("3",)}


@pytest.mark.parametrize("text", ["word " * 5000, "\ud55c" * 5000, "\U0001f600 " * 2000, "%" * 9000])
def test_a_text_beyond_every_model_is_cut_in_the_address_and_whole_in_the_box(text):
    visitor = opened({"text": (text,)})
    (said,) = visitor.address()["text"]
    assert text.startswith(said) and len(quote_plus(said)) <= LONGEST_TEXT < len(quote_plus(said)) + 20
    assert visitor.shown["text"].value == text
    visitor.arrive("attention", visitor.address(), False, {})
    assert visitor.shared["text"] == (text,)


def test_the_order_of_names_makes_no_other_address():
    assert comparable({"a": ("1",), "b": ("2", "3")}) == comparable({"b": ("2", "3"), "a": ("1",)})
    assert comparable({"b": ("3", "2")}) != comparable({"b": ("2", "3")})
