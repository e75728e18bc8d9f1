"""Side B is another sentence."""

from __future__ import annotations

from model import Trace
from pages.shared.opening import Request, usable
from pages.shared.sides import Sides
from views.controls import widgets
from views.text.catalogue import say

OTHER = "The animal didn't cross the street because it was too wide."
OWN, SAME = "own", "a"


def sides_of(request: Request, trace: Trace) -> Sides | None:
    """Both sentences; None where the other one cannot be used, and the reason is on the page."""
    name = say("compare.other", "Sentence B")
    text = widgets.text(name, "other", OTHER, say("sentence.placeholder", "Type an English sentence"))
    reads = widgets.pick(
        say("compare.reads", "What the decoder of B reads"),
        {
            OWN: say("compare.reads.own", "Its own translation"),
            SAME: say("compare.reads.a", "The translation of A"),
        },
        "reads",
        help=say(
            "compare.reads.help",
            "With the translation of A, the loss of B tells how well that translation fits sentence B.",
        ),
    )
    if not usable(request, text, name):
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
    return Sides(trace, second, ("A", "B"), ("A", "B"), (trace.target_text, own.target_text), ended)
