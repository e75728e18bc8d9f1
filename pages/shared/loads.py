"""The models that ship, as the server loads them when it starts: each is read and computes once.

Imported inside the functions: each visitor's run imports what `app.py` imports, and PyTorch takes a second.
"""

from server.process_wide import process_wide
from views.first_page import Answer


def translator() -> None:
    """For the first page."""
    from model.runtime.device import use_threads
    from server.limits import THREADS

    use_threads(THREADS)
    _first_answer()


def classifier() -> None:
    """For *Vision*, and what every page but the first needs besides."""
    import pandas  # noqa: F401  # takes a quarter of a second

    from pages.shared.models import load_vision
    from views.controls import samples

    load_vision().trace_picture(samples.picture(samples.NAMES[0]).image)


@process_wide
def _first_answer() -> Answer:
    from model import DecodingOptions
    from pages.shared.models import load_service
    from views.controls import inputs

    service, asked = load_service(), (inputs.DEFAULT, DecodingOptions())
    trace = service.trace(*asked)
    service.translations.keep(asked)  # what is there before the scripts run is not written anew once they do
    return Answer(inputs.DEFAULT, trace.target_text)


def first_answer() -> Answer | None:
    """What the home page begins with, once the translator is loaded."""
    return _first_answer() if _first_answer.made() else None


LOADS = {"translator": translator, "classifier": classifier}
