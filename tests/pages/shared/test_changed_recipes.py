"""Recipes of saved archives whose values somebody has changed: they work, or one sentence says what is allowed.

Every value that is written in a recipe is replaced by values of other types and out of range. What Python itself says
of a recipe's own lines, such as of a loop over a number, is not tested.
"""

from __future__ import annotations

import ast
import contextlib
import functools
import hashlib
import io
import traceback
from dataclasses import astuple
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from model import HeadInterventions, RecurrentTranslator, Translator, VisionClassifier, open_model
from model.runtime.messages import UserError
from model.tracing.head_interventions import Pull
from tests.model.hub import tiny
from tests.processes import ROOT
from views.controls import samples as samples_of_views
from views.export import causal_recipes, recipes

VALUES = (
    None, True, -1, 0, 10**30, 1.5, float("nan"), float("inf"), "", "none", "encoder", [], [1], [-1], ["a"], {},
    {"a": 1}, b"x", ...,
)  # fmt: skip
CLEAN, CORRUPT = "The cat sat.", "The dog sat."
HASH = "0" * 64


class _Replace(ast.NodeTransformer):
    """Replaces one of the values of a recipe, by its number; lines that select from the arrays are left."""

    def __init__(self, number: int, value: object = None) -> None:
        self.number, self.value, self.count = number, value, 0

    def _replace(self, node):
        self.count += 1
        if self.count - 1 != self.number:
            return self.generic_visit(node)
        text = f"float('{self.value}')" if isinstance(self.value, float) else repr(self.value)
        return ast.parse("..." if self.value is ... else text, mode="eval").body

    visit_Constant = visit_List = visit_Dict = _replace

    def visit_Tuple(self, node):
        return self._replace(node) if isinstance(node.ctx, ast.Load) else node

    def visit_JoinedStr(self, node):
        return node


def values_in(code: str) -> int:
    visitor = _Replace(-1)
    visitor.visit(ast.parse(code))
    return visitor.count


def changed(code: str, number: int, value: object) -> str:
    return ast.unparse(ast.fix_missing_locations(_Replace(number, value).visit(ast.parse(code))))


def run(code: str) -> None:
    """Run a recipe; raise what our code raises that is no sentence."""
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            exec(compile(code, "recipe", "exec"), {})
    except UserError as error:
        assert str(error).endswith(".") and "\n" not in str(error)
    except AssertionError as error:
        assert "leave this line out" in str(error), "an assertion without a sentence"
    except Exception as error:
        if isinstance(error, TypeError) and "unexpected keyword argument" in str(error):
            return  # the name of an argument, which Python states
        frames = [frame.filename for frame in traceback.extract_tb(error.__traceback__)]
        ours = [name for name in frames if name.startswith(str(ROOT)) and "site-packages" not in name]
        if any(not name.startswith(str(ROOT / "tests")) for name in ours):
            raise


@pytest.fixture(scope="module")
def codes(tmp_path_factory):
    """Recipes of every kind, with networks that are loaded once."""
    with pytest.MonkeyPatch.context() as patch:
        for network in (Translator, RecurrentTranslator, VisionClassifier):
            patch.setattr(network, "load", functools.lru_cache(network.load))
        translator, vision = Translator.load(), VisionClassifier.load()
        recurrent = "RecurrentTranslator.load('lstm-dot')", RecurrentTranslator.load("lstm-dot").weights_sha256
        own = "Translator.load()", translator.weights_sha256
        ids = translator.trace(CLEAN).next_ids
        pulls = HeadInterventions((Pull("cross", ((0, 0),), 1, 1, 1.0),)).to_text()
        folder = tiny.save("gpt2", tmp_path_factory.mktemp("gpt2"))
        opened = causal_recipes.OpenedName(str(folder), "float32", open_model(folder, device="cpu").weights_sha256)
        samples = sorted(path.stem for path in Path("assets/samples").glob("*.jpg"))[:2]
        shown = vision.prepare(samples_of_views.picture(samples[0]).image)
        pixels = hashlib.sha256(shown.tobytes()).hexdigest()
        grids = causal_recipes.of_grids([{"site": "head_output", "parts": ("cross",)}], "denoising", "position")
        lines = {
            "sentence": recipes.of_sentence(CLEAN, ids, "cross", *own) + recipes.words_of_sentence("target", "source"),
            "stage": recipes.of_stage(CLEAN, ids, pulls, *own),
            "sentences": (*causal_recipes.of_sentences((CLEAN, CORRUPT), 1, "probability", *own), *grids),
            "noise": (
                *causal_recipes.of_sentence(CLEAN, ids, 1, "probability", *own),
                *causal_recipes.of_noisy_grids(["residual"], {"encoder": [1]}, 2, 0),
            ),
            "states": (
                *causal_recipes.of_sentences((CLEAN, CORRUPT), 1, "probability", *recurrent),
                *causal_recipes.of_states("denoising", "position"),
            ),
            "picture": recipes.of_picture(pixels, vision.weights_sha256, samples[0]),
            "pictures": (
                *causal_recipes.of_pictures((samples[0], samples[1]), vision.weights_sha256),
                *causal_recipes.of_picture_grids({"heads": {"site": "head_output", "layers": [0]}}, "denoising"),
            ),
            "noisy picture": (
                *causal_recipes.of_picture(samples[0], vision.weights_sha256),
                *causal_recipes.of_noisy_picture({"heads": {"site": "head_output", "layers": [0]}}, [1, 2],
                                                 "Probability(index=4)", 2, 0),
            ),
            "opened": recipes.of_opened(*astuple(opened)[:3], "decoder", {"sentence": "The fox"})
            + recipes.words_of_opened("source", "source"),
            "texts": (
                *causal_recipes.of_texts(("The fox", "The car"), "answer", opened),
                *causal_recipes.of_grids([{"site": "residual"}], "denoising", "position"),
            ),
            "text": (
                *causal_recipes.of_traced_text("The fox", {}, 1, opened),
                *causal_recipes.of_noisy_grids(["residual"], {"decoder": [1]}, 2, 0),
            ),
            "paths": (
                *causal_recipes.of_texts(("The fox", "The car"), "answer", opened),
                *causal_recipes.of_paths(["none"], 3, 0.1, False),
            ),
        }  # fmt: skip
        yield {name: "\n".join(own) for name, own in lines.items()}


KINDS = (
    "sentence", "stage", "sentences", "noise", "states", "picture", "pictures", "noisy picture", "opened", "texts",
    "text", "paths",
)  # fmt: skip


@pytest.mark.parametrize("name", KINDS)
@settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
@given(data=st.data())
def test_a_changed_value_works_or_is_refused_in_a_sentence(codes, name, data):
    code = codes[name]
    number, value = data.draw(st.integers(0, values_in(code) - 1)), data.draw(st.sampled_from(VALUES))
    run(changed(code, number, value))


@pytest.mark.nightly
@pytest.mark.parametrize("name", KINDS)
def test_every_value_of_every_recipe(codes, name):
    code, wrong = codes[name], []
    for number in range(values_in(code)):
        for value in VALUES:
            try:
                run(changed(code, number, value))
            except Exception as error:
                wrong.append((number, value, f"{type(error).__name__}: {error}"))
    assert wrong == []


@pytest.mark.parametrize(
    ("name", "old", "new", "sentence"),
    [
        ("noise", "trace, 1, 'probability'", "trace, '1', 'probability'", "`place` must be a whole number, not '1'."),
        ("noise", "trace, 1, 'probability'", "trace, 1.5, 'probability'", "`place` must be a whole number, not 1.5."),
        ("noise", "'probability'", "'logit'", "`metric` must be one of difference, probability, loss, not 'logit'."),
        ("noise", "seed=0", "seed=None", "`seed` must be a whole number, not None."),
        ("noise", "[1]}", "'1'}", "`noisy` must be a list of whole numbers, not '1'."),
        ("sentences", "pair, 1, 'probability'", "pair, 2.0, 'probability'", "`place` must be a whole number, not 2.0."),
        ("sentences", "('cross',)", "(3,)", "`parts` must be one of encoder, decoder, cross, not 3."),
        ("sentences", "'position'", "'middle'", "`alignment` must be one of position, not 'middle'."),
        ("noisy picture", "index=4", "index=True", "There is no logit True; this network has 10, from 0 to 9."),
        ("opened", "attention('decoder')", "attention(['a'])", "This trace has no attention of kind ['a']; it has "),
        ("texts", "experiments['answer']", "experiments['loss']", "Of these two texts 'loss' is not measured; choose "),
    ],
)
def test_the_sentence_names_the_field_and_what_is_allowed(codes, name, old, new, sentence):
    assert old in codes[name]
    with pytest.raises(UserError) as caught:
        exec(codes[name].replace(old, new), {})
    assert str(caught.value).startswith(sentence)


def test_other_weights_are_named(codes):
    code = codes["sentence"].replace(Translator.load().weights_sha256, HASH)
    with pytest.raises(AssertionError, match=r"^These numbers are of other weights; load those"):
        exec(code, {})
