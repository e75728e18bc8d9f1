"""A step view on a page: where its sliders stand is kept in the address, and moving them asks nothing of the server."""

from collections.abc import Sequence

from pages.shared.fragments import fragment
from views.components.step_view import Axis, Places, StepView, step_view
from views.url_state import bound_settings
from views.url_state.codecs import Decimal


@fragment
def render(view: StepView, key: str) -> None:
    """Mount `view`. What the browser tells a moment after a move runs only this again, and draws nothing new."""
    mount(view, slider_positions(view.axes), key)


def mount(view: StepView, standing: Places, key: str) -> None:
    """Mount `view` in a part whose other numbers follow the sliders too: what the browser tells runs all of it."""
    step_view(view, standing, key, lambda moved: _remember(view.axes, moved))


def slider_positions(axes: Sequence[Axis]) -> Places:
    """Where the sliders stand: as the address says, where that can be, else where they begin."""
    found = {axis.id: _position(axis, bound_settings.stored_text(axis.id)) for axis in axes if axis.slider}
    _remember(axes, found)
    return found


def _position(axis: Axis, said: str) -> int:
    if axis.values:
        number = Decimal(min(axis.values), max(axis.values)).read((said,))
        apart = [abs(value - number) for value in axis.values] if number is not None else []
        return apart.index(min(apart)) if apart else axis.first
    if axis.ids:
        return list(axis.ids).index(said) if said in axis.ids else axis.first
    whole = said.isascii() and said.isdigit() and len(said) < 6
    return int(said) - 1 if whole and 1 <= int(said) <= axis.count else axis.first


def _remember(axes: Sequence[Axis], moved: Places) -> None:
    for axis in axes:
        if axis.slider:
            place = moved[axis.id]
            said = str(axis.ids[place]) if axis.ids else str(place + 1)
            bound_settings.store_text(axis.id, "" if place == axis.first else said)
