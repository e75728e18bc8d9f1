"""The programs of the Vision page: see `pages.shared.code`."""

from pages.shared.code import render_program
from pages.shared.service import Service
from views.controls.picture_input import chosen_sample

OWN_PICTURE = "your-picture.jpg"  # nothing is kept of the name of a reader's file


def render_vision_program(service: Service, part: str, title: str = "", **values: object) -> None:
    """The program of a part of this page on the picture under study; none for a model from elsewhere.

    Args:
        title: see `render_program`.
    """
    if "export" in service.model.capabilities:  # it is one of this project's
        sample = chosen_sample()
        picture = f"assets/samples/{sample}.jpg" if sample else OWN_PICTURE
        render_program("vision", part, title, picture=picture, **values)
