"""Tables of self-attention without projections, stage by stage, and the pairs for which the claim fails."""

from collections.abc import Sequence

import streamlit as st

from model.lessons.raw_attention import STATES, RawAttention, attends_most_to_itself, self_weights
from pages.shared import files
from views.html import bars
from views.text import literal, prose
from views.text.catalogue import say
from views.text.numbers import percent, three_digits

MOST_PAIRS = 12  # pairs; the file has all
NONE = "\u2013"


def render_stages(attentions: dict[str, RawAttention], form: str) -> None:
    """Show a row for each stage."""
    header = [
        say("history.raw.vectors", "Vectors"),
        say("history.raw.shortest", "shortest |x|"),
        say("history.raw.longest", "longest |x|"),
        say("history.raw.own", "weight on itself, x against x"),
        say("history.raw.own.trained", "weight on itself, trained heads"),
        say("history.raw.first", "no token above itself, x against x"),
        say("history.raw.first.trained", "no token above itself, trained heads"),
        say("history.raw.exceeding", "pairs with x_i \u00b7 x_j > x_i \u00b7 x_i"),
    ]
    rows: list[list[bars.Value]] = []
    for label, raw in zip(stage_labels(tuple(attentions)), attentions.values(), strict=True):
        weights = raw.weights(form)
        rows.append(
            [
                label,
                *map(float, (raw.lengths.min(), raw.lengths.max(), self_weights(weights).mean())),
                NONE if raw.heads is None else three_digits(float(self_weights(raw.heads).mean())),
                percent(float(attends_most_to_itself(weights).mean())),
                NONE if raw.heads is None else percent(float(attends_most_to_itself(raw.heads).mean())),
                int(raw.exceeds.sum()),
            ]
        )
    st.header(say("history.raw.by-stage", "Stage by stage"), anchor=False)
    st.html(bars.table(header, rows, say("history.raw.stages", "Weight of a token on itself, stage by stage")))
    with st.container(horizontal=True):
        files.csv(header, rows, "raw-stages", say("history.raw.stages.csv", "Stages as CSV"))
    files.folded_table(lambda: files.data_frame(rows, header), hide_index=True)


def render_exceeding_pairs(attentions: dict[str, RawAttention], labels: Sequence[str]) -> None:
    """Show the pairs of this sentence whose product exceeds that of the query with itself."""
    st.header(say("history.raw.fails", "Where the claim fails"), anchor=False)
    count = sum(len(raw.vectors) * (len(raw.vectors) - 1) for raw in attentions.values())
    stages = zip(stage_labels(tuple(attentions)), attentions.values(), strict=True)
    pairs = [(name, pair) for name, raw in stages for pair in raw.exceeding()]
    if not pairs:
        st.markdown(prose.block("history_projections", "no-pair-fails", pairs=count))
        return
    st.markdown(prose.block("history_projections", "pairs-fail", failing=len(pairs), pairs=count))
    header = [
        say("history.raw.vectors", "Vectors"),
        say("history.raw.i", "token i"),
        say("history.raw.j", "token j"),
        "x_i \u00b7 x_i",
        "x_i \u00b7 x_j",
        "|x_i|",
        "|x_j|",
        say("cosine", "cosine"),
    ]
    rows: list[tuple[str, str, str, tuple[float, ...]]] = [
        (name, literal.token(labels[pair.query]), literal.token(labels[pair.key]), pair[2:]) for name, pair in pairs
    ]
    cells: list[list[bars.Value]] = [
        [name, bars.data_cell(query, "token"), bars.data_cell(key, "token"), *numbers]
        for name, query, key, numbers in rows[:MOST_PAIRS]
    ]
    st.html(bars.table(header, cells, say("history.raw.pairs", "Pairs with x_i \u00b7 x_j > x_i \u00b7 x_i")))
    files.csv(
        header,
        [[name, query, key, *numbers] for name, query, key, numbers in rows],
        "raw-pairs",
        say("history.raw.pairs.csv", "All such pairs as CSV"),
    )


def stage_labels(names: Sequence[str]) -> list[str]:
    """Return the labels of the stages with these ids."""
    labels = {
        "embedding": say("history.raw.embedding", "embeddings"),
        "output": say("history.raw.output", "output"),
        STATES: say("history.raw.states", "LSTM states"),
    }
    return [
        labels.get(name)
        or say("history.raw.layer", "layer {layer} reads", layer=literal.visible(name.removeprefix("layer-")))
        for name in names
    ]
