"""Add & Norm: the residual stream before and after every sub-layer, and how much each sub-layer adds."""

from collections.abc import Sequence

import numpy as np
import streamlit as st

from model.lessons.dropout import HIDDEN, draw_dropout
from model.lessons.feed_forward import Stack
from model.lessons.residual import NORMS, AddAndNorm, recompute_add_and_norms
from pages.inside.feed_forward import choose_stack
from pages.shared import checks, code, files, stepper, tables
from pages.shared.code import render_program
from pages.shared.experiment import render_experiment, token_value
from pages.shared.fragments import fragment
from pages.shared.page_header import Request
from pages.shared.texts import caption, fold_check, paragraph
from views import map_labels
from views.components.matrix_row import RowMatrix, matrix_row
from views.components.step_view import Axis, FormulaPanel, Numbers, RibbonPanel, StepView
from views.controls import widgets
from views.kind_labels import OF_STACK
from views.text import literal, terms
from views.text.catalogue import Message, say
from views.text.numbers import percent, three_digits

ADDED = {  # the same, in the few letters below a ribbon
    "self": Message("inside.stream.self", "{layer} + self"),
    "cross": Message("inside.stream.cross", "{layer} + cross"),
    "ffn": Message("inside.stream.ffn", "{layer} + feed"),
}
SUB_LAYER = Message("column.sub-layer", "sub-layer")
# fields of `SubLayer` and their columns
LENGTHS = {
    "before": Message("inside.length.before", "|x|"),
    "sublayer_output": Message("inside.length.output", "|output|"),
    "added": Message("inside.length.added", "|x + output|"),
    "after": Message("inside.length.after", "|after norm|"),
}
SHARES = {"share": Message("inside.share", "output \u00f7 x"), "cosine": Message("column.cosine", "cosine")}
MOMENTS = {
    "added_mean": Message("inside.mean.before", "mean before"),
    "added_variance": Message("inside.variance.before", "variance before"),
    "normal_mean": Message("inside.mean.normalised", "mean normalised"),
    "normal_variance": Message("inside.variance.normalised", "variance normalised"),
    "after_mean": Message("inside.mean.after", "mean after"),
    "after_variance": Message("inside.variance.after", "variance after"),
}
COLUMNS = LENGTHS | SHARES | MOMENTS


@fragment
def render(request: Request) -> None:
    """Show every sub-layer of a stack. A choice reruns only this section."""
    trace = request.trace()
    with st.container(horizontal=True, gap="medium"):
        stack, tokens = choose_stack(trace)
        names = map_labels.numbered(tokens)
        label = say("inside.norm-place", "Token at place, 0 for the mean")
        place = int(widgets.number(label, "norm_place", 0, 0, len(names), width=230))
    recomputed = request.service.lesson(
        ("sub-layers", trace.source_ids, trace.target_ids, stack), recompute_add_and_norms, trace, stack
    )
    labels = [SUB_LAYERS[sub_layer.step](layer=sub_layer.layer + 1) for sub_layer in recomputed]
    stepper.render(_stream_view(recomputed, place, stack, names), "stream")
    paragraph("inside", "shares")
    share = np.stack([sub_layer.share for sub_layer in recomputed], axis=1)  # (position, sub-layer)
    name = say("inside.shares", "Output \u00f7 stream")
    axes, languages = (tokens, labels, terms.TOKEN(), SUB_LAYER()), (OF_STACK[stack], "")
    items = [RowMatrix(name, share, stack, *axes, signed=False, languages=languages)]
    matrix_row(items, "shares")
    render_lengths_and_moments(recomputed, labels, place, stack, names)
    result = None
    if place:
        strongest = int(share[place - 1].argmax())
        result = {
            "token": token_value(tokens[place - 1]),
            "step": labels[strongest],
            "share": float(share[place - 1, strongest]),
        }
    render_experiment("inside-add-norm", {"norm_place": 1}, result)
    mean = max(float(np.abs(sub_layer.normal_mean).max()) for sub_layer in recomputed)
    variance = max(float(np.abs(sub_layer.normal_variance - 1).max()) for sub_layer in recomputed)
    fold_check(
        "inside",
        "check-add-norm",
        difference=checks.format_difference("Add & Norm", max(sub_layer.difference for sub_layer in recomputed)),
        mean=checks.format_difference("means", mean),
        variance=checks.format_difference("variances", variance),
    )
    header = (
        SUB_LAYER(),
        say("column.position", "position"),
        terms.TOKEN(),
        *(column() for column in COLUMNS.values()),
    )
    titles = {
        "encoder": say("inside.shares.encoder", "Output of each encoder sub-layer over the residual stream"),
        "decoder": say("inside.shares.decoder", "Output of each decoder sub-layer over the residual stream"),
    }
    with st.container(horizontal=True):
        files.matrices(items, titles[stack], f"{stack}-residual")
        rows = lambda: [  # noqa: E731
            [
                label,
                position + 1,
                literal.token(token),
                *(float(getattr(sub_layer, field)[position]) for field in COLUMNS),
            ]
            for label, sub_layer in zip(labels, recomputed, strict=True)
            for position, token in enumerate(tokens)
        ]
        files.csv(header, rows, f"{stack}-residual", say("download.numbers.csv", "All numbers as CSV"))
    position = max(place, 1) - 1
    steps = [
        (sub_layer.layer, step)
        for sub_layer in recomputed
        for step in ((HIDDEN, "ffn") if sub_layer.step == "ffn" else (sub_layer.step,))
    ]
    rate, inside = render_dropout(request, stack, steps, position, names[position])
    title = say("inside.layer-code", "A whole layer as a class, in PyTorch")
    rates = (rate, rate if inside else 0.0)
    render_program("inside", f"{stack}-layer", title, **code.sentence(request), rates=rates)


def _stream_view(recomputed: list[AddAndNorm], place: int, stack: str, names: list[str]) -> StepView:
    """Build the ribbon of a token's vector, or of the mean over all: as wide as the vector is long, step by step."""
    stages, lengths = [say("inside.stream.input", "input")], [recomputed[0].before]
    for sub_layer in recomputed:
        layer = sub_layer.layer + 1
        stages += [ADDED[sub_layer.step](layer=layer), say("inside.stream.norm", "{layer} norm", layer=layer)]
        lengths += [sub_layer.added, sub_layer.after]
    widths = np.array([length.mean() if place == 0 else length[place - 1] for length in lengths])
    widest = int(widths.argmax())
    finding = say(
        "inside.stream.finding",
        "{what}: length {length} at the input, at most {most} ({where}), {last} after the last norm",
        what=say("inside.stream.mean", "Mean over all tokens") if place == 0 else names[place - 1],
        length=three_digits(float(widths[0])),
        most=three_digits(float(widths[widest])),
        where=stages[widest],
        last=three_digits(float(widths[-1])),
    )
    axis = Axis("stream_step", say("inside.stream.step", "Step of the vector"), stages, first=len(stages) - 1)
    kind = "encoder" if stack == "encoder" else "decoder"
    text = say("inside.stream.now", "After {stream_step}: a length of {length}")
    panels = (RibbonPanel(finding, axis.id, "length", kind), FormulaPanel(text))
    return StepView((axis,), {"length": Numbers(widths, (axis.id,))}, panels)


def render_lengths_and_moments(
    recomputed: list[AddAndNorm], labels: list[str], place: int, stack: str, names: list[str]
) -> None:
    """Show lengths, then means and variances, of one token or of the mean over all."""

    def values(name: str) -> list[float]:
        numbers = [getattr(sub_layer, name) for sub_layer in recomputed]
        numbers = [float(each.mean() if place == 0 else each[place - 1]) for each in numbers]
        small = 1e-12 if name.startswith("normal") else 0  # rounding of double precision
        return [0.0 if abs(number) < small else number for number in numbers]

    def columns(titles: dict[str, Message]) -> list[tables.TableColumn]:
        return [
            tables.TableColumn(SUB_LAYER(), labels),
            *(tables.TableColumn(title(), values(name)) for name, title in titles.items()),
        ]

    token = names[place - 1]
    if place == 0:
        lengths_title = say("inside.lengths.mean", "Lengths. Mean over all tokens")
        moments_title = say("inside.moments.mean", "Means and variances. Mean over all tokens")
    else:
        lengths_title = say("inside.lengths.token", "Lengths. Token {token}", token=token)
        moments_title = say("inside.moments.token", "Means and variances. Token {token}", token=token)
    paragraph("inside", "lengths")
    shares = values("share")
    share = tables.bar_column(SHARES["share"](), shares, max(shares), stack)
    tables.render_table(
        [*columns(LENGTHS), share, tables.TableColumn(SHARES["cosine"](), values("cosine"))], lengths_title
    )
    paragraph("inside", "moments")
    tables.render_table(columns(MOMENTS), moments_title)


# Dropout before one Add & Norm or inside the feed-forward network: several draws for the same token.

SUB_LAYERS = {  # labels, after the number of their layer
    "self": Message("inside.sub-layer.self", "{layer} self-attention"),
    "cross": Message("inside.sub-layer.cross", "{layer} cross-attention"),
    "ffn": Message("inside.sub-layer.ffn", "{layer} feed-forward"),
    HIDDEN: Message("inside.sub-layer.hidden", "{layer} feed-forward, inside"),
}
IDS = {"self": "self-attention", "cross": "cross-attention", "ffn": "feed-forward", HIDDEN: "feed-forward, inside"}
DRAWS = 8
LARGEST_RATE = 0.9


def render_dropout(
    request: Request, stack: Stack, sub_layers: Sequence[tuple[int, str]], position: int, token: str
) -> tuple[float, bool]:
    """Show the token's vector without dropout above those of `DRAWS` draws.

    Args:
        sub_layers: layer from 0, and step, of each to choose from.
        position: of the token, from 0.
        token: its name.

    Returns:
        The chosen p, and whether hidden units are dropped.
    """
    st.header(say("inside.dropout", "Dropout, in training"), anchor=False)
    trace, trained_rate = request.trace(), request.service.model.config.dropout
    paragraph("inside", "dropout", rate=trained_rate)
    with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
        options = {f"{layer + 1} {IDS[step]}": (layer, step) for layer, step in sub_layers}
        labels = {id: SUB_LAYERS[step](layer=layer + 1) for id, (layer, step) in options.items()}
        chosen = widgets.select(say("column.sub-layer", "sub-layer"), labels, "dropped", width=230)
        rate = widgets.decimal(
            say("inside.dropout.rate", "Dropout p"), "dropout", trained_rate, 0.0, LARGEST_RATE, 0.05
        )
        seed = int(widgets.number(say("inside.dropout.seed", "Draws from seed"), "draw", 1, 1, 9999))
    layer, step = options[chosen]
    at = (layer, step, position)
    key = ("dropout", trace.source_ids, trace.target_ids, stack, at, rate, seed)
    draws = request.service.lesson(key, draw_dropout, trace, stack, at, rate, DRAWS, seed)
    names = [say("inside.dropout.without", "none"), *map(str, range(1, DRAWS + 1))]
    rows = np.vstack([draws.without, draws.drawn])  # (1 + draw, d_model)
    title = say("inside.dropout.draws", "{token}, {step}: without and with dropout", token=token, step=labels[chosen])
    draw_title, dimension = say("inside.dropout.draw", "draw"), say("column.dimension", "dimension")
    item = RowMatrix(title, rows, stack, names, (), draw_title, dimension, wide=True)
    matrix_row([item], "dropped_rows")
    kept_counts = [int(mask.sum()) for mask in draws.kept]
    tables.render_table(
        [
            tables.TableColumn(draw_title, names[1:]),
            tables.TableColumn(say("inside.dropout.kept", "numbers kept"), kept_counts),
            tables.TableColumn(say("inside.dropout.cosine", "cosine with none"), draws.cosines.tolist()),
        ],
        title,
    )
    share = percent(sum(kept_counts) / draws.kept.size)
    caption(
        "inside",
        "check-dropout",
        share=share,
        mean=f"{draws.mean_cosine:.4f}",
        draws=DRAWS,
        difference=checks.format_difference("Add & Norm", draws.difference),
    )
    header = [draw_title, *map(str, range(1, rows.shape[1] + 1))]
    content = lambda: [[name, *map(float, row)] for name, row in zip(names, rows, strict=True)]  # noqa: E731
    files.csv(header, content, f"{stack}-dropout", say("inside.dropout.csv", "Draws as CSV"))
    inside = step == HIDDEN
    place: dict[str, object] = {"stack": stack, "layer": layer + 1, "position": position + 1}
    place |= {} if inside else {"norm": NORMS[step]}
    drawing = {"rate": rate, "draws": DRAWS, "seed": seed}
    title = say("inside.dropout.code", "Dropout in PyTorch")
    program = "dropout-inside" if inside else "dropout"
    render_program("inside", program, title, **code.sentence(request), **place, **drawing)
    return rate, inside
