"""Files of the stage: its picture as PNG and SVG, and all weights with the recipe that computes them again."""

from collections.abc import Iterator, Mapping

import numpy as np
import streamlit as st

from model import HeadInterventions, Trace
from model.tracing.head_interventions import Pull
from pages.shared import files, pull_sentences, pulling
from pages.shared.causes.saved_result import ResultFiles, ResultSource, build_archive
from pages.shared.saved_address import view_link
from pages.shared.service import Service
from views.components.component import labels
from views.components.stage import map_title
from views.export import recipes
from views.export.stage_image import StagePicture, stage_drawing
from views.html import generated_tokens
from views.map_labels import MEAN, numbered
from views.text import literal, terms
from views.text.catalogue import say
from views.viewer.attention_maps import AttentionMaps, from_trace

NAME = "stage"


def render_files(
    service: Service, trace: Trace, shown: Trace, plan: HeadInterventions, chosen: Mapping[str, str]
) -> None:
    """Render a fold with the files of the entered sentence; nothing is computed before it is opened.

    Args:
        trace: of the sentence, without pulls.
        shown: the same under `plan`.
        chosen: the ids of "kind", "layer" and "head".
    """
    fold = st.expander(say("stage.save", "Save the stage"), on_change="rerun", key="stage_files")
    if not fold.open:
        return
    facts = pulling.facts_of_pulls(service, trace, plan)
    fold.html(generated_tokens.note_of_entered(trace.source_text))
    caption: tuple[str, ...]
    if fold.toggle(say("stage.save.caption", "Caption with the sentence"), value=True, key="stage_caption"):
        caption = _caption(trace, shown, facts, chosen)
    else:  # a forced weight is stated in every picture
        caption = () if facts is None else (pull_sentences.forced(len(facts.pulls)),)
    picture = _picture(service, shown, plan, chosen, caption)
    result = _collect_numbers(service, shown)
    source = ResultSource("", service.model.weights_sha256, _facts(trace, shown, plan), _recipe(service, trace, plan))
    link = view_link("")
    with fold, st.container(horizontal=True):
        files.pictures(lambda: stage_drawing(picture), NAME)
        zip_label = say("circuits.zip", "With recipe and link as ZIP")
        files.download(zip_label, lambda: build_archive(result, source, link), f"{NAME}.zip")


def _caption(trace: Trace, shown: Trace, facts: pulling.PullFacts | None, chosen: Mapping[str, str]) -> tuple[str, ...]:
    """Return the sentences below the picture: sentence, translations, pulls and their control, what a ribbon is."""
    text = literal.visible(shown.target_text)
    notes = pull_sentences.READS(), pull_sentences.mean_of_heads(_averaged(shown, chosen))
    if facts is None:
        sentence = say(
            "stage.caption", "{sentence} \u2192 {text}", sentence=literal.visible(trace.source_text), text=text
        )
        return (sentence, *filter(None, notes))
    former = literal.visible(trace.target_text)
    return (
        pull_sentences.caption_of_pulls(trace.source_text, facts.pulls, facts.control),
        say("stage.caption.pulled", "Now: {text} Before: {former}", text=text, former=former),
        *filter(None, notes),
    )


def _averaged(shown: Trace, chosen: Mapping[str, str]) -> int:
    layers, heads = shown.records[chosen["kind"]].weights.shape[:2]
    return (layers if chosen["layer"] == MEAN else 1) * (heads if chosen["head"] == MEAN else 1)


def _drawn(maps: AttentionMaps, chosen: Mapping[str, str]) -> Iterator[tuple[str, np.ndarray]]:
    """Return the drawn map of each kind: of others than the chosen one, the mean of the last layer's heads."""
    for name, own in maps.items():
        layer, head = (chosen["layer"], chosen["head"]) if name == chosen["kind"] else (own.layer_ids[-2], MEAN)
        yield name, own.mean(*own.place(layer, head))


def _picture(
    service: Service, shown: Trace, plan: HeadInterventions, chosen: Mapping[str, str], caption: tuple[str, ...]
) -> StagePicture:
    maps = from_trace(shown, service.kinds)
    last = plan.changes[-1] if plan.changes else None
    return StagePicture(
        map_title(maps[chosen["kind"]], chosen["layer"], chosen["head"]),
        chosen["kind"],
        dict(_drawn(maps, chosen)),
        labels(shown.source_tokens),
        labels(shown.next_tokens),
        labels(maps["decoder"].keys.labels[:1])[0],
        (last.kind, last.query, last.key) if isinstance(last, Pull) else None,
        caption,
    )


def _collect_numbers(service: Service, shown: Trace) -> ResultFiles:
    arrays = {kind: shown.attention(kind) for kind in service.kinds}
    axes = {kind: tuple(map(numbered, shown.axes(kind))) for kind in arrays}
    chosen = {kind: list(map(literal.token, shown.chosen_at(kind))) or [""] * len(axes[kind][0]) for kind in arrays}

    def rows() -> list[list[object]]:
        return [
            [kind, layer + 1, head + 1, axes[kind][0][query], axes[kind][1][key], float(weight), chosen[kind][query]]
            for kind, weights in arrays.items()
            for (layer, head, query, key), weight in np.ndenumerate(weights)
        ]

    header = [say("kind.label", "Attention"), terms.LAYER(), terms.HEAD(), terms.QUERY(), terms.KEY(), terms.WEIGHT()]
    header.append(say("column.chosen", "chosen"))
    check = {kind: float(shown.records[kind].verification.max_difference) for kind in arrays}
    return ResultFiles(NAME, header, rows, lambda: arrays, check, ("", ""))


def _facts(trace: Trace, shown: Trace, plan: HeadInterventions) -> dict[str, object]:
    facts: dict[str, object] = {"sentence": trace.source_text, "translation": shown.target_text}
    return facts | ({"pulls": plan.to_text(), "translation_without": trace.target_text} if plan.changes else {})


def _recipe(service: Service, trace: Trace, plan: HeadInterventions) -> recipes.Lines:
    model = service.model
    return recipes.of_stage(trace.source_text, trace.next_ids, plan.to_text(), model.loaded_by, model.weights_sha256)
