"""Load the models that ship when the server starts, and run each once.

Imports are inside the functions: each visitor's run imports what `app.py` imports, and PyTorch takes a second.
"""

from dataclasses import replace
from typing import TYPE_CHECKING

from server.singleton import singleton
from views.initial_html import InitialContent
from views.text import catalogue

if TYPE_CHECKING:
    from model import Trace
    from views.components.html_export import ComponentSnapshot


def load_translator() -> None:
    """Load what the home page needs."""
    from model.runtime.device import set_threads
    from server.limits import THREADS

    set_threads(THREADS)
    _initial_trace()


def load_classifier() -> None:
    """Load what *Vision* needs, and what every page except the home page needs in addition."""
    import pandas  # noqa: F401  # takes a quarter of a second

    from pages.shared.models import load_vision
    from views.controls import samples

    _initial_maps(catalogue.ENGLISH)  # here, because the home page does not need these imports
    load_vision().trace_picture(samples.picture(samples.NAMES[0]))


@singleton
def _initial_trace() -> "Trace":
    from model import DecodingOptions
    from pages.shared.models import load_service
    from views.controls import sentence_input

    service, sentence, options = load_service(), sentence_input.DEFAULT, DecodingOptions()
    trace = service.trace(sentence, options)
    service.translations.pin((sentence, options))  # the initial HTML shows it, before the browser's scripts run
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
    """Return the initial content of a page, "" for the home page; None until it is loaded."""
    loaded = {"": _initial_trace.is_ready(), "attention": _initial_maps.is_ready(catalogue.ENGLISH)}
    if not loaded.get(page, False):
        return None
    from views.controls import sentence_input

    content = InitialContent(sentence_input.DEFAULT, _initial_trace().target_text)
    if not page:
        return content
    from pages.shared.attention_viewer.explore import HEAD_KEYS

    maps = _initial_maps(catalogue.language())
    assert isinstance(maps.chosen, dict)  # the chosen options of `attention_kinds`
    return replace(content, view=maps, settings={name: maps.chosen[name] for name in HEAD_KEYS})


WARMUPS = {"translator": load_translator, "classifier": load_classifier}
