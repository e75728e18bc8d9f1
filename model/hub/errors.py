"""The error that states why a model cannot be opened or an input cannot be traced."""

import functools
import inspect
import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, ParamSpec, TypeVar

from ..runtime.device import ran_out_of_memory
from ..runtime.messages import Template, UserError

P = ParamSpec("P")
T = TypeVar("T")

FAILED = Template("This model fails on this input ({reason}); try another one, or save or download the model again.")
REASON = 200  # characters of a library's error that are stated
LONGEST = 2000  # of which so many are looked through for paths
_BEGIN = r"(?:(?<![\w.~/\\])[A-Za-z]:[/\\]|(?<![\w.~/\\])(?!//)[/\\]{1,2})"  # of a path, and not of an address
_PATH_BEGINS = re.compile(_BEGIN)
_FOLDERS = re.compile(_BEGIN + r"(?:[^/\\'\"\s]+[/\\]+)+")  # before the name of a file
_QUOTED = re.compile(rf"(?<=(['\"`])){_BEGIN}(?:(?!\1).)*[/\\](?=(?:(?!\1).)+\1)")  # also with spaces
_NO_MEMORY = ("not enough memory", "can't allocate memory")  # PyTorch, on the CPU


class OpenError(UserError, ValueError):
    """A model cannot be opened, or an input not traced; the message states why in one sentence, and how to go on."""


class WrongCallError(TypeError):
    """A method was called with an argument that it does not have."""


@contextmanager
def raised_as(template: str, /, **values: object) -> Iterator[None]:
    """Within this context, raise whatever a library raises as an `OpenError` of one sentence.

    Errors that are a sentence already pass, and so do a GPU's full memory, after which `model.runtime.device`
    computes on the CPU, and what ends a thread. A panic of a library in Rust, which is no `Exception`, does not pass.

    Args:
        template: with `{reason}` where the library's own error is stated.
    """
    try:
        yield
    except (UserError, WrongCallError):
        raise
    except Exception as error:
        if isinstance(error, RuntimeError) and ran_out_of_memory(error):
            raise
        if isinstance(error, MemoryError) or any(words in str(error) for words in _NO_MEMORY):
            raise OpenError(
                "This machine does not have enough memory for it; open a smaller model, or give a shorter input."
            ) from None
        raise OpenError(template, **values, **_find_reason(template, error)) from None
    except BaseException as error:
        if type(error).__module__ != "pyo3_runtime":
            raise
        raise OpenError(template, **values, **_find_reason(template, error)) from None


def _find_reason(template: str, error: BaseException) -> dict[str, str]:
    """The library's own error, as the value of `{reason}`; nothing where a template has no such place."""
    return {"reason": reason_of(error)} if "{reason}" in template else {}


def reason_of(error: BaseException) -> str:
    """A library's error with the first sentence of its text, in which a file has its name alone and not its folders."""
    lines = [line.strip() for line in str(error).strip().splitlines()]
    end = next((place for place, line in enumerate(lines, 1) if not line.endswith(":")), len(lines))
    first = " ".join(lines[:end]).replace(os.environ.get("HF_TOKEN") or "\n", "HF_TOKEN")
    first = _without_folders(first[:LONGEST])
    printable = "".join(character if character.isprintable() else " " for character in first)
    return ": ".join(filter(None, (type(error).__name__, printable[:REASON].rstrip(" ."))))


def _without_folders(text: str) -> str:
    """A text in which a file is named without the folders above it, which may have spaces in their names."""
    text = _QUOTED.sub("", text.replace("file://", ""))
    place = 0
    while begin := _PATH_BEGINS.search(text, place):
        start, place = begin.span()
        named = _FOLDERS.match(text, start)
        ends = [match.end() for match in re.finditer(r"[/\\]", text) if match.end() > place]
        real = next((end for end in reversed(ends) if os.path.isdir(text[start:end])), start)
        if end := max(real, named.end() if named else start):
            text, place = text[:start] + text[end:], start if end > start else place
    return text


def states_errors(method: Callable[P, T]) -> Callable[P, T]:
    """Wrap a method of an opened model, or a generator, whose errors are raised as an `OpenError` of one sentence.

    First the model is prepared, see `model.hub.opened_network.OpenedNetwork.prepare`.
    """
    signature = inspect.signature(method)

    @functools.wraps(method)
    def call(*arguments: P.args, **options: P.kwargs) -> T:
        signature.bind(*arguments, **options)  # a wrong call remains a TypeError
        _prepare(arguments)
        with raised_as(FAILED):
            return method(*arguments, **options)

    @functools.wraps(method)
    def generate(*arguments: P.args, **options: P.kwargs) -> Any:
        _prepare(arguments)
        generator: Any = method(*arguments, **options)
        with raised_as(FAILED):
            return (yield from generator)

    return generate if inspect.isgeneratorfunction(method) else call


def _prepare(arguments: tuple[object, ...]) -> None:
    """Prepare the opened model that a method belongs to; what it uses inside, such as streams, has no such method."""
    prepare = getattr(arguments[0], "prepare", None) if arguments else None
    if prepare is not None:
        prepare()
