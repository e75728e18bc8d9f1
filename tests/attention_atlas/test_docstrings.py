"""Every public name has a docstring, with the shapes of its arrays and the errors that it raises."""

from __future__ import annotations

import ast
import inspect
import itertools
import re
import textwrap
from collections.abc import Iterator

import numpy as np

import attention_atlas
import attention_atlas.study
import model
import views
from model.hub.opened_pictures import OpenedPictureModel
from tests.processes import ROOT

PACKAGES = (attention_atlas, attention_atlas.study, model, views)
RETURNED = {"open_model()": OpenedPictureModel}  # returned by a function, but not public by name
SHAPE = re.compile(r"`\([^`()]*\)`")
ARRAY = re.compile(r"\bndarray\b|\bTensor\b")
TAP = re.compile(r"Callable\[\[str, [\w.]*Tensor\], [\w.]*Tensor\]")  # takes tensors of any shape
OURS = ("model.", "views.", "attention_atlas.")


def public() -> dict[str, object]:
    """Every public name of the packages, and the public methods and properties of their classes that are ours."""
    names = {f"{package.__name__}.{name}": getattr(package, name) for package in PACKAGES for name in package.__all__}
    classes = {name: obj for name, obj in (names | RETURNED).items() if inspect.isclass(obj)}
    return names | RETURNED | {f"{name}.{member}": obj for name, cls in classes.items() for member, obj in members(cls)}


def members(cls: type) -> Iterator[tuple[str, object]]:
    """Public methods and properties of a class, inherited ones of this project included."""
    for name in dir(cls):
        obj = inspect.getattr_static(cls, name)
        obj = getattr(obj, "__func__", None) or getattr(obj, "fget", None) or getattr(obj, "func", None) or obj
        if not name.startswith("_") and inspect.isfunction(obj) and obj.__module__.startswith(OURS):
            yield name, obj


PUBLIC = public()
FUNCTIONS = {name: obj for name, obj in PUBLIC.items() if inspect.isfunction(obj)}
CLASSES = {name: obj for name, obj in PUBLIC.items() if inspect.isclass(obj)}


def tree_of(obj: object) -> ast.AST:
    return ast.parse(textwrap.dedent(inspect.getsource(obj))).body[0]


def raised(function: object) -> set[str]:
    """Names of the errors that a function raises itself and does not catch."""
    nodes = list(ast.walk(tree_of(function)))
    calls = [node.exc for node in nodes if isinstance(node, ast.Raise) and node.exc]
    handled = [node.type for node in nodes if isinstance(node, ast.ExceptHandler) and node.type]
    kinds = [kind for types in handled for kind in (types.elts if isinstance(types, ast.Tuple) else [types])]
    caught = {ast.unparse(kind) for kind in kinds}
    return {ast.unparse(call.func if isinstance(call, ast.Call) else call) for call in calls} - caught


def lacks_shapes(function: object) -> bool:
    """Whether it takes or returns arrays and its docstring has no shapes."""
    signature = TAP.sub("", str(inspect.signature(function)))
    return bool(ARRAY.search(signature)) and not SHAPE.search(inspect.getdoc(function) or "")


def lacks_errors(function: object) -> set[str]:
    """Errors that it raises and does not list under "Raises:"."""
    _, _, errors = (inspect.getdoc(function) or "").partition("Raises:")
    return {error for error in raised(function) if not re.search(rf"\b{error}\b", errors)}


def _text_of(node: ast.stmt | None) -> str:
    """The text of a statement that is a string alone."""
    is_text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    return str(node.value.value) if is_text else ""


def _text_for(name: str, body: list[ast.stmt]) -> str:
    """The docstring of several fields that begins with their names, one of which is `name`."""
    texts = (_text_of(node).partition(": ") for node in body)
    return next((text for names, _, text in texts if f"`{name}`" in names.split(", ")), "")


def undocumented_arrays(cls: type) -> list[str]:
    """Array fields of a class without a shape in a docstring, of the class or below the field, or in a comment."""
    lines = textwrap.dedent(inspect.getsource(cls)).splitlines()
    documented, missing, before = " ".join((inspect.getdoc(cls) or "").split()), [], 0
    body = tree_of(cls).body
    for node, following in itertools.zip_longest(body, body[1:]):
        end = node.end_lineno
        if isinstance(node, ast.AnnAssign) and ARRAY.search(ast.unparse(node.annotation)):
            entry = re.search(rf"\b{node.target.id}\b[^:]*:(.*?)(?: \w+(?:, \w+)*: |$)", documented)
            comment = "\n".join(lines[before:end])
            below = _text_of(following) or _text_for(node.target.id, body)
            if not SHAPE.search(comment + below) and not (entry and SHAPE.search(entry[1])):
                missing.append(node.target.id)
        else:
            before = end
    return missing


def test_many_names_are_checked():
    assert len(CLASSES) > 20 and len(FUNCTIONS) > 100


def test_the_pages_of_the_api_have_the_module_of_every_public_name():
    target = (ROOT / "Makefile").read_text(encoding="utf-8").partition("\ndocs:")[2].partition("\n\n")[0].split()
    assert {"attention_atlas", "attention_atlas.study", "attention_atlas.model"} <= set(target)
    wanted = {
        "OpenedModel",
        "HubTrace",
        "HubRecord",
        "HeadInterventions",
        "Scale",
        "NoMask",
        "ablate",
        "open_model",
        "show",
    }
    assert wanted <= set(attention_atlas.__all__)


def test_every_name_has_a_docstring():
    assert [name for name, obj in PUBLIC.items() if not (obj.__doc__ or "").split("\n")[0].endswith((".", ":"))] == []


def test_arrays_have_their_shapes():
    assert [name for name, obj in FUNCTIONS.items() if lacks_shapes(obj)] == []
    assert {name: fields for name, cls in CLASSES.items() if (fields := undocumented_arrays(cls))} == {}


def test_errors_are_listed():
    assert {name: errors for name, obj in FUNCTIONS.items() if (errors := lacks_errors(obj))} == {}


class Fields:
    """Arrays.

    Attributes:
        named: `(layer,)`.
        unnamed: of numbers.
    """

    named: np.ndarray
    unnamed: np.ndarray
    commented: np.ndarray  # `(query,)`


def refuses(of: np.ndarray) -> None:
    """Accepts anything.

    Raises:
        TypeError: never.
    """
    try:
        raise KeyError("caught")
    except (IndexError, KeyError):
        raise ValueError("no") from None


def test_missing_entries_are_reported():
    assert lacks_shapes(refuses) and not lacks_shapes(lacks_errors)
    assert lacks_errors(refuses) == {"ValueError"}
    assert undocumented_arrays(Fields) == ["unnamed"]
