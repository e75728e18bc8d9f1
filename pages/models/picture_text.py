"""An opened model of pictures and text: attention of the text, over its picture, and within the picture."""

import hashlib
from dataclasses import replace
from typing import Any

import streamlit as st

from model import HeadInterventions, HubTrace
from model.hub.opened_model import OpenedModel
from model.hub.opened_reading import Pictures
from pages.models import answers, attention_labels, head_effects, text, text_causes, trace_retention, what_if
from pages.models.compared_texts import UsedPicture
from pages.shared.attention_viewer.explore import explore_picture, explore_tokens
from pages.shared.fragments import fragment
from pages.shared.models import picture_lock, private_service
from pages.shared.page_sections import pick_section
from pages.shared.service import Service
from pages.shared.texts import block, paragraph
from views.components import attention_text
from views.controls import sentence_input, widgets
from views.controls.picture_input import chosen_sample, pictures_input
from views.text import literal
from views.text.catalogue import Message, Untranslated, say
from views.viewer import viewer_controls
from views.viewer.attention_maps import AttentionMaps
from views.viewer.pictured_maps import PictureInText, pictures_in_text, with_part_names, with_pictures_as_one

READS = {
    "both": Message("models.reads.both", "Text with a picture"),
    "text": Message("models.reads.text", "Text alone"),
}
SECTIONS = {
    "over": Message("models.part.over", "Over the picture"),
    "attention": Message("models.part.attention", "Attention"),
    "within": Message("models.part.within", "Within the picture"),
    "heads": Message("models.part.heads", "Heads"),
    "what-if": Message("models.part.what-if", "What if"),
    "causes": Message("models.part.causes", "Causes"),
}
OF_ALL_LAYERS = ("heads", "what-if")  # sections that a trace of one layer does not have
MOST_WEIGHTS = 2_000_000  # that are sent at once; of more, the user chooses one map


def render(service: Service[OpenedModel]) -> None:
    """Read the text and the picture, trace them, and render the chosen section; or the page of a text alone.

    Raises:
        OpenError: the text cannot be used, or the maps would be too large.
    """
    model = service.model
    if model.text_refusal is None and widgets.pick(say("models.reads", "It reads"), READS, "reads") == "text":
        text.render(service)
        return
    words = widgets.text(say("models.text", "Text"), "text", sentence_input.DEFAULT, varies=True)
    pictures = pictures_input(picture_lock())
    if pictures[0].is_own:
        service = private_service(service)
    images = [picture.image for picture in pictures]
    hashes = [hashlib.sha256(image.convert("RGB").tobytes()).hexdigest() for image in images]
    key = words, hashes[0] if len(images) == 1 else hashlib.sha256("".join(hashes).encode()).hexdigest()
    image = images if len(images) > 1 else images[0]
    options = {"picture": image}
    if len(images) > 1 and model.pictured is not None:
        placeholder = literal.markdown(model.pictured.processor.image_token)
        st.caption(block("models", "several-pictures", placeholder=placeholder))
    keep = trace_retention.choose_retention(model, words, options)
    trace = service.traces.get_or_compute(
        ("traced", *key, keep), lambda: model.trace(words, keep=keep, picture=image), service.computing
    )
    generated = _render_answer(service, words, trace, key, image)
    section = pick_section(_sections(model, trace), "part", varies=True)
    if section == "within":
        towers = [each.tower for each in trace.pictures if each.tower is not None]
        numbers = {str(number): Untranslated(str(number)) for number in range(1, len(towers) + 1)}
        number = "1"
        if len(towers) > 1:
            number = widgets.select(say("models.within.picture", "Picture"), numbers, "within", width=140)
        tower = towers[int(number) - 1]
        facts = {"sentence": words, "pixels_sha256": key[1]} | ({"picture": number} if len(towers) > 1 else {})
        maps, origin = attention_labels.view_opened(model, tower, facts)
        explore_picture(maps, replace(origin, recipes={}, word_recipes={}), ("maps", "lines"))
        return
    if section in OF_ALL_LAYERS:
        traced = ("traced", *key, keep)
        if section == "heads":
            head_effects.render(service, trace, words, options, traced)
        else:
            what_if.render(service, trace, words, options, generated, traced)
        return
    if section == "causes":
        # the model answers with this picture; caches and locks stay those of the service
        shared: Service[Any] = service
        pictured = replace(shared, model=model.with_picture(image))
        shown = UsedPicture(key[1], "" if pictures[0].is_own else chosen_sample(), len(images))
        text_causes.render(pictured, trace, words, {}, ("traced", *key, keep), shown)
        return
    maps, origin = attention_labels.view_pictured(model, trace, {"sentence": words, "pixels_sha256": key[1]})
    shown_pictures = pictures_in_text(trace)
    if section == "over":
        _render_over(with_part_names(maps, shown_pictures), shown_pictures)
    else:
        explore_tokens(with_pictures_as_one(maps, shown_pictures), origin, ("maps", "lines"))
        trace_retention.render(trace)


def _sections(model: OpenedModel, trace: HubTrace) -> dict[str, Message]:
    """Return the sections that this model and this trace have."""
    missing = {"within"} if trace.pictures[0].tower is None else set()
    if isinstance(trace.kept, int):
        missing |= {*OF_ALL_LAYERS}
    if "ablate" not in model.capabilities:
        missing |= {"heads", "causes"}
    return {id: label for id, label in SECTIONS.items() if id not in missing}


def _render_answer(
    service: Service[OpenedModel], words: str, trace: HubTrace, key: tuple, image: Pictures
) -> answers.GeneratedText | None:
    """Render the continuation and return it, if the model writes one."""
    if service.model.task != "complete":
        answers.render_left_out(service.model)
        return None
    count = widgets.slider(say("models.tokens", "New tokens"), "n", 20, 1, 100)

    def generate(plan: HeadInterventions | None) -> str:
        changes = "" if plan is None else plan.to_text()
        return service.analysis_in_steps(
            ("generated", *key, count, changes),
            lambda model: model.generate_in_steps(words, count, plan, picture=image),
        )

    generated = generate(None)
    answers.render_generated(say("models.continuation", "It goes on"), generated)
    answers.render_next(service.model, trace)
    return answers.GeneratedText(generated, count, generate)


@fragment
def _render_over(maps: AttentionMaps, pictures: list[PictureInText]) -> None:
    """Render the running text with its picture; of many tokens one map at a time."""
    direction = attention_text.direction_choice()
    if maps.weight_count > MOST_WEIGHTS:
        (name, whole), *_ = maps.items()
        with st.container(horizontal=True, vertical_alignment="bottom"):
            place = whole.place(*sentence_input.head(whole.layer_ids, whole.head_ids, (-2, -1)))
        one = replace(whole, weights=whole.mean(*place)[None, None], layer_numbers=(0,))
        content = viewer_controls.running_text(AttentionMaps({name: one}), [direction], lambda choice: choice.first)
        content = replace(
            content,
            choices=[direction],
            chosen={**content.chosen, "direction": direction.in_component()},
        )
    else:
        content = viewer_controls.running_text(maps, [direction], lambda choice: choice.in_component())
    attention_text.attention_text(content, "over", sentence_input.store_selection, pictures)
    paragraph("models", "over")
