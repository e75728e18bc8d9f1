"""What the reader has set, as values of the program that a part offers: see `pages.shared.code`."""

from collections.abc import Callable

from pages.shared.opening import Request
from views.address import settings

Values = dict[str, object]


def sentence(request: Request) -> Values:
    """The sentence and, unless it is the greedy one, its translation."""
    greedy = request.options.method == "greedy"
    ids = None if greedy else tuple(request.service.steps(request.text, request.options)[-1].ids)
    return {"sentence": request.text, "target_ids": ids}


def text(request: Request) -> Values:
    """The sentence alone."""
    return {"sentence": request.text}


def chosen(*names: str, **renamed: str) -> Callable[[Request], Values]:
    """Settings as they are, by their names or by others; numbers that are written as text become numbers."""
    keys = {name: name for name in names} | renamed
    return lambda _: {name: _number(settings.value(key)) for name, key in keys.items()}


def _number(value: object) -> object:
    return int(value) if isinstance(value, str) and value.isdecimal() else value


def query(_: Request) -> Values:
    """The place of the query; each kind of attention keeps its own."""
    return {"query": settings.value(f"{settings.value('kind')}_query")}


HEAD = chosen("kind", "layer", "head")
# page, part -> what its program's values are gathered from, once the part is drawn
VALUES: dict[tuple[str, str], tuple[Callable[[Request], Values], ...]] = {
    ("inside", "seven-steps"): (sentence, HEAD),
    ("inside", "one-query"): (sentence, HEAD, query),
}


def of_part(page: str, part: str, request: Request) -> Values | None:
    """The values of a part that has just been drawn; None where it has no program, or stopped at bad input."""
    if (page, part) not in VALUES:
        return None
    try:
        return {name: value for gather in VALUES[page, part] for name, value in gather(request).items()}
    except KeyError:  # a control was not drawn: the part says on the page what is missing
        return None
