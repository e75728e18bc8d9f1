"""Views of the Vision page with a tiny network, so that their tests need no trained weights."""

from __future__ import annotations

from functools import cache

from streamlit.testing.v1 import AppTest

from model import VisionClassifier, VisionTrace
from pages.shared.service import Service
from tests.model.images import noise, tiny_vision

PATIENCE = 180  # seconds


@cache
def service() -> Service:
    """Return the service that all tests share."""
    return Service(VisionClassifier(tiny_vision()))


@cache
def trace() -> VisionTrace:
    """Return the trace of a picture of noise."""
    return service().model.trace(noise(12, 12, 3))


def _layers() -> None:
    from pages.vision.layers import render_layers
    from tests.pages.vision.views import service, trace
    from views.url_state import bound_settings

    with bound_settings.page_run("vision", ""):
        render_layers(service(), "noise", trace())


def _positions() -> None:
    from pages.vision.positions import render_positions
    from tests.pages.vision.views import service, trace
    from views.url_state import bound_settings

    with bound_settings.page_run("vision", ""):
        render_positions(service(), "noise", trace())


def _heads() -> None:
    from pages.vision.head_ablation import render_heads
    from tests.pages.vision.views import service, trace
    from views.url_state import bound_settings

    with bound_settings.page_run("vision", ""):
        render_heads(service(), "noise", trace())


def _what_if() -> None:
    from pages.vision.what_if import render_what_if
    from tests.pages.vision.views import service, trace
    from views.url_state import bound_settings

    with bound_settings.page_run("vision", ""):
        render_what_if(service(), "noise", trace())


def _causes() -> None:
    from pages.vision.causes import render_causes
    from tests.pages.vision.views import service, trace
    from views.url_state import bound_settings

    with bound_settings.page_run("vision", ""):
        render_causes(service(), "noise", trace())


VIEWS = {"layers": _layers, "positions": _positions, "what_if": _what_if, "heads": _heads, "causes": _causes}


def open_view(view: str, **query: str) -> AppTest:
    """Run one of `VIEWS` with query parameters, as by a link."""
    app = AppTest.from_function(VIEWS[view], default_timeout=PATIENCE)
    app.query_params.update(query)
    app.run()
    assert not app.exception
    return app
