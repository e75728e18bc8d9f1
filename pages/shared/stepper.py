"""A step view on a page: its slider positions are in the URL, and moving a slider needs no run of the page."""

from collections.abc import Sequence

from pages.shared.fragments import fragment
from views.components.step_view import Axis, SliderPositions, StepView, step_view
from views.url_state import bound_settings
from views.url_state.codecs import Decimal


@fragment
def render(view: StepView, key: str) -> None:
    """Mount `view` in its own fragment, which the browser reruns a moment after a move; nothing is redrawn."""
    mount(view, slider_positions(view.axes), key)


def mount(view: StepView, positions: SliderPositions, key: str) -> None:
    """Mount `view` in the current fragment, which the browser reruns: for one whose numbers follow the sliders."""
    step_view(view, positions, key, lambda moved: _store(view.axes, moved))


def slider_positions(axes: Sequence[Axis]) -> SliderPositions:
    """Return the slider positions in the address, where they are valid, else the default ones."""
    positions = {axis.id: _position(axis, bound_settings.stored_text(axis.id)) for axis in axes if axis.slider}
    _store(axes, positions)
    return positions


def _position(axis: Axis, stored: str) -> int:
    if axis.values:
        number = Decimal(min(axis.values), max(axis.values)).read((stored,))
        distances = [abs(value - number) for value in axis.values] if number is not None else []
        return distances.index(min(distances)) if distances else axis.first
    if axis.ids:
        return list(axis.ids).index(stored) if stored in axis.ids else axis.first
    whole = stored.isascii() and stored.isdigit() and len(stored) < 6
    return int(stored) - 1 if whole and 1 <= int(stored) <= axis.count else axis.first


def _store(axes: Sequence[Axis], positions: SliderPositions) -> None:
    for axis in axes:
        if axis.slider:
            place = positions[axis.id]
            text = str(axis.ids[place]) if axis.ids else str(place + 1)
            bound_settings.store_text(axis.id, "" if place == axis.first else text)
