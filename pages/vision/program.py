"""The PyTorch programs that sections of the Vision page offer; see `pages.shared.code`."""

from pages.shared.code import render_program
from pages.shared.service import Service
from views.controls.picture_input import chosen_sample

OWN_PICTURE = "your-picture.jpg"  # the name of a user's file is not stored


def render_vision_program(service: Service, part: str, title: str = "", /, **values: object) -> None:
    """Show the program of a part of this page for the current picture; nothing for other models than this project's.

    Args:
        title: see `render_program`.
    """
    if "export" in service.model.capabilities:  # one of this project's models
        sample = chosen_sample()
        picture = f"assets/samples/{sample}.jpg" if sample else OWN_PICTURE
        render_program("vision", part, title, picture=picture, **values)
