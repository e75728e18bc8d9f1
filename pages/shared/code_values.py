"""What the reader has set, as values of the program that a part offers: see `pages.shared.code`."""

import re
from collections.abc import Callable

import numpy as np

from model.lessons.ragged import ragged_batch
from pages.shared.models import open_recurrent
from pages.shared.opening import Request
from views.address import settings
from views.controls import painted

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


def recurrent(request: Request) -> Values:
    """The sentence and the translation of the network with the chosen alignment, unless it is the greedy one."""
    name, ids = settings.value("score"), None
    if request.options.method != "greedy":
        ids = tuple(open_recurrent(name).steps(request.text, request.options)[-1].ids)
    return {"sentence": request.text, "target_ids": ids, "score": name}


def read(_: Request) -> Values:
    """The direction in which one encoder reads; KeyError for two."""
    return {"direction": {"backwards": "backwards", "forwards": "forwards"}[settings.value("direction")]}


def cells(_: Request) -> Values:
    """The LSTM encoder whose gates are shown; ValueError for the decoder, which has no program."""
    _, direction = settings.value("cells").split("-")
    return {"network": settings.value("network"), "direction": direction}


def forced(request: Request) -> Values:
    """The sentence and the French that the reader has typed for it, as ids."""
    typed = settings.value("target")
    if not typed.strip():
        return sentence(request)
    return {"sentence": request.text, "target_ids": request.service.forced(request.text, typed).next_ids}


def step(request: Request) -> Values:
    """The step of a translation; one that has a single step offers no choice."""
    return {"step": settings.value("step") if len(request.trace().next_ids) > 1 else 1}


def sizes(*names: str) -> Callable[[Request], Values]:
    """Lists of whole numbers that the reader has typed; ValueError where they are none."""
    keys = {"shape": "shape", "asked": "asked_view"}
    return lambda _: {name: _numbers(settings.value(keys[name])) for name in names}


def lengths(request: Request) -> Values:
    """The two lengths that are compared, with the width of the model."""
    both = settings.value("short"), settings.value("long")
    return {"lengths": both, "d_model": request.service.model.config.d_model}


def own_mask(request: Request) -> Values:
    """The mask that the reader has picked or painted, and the layers that use it."""
    mask, where = settings.value("mask"), settings.value("where")
    changed = painted.decode(settings.held("painted"), len(request.trace().target_ids))  # (query, key)
    layers = request.service.model.config.n_decoder_layers
    return {
        "mask": mask,
        "size": int(settings.value("pieces")) if mask in ("window", "prefix") else 3,
        "painted": tuple((query + 1, key + 1) for query, key in np.argwhere(changed).tolist()),
        "layers": tuple(range(1, layers + 1)) if where == "all" else (int(where),),
    }


def batch(_: Request) -> Values:
    """The batch that the reader has typed."""
    if settings.value("batch") == "ids":
        return {"sequences": tuple(_numbers(line) for line in settings.value("ids").splitlines() if line.strip())}
    found = ragged_batch(_numbers(settings.value("lengths")))
    return {"sequences": tuple(tuple(row[row > 0].tolist()) for row in found.ids)}


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(int(number) for number in re.split(r"[\s,;]+", text.strip()))


TABLE = {"length": "length", "d_model": "width", "form": "form"}
# page, part -> what its program's values are gathered from, once the part is drawn
VALUES: dict[tuple[str, str], tuple[Callable[[Request], Values], ...]] = {
    ("inside", "seven-steps"): (sentence, chosen("kind", "layer", "head")),
    ("inside", "one-query"): (sentence, chosen("kind", "layer", "head"), query),
    ("inside", "heads"): (sentence, chosen("kind")),
    ("inside", "memory"): (sizes("shape", "asked"),),
    ("inside", "feed-forward"): (sentence, chosen("stack", "layer")),
    ("inside", "add-norm"): (sentence, chosen("stack")),
    ("masks", "your-sentence"): (sentence, own_mask, chosen("layer", "head")),
    ("masks", "causality"): (sentence, chosen("replacement", place="change")),
    ("masks", "padding"): (batch, chosen("layer", "head")),
    ("positions", "table"): (chosen(**TABLE),),
    ("positions", "wavelengths"): (chosen(**TABLE),),
    ("positions", "why-sinusoids"): (lengths,),
    ("positions", "similarity"): (chosen(**TABLE),),
    ("positions", "rotation"): (chosen("shift", **TABLE),),
    ("positions", "orthogonality"): (chosen("first", "second", "form", d_model="width"),),
    ("loss", "token-by-token"): (forced,),
    ("decoding", "linear-softmax"): (sentence, step),
    ("decoding", "teacher-forcing"): (forced,),
    ("history", "one-word"): (text, read),
    ("history", "gates"): (text, cells),
    ("history", "attention-over-states"): (recurrent,),
    ("tokens", "word-order"): (chosen(first="o1", second="o2"),),
    ("tokens", "step-by-step"): (text,),
    ("tokens", "neighbours"): (text, chosen("count", place="near")),
}


def of_part(page: str, part: str, request: Request) -> Values | None:
    """The values of a part that has just been drawn; None where it has no program, or stopped at bad input."""
    if (page, part) not in VALUES:
        return None
    try:
        return {name: value for gather in VALUES[page, part] for name, value in gather(request).items()}
    except (KeyError, ValueError):  # a control was not drawn, or what was typed is no number: the part says what to do
        return None
