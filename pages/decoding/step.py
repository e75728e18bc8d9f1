"""One step of decoding: what is generated, what it attends to, and how the next token is chosen."""

import numpy as np
import streamlit as st

from model import Trace
from model.decoding.sampling_stages import sampling_stages
from pages.shared import checks, files, tables
from pages.shared.opening import Request
from pages.shared.tables import Column
from pages.shared.target import stepper
from pages.shared.texts import block, caption, paragraph
from views import maps
from views.controls import widgets
from views.export import downloads
from views.html import bars, steps, tokens
from views.text import literal, terms
from views.text.catalogue import say
from views.text.numbers import grouped, percent, three_digits

SHOWN = (5, 10, 20, 50)  # how many tokens the table may have


def show(request: Request) -> None:
    """Choose a step; see attention and choice."""
    trace = request.trace()
    step = choose_step(trace)
    left, right = st.columns([2, 3], gap="large")
    with left:
        attention(trace, step)
    with right:
        choice(request, trace, step)


def choose_step(trace: Trace) -> int:
    """A slider through the steps, from 1, and the tokens around the chosen one."""
    last = len(trace.next_ids)
    step = stepper(last, say("decoding.step", "Step, 1 to {last}", last=last))
    label = block("decoding", "tokens-of-the-step")
    read, generated, later = trace.target_tokens[:step], trace.next_tokens[step - 1], trace.next_tokens[step:]
    st.html(tokens.label(label) + steps.written(read, generated, later))
    return step


def attention(trace: Trace, step: int) -> None:
    """Cross-attention of the step over the source."""
    st.header(say("decoding.attention", "What this step attends to"), anchor=False)
    layers, heads = (maps.names(count) for count in trace.cross_attention.shape[:2])
    with st.container(horizontal=True):
        layer = widgets.select(terms.LAYER(), maps.said(layers), "cross_layer", maps.MEAN)
        head = widgets.select(terms.HEAD(), maps.said(heads), "cross_head", maps.MEAN)
    sheet = maps.with_means(trace.cross_attention[:, :, step - 1 : step])  # (layers + 1, heads + 1, 1, source)
    weights = sheet[layers.index(layer), heads.index(head), 0]  # (source,)
    label = block("decoding", "attention-of-the-step", step=step, place=maps.describe(layer, head))
    st.html(tokens.label(label) + steps.weights(trace.source_tokens, weights.tolist()))
    difference = checks.said("attention", trace.verification["cross"].max_difference)
    caption("decoding", "check-attention", total=weights.sum(dtype=np.float64), difference=difference)
    paragraph("decoding", "attention")
    axes = (trace.next_tokens[step - 1 : step], trace.source_tokens, maps.KINDS["cross"])
    label, name = say("decoding.attention.csv", "Attention as CSV"), f"cross-attention-step-{step}.csv"
    files.download(label, lambda: downloads.matrix_csv(weights[None], *axes), name)


def choice(request: Request, trace: Trace, step: int) -> None:
    """How the token of a step is chosen: logit, scaled, filtered, probability."""
    st.header(say("decoding.choice", "How the token is chosen"), anchor=False)
    temperature, top_k, top_p = settings(request)
    never = request.service.model.config.never_generated
    stages = sampling_stages(trace.logits[step - 1], temperature, top_k, top_p, never)
    count = int(widgets.pick(say("decoding.shown", "Tokens shown"), tuple(map(str, SHOWN)), "shown", "10"))
    taken, order = trace.next_ids[step - 1], stages.order.tolist()
    # the most probable tokens; the one that was generated follows if it is not among them
    ids = order[: min(count, len(order) - len(never))]
    ids += [] if taken in ids else [taken]
    labels, kept = trace.tokenizer.labels(ids), stages.kept[ids].tolist()
    named = [(steps.strong if id_ == taken else steps.plain)(token) for token, id_ in zip(labels, ids, strict=True)]
    ranks, scaled = [order.index(id_) + 1 for id_ in ids], stages.scaled[ids].tolist()
    out, zero = steps.quiet(say("decoding.out", "out")), steps.quiet("0")
    left = [three_digits(value) if open else out for value, open in zip(scaled, kept, strict=True)]
    shares = stages.probabilities[ids].tolist()
    drawn = [bars.bar(share, 1, "decoder") if open else zero for share, open in zip(shares, kept, strict=True)]
    rank = Column(say("column.rank", "rank"), ranks, list(map(str, ranks)))
    token = Column(terms.TOKEN(), list(map(literal.token, labels)), named)
    logit = Column(say("column.logit", "logit"), stages.logits[ids])
    probability = Column(say("column.probability", "probability"), shares, drawn)
    heated = Column(f"\u00f7 {temperature:g}", scaled)
    filtered = Column(say("decoding.column.filtered", "filtered"), left)
    described = say("decoding.choice.table", "The most probable tokens of step {step}", step=step)
    tables.show([rank, token, logit, heated, filtered, probability], described)
    caption(
        "decoding",
        "check-choice",
        kept=grouped(int(stages.kept.sum())),
        all=grouped(len(stages.logits)),
        mass=percent(stages.kept_mass),
        difference=checks.said("choice", stages.difference),
    )
    paragraph("decoding", "choice")
    saved = [
        *(rank, token, Column(say("column.id", "id"), ids), logit),
        Column(say("decoding.column.before", "probability before"), stages.plain[ids]),
        Column(say("decoding.column.scaled", "scaled"), scaled),
        Column(say("decoding.column.kept", "kept"), kept),
        probability,
    ]
    label = say("decoding.choice.csv", "Choice as CSV")
    files.sheet(*tables.content(saved), f"step-{step}", label, "choice_table")


def settings(request: Request) -> tuple[float, int, float]:
    """Temperature, top-k and top-p: those of the sampling above, or three sliders to try them."""
    options = request.options
    if options.method == "sampling":
        st.caption(say("decoding.sampling-above", "Temperature, top k and top p are those set above."))
        return options.temperature, options.top_k, options.top_p
    first, second, third = st.columns(3)
    with first:
        temperature = widgets.decimal(say("decoding.temperature", "Temperature"), "try_temperature", 1.0, 0.1, 3.0, 0.1)
    with second:
        top_k = widgets.slider(say("decoding.top-k", "Top k, 0 keeps all"), "try_k", 0, 0, 100)
    with third:
        top_p = widgets.decimal(say("decoding.top-p", "Top p"), "try_p", 1.0, 0.05, 1.0, 0.05)
    return temperature, top_k, top_p
