"""When heads form over held-out sentences: curves of training, how many heads have a role, and which are needed."""

import numpy as np
import streamlit as st

from model.causal.sent_tokens import CHANCE, SentTokens, upper_limits
from model.lessons.head_formation import RAISING, FormationRun, FormationStudy, FormingHead
from model.lessons.network_comparison import BootstrapInterval
from pages.shared import files, tables
from pages.shared.charts import chart
from pages.shared.texts import block, paragraph
from views import map_labels
from views.controls import sentence_input, widgets
from views.figures.line_chart import ChartLine, lines
from views.kind_labels import KINDS
from views.text.catalogue import Message, say
from views.text.numbers import grouped, hardware, percent, signed, three_digits

ROLE_NAMES = {
    "alignment": Message("formation.role.alignment", "alignment"),
    "previous token": Message("formation.role.previous", "previous token"),
    "end of sentence": Message("formation.role.end", "end of sentence"),
    RAISING: Message("formation.role.raising", "raises the aligned token"),
}
RATE, STEP = Message("training.rate", "learning rate"), Message("training.step", "step")
YES, NO, NONE = Message("formation.yes", "yes"), Message("formation.no", "no"), "\u2013"


def render_formed_heads(study: FormationStudy) -> None:
    """Show the figures of all seeds, and the curves and heads of one."""
    st.header(say("formation.when", "When heads form"), anchor=False)
    sentences, seeds = grouped(study.sentences), [str(run.seed) for run in study.runs]
    paragraph("loss", "formation-study", sentences=sentences, count=len(seeds), seeds=", ".join(seeds))
    if len(seeds) > 1:
        paragraph("loss", "formation-seeds", first=seeds[0], others=", ".join(seeds[1:]))
    else:
        paragraph("loss", "formation-one-seed", seed=seeds[0])
    before, after = study.widest_gap()
    paragraph(
        "loss",
        "formation-steps",
        least=three_digits(min(study.falls())),
        most=three_digits(max(study.falls())),
        before=grouped(before),
        after=grouped(after),
        share=percent((after - before) / study.steps[-1]),
        hardware=hardware(study.hardware),
    )
    _render_roles(study)
    runs = {str(run.seed): run for run in study.runs}
    names = {seed: say("formation.seed", "Seed {seed}", seed=seed) for seed in runs}
    run = runs[widgets.pick(say("formation.seeds", "Training"), names, "seed_shown")]
    _render_curves(study, run)
    _render_heads(study, run)
    _render_sent(study, run)


def _render_roles(study: FormationStudy) -> None:
    """Render a row for each role: its heads by seed, between which steps they formed, and which are needed."""
    rows = []
    for role, name in ROLE_NAMES.items():
        heads = [head for run in study.runs for head in run.forms[role]]
        firsts = study.first_heads(role)
        steps = [NONE if first is None else interval_text(first) for first in firsts]
        found = sum(first is not None for first in firsts)
        rows.append(
            [
                name(),
                ", ".join(str(len(run.forms[role])) for run in study.runs),
                "; ".join(steps),
                _format_count(found, len(study.runs)),
                _format_count(sum(head.needed for head in heads), len(heads)),
                _format_count(*study.rest_needed(role, at_end=False)),
                _format_count(sum(head.needed_at_end for head in heads), len(heads)),
                _format_count(*study.rest_needed(role, at_end=True)),
            ]
        )
    header = [
        say("formation.column.role", "role"),
        say("formation.column.heads", "heads at the end, by seed"),
        say("formation.column.first", "first head formed between steps, by seed"),
        say("formation.column.seeds", "in seeds"),
        say("formation.column.needed", "needed when they form"),
        say("formation.column.rest", "the rest, at the same steps"),
        say("formation.column.needed-at-end", "needed at the end"),
        say("formation.column.rest-at-end", "the rest, at the end"),
    ]
    columns = [tables.TableColumn(title, cells) for title, cells in zip(header, zip(*rows, strict=True), strict=True)]
    tables.render_table(columns, say("formation.roles", "Roles of heads over all seeds"), stacked=True)


def _format_count(count: int, total: int) -> str:
    return say("formation.of", "{count} of {total}", count=count, total=total) if total else NONE


def _render_curves(study: FormationStudy, run: FormationRun) -> None:
    """Render losses, heads by role, learning rate and gradient norm below each other, and their numbers."""
    curves, steps, counts = run.curves, study.steps, run.counts()
    heldout = say("training.line.heldout", "held-out, -ln p of the right token")
    series = [
        ChartLine(say("training.line.loss", "training loss, smoothed labels"), curves["step"], curves["loss"], 4),
        ChartLine(say("training.line.nll", "training, -ln p of the right token"), curves["step"], curves["nll"], 1),
        ChartLine(heldout, steps[1:], run.heldout[1:], 0, marks=True),
        *(
            ChartLine(ROLE_NAMES[role](), steps[1:], counts[role][1:], place, marks=True, panel=1, joined=False)
            for place, role in enumerate(ROLE_NAMES)
        ),
        ChartLine(RATE(), curves["step"], curves["rate"], 3, panel=2),
        ChartLine(say("training.gradient-norm", "gradient norm"), curves["step"], curves["gradient_norm"], 5, panel=3),
    ]
    titles = [
        say("training.nats", "nats per token"),
        say("formation.axis.heads", "heads"),
        RATE(),
        say("training.gradient-norm", "gradient norm"),
    ]
    figure = lines(series, sentence_input.theme(), STEP(), titles, height=760)
    figure.update_xaxes(type="log", dtick=1)
    chart(figure, "formation_curves", block("loss", "formation-alt"))
    st.caption(block("loss", "formation-log", heldout=run.heldout[0], heads=_list_counts(counts, 0)))
    header = [STEP(), say("training.column.heldout", "held-out -ln p")]
    header += [ROLE_NAMES[role]() for role in counts]
    header += [say("training.column.loss", "training loss"), say("training.column.nll", "training -ln p"), RATE()]
    header.append(say("training.gradient-norm", "gradient norm"))
    rows: list[list] = [
        [step, run.heldout[place], *(counts[role][place] for role in counts), *[None] * 4]
        for place, step in enumerate(steps)
    ]
    names = ("loss", "nll", "rate", "gradient_norm")
    rows += [
        [int(step), None, *[None] * len(counts), *values]
        for step, *values in zip(curves["step"], *(curves[name] for name in names), strict=True)
    ]
    rows.sort(key=lambda row: row[0])
    files.csv_and_table(header, rows, f"heads-that-form-seed-{run.seed}", key="formation_table")


def _list_counts(counts: dict[str, list[int]], place: int) -> str:
    pairs = (
        say("formation.role-count", "{role} {count}", role=ROLE_NAMES[role](), count=counts[role][place])
        for role in counts
    )
    return ", ".join(pairs)


def _render_heads(study: FormationStudy, run: FormationRun) -> None:
    """Render a row for each head that has a role at the end, with the loss without it when it forms and at the end."""
    heads = [(role, head) for role in ROLE_NAMES for head in run.forms[role]]
    if not heads:
        st.info(block("loss", "formation-none"))
        return
    columns = [
        tables.TableColumn(say("formation.column.role", "role"), [ROLE_NAMES[role]() for role, _ in heads]),
        tables.TableColumn(say("column.head", "head"), [_name_head(head) for _, head in heads]),
        tables.TableColumn(
            say("formation.column.between", "formed between steps"),
            [interval_text(head) for _, head in heads],
        ),
        tables.TableColumn(say("formation.column.later", "later steps that confirm it"), [h.later for _, h in heads]),
        _change_column(say("formation.column.change", "loss without it then"), [head.change for _, head in heads]),
        tables.TableColumn(
            say("formation.column.needed-then", "needed then"), [_format_needed(head.needed) for _, head in heads]
        ),
        _change_column(
            say("formation.column.change-at-end", "loss without it at the end"),
            [head.change_at_end for _, head in heads],
        ),
        tables.TableColumn(
            say("formation.column.needed-at-end", "needed at the end"),
            [_format_needed(head.needed_at_end) for _, head in heads],
        ),
    ]
    tables.render_table(columns, say("formation.heads", "Heads that form"), stacked=True)
    header, rows = tables.header_and_rows(columns)
    files.csv(header, rows, f"formed-heads-seed-{run.seed}", say("formation.heads.csv", "Heads as CSV"))


def interval_text(head: FormingHead) -> str:
    """The steps between which a head formed; a head that has its role from the first step on has one."""
    if head.after is None:
        return grouped(head.step)
    return say("formation.between", "{after} and {step}", after=grouped(head.after), step=grouped(head.step))


def _render_sent(study: FormationStudy, run: FormationRun) -> None:
    """Render what each head of cross-attention sends at the end, beside the mean of its layer."""
    for kind, steps in run.sent.items():
        sent = steps[-1]
        st.header(say("formation.sent", "What cross-attention sends"), anchor=False)
        counts = {"links": grouped(sent.links), "chance": percent(CHANCE)}
        paragraph("loss", "formation-sent", **counts, most=_sent_sentence(sent))
        if (upper_limits(sent.target_raised) >= 1).all():
            paragraph("loss", "formation-unnamed", all=percent(1))
        places = list(np.ndindex(sent.target_raised.shape))
        layers = sent.target_raised.mean(axis=1)
        columns = [
            tables.TableColumn(say("column.head", "head"), [_name_place(kind, *place) for place in places]),
            _share_column(say("formation.sent.target", "raises the aligned French token"), sent.target_raised),
            tables.TableColumn(
                say("formation.sent.layer", "all heads of the layer"),
                [float(layers[layer]) for layer, _ in places],
                [percent(float(layers[layer])) for layer, _ in places],
            ),
            _rank_column(say("formation.sent.target-rank", "its median rank"), sent.target_rank),
            _share_column(say("formation.sent.source", "raises the English token itself"), sent.source_raised),
            _rank_column(say("formation.sent.source-rank", "its median rank, English"), sent.source_rank),
        ]
        tables.render_table(columns, say("formation.sent.table", "Tokens that cross-attention raises"), stacked=True)
        header, rows = tables.header_and_rows(columns)
        files.csv(header, rows, f"sent-tokens-seed-{run.seed}", say("formation.sent.csv", "Raised tokens as CSV"))


def _sent_sentence(sent: SentTokens) -> str:
    """The head that raises the aligned token most often, beside its layer."""
    layer, head = np.unravel_index(int(sent.target_raised.argmax()), sent.target_raised.shape)
    return say(
        "formation.sent.most",
        "Head {head} of layer {layer} raises the aligned French token in {share} of its links; all heads of the layer: "
        "{all}.",
        head=int(head) + 1,
        layer=int(layer) + 1,
        share=percent(float(sent.target_raised[layer, head])),
        all=percent(float(sent.target_raised[layer].mean())),
    )


def _share_column(title: str, shares: np.ndarray) -> tables.TableColumn:
    values = [float(share) for share in shares.flat]
    return tables.TableColumn(title, values, list(map(percent, values)))


def _rank_column(title: str, ranks: np.ndarray) -> tables.TableColumn:
    values = [float(rank) for rank in ranks.flat]
    return tables.TableColumn(title, values, [grouped(round(value)) for value in values])


def _name_head(head: FormingHead) -> str:
    return _name_place(head.kind, head.layer, head.head)


def _name_place(kind: str, layer: int, head: int) -> str:
    return KINDS[kind].heading(map_labels.LAYER_AND_HEAD(layer=layer + 1, head=head + 1))


def _format_needed(needed: bool) -> str:
    return YES() if needed else NO()


def _change_column(title: str, changes: list[BootstrapInterval]) -> tables.TableColumn:
    """Changes of the loss with their intervals on the page; the file has the changes."""
    cells = [f"{signed(each.value)} [{signed(each.low)}, {signed(each.high)}]" for each in changes]
    return tables.TableColumn(title, [each.value for each in changes], cells)
