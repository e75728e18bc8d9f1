"""The user's settings as values of the program that a section offers: see `pages.shared.code`."""

from collections.abc import Callable
from typing import Any

import numpy as np

from pages.shared.models import open_language, open_recurrent
from pages.shared.page_header import Request
from views.controls import painted
from views.url_state import bound_settings
from views.url_state.codecs import DIGITS

Values = dict[str, Any]  # name -> a literal of the program


def sentence(request: Request) -> Values:
    """Return the sentence and, unless it is the greedy one, its translation."""
    greedy = request.options.method == "greedy"
    ids = None if greedy else tuple(request.service.steps(request.text, request.options)[-1].ids)
    return {"sentence": request.text, "target_ids": ids}


def one_sequence(request: Request) -> Values:
    """Return the sentence and, unless it is the greedy one, the translation by the decoder-only network."""
    greedy = request.options.method == "greedy"
    ids = None if greedy else tuple(open_language().steps(request.text, request.options)[-1].ids)
    return {"sentence": request.text, "target_ids": ids}


def text(request: Request) -> Values:
    """Return the sentence alone."""
    return {"sentence": request.text}


def settings(*names: str, **renamed: str) -> Callable[[Request], Values]:
    """Return a function that reads settings, by their names or by others; decimal texts become numbers."""
    keys = {name: name for name in names} | renamed
    return lambda _: {name: _number(bound_settings.current_value(key)) for name, key in keys.items()}


def _number(value: object) -> object:
    return int(value) if isinstance(value, str) and value.isdecimal() and len(value) <= DIGITS else value


def query(_: Request) -> Values:
    """Return the index of the query, which each kind of attention has its own setting for."""
    return {"query": bound_settings.current_value(f"{bound_settings.current_value('kind')}_query")}


def recurrent_translation(request: Request) -> Values:
    """Return the sentence and, unless it is greedy, the translation of the network with the chosen alignment."""
    name, ids = bound_settings.current_value("score"), None
    if request.options.method != "greedy":
        ids = tuple(open_recurrent(name).steps(request.text, request.options)[-1].ids)
    return {"sentence": request.text, "target_ids": ids, "score": name}


def reading_direction(_: Request) -> Values:
    """Return the direction in which one encoder reads; KeyError for two."""
    return {"direction": {"backwards": "backwards", "forwards": "forwards"}[bound_settings.current_value("direction")]}


def gate_network(_: Request) -> Values:
    """Return the LSTM encoder whose gates are shown; ValueError for the decoder, which has no program."""
    _, direction = bound_settings.current_value("cells").split("-")
    return {"network": bound_settings.current_value("network"), "direction": direction}


def typed_target(request: Request) -> Values:
    """Return the sentence and the ids of the French typed for it; InputError where it cannot be a target."""
    typed = bound_settings.current_value("target")
    if not typed.strip():
        return sentence(request)
    return {"sentence": request.text, "target_ids": request.service.trace_of_target(request.text, typed).next_ids}


def scored_target(request: Request) -> Values:
    """Return the same on the page *Loss*; ValueError for typed probabilities, which have no program."""
    if bound_settings.current_value("scored") == "five":
        raise ValueError("Typed probabilities are scored.")
    return typed_target(request)


def orders(request: Request) -> Values:
    """Return the two sentences that are compared; InputError for one that the model does not accept."""
    both = bound_settings.current_value("o1"), bound_settings.current_value("o2")
    for typed in both:
        request.service.model.check(typed)
    return {"sentences": both}


def step(request: Request) -> Values:
    """Return the step of a translation; one with a single step has no control."""
    return {"step": bound_settings.current_value("step") if len(request.trace().next_ids) > 1 else 1}


def lengths(request: Request) -> Values:
    """Return the two lengths that are compared, with the width of the model."""
    both = bound_settings.current_value("short"), bound_settings.current_value("long")
    return {"lengths": both, "d_model": request.service.model.config.d_model}


def token_counts(request: Request) -> Values:
    """Return how many tokens the encoder and the decoder read."""
    trace = request.trace()
    return {"source": len(trace.source_ids), "target": len(trace.target_ids)}


def source_length(request: Request) -> Values:
    """Return how many tokens the encoder reads."""
    return {"length": len(request.service.model.check(request.text)) + 1}


def own_mask(request: Request) -> Values:
    """Return the mask that the user picked or painted, and the layers that use it."""
    mask, where = bound_settings.current_value("mask"), bound_settings.current_value("where")
    changed = painted.decode(bound_settings.stored_text("painted"), len(request.trace().target_ids))  # (query, key)
    layers = request.service.model.config.n_decoder_layers
    return {
        "mask": mask,
        "size": int(bound_settings.current_value("pieces")) if mask in ("window", "prefix") else 3,
        "painted": tuple((query + 1, key + 1) for query, key in np.argwhere(changed).tolist()),
        "layers": tuple(range(1, layers + 1)) if where == "all" else (int(where),),
    }


def replaced_token(request: Request) -> Values:
    """Return the position that changes and its new token; ValueError for a translation that is too short."""
    if len(request.trace().target_ids) < 3:
        raise ValueError("There is no place to change.")
    return {
        "place": int(bound_settings.current_value("change")),
        "replacement": int(bound_settings.current_value("replacement")),
    }


TABLE = {"length": "length", "d_model": "width", "form": "form"}
# page, section -> functions that return its program's values, called once the section is rendered
VALUES: dict[tuple[str, str], tuple[Callable[[Request], Values], ...]] = {
    ("inside", "seven-steps"): (sentence, settings("kind", "layer", "head")),
    ("inside", "one-query"): (sentence, settings("kind", "layer", "head"), query),
    ("inside", "heads"): (sentence, settings("kind")),
    ("inside", "feed-forward"): (sentence, settings("stack", "layer")),
    ("inside", "add-norm"): (sentence, settings("stack")),
    ("masks", "your-sentence"): (sentence, own_mask, settings("layer", "head")),
    ("masks", "causality"): (sentence, replaced_token),
    ("positions", "table"): (settings(**TABLE),),
    ("positions", "wavelengths"): (settings(**TABLE),),
    ("positions", "why-sinusoids"): (lengths,),
    ("positions", "similarity"): (settings(**TABLE),),
    ("positions", "rotation"): (settings("shift", **TABLE),),
    ("positions", "orthogonality"): (settings("first", "second", "form", d_model="width"),),
    ("positions", "basis"): (settings("curve", "basis", "columns", **TABLE),),
    ("positions", "compared"): (source_length,),
    ("loss", "token-by-token"): (scored_target,),
    ("loss", "training-curves"): (settings("axis"),),
    ("decoding", "linear-softmax"): (sentence, step),
    ("decoding", "teacher-forcing"): (typed_target,),
    ("decoding", "beam-search"): (text, settings("beam", "penalty")),
    ("decoding", "kv-cache"): (one_sequence,),
    ("decoding", "one-stack"): (sentence,),
    ("history", "one-word"): (text, reading_direction),
    ("history", "forgetting"): (text, settings("replacement")),
    ("history", "gates"): (text, gate_network),
    ("history", "one-vector"): (text,),
    ("history", "attention-over-states"): (recurrent_translation,),
    ("history", "without-projections"): (text, settings(form="raw_score")),
    ("history", "recurrence"): (token_counts,),
    ("history", "ladder"): (settings(order="ladder"),),
    ("tokens", "word-order"): (orders,),
    ("tokens", "step-by-step"): (text,),
    ("tokens", "neighbours"): (text, settings("count", place="near")),
}


def values_of_section(page: str, section: str, request: Request) -> Values | None:
    """Return the values of a section just rendered; None where it has no program, or stopped at bad input."""
    if (page, section) not in VALUES:
        return None
    try:
        return {name: value for gather in VALUES[page, section] for name, value in gather(request).items()}
    except (KeyError, ValueError):  # a control was not rendered, or the input cannot be used: the section reports it
        return None
