"""Side B is another sentence."""

from __future__ import annotations

from model import Trace
from pages.compare.sides import Sides
from pages.shared.opening import Request, usable
from views.controls import widgets

OTHER = "The animal didn't cross the street because it was too wide."
OWN, SAME = "Its own translation", "The translation of A"


def sides_of(request: Request, trace: Trace) -> Sides | None:
    """Both sentences; None where the other one cannot be used, and the reason is on the page."""
    text = widgets.text("Sentence B", "other", OTHER, "Type an English sentence")
    reads = widgets.pick(
        "What B\u2019s decoder reads",
        (OWN, SAME),
        "reads",
        help="With the translation of A, its loss tells how well that translation fits sentence B.",
    )
    if not usable(request, text, "Sentence B"):
        return None
    service = request.service
    own = service.trace(text, request.options)
    if reads == SAME:
        key = (text, "as", trace.next_ids)
        second = service.traces.get_or_compute(
            key, lambda: service.model.trace(text, target_ids=trace.next_ids), service.computing
        )
    else:
        second = own
    ended = service.ended(trace.next_ids), service.ended(own.next_ids)
    return Sides(trace, second, ("A", "B"), (trace.target_text, own.target_text), ended)
