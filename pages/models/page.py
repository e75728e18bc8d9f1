"""The page *Any model*: a Hugging Face checkpoint in the same views, with a check that its maps are the model's own."""

from types import ModuleType

import streamlit as st

from model import OpenError
from model.hub.opened_model import OpenedModel
from pages.models import picture, picture_text, text
from pages.models.model_picker import chosen_model
from pages.shared.texts import how_to_read
from views.text import literal, prose
from views.text.catalogue import say, say_error
from views.text.numbers import grouped, three_digits


def render() -> None:
    """Choose and open a model, then render its page."""
    st.title(prose.title("models"), anchor=False)
    st.markdown(prose.lead("models"))
    service = chosen_model()
    if service is None:
        return
    _render_description(service.model)
    try:
        _page_of(service.model).render(service)
    except OpenError as error:
        st.warning(literal.markdown(say_error(error)))
        return
    how_to_read(prose.block("models", "what-is-shown"), prose.block("models", "what-opening-proves"))


def _page_of(model: OpenedModel) -> ModuleType:
    """Return the module with the page of a model: of pictures, of texts with pictures, or of texts alone."""
    return picture if model.vision else text if model.pictured is None else picture_text


def _render_description(model: OpenedModel) -> None:
    """Render type, sizes and the result of the check on opening."""
    layers = " + ".join(map(_size, model.proof.sizes.values(), model.layers.values()))
    st.caption(
        prose.block(
            "models",
            "opened",
            name=literal.markdown(model.name),
            type=literal.markdown(str(model.card["type"])),
            layers=layers,
            parameters=grouped(model.parameters),
            device=literal.markdown(model.device_name),
            outputs=three_digits(model.proof.outputs),
            maps=three_digits(model.proof.maps),
        )
    )
    if model.unread:
        names = {
            "pictures": say("models.unread.pictures", "pictures"),
            "videos": say("models.unread.videos", "videos"),
            "sound": say("models.unread.sound", "sound"),
        }
        st.info(prose.block("models", "text-half", inputs=", ".join(names[kind] for kind in model.unread)))


def _size(size: tuple[int, int, int], numbers: tuple[int, ...]) -> str:
    """Layers and heads of a kind; which layers these are, where others have no attention or other heads."""
    layers, heads, _ = size
    text = f"{layers} \u00d7 {heads}"
    if numbers == tuple(range(layers)):
        return text
    listed = ", ".join(str(number + 1) for number in numbers)
    return say("models.layers", "{size} (layers {numbers})", size=text, numbers=listed)


render()
