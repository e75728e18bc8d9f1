"""Single dimensions: the one that best separates two kinds of words, and its score on held-out words."""

import numpy as np
import streamlit as st

from model.lessons.single_dimensions import CONTRASTS, DRAWS, SingleDimensions, look_up_pairs
from pages.shared import checks, files
from pages.shared.charts import curves
from pages.shared.code import render_program
from pages.shared.experiment import render_experiment
from pages.shared.page_header import Request
from pages.shared.texts import block, fold_check, paragraph
from views.controls import widgets
from views.figures.line_chart import ChartLine
from views.html import bars
from views.text.catalogue import Message, say
from views.text.numbers import three_digits

KINDS = {
    "number": Message("tokens.contrast.number", "Plural and singular"),
    "verb": Message("tokens.contrast.verb", "Verbs and nouns"),
}


def render(request: Request) -> None:
    """Show one contrast of words at a time."""
    contrast = widgets.pick(say("tokens.contrast", "Words to separate"), KINDS, "contrast")
    tokenizer = request.service.model.tokenizer
    pairs = CONTRASTS[contrast]
    scores = request.service.lesson(("dimensions", contrast), look_up_pairs, tokenizer, pairs)
    left, right = st.columns([3, 2], gap="large")
    with right:
        paragraph(
            "tokens", "dimensions", pairs=len(scores.words), chosen=len(scores.words[::2]), width=len(scores.chosen)
        )
        paragraph("tokens", "dimensions-weak" if _is_weak(scores) else "dimensions-strong")
    best = scores.best
    clearness = np.maximum(scores.chosen, 1 - scores.chosen)
    order = np.argsort(-clearness, kind="stable")
    choosing_title = say("tokens.dimensions.chosen", "words that choose")
    held_out_title = say("tokens.dimensions.held-out", "held-out words")
    auc_choosing = say("tokens.dimensions.auc.chosen", "AUC, words that choose")
    auc_held_out = say("tokens.dimensions.auc.held-out", "AUC, held-out words")
    with left:
        places = np.arange(1, len(order) + 1)
        series = [
            ChartLine(held_out_title, places, scores.held_out[order], 1),
            ChartLine(choosing_title, places, clearness[order], 0),
        ]
        axes = (
            say("tokens.dimensions.rank", "dimensions, the clearest first"),
            say("tokens.dimensions.auc.axis", "AUC, 0.5 is chance"),
        )
        finding = say(
            "tokens.dimensions.finding",
            "Dimension {best} scores {chosen} on the words that choose it, and {held} on held-out words",
            best=best,
            chosen=three_digits(float(clearness[best])),
            held=three_digits(float(scores.held_out[best])),
        )
        alt = block("tokens", "dimensions-alt")
        curves(series, *axes, "dimensions", alt, finding, y_range=(0, 1.05), direct=True)
    summary = [
        (say("tokens.dimensions.best", "best dimension: {best}", best=best), scores.held_out[best]),
        (say("tokens.dimensions.median", "all dimensions, median"), np.median(scores.held_out)),
        (say("tokens.dimensions.random", "best random direction, mean of {draws}", draws=DRAWS), scores.random.mean()),
        (say("tokens.dimensions.lowest", "the lowest of these"), scores.random.min()),
        (say("tokens.dimensions.highest", "the highest of these"), scores.random.max()),
        (say("tokens.dimensions.together", "all dimensions together"), scores.together),
    ]
    cells: list[list[bars.Value]] = [[name, bars.bar_cell(float(score), 1)] for name, score in summary]
    title = say("tokens.dimensions.table", "Scores on held-out words")
    st.html(bars.table([say("tokens.dimensions.what", "separated by"), auc_held_out], cells, title))
    result = {"best": best, "chosen": float(clearness[best]), "held": float(scores.held_out[best])}
    result["together"] = scores.together
    render_experiment("tokens-dimensions", {"contrast": "verb"}, result if contrast == "verb" else None)
    fold_check(
        "tokens", "dimensions-check", difference=checks.format_difference("area under the curve", scores.difference())
    )
    header = [say("column.dimension", "dimension"), auc_choosing, auc_held_out]
    rows = [[int(at), float(clearness[at]), float(scores.held_out[at])] for at in order]
    files.csv_and_table(header, rows, "dimensions", say("tokens.dimensions.csv", "All dimensions as CSV"))
    render_program("tokens", "dimensions", pairs=scores.words)


def _is_weak(scores: SingleDimensions) -> bool:
    """Whether the best dimension scores no higher than the mean of the best random directions."""
    return bool(scores.held_out[scores.best] <= scores.random.mean())
