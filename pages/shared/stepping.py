"""A step view on a page: where its sliders stand is kept in the address, and moving them asks nothing of the server."""

from pages.shared.runs import fragment
from views.address import settings
from views.components.step_view import Axis, Places, StepView, step_view


@fragment
def show(view: StepView, key: str) -> None:
    """Mount `view`. What the browser tells a moment after a move runs only this again, and draws nothing new."""
    step_view(view, places(view), key, lambda moved: _remember(view, moved))


def places(view: StepView) -> Places:
    """Where the sliders stand: as the address says, where that can be, else where they begin."""
    found = {axis.id: _place(axis, settings.held(axis.id)) for axis in view.axes if axis.slider}
    _remember(view, found)
    return found


def _place(axis: Axis, said: str) -> int:
    if axis.ids:
        return list(axis.ids).index(said) if said in axis.ids else axis.first
    whole = said.isascii() and said.isdigit() and len(said) < 6
    return int(said) - 1 if whole and 1 <= int(said) <= axis.count else axis.first


def _remember(view: StepView, moved: Places) -> None:
    for axis in view.axes:
        if axis.slider:
            place = moved[axis.id]
            said = str(axis.ids[place]) if axis.ids else str(place + 1)
            settings.hold(axis.id, "" if place == axis.first else said)
