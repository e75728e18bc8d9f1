"""The models that ship, as the server loads them when it starts: each is read and computes once.

Imported inside the functions: each visitor's run imports what `app.py` imports, and PyTorch takes a second.
"""

from dataclasses import replace
from typing import TYPE_CHECKING

from server.singleton import singleton
from views.initial_content import InitialContent
from views.text import catalogue, prose

if TYPE_CHECKING:
    from model import Trace
    from views.components.html_export import ComponentSnapshot


def load_translator() -> None:
    """For the first page."""
    from model.runtime.device import use_threads
    from server.limits import THREADS

    use_threads(THREADS)
    _initial_trace()


def load_classifier() -> None:
    """For *Vision*, and what every page but the first needs besides."""
    import pandas  # noqa: F401  # takes a quarter of a second

    from pages.shared.models import load_vision
    from views.controls import samples

    _initial_maps(catalogue.ENGLISH)  # the first translation need not wait for what this imports
    load_vision().trace_picture(samples.picture(samples.NAMES[0]).image)


@singleton
def _initial_trace() -> "Trace":
    from model import DecodingOptions
    from pages.shared.models import load_service
    from views.controls import sentence_input

    service, asked = load_service(), (sentence_input.DEFAULT, DecodingOptions())
    trace = service.trace(*asked)
    service.translations.keep(asked)  # what is there before the scripts run is not written anew once they do
    return trace


@singleton
def _initial_maps(language: str) -> "ComponentSnapshot":
    from pages.shared.attention_viewer import explore
    from pages.shared.models import load_service
    from views.components import attention_kinds
    from views.controls import sentence_input

    with catalogue.using_language(language):
        return attention_kinds.snapshot(explore.initial_maps(load_service(), sentence_input.DEFAULT, _initial_trace()))


def initial_answer(page: str) -> InitialContent | None:
    """What a page begins with, "" for the home page, once what it takes is loaded."""
    loaded = {"": _initial_trace.made(), "attention": _initial_maps.made(catalogue.ENGLISH)}
    if not loaded.get(page, False):
        return None
    from views.controls import sentence_input

    answer = InitialContent(sentence_input.DEFAULT, _initial_trace().target_text)
    return replace(answer, lead=prose.lead(page), view=_initial_maps(catalogue.language())) if page else answer


WARMUPS = {"translator": load_translator, "classifier": load_classifier}
