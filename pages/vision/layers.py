"""Vision, through the layers: four attributions of an answer, and a test of which is right about the network."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
import streamlit as st

from model.attribution.faithfulness import (
    RANDOM_PAIRS,
    OcclusionCurves,
    average_curves,
    beats_random_orders,
    random_orders,
    rank_patches,
)
from model.attribution.rollout import METHODS, Fusion, attention_scores, check_rollout
from model.tracing.picture_trace import PatchTrace
from pages.shared import checks, files, tables
from pages.shared.experiment import render_experiment
from pages.shared.fragments import fragment
from pages.shared.service import Service
from pages.shared.texts import block, caption, paragraph
from pages.vision.program import render_vision_program
from pages.vision.vision_inputs import choose_class, place_columns
from views import patch_grid
from views.components.patch_picture import PatchPicture, PicturePanel, patch_picture
from views.controls import sentence_input
from views.controls.widgets import Choice
from views.figures import overlay
from views.figures.occlusion import OcclusionCurve, curves
from views.text import literal
from views.text.catalogue import Message, say
from views.text.numbers import percent, three_digits

PAGE = "vision_layers"
RANDOM = "random order"
METHOD_IDS = dict(zip(METHODS, ("cls", "rollout", "gradient", "raw"), strict=True))
METHOD_LABELS = {  # by the names of `METHODS`
    "CLS attention": Message("vision.method.cls", "CLS attention"),
    "rollout": Message("vision.method.rollout", "rollout"),
    "gradient relevance": Message("vision.method.gradient", "gradient relevance"),
    "raw gradient": Message("vision.method.raw", "raw gradient"),
    RANDOM: Message("vision.method.random", "random order"),
}
METHOD_HEADINGS = METHOD_LABELS | {
    "rollout": Message("vision.method.rollout.heading", "Rollout"),
    "gradient relevance": Message("vision.method.gradient.heading", "Gradient relevance"),
    "raw gradient": Message("vision.method.raw.heading", "Raw gradient"),
}


@dataclass(frozen=True, eq=False)
class FaithfulnessCurves:
    """Curves of every method on one picture, and of random orders."""

    methods: dict[str, OcclusionCurves]
    chance: OcclusionCurves

    @property
    def all(self) -> dict[str, OcclusionCurves]:
        """The methods, then random orders."""
        return {**self.methods, RANDOM: self.chance}

    def table(self) -> tuple[list[str], list[tuple]]:
        """A header, and a row a point of every curve."""
        columns = [tables.TableColumn(say("vision.curves.share", "share"), self.chance.share)]
        for name, curve in self.all.items():
            deletion = say("vision.curves.deletion", "{method}, deletion", method=METHOD_LABELS[name]())
            insertion = say("vision.curves.insertion", "{method}, insertion", method=METHOD_LABELS[name]())
            columns += [tables.TableColumn(deletion, curve.deletion), tables.TableColumn(insertion, curve.insertion)]
        return tables.header_and_rows(columns)

    def arrays(self) -> dict[str, np.ndarray]:
        """Every curve by its name."""
        ways = {f"{name}, deletion": c.deletion for name, c in self.all.items()}
        ways |= {f"{name}, insertion": c.insertion for name, c in self.all.items()}
        return {"share": self.chance.share, **ways}


def measure_faithfulness(
    service: Service, key: str, trace: PatchTrace, scores: dict[str, np.ndarray], class_index: int
) -> FaithfulnessCurves:
    """Cover the picture in the order of every score. Each order is computed once, for all classes."""

    def occluded(order: np.ndarray) -> OcclusionCurves:
        # An order alone: a change of one setting then computes only the curves that it changes.
        compute = lambda model: model.occlusions(trace, order[None])[0]  # noqa: E731
        return service.analysis(("covering", key, order.tobytes()), compute).curves(class_index)

    drawn = random_orders(trace.grid[0] * trace.grid[1], RANDOM_PAIRS)
    at_random = service.analysis(("covering", key, "random"), lambda model: model.occlusions(trace, drawn))
    return FaithfulnessCurves(
        {method: occluded(rank_patches(score)) for method, score in scores.items()},
        average_curves([occlusion.curves(class_index) for occlusion in at_random]),
    )


def render_faithfulness(measured: FaithfulnessCurves, words: dict[str, str], card: dict) -> None:
    """Both figures, the verdict and the areas."""
    paragraph(PAGE, "faithful", count=len(measured.chance.parts), **words)
    named = (
        ("deletion", say("occlusion.deletion", "Deletion"), "covered"),
        ("insertion", say("occlusion.insertion", "Insertion"), "uncovered"),
    )
    for column, (way, title, axis) in zip(st.columns(2, gap="large"), named, strict=True):
        lines = [
            OcclusionCurve(METHOD_LABELS[name](), getattr(curve, way), getattr(curve, f"{way}_area"))
            for name, curve in measured.all.items()
        ]
        among = np.stack([getattr(part, way) for part in measured.chance.parts])  # (order, point)
        figure = curves(measured.chance.share, lines[:-1], lines[-1], among, axis, sentence_input.theme())
        areas = "; ".join(
            say("occlusion.area", "{name}: area {area}", name=line.name, area=three_digits(line.area)) for line in lines
        )
        with column:
            st.markdown(f"**{title}**")
            alt = say("occlusion.curves", "{way}: a curve for each method. {areas}.", way=title, areas=areas)
            st.plotly_chart(figure, key=way, config={"displayModeBar": False}, alt=alt)
    st.markdown(verdict(measured))
    st.dataframe(areas_table(measured, card), hide_index=True, width="stretch")
    if card_verdict(card):
        st.caption(card_verdict(card))


def verdict(measured: FaithfulnessCurves) -> str:
    """What the deletion areas say, in words."""
    low, high = (choose(part.deletion_area for part in measured.chance.parts) for choose in (min, max))
    best = min(measured.methods, key=lambda method: measured.methods[method].deletion_area)
    better = [method for method, curve in measured.methods.items() if beats_random_orders(curve, measured.chance)]
    rest = [method for method in measured.methods if method not in better]
    areas = {"area": measured.methods[best].deletion_area, "random": measured.chance.deletion_area}
    said = [block(PAGE, "winner", best=METHOD_LABELS[best](), low=low, high=high, **areas)]
    if better:
        said.append(block(PAGE, "better", names=_method_names(better)))
    if rest and better:
        said.append(block(PAGE, "not-better", names=_method_names(rest)))
    if not better:
        said.append(block(PAGE, "all-worse"))
    return " ".join(said)


def _method_names(methods: Iterable[str]) -> str:
    return ", ".join(METHOD_LABELS[method]() for method in methods)


def areas_table(measured: FaithfulnessCurves, card: dict) -> pd.DataFrame:
    """A row a method: its areas here, and over many pictures where the model's card has them."""
    curves, many = measured.all, card_figures(card)
    columns: dict[str, list[str]] = {
        say("occlusion.order", "Order by"): [METHOD_LABELS[name]() for name in curves],
        say("occlusion.deletion.area", "Deletion area"): [three_digits(c.deletion_area) for c in curves.values()],
        say("occlusion.insertion.area", "Insertion area"): [three_digits(c.insertion_area) for c in curves.values()],
    }
    if many:
        named = {
            "deletion": say("occlusion.deletion.many", "Deletion, many pictures"),
            "insertion": say("occlusion.insertion.many", "Insertion, many pictures"),
        }
        for way, column in named.items():
            spread = [many[name][way] for name in curves]
            columns[column] = [f"{three_digits(each['mean'])} \u00b1 {three_digits(each['sd'])}" for each in spread]
        columns[say("occlusion.below", "Below random on")] = [
            percent(many[name]["below_random"]) if name != RANDOM else "" for name in curves
        ]
    return pd.DataFrame(columns)


def card_figures(card: dict) -> dict[str, dict]:
    """Method or `RANDOM` -> what the model's card says of it over many pictures; empty where it says nothing."""
    many = card.get("evaluation", {}).get("faithfulness", {})
    return {**{method: many[method] for method in METHODS}, RANDOM: many["random"]} if many else {}


def card_verdict(card: dict) -> str:
    """What the card says, in words; empty where it says nothing."""
    many = card_figures(card)
    if not many:
        return ""
    # Twice the standard error of the paired difference: about one chance in forty that a useless map gets past it.
    sure = {method: f["difference"]["mean"] + 2 * f["difference"]["standard_error"] < 0 for method, f in many.items()}
    failed = [method for method in METHODS if not sure[method]]
    verdict = block(PAGE, "card-not-better", names=_method_names(failed)) if failed else block(PAGE, "card-better")
    return f"{block(PAGE, 'card', pictures=card['evaluation']['explained'])} {verdict}"


FUSIONS: dict[Fusion, Message] = {
    "mean": Message("fusion.mean", "mean"),
    "max": Message("fusion.max", "max"),
    "min": Message("fusion.min", "min"),
}


@fragment
def render_layers(service: Service, key: str, trace: PatchTrace) -> None:
    """The view; `key` is the picture's, as `Service.trace_picture` gives it.

    The browser draws the maps of another layer or fusion; this part runs again for their curves, and for another class.
    """
    paragraph(PAGE)
    layers = tuple(str(layer + 1) for layer in range(trace.attention.shape[0]))
    class_index = choose_class(say("vision.explain", "Explain"), trace, width=200)
    help = " ".join(block(PAGE, "fusion-help").split())
    upto = Choice(say("vision.upto", "Up to layer"), layers, "upto", layers[-1], varies=True)
    fusing = Choice(say("vision.fusion", "Rollout fuses heads by"), FUSIONS, "fusion", help=help)
    choices = upto, fusing, *sentence_input.patch_choices(trace.grid), sentence_input.overlay_choices()[0]
    chosen = {choice.key: choice.in_component() for choice in choices}
    layer, fusion = layers.index(chosen["upto"]), chosen["fusion"]
    probability = float(trace.probabilities[class_index])
    words = {"name": literal.markdown(trace.classes[class_index]), "fusion": FUSIONS[fusion](), "layer": chosen["upto"]}
    with st.skeleton(height=320):
        gradients = service.analysis(
            ("gradients", key, class_index), lambda model: model.gradient_scores(trace, class_index)
        )
        found = service.analysis(("attention scores", key), lambda _: _attention_scores(trace))
        check = service.analysis(("rollout check", key, fusion), lambda _: check_rollout(trace.attention, fusion))
    scores = found[fusion, layer] | gradients.scores
    _render_class(trace, class_index, words)
    _render_maps(trace, found, gradients.scores, choices, chosen)
    for column, method in zip(st.columns(len(scores), gap="medium"), scores, strict=True):
        with column:
            caption(PAGE, f"method-{METHOD_IDS[method]}", **words)
    least = (
        (METHOD_LABELS[method](), percent(float(score.min() / (score.max() or 1)))) for method, score in scores.items()
    )
    shares = (say("vision.method.share", "{method} {share}", method=method, share=share) for method, share in least)
    caption(PAGE, "scale", shares=", ".join(shares))
    with st.skeleton(height=560):
        measured = measure_faithfulness(service, key, trace, scores, class_index)
    render_faithfulness(measured, words, service.model.card)
    areas = {"area": measured.methods["rollout"].deletion_area, "random": measured.chance.deletion_area}
    render_experiment("vision-layers", {"fusion": "min"}, areas if fusion == "min" else None)
    ends = [end for curve in measured.all.values() for end in (curve.deletion[0], curve.insertion[-1])]
    caption(
        PAGE,
        "check",
        rollout=checks.format_difference("rollout", check.max_difference),
        rows=checks.format_difference("row sums", check.row_sum_error),
        slope=checks.format_difference("slope of the logit", gradients.difference),
        start=probability,
        ends=checks.format_difference("ends of curves", float(np.abs(np.array(ends) - probability).max())),
    )
    _render_files(trace, class_index, scores, measured)
    explained = trace.classes[class_index]
    render_vision_program(service, "layers", explained=explained, layer=layer + 1, fusion=fusion)
    orders = {METHOD_IDS[method]: tuple(rank_patches(score).tolist()) for method, score in scores.items()}
    title = say("vision.curves.code", "Deletion and insertion in PyTorch")
    render_vision_program(service, "curves", title, explained=explained, orders=orders)
    with st.expander(say("vision.methods", "Where the four methods come from")):
        paragraph(PAGE, "methods")


def _attention_scores(trace: PatchTrace) -> dict[tuple[Fusion, int], dict[str, np.ndarray]]:
    """What reads attention alone, of every fusion and up to every layer: few numbers, which the browser draws."""
    return {
        (fusion, layer): attention_scores(trace.attention, fusion, layer)
        for fusion in FUSIONS
        for layer in range(trace.attention.shape[0])
    }


def _render_class(trace: PatchTrace, class_index: int, words: dict[str, str]) -> None:
    probability = float(trace.probabilities[class_index])
    chance = percent(probability)
    with st.container():  # one place whether the note is there or not, so that nothing below it is built anew
        said = say("vision.explained", "Explained: **{name}**, {probability}.", name=words["name"], probability=chance)
        st.markdown(said)
        if probability < 0.1:
            st.info(block(PAGE, "little-to-explain", probability=chance, **words))


def _render_maps(
    trace: PatchTrace,
    found: dict[tuple[Fusion, int], dict[str, np.ndarray]],
    gradients: dict[str, np.ndarray],
    choices: Sequence[Choice],
    chosen: dict[str, str],
) -> None:
    """All four over the picture, for every fusion and layer."""
    layers = trace.attention.shape[0]
    places = [(fusion, layer) for layer in range(layers) for fusion in FUSIONS]
    scores = np.stack([np.stack([*found[place].values(), *gradients.values()]) for place in places])
    scores = scores.reshape(layers, len(FUSIONS), len(METHODS), -1)  # (layer, fusion, method, patch)
    maps = np.pad(scores, ((0, 0), (0, 0), (0, 0), (1, 0)))  # a number in the place of CLS
    panels = [PicturePanel(METHOD_HEADINGS[method](), number) for number, method in enumerate(METHODS)]
    title = say("vision.methods.maps", "Four attributions over the picture")
    described = patch_grid.as_bytes(trace.pixels), trace.grid, panels, title, choices, chosen
    names = [str(layer + 1) for layer in range(layers)], list(FUSIONS)
    shown = PatchPicture(*described, weights=maps, names=names, along=("upto", "fusion"))
    patch_picture(shown, key="methods", on_choose=sentence_input.store_selection)


def _render_files(
    trace: PatchTrace, class_index: int, scores: dict[str, np.ndarray], measured: FaithfulnessCurves
) -> None:
    columns = [tables.TableColumn(METHOD_LABELS[method](), score.ravel()) for method, score in scores.items()]
    header, lines = tables.header_and_rows([*place_columns(trace.grid), *columns])
    more = {"class": np.array(trace.classes[class_index]), "pixels": trace.pixels, **scores}
    with st.container(horizontal=True):
        files.csv(header, lines, "relevance", say("vision.scores.csv", "Scores as CSV"))
        files.csv(*measured.table(), "faithfulness", say("download.curves.csv", "Curves as CSV"))
        files.download(say("vision.maps.png", "Maps as PNG"), lambda: _maps_png(trace, scores), "maps.png")
        files.npz("through-the-layers", more | measured.arrays(), say("vision.all.npz", "All as NPZ"))
    files.folded_table(lambda: files.data_frame(lines, header), key="scores", hide_index=True)


def _maps_png(trace: PatchTrace, scores: dict[str, np.ndarray]) -> bytes:
    maps = [overlay.overlay(trace.pixels, score.reshape(trace.grid), "light") for score in scores.values()]
    return overlay.to_png(overlay.enlarged(np.concatenate(maps, axis=1), 1536))
