"""The settings of a visit: what is stored, and when a URL query overrides it."""

from __future__ import annotations

from urllib.parse import quote_plus

import pytest

from views.url_state.codecs import AnyText, OneOf, WholeNumber
from views.url_state.session_state import LONGEST_TEXT, MOVED, DrawnControl, SessionSettings, comparable

A, B = {"text": ("A",)}, {"text": ("B",)}
BEAM = {"method": ("beam",)}
METHOD = OneOf(("greedy", "beam", "sampling"))


def draw(settings: SessionSettings, name: str, codec, default, varies: bool = False):
    """Draw a control, as `bound_settings.control` does."""
    value = settings.resolve(name, codec, default, varies)
    settings.controls[name] = DrawnControl(value, codec, default, varies)
    return value


def open_visit(query=A, page="attention") -> SessionSettings:
    """A visit that was opened with `query` and has sent it back."""
    settings = SessionSettings()
    settings.begin_run(page, query, False, {})
    draw(settings, "text", AnyText(), "", True)
    draw(settings, "method", METHOD, "greedy")
    settings.next_query()
    return settings


def rerun(settings: SessionSettings, query, **values) -> None:
    """Run after a message of a browser at `query` whose widgets show `values`."""
    settings.begin_run(settings.page, query, False, {})
    for name, value in values.items():
        settings.take_user_change(name, value)
    draw(settings, "text", AnyText(), "", True)
    draw(settings, "method", METHOD, "greedy")
    settings.next_query()


def test_a_query_with_a_sentence_replaces_all_settings_and_one_without_only_those_it_names():
    settings = open_visit(A | {"method": ("beam",), "look": ("lines",)})
    assert settings.query() == A | {"method": ("beam",), "look": ("lines",)}
    settings.begin_run("attention", {"kind": ("cross",)}, False, {})
    assert settings.query() == A | {"method": ("beam",), "kind": ("cross",), "look": ("lines",)}
    settings.begin_run("attention", B, False, {})
    assert settings.query() == B


def test_shared_settings_apply_to_other_pages_and_own_ones_to_their_page():
    settings = open_visit(A | {"layer": ("2",), "look": ("lines",)})
    settings.begin_run("tokens", {}, False, {})  # by the menu
    assert settings.query() == A | {"layer": ("2",)}
    settings.store_of("step")["step"] = ("Ids",)
    settings.next_query()
    settings.begin_run("attention", {}, False, {})
    assert settings.query() == A | {"layer": ("2",), "look": ("lines",)}
    settings.begin_run("tokens", {}, False, {})
    assert settings.query() == A | {"layer": ("2",), "step": ("Ids",)}


def test_going_back_wins_even_to_a_query_that_this_visit_wrote():
    settings = open_visit(A)
    rerun(settings, A, text="B", method="greedy")
    assert settings.query() == B
    settings.begin_run("attention", A, True, {"text": "B", "method": "greedy"})
    settings.take_user_change("text", "B")  # what the box showed before Back
    assert draw(settings, "text", AnyText(), "", True) == "A"


def go_back() -> tuple[SessionSettings, dict]:
    """A visit that went from B back to A and has sent A, and the query of the browser until it receives that."""
    settings = open_visit(A)
    rerun(settings, A, text="B", method="greedy")
    rerun(settings, B, text="B", method="greedy")
    moved = A | {MOVED: ("1",)}
    settings.begin_run("attention", moved, True, {"text": "B", "method": "greedy"})
    draw(settings, "text", AnyText(), "", True)
    draw(settings, "method", METHOD, "greedy")
    assert settings.next_query() == A
    return settings, moved


def test_a_click_before_the_response_to_back_does_not_restore_the_query_that_was_left():
    settings, moved = go_back()
    rerun(settings, moved, text="B", method="beam")
    rerun(settings, moved, text="B", method="sampling")
    assert settings.query() == A | {"method": ("sampling",)}


def test_text_typed_before_the_response_to_back_is_stored():
    settings, moved = go_back()
    rerun(settings, moved, text="C", method="greedy")
    assert settings.query() == {"text": ("C",)}


def test_after_the_response_to_back_the_sentence_that_was_left_can_be_typed_again():
    settings, _ = go_back()
    rerun(settings, A, text="B", method="greedy")
    assert settings.query() == B


def test_the_parameter_for_history_navigation_is_not_written_to_the_url():
    settings = SessionSettings()
    settings.adopt(A | {MOVED: ("1",)})
    settings.begin_run("attention", A | {MOVED: ("1",)}, False, {})
    assert settings.next_query() == A


def test_a_query_that_the_browser_receives_late_after_back_does_not_win():
    settings = open_visit(A)
    rerun(settings, A, text="B", method="greedy")
    rerun(settings, B, text="B", method="beam")
    settings.begin_run("attention", A, True, {"text": "B", "method": "beam"})
    draw(settings, "text", AnyText(), "", True)
    draw(settings, "method", METHOD, "greedy")
    settings.next_query()
    rerun(settings, B | BEAM, text="A", method="sampling")  # the answer from before, and then a click
    assert settings.query() == A | {"method": ("sampling",)}


def test_old_widget_values_do_not_undo_a_value_set_by_a_callback():
    settings = open_visit(A)
    rerun(settings, A, text="A", method="beam")
    settings.set_value("text", "B", drawn=True)  # an example is pressed ...
    rerun(settings, A | BEAM, text="A", method="beam")
    assert settings.query() == B | BEAM
    rerun(settings, A | BEAM, text="A", method="sampling")  # ... and immediately another method
    assert settings.query() == B | {"method": ("sampling",)}


def test_user_changes_count_before_the_browser_has_received_the_first():
    settings = open_visit(A)
    for method in ("beam", "greedy", "sampling", "greedy", "beam"):
        rerun(settings, A, text="A", method=method)
        assert settings.controls["method"].value == method
    rerun(settings, A | {"method": ("sampling",)}, text="A", method="beam")  # it received an older query
    assert settings.controls["method"].value == "beam"


def test_an_older_query_than_the_browser_has_received_counts_as_back():
    settings = open_visit(A)
    rerun(settings, A, text="B", method="greedy")
    rerun(settings, B, text="B", method="beam")
    settings.begin_run("attention", A, False, {"text": "B", "method": "beam"})  # without history navigation
    assert settings.query() == A


def test_a_query_is_sent_unless_the_browser_shows_it_already():
    settings = open_visit(A)
    settings.begin_run("attention", A, False, {})
    assert settings.next_query() is None
    settings.store_of("method")["method"] = ("beam",)
    assert settings.next_query() == A | {"method": ("beam",)}
    settings.begin_run("attention", A, True, {})  # it went back while that was on its way, and receives it only then
    assert settings.next_query() == A
    assert settings.next_query() is None
    settings.store_of("method")["method"] = ("beam",)
    settings.next_query()
    settings.begin_run("attention", A, False, {})  # a click on what it still shows
    settings.store_of("method").clear()
    settings.shared |= A
    assert settings.next_query() == A


@pytest.mark.parametrize(("varies", "stored"), [(False, {}), (True, {"layer": ("1",)})])
def test_a_default_that_varies_is_written_once_it_was_chosen(varies, stored):
    settings = open_visit(A)
    draw(settings, "layer", OneOf(("1", "2")), "1", varies)
    for chosen in ("2", "1"):
        settings.take_user_change("layer", chosen)
        draw(settings, "layer", OneOf(("1", "2")), "1", varies)
    assert settings.query() == A | stored


def test_an_invalid_shared_value_is_stored_for_other_pages_and_any_other_is_removed():
    settings = open_visit(A | {"layer": ("6",), "beam": ("99",), "look": ("<b>",)})
    assert draw(settings, "layer", OneOf(("1", "2")), "1", True) == "1"
    assert draw(settings, "beam", WholeNumber(1, 8), 4) == 4
    assert draw(settings, "look", OneOf(("Maps", "lines")), "Maps", True) == "Maps"
    assert settings.query() == A | {"layer": ("6",)}


def test_changed_limits_move_the_value_that_was_shown():
    settings = open_visit(A | {"step": ("45",)})
    assert draw(settings, "step", WholeNumber(1, 50, nearest=True), 1) == 45
    assert draw(settings, "step", WholeNumber(1, 10, nearest=True), 1) == 10
    assert settings.query() == A | {"step": ("10",)}


def test_unclaimed_settings_are_stored_within_limits():
    many = {f"n{number}": ("1",) for number in range(500)}
    settings = open_visit(many | A | {"row": ("3",), "x" * 41: ("1",), "<script>": ("1",), "long": ("1" * 9000,)})
    query = settings.query()
    assert "text" in query and len(query) <= 81
    assert not {"x" * 41, "<script>", "long"} & set(query)
    assert open_visit(A | {"row": ("3",)}).query() == A | {"row": ("3",)}


@pytest.mark.parametrize("text", ["word " * 5000, "\ud55c" * 5000, "\U0001f600 " * 2000, "%" * 9000])
def test_a_long_text_is_shortened_in_the_url_and_whole_in_the_box(text):
    settings = open_visit({"text": (text,)})
    (shortened,) = settings.query()["text"]
    assert text.startswith(shortened)
    assert len(quote_plus(shortened)) <= LONGEST_TEXT < len(quote_plus(shortened)) + 20
    assert settings.controls["text"].value == text
    settings.begin_run("attention", settings.query(), False, {})
    assert settings.shared["text"] == (text,)


def test_the_order_of_names_does_not_matter():
    assert comparable({"a": ("1",), "b": ("2", "3")}) == comparable({"b": ("2", "3"), "a": ("1",)})
    assert comparable({"b": ("3", "2")}) != comparable({"b": ("2", "3")})


def test_what_a_page_has_chosen_itself_is_in_its_url_alone_until_the_user_changes_a_part():
    settings = open_visit()
    settings.stated |= {"kind": ("cross",), "layer": ("3",)}
    assert settings.query() == A | {"kind": ("cross",), "layer": ("3",)} and settings.stored_query() == A
    settings.begin_run("tokens", {}, False, {})
    assert settings.query() == A
    settings.begin_run("attention", {}, False, {})
    settings.stated |= {"kind": ("cross",), "layer": ("3",)}
    settings.set_value("layer", "2", False)
    settings.begin_run("tokens", {}, False, {})
    assert settings.query() == A | {"kind": ("cross",), "layer": ("2",)}


def test_what_a_widget_may_still_show_is_no_choice_of_the_user():
    settings = open_visit(A)
    settings.marks["example"] = "A"
    rerun(settings, A, text="A", method="beam")
    settings.marks["example"] = "B"
    rerun(settings, A | BEAM, text="B", method="beam")
    settings.receive(A | BEAM)
    assert settings.may_show("example", "A")
    assert not settings.may_show("example", "B")
    settings.receive(B | BEAM)
    assert settings.may_show("example", "B")
    assert not settings.may_show("example", "A")
    settings.marks["example"] = None
    rerun(settings, B | BEAM, text="C", method="beam")
    settings.receive(B | BEAM | {"head": ("2",)})  # a component has written the address: it may show either
    assert settings.may_show("example", "B")
    assert settings.may_show("example", None)
    assert not settings.may_show("example", "A")


def test_a_choice_that_a_component_has_written_to_the_url_restores_nothing_else():
    settings = open_visit(A)
    kind = OneOf(("cross", "encoder"))
    settings.controls["kind"] = DrawnControl("cross", kind, "cross", False, in_component=True)
    settings.store_of("pull")["pull"] = ("1",)
    settings.next_query()
    pulled = A | {"pull": ("1",)}
    settings.receive(pulled)
    settings.store_of("pull").clear()  # it is reset ...
    settings.next_query()
    settings.begin_run("attention", pulled | {"kind": ("encoder",)}, False, {})  # ... and before the answer arrives
    assert settings.query() == A | {"kind": ("encoder",)}
    assert settings.next_query() == A | {"kind": ("encoder",)}
    settings.begin_run("attention", pulled | {"kind": ("encoder",), "head": ("2",)}, False, {})  # another link
    assert settings.query() == pulled | {"kind": ("encoder",), "head": ("2",)}
