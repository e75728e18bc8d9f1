"""When heads form over held-out sentences: curves of training, how many heads have a role, and which are needed."""

import streamlit as st

from model.lessons.head_formation import COPYING, FormationRun, FormationStudy, FormingHead
from model.lessons.network_comparison import BootstrapInterval
from pages.shared import files, tables
from pages.shared.charts import chart
from pages.shared.texts import block, paragraph
from views import map_labels
from views.controls import sentence_input, widgets
from views.figures.line_chart import ChartLine, lines
from views.kind_labels import KINDS
from views.text.catalogue import Message, say
from views.text.numbers import grouped, hardware, signed, three_digits

ROLE_NAMES = {
    "alignment": Message("formation.role.alignment", "alignment"),
    "previous token": Message("formation.role.previous", "previous token"),
    "end of sentence": Message("formation.role.end", "end of sentence"),
    COPYING: Message("formation.role.copying", "copying"),
}
RATE, STEP = Message("training.rate", "learning rate"), Message("training.step", "step")
YES, NO, NONE = Message("formation.yes", "yes"), Message("formation.no", "no"), "\u2013"


def render(study: FormationStudy) -> None:
    """Show the figures of all seeds, and the curves and heads of one."""
    st.header(say("formation.when", "When heads form"), anchor=False)
    sentences, seeds = grouped(study.sentences), ", ".join(str(run.seed) for run in study.runs)
    paragraph(
        "loss",
        "formation-study",
        sentences=sentences,
        count=len(study.runs),
        seeds=seeds,
        least=three_digits(study.least_copying),
        hardware=hardware(study.hardware),
    )
    _render_roles(study)
    runs = {str(run.seed): run for run in study.runs}
    names = {seed: say("formation.seed", "Seed {seed}", seed=seed) for seed in runs}
    run = runs[widgets.pick(say("formation.seeds", "Training"), names, "seed_shown")]
    _render_curves(study, run)
    _render_heads(study, run)


def _render_roles(study: FormationStudy) -> None:
    """Render a row for each role: how many heads, from which step on, in how many seeds, whether needed."""
    rows = []
    for role, name in ROLE_NAMES.items():
        heads = [head for run in study.runs for head in run.forms[role]]
        firsts = study.first_steps(role)
        steps = [NONE if first is None else grouped(first) for first in firsts]
        found = sum(first is not None for first in firsts)
        rows.append(
            [
                name(),
                ", ".join(str(len(run.forms[role])) for run in study.runs),
                ", ".join(steps),
                _format_count(found, len(study.runs)),
                _format_count(sum(head.needed for head in heads), len(heads)),
                _format_count(sum(head.needed_at_end for head in heads), len(heads)),
            ]
        )
    header = [
        say("formation.column.role", "role"),
        say("formation.column.heads", "heads at the end, by seed"),
        say("formation.column.first", "first head from step, by seed"),
        say("formation.column.seeds", "in seeds"),
        say("formation.column.needed", "needed when they form"),
        say("formation.column.needed-at-end", "needed at the end"),
    ]
    columns = [tables.TableColumn(title, cells) for title, cells in zip(header, zip(*rows, strict=True), strict=True)]
    tables.render_table(columns, say("formation.roles", "Roles of heads over all seeds"), stacked=True)


def _format_count(count: int, total: int) -> str:
    return say("formation.of", "{count} of {total}", count=count, total=total) if total else NONE


def _render_curves(study: FormationStudy, run: FormationRun) -> None:
    """Render losses, heads by role, learning rate and gradient norm below each other, and their numbers."""
    curves, steps, counts = run.curves, study.steps, run.counts(study.least_copying)
    heldout = say("training.line.heldout", "held-out, -ln p of the right token")
    series = [
        ChartLine(say("training.line.loss", "training loss, smoothed labels"), curves["step"], curves["loss"], 4),
        ChartLine(say("training.line.nll", "training, -ln p of the right token"), curves["step"], curves["nll"], 1),
        ChartLine(heldout, steps[1:], run.heldout[1:], 0, marks=True),
        *(
            ChartLine(ROLE_NAMES[role](), steps[1:], counts[role][1:], place, marks=True, panel=1)
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
            say("formation.column.step", "from step"),
            [head.step for _, head in heads],
            [grouped(head.step) for _, head in heads],
        ),
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


def _name_head(head: FormingHead) -> str:
    place = map_labels.LAYER_AND_HEAD(layer=head.layer + 1, head=head.head + 1)
    return KINDS[head.kind].heading(place)


def _format_needed(needed: bool) -> str:
    return YES() if needed else NO()


def _change_column(title: str, changes: list[BootstrapInterval]) -> tables.TableColumn:
    """Changes of the loss with their intervals on the page; the file has the changes."""
    cells = [f"{signed(each.value)} [{signed(each.low)}, {signed(each.high)}]" for each in changes]
    return tables.TableColumn(title, [each.value for each in changes], cells)
