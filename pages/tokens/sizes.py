"""The sizes of a Transformer: this model's, the paper's, and typed ones."""

import streamlit as st

from model import TransformerConfig
from model.networks.config import part_sizes
from pages.shared import files, tables
from pages.shared.code import render_program
from pages.shared.experiment import render_experiment
from pages.shared.page_header import Request
from pages.shared.texts import block, column_with_text, fold_check
from views.controls import widgets
from views.html import bars
from views.text import literal
from views.text.catalogue import Message, Untranslated, say, say_error
from views.text.numbers import grouped, percent

SYMBOLS = ("d_model", "n_heads", "d_k = d_model / n_heads", "d_ff")  # the same in every language
WIDTH = 120  # pixels of a box
PARTS = {  # id of a part, see `model.networks.config` -> label
    "embedding": Message("sizes.part.embedding", "parameters: embedding table, also the output projection"),
    "attention": Message("sizes.part.attention", "parameters: attention"),
    "feed-forward": Message("sizes.part.feed-forward", "parameters: feed-forward"),
    "layer-norm": Message("sizes.part.layer-norm", "parameters: LayerNorm"),
}


def render(request: Request) -> None:
    """Show three columns of sizes; the first follows the boxes."""
    trained = request.service.model.config
    with column_with_text("tokens", "sizes"):
        with st.container(horizontal=True):
            help = " ".join(block("tokens", "d-model").split())
            width = widgets.number(
                Untranslated("d_model")(), "d_model", trained.d_model, 1, 4096, width=WIDTH, help=help
            )
            heads = widgets.number(Untranslated("n_heads")(), "n_heads", trained.n_heads, 1, 64, width=WIDTH)
            inner = widgets.number(Untranslated("d_ff")(), "d_ff", trained.d_ff, 1, 16384, width=WIDTH)
            label = say("sizes.layers.choose", "Layers")
            layers = widgets.number(label, "layers", trained.n_encoder_layers, 1, 48, width=WIDTH)
        depth = {"n_encoder_layers": layers, "n_decoder_layers": layers}
        try:
            typed_config = TransformerConfig(d_model=width, n_heads=heads, d_ff=inner, **depth)
        except ValueError as error:
            st.warning(literal.markdown(say_error(error)))
            return
        configs = (typed_config, trained, TransformerConfig.preset("base"))
        names, values = zip(*(zip(*size_rows(config), strict=True) for config in configs), strict=True)
        titles = (
            say("sizes.column.yours", "yours"),
            say("sizes.column.model", "this model"),
            say("sizes.column.paper", "paper\u2019s base"),
        )
        symbols = [bars.data_cell(name, "name") if name in SYMBOLS else name for name in names[0]]
        columns = [
            tables.TableColumn(say("sizes.column.size", "size"), names[0], symbols),
            *(tables.name_column(title, config, "number") for title, config in zip(titles, values, strict=True)),
        ]
        tables.render_table(columns, say("sizes.table", "Sizes side by side"))
    doubled, before, after = 2 * trained.d_ff, *(_parameter_count(config) for config in (trained, typed_config))
    is_doubled = inner == doubled and (width, layers) == (trained.d_model, trained.n_encoder_layers)
    result = {"after": grouped(after), "before": grouped(before), "share": percent(after / before - 1)}
    sizes = {"d_ff": doubled, "d_model": trained.d_model, "layers": trained.n_encoder_layers}
    render_experiment("tokens-sizes", sizes, result if is_doubled else None, d_ff=doubled)
    formula = grouped(before)
    fold_check("tokens", "sizes-check", formula=formula, counted=grouped(request.service.model.parameters))
    files.csv_and_table(*tables.header_and_rows(columns), "sizes", say("sizes.csv", "Sizes as CSV"))
    program_values = {"d_model": width, "n_heads": heads, "d_ff": inner, "layers": layers}
    render_program("tokens", "sizes", **program_values, vocabulary=typed_config.vocabulary_size)


def _parameter_count(config: TransformerConfig) -> int:
    return sum(part.total for part in part_sizes(config))


def size_rows(config: TransformerConfig) -> list[tuple[str, str]]:
    """Return name and value of every size, in the paper's words."""
    parts, layers = part_sizes(config), f"{config.n_encoder_layers} + {config.n_decoder_layers}"
    return [
        ("d_model", grouped(config.d_model)),
        ("n_heads", grouped(config.n_heads)),
        ("d_k = d_model / n_heads", f"{config.d_model} / {config.n_heads} = {config.d_k}"),
        (say("sizes.both-layers", "layers, encoder + decoder"), layers),
        ("d_ff", f"{grouped(config.d_ff)} = {config.d_ff / config.d_model:.3g} d_model"),
        (
            say("sizes.path", "feed-forward path"),
            f"{config.d_model} \u2192 {grouped(config.d_ff)} \u2192 {config.d_model}",
        ),
        (say("sizes.vocabulary", "vocabulary"), grouped(config.vocabulary_size)),
        *((PARTS[part.name](), f"{part.count} \u00d7 {grouped(part.parameters)}") for part in parts),
        (say("sizes.parameters.all", "parameters, all"), grouped(sum(part.total for part in parts))),
    ]
