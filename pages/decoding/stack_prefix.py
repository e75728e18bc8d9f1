"""A prefix mask on the English part of the sequence, in place of the causal mask, and what it costs."""

from model.lessons.one_stack import compare_prefix, following_tokens
from pages.decoding.stack_heads import StackRequest
from pages.shared import checks, files, tables
from pages.shared.charts import metrics
from pages.shared.doubt import Doubt
from pages.shared.page_header import render_translation
from pages.shared.texts import fold_check, paragraph
from views.text.catalogue import say
from views.text.numbers import grouped, three_digits


def render_prefix(stack: StackRequest) -> dict[str, object]:
    """Show the loss of every French token under both masks; return what the experiment states."""
    result = stack.language.lesson(("prefix mask", *stack.key), compare_prefix, stack.forced)
    paragraph("decoding", "stack-prefix")
    causal, prefix = float(result.causal.mean()), float(result.prefix.mean())
    metrics(
        (say("one-stack.causal", "\u2212ln p per French token, causal mask"), causal),
        (say("one-stack.prefix", "the same, prefix mask"), prefix),
    )
    render_translation(
        Doubt(result.translation), say("one-stack.prefix.translation", "Its translation under the prefix mask")
    )
    top = float(max(result.causal.max(), result.prefix.max()))
    columns = [
        tables.token_column(say("column.token", "token"), following_tokens(stack.forced), "fr"),
        tables.bar_column(say("one-stack.column.causal", "\u2212ln p, causal mask"), result.causal, top),
        tables.bar_column(say("one-stack.column.prefix", "\u2212ln p, prefix mask"), result.prefix, top),
        tables.bar_column(say("one-stack.column.change", "change"), result.prefix - result.causal, top),
    ]
    tables.render_table(columns, say("one-stack.losses", "Loss of every French token under both masks"))
    files.csv_and_table(*tables.header_and_rows(columns), "one-stack-prefix", key="stack_prefix_table")
    check = result.after.verification["decoder"]
    fold_check(
        "decoding",
        "check-stack-prefix",
        difference=checks.format_difference("attention", check.max_difference),
        leak=checks.format_difference("mask leak", check.masked_weight),
    )
    if stack.study:
        change = stack.study.prefix_change
        figures = {"causal": stack.study.causal.value, "prefix": stack.study.prefix.value, "change": change.value}
        bounds = {"low": three_digits(change.low), "high": three_digits(change.high)}
        sentences = grouped(stack.study.alignment_sentences)
        paragraph("decoding", "stack-prefix-heldout", **figures, **bounds, sentences=sentences)
    return {"causal": causal, "prefix": prefix}
