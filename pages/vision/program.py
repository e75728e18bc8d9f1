"""The programs of the Vision page: see `pages.shared.code`."""

from pages.shared.code import same_in_pytorch
from pages.shared.service import Service
from views.controls.picture_input import chosen_sample

OWN = "your-picture.jpg"  # nothing is kept of the name of a reader's file


def offer_program(service: Service, part: str, title: str = "", **values: object) -> None:
    """The program of a part of this page on the picture under study; none for a model from elsewhere.

    Args:
        title: see `same_in_pytorch`.
    """
    if "export" in service.model.capabilities:  # it is one of this project's
        sample = chosen_sample()
        picture = f"assets/samples/{sample}.jpg" if sample else OWN
        same_in_pytorch("vision", part, title, picture=picture, **values)
