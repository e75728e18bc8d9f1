"""An opened model with and without interventions: generated text, losses, one head's map, and every head."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import streamlit as st

from model import HeadInterventions, HubTrace
from model.attribution.trace_comparison import attention_shift
from model.hub.ablation import score_heads
from model.hub.opened_model import OpenedModel, TraceInput
from pages.models import answers, attention_labels
from pages.shared import checks, differences, files, tables
from pages.shared.charts import metrics
from pages.shared.comparison import allowed_keys
from pages.shared.fragments import fragment
from pages.shared.head_changes import choose_interventions
from pages.shared.head_ranking.head_rows import label_text
from pages.shared.service import Service
from pages.shared.texts import caption, render_check
from pages.shared.token_changes import token_changes
from views import map_labels
from views.controls import sentence_input, widgets
from views.export.difference import ComparedMaps
from views.text import literal, terms
from views.text.catalogue import say, say_count

MOST_ROWS = 12  # rows of the table; its file has all
NAME = "heads"  # prefix of this section's settings in the address


@dataclass(frozen=True, eq=False)
class InterventionOutcome:
    """The input again under interventions."""

    after: HubTrace  # the pass over the same tokens as before
    # before and after, of every scored token or class; empty for a model without predictions
    losses: tuple[np.ndarray, np.ndarray]


def compute(
    model: OpenedModel, trace: HubTrace, trace_input: TraceInput, options: Mapping[str, Any], plan: HeadInterventions
) -> InterventionOutcome:
    """Trace and score the input again under interventions."""
    if trace.target is not None:
        options = {**options, "target": trace.target.ids}
    after = model.trace(
        trace_input, intervention=plan, keep="weights" if trace.kept == "all" else trace.kept, **options
    )
    if "ablate" not in model.capabilities:
        return InterventionOutcome(after, (np.zeros(0), np.zeros(0)))
    return InterventionOutcome(after, (model.score(trace), model.score(after, plan)))


@fragment
def render(
    service: Service[OpenedModel],
    trace: HubTrace,
    trace_input: TraceInput,
    options: Mapping[str, Any],
    generated: answers.GeneratedText | None,
    key: tuple,
) -> None:
    """Render the section. Every choice reruns only this fragment.

    Args:
        trace_input, options: the input and keyword arguments of the trace.
        generated: what the model generates without interventions; None for one that generates nothing.
        key: identifies the trace.
    """
    model = service.model
    kinds = attention_labels.labelled_kinds(trace)
    left, right = st.columns(2, gap="large")
    with left:
        of = (
            widgets.pick(say("compare.of", "Heads of"), sentence_input.kind_names(kinds), "of")
            if len(kinds) > 1
            else ""
        )
        kind = next(kind for kind in model.kinds if of in ("", kind.name))
        weights, shapes = trace.records[kind.name].weights, model.shapes_of(trace)
        own = token_changes(trace, kind)
        plan = choose_interventions(kind.name, weights, shapes, (NAME, ""), own, model.layers)
    if plan is None:
        return
    make = lambda: compute(model, trace, trace_input, options, plan)  # noqa: E731
    outcome = service.traces.get_or_compute(("changed", *key, plan.to_text()), make, service.computing)
    with right:
        answer = st.container()  # filled last: generating takes longest
        if outcome.losses[0].size:
            _render_losses(model, trace, outcome)
        record = outcome.after.records[kind.name]
        line, why = checks.describe_attention_check(record, kind.causal)
        render_check(line, "attention_viewer", why)
    st.header(say("compare.one-head", "One head on both sides"), anchor=False)
    _render_one_head(trace, outcome.after, plan)
    st.header(say("shared.every-head", "Every head"), anchor=False)
    pairs = {name: (trace.records[name].weights, outcome.after.records[name].weights) for name in kinds}
    differences.render_moved_heads(
        {name: attention_shift(*pair) for name, pair in pairs.items()},
        {name: pair[0].shape[3] for name, pair in pairs.items()},
        model.layers,
    )
    if generated is not None:
        with answer:
            _render_generated(generated, plan)


def _render_generated(before: answers.GeneratedText, plan: HeadInterventions) -> None:
    """Render what the model generates without and with the interventions."""
    answers.render_generated(say("models.generated.before", "Generated before"), before.text)
    after = before.generate(plan) if plan.changes else before.text
    answers.render_generated(say("models.generated.after", "Generated after"), after)
    same = say("models.generated.same", "The same text.") if after == before.text else ""
    most = say_count("models.generated.most", "At most {count} token.", "At most {count} tokens.", before.tokens)
    st.caption(f"{same} {most}".strip())


def _render_losses(model: OpenedModel, trace: HubTrace, outcome: InterventionOutcome) -> None:
    """Render the loss, the mean over tokens, or -ln p of the class answered before; below, single tokens or classes."""
    before, after = (losses.reshape(-1) for losses in outcome.losses)
    labels = model.scored(trace)
    scores = trace.form == "scores"
    sides = say("compare.before", "before"), say("compare.after", "after")
    values, help = (float(before.mean()), float(after.mean())), None
    if scores:
        names = [say("models.score.before", "Mean score before"), say("models.score.after", "Mean score after")]
        names.append(say("models.score.change", "Change"))
    elif trace.classes is None:
        names = [say("compare.loss", "Loss, {side}", side=side) for side in sides]
        names.append(say("compare.change", "Change"))
        help = say("models.loss.help", "Mean of \u2212ln p over the tokens, in nats.")
    else:
        answer = int(trace.answers.reshape(-1).argmax())
        values = float(before[answer]), float(after[answer])
        label = literal.markdown(labels[answer])
        names = [say("models.loss.class", "\u2212ln p of {label}, {side}", label=label, side=side) for side in sides]
        names.append(say("models.loss.class.change", "Change (nats)"))
    metrics(*zip(names, (*values, values[1] - values[0]), strict=True), help=help)
    listed = np.sort(np.argsort(-np.abs(after - before), kind="stable")[:MOST_ROWS])
    top = float(max(np.abs(before[listed]).max(), np.abs(after[listed]).max()))
    numbered = map_labels.numbered(labels)
    names = [numbered[place] for place in listed]
    bar = "difference" if scores else "decoder"  # scores may be below 0
    columns = [
        tables.name_column(terms.TOKEN() if trace.classes is None else say("column.class", "class"), names),
        tables.bar_column(say("column.before", "before"), before[listed], top, bar),
        tables.bar_column(say("column.after", "after"), after[listed], top, bar),
        tables.bar_column(say("column.change", "change"), (after - before)[listed], top, "difference"),
    ]
    label = say("models.losses", "-ln p in nats, of those that change most")
    table = say("compare.losses.table", "\u2212ln p of each token")
    if trace.classes is not None:
        table = say("models.losses.classes", "\u2212ln p of each class")
    if scores:
        label = say("models.scores", "Scores of those that change most")
        table = say("models.scores.table", "Score of each label")
    tables.render_table(columns, table, label=label)
    rows = [(place + 1, labels[place], float(before[place]), float(after[place])) for place in range(len(labels))]
    header = [say("column.place", "place"), terms.TOKEN(), say("column.before", "before"), say("column.after", "after")]
    files.csv(header, rows, "losses", say("compare.losses.csv", "\u2212ln p as CSV"))


def _render_one_head(trace: HubTrace, after: HubTrace, plan: HeadInterventions) -> None:
    """Render one head's map and pattern before and after."""
    titles = say("compare.before.title", "Before"), say("compare.after.title", "After")
    maps, maps_after = attention_labels.named_maps(trace), attention_labels.named_maps(after)
    compared = {
        name: ComparedMaps(
            each,
            replace(maps_after[name], queries=each.queries),  # fed the same tokens
            titles,
            allowed=(allowed_keys(HeadInterventions(), each), allowed_keys(plan, each)),
        )
        for name, each in maps.items()
    }
    pair, (layer, head) = differences.render(compared, "pair", "compare")
    if layer is not None and head is not None:
        labels = [label_text(score_heads(each, pair.kind.name).label(layer, head)) for each in (trace, after)]
        caption("models", "pattern", before=labels[0], after=labels[1])
