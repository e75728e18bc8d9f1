"""An error for the user has its template and its values in addition to the English sentence."""

import ast
import copy
from pathlib import Path

import pytest

from model import CheckpointError, InputError, InterventionError, Translator
from model.runtime.checkpoint import read_json
from model.runtime.messages import Place, Places, UserError
from model.tracing.head_interventions import Scale
from views.text.catalogue import fill, say_error, using_language

MODEL = Path(__file__).resolve().parents[3] / "model"


@pytest.mark.parametrize(("error", "kind"), [(InputError, ValueError), (InterventionError, ValueError)])
def test_the_sentence_is_the_template_with_its_values(error, kind):
    raised = error("That sentence has {count} tokens; at most {most:,}.", count=3, most=1280)
    assert str(raised) == "That sentence has 3 tokens; at most 1,280."
    assert raised.template == "That sentence has {count} tokens; at most {most:,}."
    assert raised.values == {"count": 3, "most": 1280}
    assert isinstance(raised, kind)


def test_whole_numbers_have_commas_as_on_pages():
    raised = UserError(
        "{count} of {most:,}, {low} to {high:g}: {id}", count=65504, most=1280, low=-1000, high=0.5, id=50257
    )
    assert str(raised) == "65,504 of 1,280, -1,000 to 0.5: 50257"
    assert raised.values["count"] == 65504 and type(raised.values["count"]) is int
    assert fill(raised.template, raised.values) == str(raised)


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (1, "1 sample of noise has no error; 1 head"),
        (0, "0 samples of noise have no error; 0 heads"),
        (2, "2 samples of noise have no error; 2 heads"),
        (2000, "2,000 samples of noise have no error; 2,000 heads"),
    ],
)
def test_a_count_has_its_plural_form_in_python_and_on_pages(count, text):
    template = "{count} {count:sample of noise has|samples of noise have} no error; {count} {count:head|heads}"
    raised = UserError(template, count=count)
    assert str(raised) == fill(template, {"count": count}) == say_error(raised) == text


@pytest.mark.parametrize(("excess", "english"), [(1, "Shorten it by 1 token."), (2, "Shorten it by 2 tokens.")])
def test_a_sentence_that_is_too_long_states_by_how_much(excess, english):
    translator = Translator.load(device="cpu")
    text = "cat" + " cat" * 126
    while len(translator.tokenizer.encode(text)) < 128 + excess:
        text += " cat"
    with pytest.raises(InputError) as raised:
        translator.translate(text)
    assert str(raised.value).endswith(english)
    with using_language("ko"):
        assert say_error(raised.value).endswith(f"토큰을 {excess}개 줄이십시오.")


def test_layers_and_heads_count_from_0_in_python_and_from_1_on_a_page():
    raised = UserError(
        "No head {head}; layers {layers} and key {key} have it.", head=Place(9), layers=Places((0, 3)), key=2
    )
    assert str(raised) == "No head 9; layers 0, 3 and key 2 have it."
    assert say_error(raised) == "No head 10; layers 1, 4 and key 2 have it."


def test_braces_in_values_and_in_a_sentence_without_values_stay():
    assert str(UserError("Read {name}.", name="{x}")) == "Read {x}."
    assert str(UserError("Leave {x} alone.")) == "Leave {x} alone."
    assert str(copy.copy(UserError("Read {name}.", name="{x}"))) == "Read {x}."


def test_the_models_own_errors_have_values(network, tokenizer, tmp_path):
    count = len(tokenizer.encode("dog " * 200))
    with pytest.raises(InputError) as caught:
        Translator(network, tokenizer).check("dog " * 200)
    assert caught.value.values == {"count": count, "most": 128, "excess": count - 128}
    assert str(caught.value).startswith(f"That sentence has {count} tokens")
    with pytest.raises(InterventionError) as caught:
        Scale("encoder", ((9, 0),)).check({"encoder": (6, 8, 3, 3)})
    assert caught.value.values == {"head": 0, "layer": 9, "kind": "encoder", "layers": 6, "heads": 8}
    with pytest.raises(CheckpointError) as caught:
        read_json(tmp_path / "card.json")
    assert caught.value.values == {"file": "card.json", "folder": tmp_path.name}


def test_no_message_for_users_is_formatted_before_its_template_is_stored():
    names = ("InputError", "InterventionError", "CheckpointError")
    for path in MODEL.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in names:
                assert not isinstance(node.args[0], ast.JoinedStr), f"{path.name}:{node.lineno}"


def test_the_reason_inside_of_a_sentence_goes_on_and_what_a_user_typed_is_kept():
    reason = UserError("It has no pixels; give a picture.")
    error = UserError("{reason}; or give {typed}.", reason=reason, typed="'a.; b'")
    assert str(error) == say_error(error) == "It has no pixels; give a picture; or give 'a.; b'."
    assert str(UserError("Skipped: {reason}", reason=reason)) == f"Skipped: {reason}"
