"""The models that ship, as the server loads them when it starts: each is read and computes once.

Imported inside the functions: each visitor's run imports what `app.py` imports, and PyTorch takes a second.
"""


def translator() -> None:
    """For the first page."""
    from model import DecodingOptions
    from model.runtime.device import use_threads
    from pages.shared.models import load_service
    from server.limits import THREADS
    from views.controls import inputs

    use_threads(THREADS)
    load_service().trace(inputs.DEFAULT, DecodingOptions())


def classifier() -> None:
    """For *Vision*, and what every page but the first needs besides."""
    import pandas  # noqa: F401  # takes a quarter of a second

    from pages.shared.models import load_vision
    from views.controls import samples

    load_vision().trace_picture(samples.picture(samples.NAMES[0]).image)


LOADS = {"translator": translator, "classifier": classifier}
