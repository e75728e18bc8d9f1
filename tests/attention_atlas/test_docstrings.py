"""Every public name says what it is; where it takes or gives arrays, their shapes; where it refuses, its errors."""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from collections.abc import Iterator

import numpy as np

import attention_atlas
import model
import views
from model.hub.opened_pictures import OpenedPictureModel

PACKAGES = (attention_atlas, model, views)
GIVEN = {"open_model()": OpenedPictureModel}  # what is given back by a function, and has no name among the others
SHAPE = re.compile(r"`\([^`()]*\)`")
ARRAY = re.compile(r"\bndarray\b|\bTensor\b")
TAP = re.compile(r"Callable\[\[str, [\w.]*Tensor\], [\w.]*Tensor\]")  # takes tensors of any shape
OURS = ("model.", "views.", "attention_atlas.")


def public() -> dict[str, object]:
    """Every name that the packages offer, and the public methods and properties of their classes that are ours."""
    found = {f"{package.__name__}.{name}": getattr(package, name) for package in PACKAGES for name in package.__all__}
    classes = {name: each for name, each in (found | GIVEN).items() if inspect.isclass(each)}
    return found | GIVEN | {f"{name}.{member}": each for name, cls in classes.items() for member, each in members(cls)}


def members(cls: type) -> Iterator[tuple[str, object]]:
    """Public methods and properties of a class, from wherever they come in this project."""
    for name in dir(cls):
        each = inspect.getattr_static(cls, name)
        each = getattr(each, "__func__", None) or getattr(each, "fget", None) or getattr(each, "func", None) or each
        if not name.startswith("_") and inspect.isfunction(each) and each.__module__.startswith(OURS):
            yield name, each


PUBLIC = public()
FUNCTIONS = {name: each for name, each in PUBLIC.items() if inspect.isfunction(each)}
CLASSES = {name: each for name, each in PUBLIC.items() if inspect.isclass(each)}


def tree_of(each: object) -> ast.AST:
    return ast.parse(textwrap.dedent(inspect.getsource(each))).body[0]


def raised(function: object) -> set[str]:
    """Names of the errors that a function itself raises, and does not catch."""
    nodes = list(ast.walk(tree_of(function)))
    calls = [node.exc for node in nodes if isinstance(node, ast.Raise) and node.exc]
    caught = {ast.unparse(node.type) for node in nodes if isinstance(node, ast.ExceptHandler) and node.type}
    return {ast.unparse(call.func if isinstance(call, ast.Call) else call) for call in calls} - caught


def lacks_shapes(function: object) -> bool:
    """Whether it takes or gives arrays and says nothing of their shapes."""
    signature = TAP.sub("", str(inspect.signature(function)))
    return bool(ARRAY.search(signature)) and not SHAPE.search(inspect.getdoc(function) or "")


def lacks_errors(function: object) -> set[str]:
    """Errors that it raises and does not name under "Raises:"."""
    _, _, errors = (inspect.getdoc(function) or "").partition("Raises:")
    return {error for error in raised(function) if not re.search(rf"\b{error}\b", errors)}


def undocumented_arrays(cls: type) -> list[str]:
    """Fields of a class that hold arrays and say no shape, in the docstring or in the comment at them."""
    lines = textwrap.dedent(inspect.getsource(cls)).splitlines()
    documented, found, before = " ".join((inspect.getdoc(cls) or "").split()), [], 0
    for node in tree_of(cls).body:
        end = node.end_lineno
        if isinstance(node, ast.AnnAssign) and ARRAY.search(ast.unparse(node.annotation)):
            said = re.search(rf"\b{node.target.id}\b[^:]*:(.*?)(?: \w+(?:, \w+)*: |$)", documented)
            comment = "\n".join(lines[before:end])
            if not SHAPE.search(comment) and not (said and SHAPE.search(said[1])):
                found.append(node.target.id)
        else:
            before = end
    return found


def test_there_is_much_to_check():
    assert len(CLASSES) > 20 and len(FUNCTIONS) > 100


def test_every_name_says_what_it_is():
    assert [name for name, each in PUBLIC.items() if not (each.__doc__ or "").split("\n")[0].endswith((".", ":"))] == []


def test_arrays_have_their_shapes():
    assert [name for name, each in FUNCTIONS.items() if lacks_shapes(each)] == []
    assert {name: fields for name, cls in CLASSES.items() if (fields := undocumented_arrays(cls))} == {}


def test_errors_are_named():
    assert {name: errors for name, each in FUNCTIONS.items() if (errors := lacks_errors(each))} == {}


class Fields:
    """Arrays.

    Attributes:
        named: `(layer,)`.
        unnamed: of numbers.
    """

    named: np.ndarray
    unnamed: np.ndarray
    beside: np.ndarray  # `(query,)`


def refuses(of: np.ndarray) -> None:
    """Takes anything.

    Raises:
        TypeError: never.
    """
    try:
        raise KeyError("caught")
    except KeyError:
        raise ValueError("no") from None


def test_what_is_missing_is_found():
    assert lacks_shapes(refuses) and not lacks_shapes(lacks_errors)
    assert lacks_errors(refuses) == {"ValueError"}
    assert undocumented_arrays(Fields) == ["unnamed"]
