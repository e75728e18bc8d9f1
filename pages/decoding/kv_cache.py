"""The key-value cache: what every step of decoding computes anew and what it keeps, and what that saves."""

from functools import partial

import numpy as np

from model.lessons.cache_costs import CacheSteps, cache_steps, fill_table
from model.lessons.one_stack import following_ids, following_tokens
from model.tracing.language_trace import LanguageTrace
from pages.decoding import cache_by_length
from pages.shared import checks, files, stepper
from pages.shared.experiment import render_experiment, token_value
from pages.shared.models import open_language
from pages.shared.page_header import Request
from pages.shared.texts import column_with_text, fold_check, warn_if_cut_off
from views.components.step_view import Axis, Curve, CurvesPanel, FormulaPanel, HeatmapPanel, Numbers, StepView
from views.text import literal
from views.text.catalogue import say
from views.text.numbers import three_digits
from views.url_state import bound_settings

MILLION, KILOBYTE = 1e6, 1e3
WAYS = ("with", "without")


def render(request: Request) -> None:
    """Show the picture that fills, its numbers, and costs by length."""
    language = open_language()
    trace = language.trace(request.text, request.options)
    assert isinstance(trace, LanguageTrace)
    warn_if_cut_off(language.has_ended(trace.next_ids), at=request.notice)
    ids = following_ids(trace)
    steps = language.lesson(("cache", trace.source_ids, ids), cache_steps, trace.source_ids, ids)
    with column_with_text("decoding", "kv-cache"):
        view = step_view(trace, steps)
        places = stepper.slider_positions(view.axes)
        stepper.mount(view, places, "kv_cache")
    difference = checks.format_difference("cached logits", steps.difference)
    fold_check("decoding", "check-kv-cache", difference=difference)
    last = len(ids) - 1
    result: dict[str, object] = {"token": token_value(following_tokens(trace)[last])}
    result |= {"cached": steps.cached[last] / MILLION, "uncached": steps.uncached[last] / MILLION, "times": steps.saved}
    written = {name: three_digits(value) if isinstance(value, float) else value for name, value in result.items()}
    action = partial(bound_settings.store_text, "cache_step", str(last + 1))
    render_experiment("decoding-kv-cache", action, written if places["cache_step"] == last else None)
    header, rows = step_table(trace, steps)
    files.csv_and_table(header, rows, "kv-cache", key="kv_cache_table")
    cache_by_length.render_cost_curves(request, language)


def step_view(trace: LanguageTrace, steps: CacheSteps) -> StepView:
    """Build the view: position by step, both ways, and the multiply-adds of every step."""
    step = Axis("cache_step", say("stepper.label", "Step"), following_tokens(trace), data_kind="token", language="fr")
    position = Axis(
        "position",
        say("axis.position", "position"),
        trace.target_tokens,
        slider=False,
        data_kind="token",
        language="fr",
    )
    along, both = ("cache_step",), ("cache_step", "position")
    numbers = {
        "with": Numbers(fill_table(steps, True), both, whole=True),
        "without": Numbers(fill_table(steps, False), both, whole=True),
        "length": Numbers(steps.lengths, along, whole=True),
        "computed": Numbers(steps.computed, along, whole=True),
        "kept": Numbers(steps.lengths - steps.computed, along, whole=True),
        "cached": Numbers(steps.cached / MILLION, along),
        "uncached": Numbers(steps.uncached / MILLION, along),
        "kilobytes": Numbers(steps.bytes / KILOBYTE, along),
    }
    summary = say(
        "kv-cache.summary",
        "Step {cache_step#} generates {cache_step}. With the cache it computes {computed} of {length} positions and "
        "keeps {kept}: {cached} million multiply-adds instead of {uncached} million. The cache has {kilobytes} kB.",
    )
    titles = {"with": say("kv-cache.with", "with the cache"), "without": say("kv-cache.without", "without")}
    heatmap = partial(HeatmapPanel, rows="cache_step", columns="position", kind="decoder", signed=False, top=2.0)
    curves = tuple(Curve(titles[way], number) for way, number in zip(WAYS, ("cached", "uncached"), strict=True))
    return StepView(
        (step, position),
        numbers,
        (
            FormulaPanel(summary),
            *(heatmap(titles[way], way, grows=True) for way in WAYS),
            CurvesPanel(
                say("kv-cache.curves", "million multiply-adds of a step"), "cache_step", curves, low=0.0, wide=True
            ),
        ),
    )


def step_table(trace: LanguageTrace, steps: CacheSteps) -> tuple[list[str], list[list]]:
    """Return header and a row for every step, with all digits."""
    header = [
        say("column.step", "step"),
        say("column.generated", "generates"),
        say("kv-cache.column.length", "positions"),
        say("kv-cache.column.computed", "computed with the cache"),
        say("kv-cache.column.cached", "multiply-adds with the cache"),
        say("kv-cache.column.uncached", "multiply-adds without"),
        say("kv-cache.column.bytes", "bytes of the cache"),
    ]
    columns = (steps.lengths, steps.computed, steps.cached, steps.uncached, steps.bytes)
    tokens = map(literal.token, following_tokens(trace))
    numbers = np.stack(columns, axis=1).tolist()
    return header, [[row + 1, token, *values] for row, (token, values) in enumerate(zip(tokens, numbers, strict=True))]
