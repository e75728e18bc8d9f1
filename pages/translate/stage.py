"""The stage of the home page: one picture of the translation, which reacts to every choice in the browser."""

from model import Trace
from pages.shared.fragments import fragment
from pages.shared.service import Service
from views.components.stage import PlaceChances, Stage, stage, stage_choices
from views.controls import sentence_input
from views.viewer.attention_maps import from_trace


@fragment
def render_stage(service: Service, trace: Trace) -> None:
    """Render the stage. Choosing another map runs only this fragment, which sends nothing new."""
    maps = from_trace(trace, service.kinds)
    choices = stage_choices(maps)
    places = [
        PlaceChances(row.token, row.probability, [(each.token, each.probability) for each in row.top])
        for row in trace.predictions(5)
    ]
    content = Stage(maps, places, choices, {choice.key: choice.in_component() for choice in choices})
    stage(content, key="stage", on_choose=sentence_input.store_selection)
