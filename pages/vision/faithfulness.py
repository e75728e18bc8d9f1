"""Vision, through the layers: deletion and insertion by every attribution and by two baselines, and the verdicts."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import pandas as pd
import streamlit as st

from model.attribution.faithfulness import CENTRE as CENTRE_KEY
from model.attribution.faithfulness import RANDOM as RANDOM_KEY
from model.attribution.faithfulness import (
    RANDOM_PAIRS,
    OcclusionCurves,
    average_curves,
    beats_random_orders,
    centre_order,
    random_orders,
    rank_patches,
)
from model.attribution.rollout import INTEGRATED, METHODS
from model.tracing.picture_trace import PatchTrace
from pages.shared import tables
from pages.shared.service import Service
from pages.shared.texts import block, paragraph
from views.controls import sentence_input
from views.figures.occlusion import OcclusionCurve, curves
from views.html import bars
from views.text.catalogue import Message, say
from views.text.numbers import percent, signed, three_digits

PAGE = "vision_layers"
CENTRE, RANDOM = "centre first", "random order"
METHOD_LABELS = {  # by `METHODS` and `INTEGRATED`
    "CLS attention": Message("vision.method.cls", "CLS attention"),
    "rollout": Message("vision.method.rollout", "rollout"),
    "gradient relevance": Message("vision.method.gradient", "gradient relevance"),
    "raw gradient": Message("vision.method.raw", "raw gradient"),
    INTEGRATED: Message("vision.method.integrated", "integrated gradients"),
    CENTRE: Message("vision.method.centre", "centre first"),
    RANDOM: Message("vision.method.random", "random order"),
}
WAYS = ("deletion", "insertion")


@dataclass(frozen=True, eq=False)
class FaithfulnessCurves:
    """Deletion and insertion curves of every method on one picture, from the centre outwards, and of random orders."""

    methods: dict[str, OcclusionCurves]
    centre: OcclusionCurves
    chance: OcclusionCurves

    @property
    def all(self) -> dict[str, OcclusionCurves]:
        """The curves of the methods, then those of the centre first and of random orders."""
        return {**self.methods, CENTRE: self.centre, RANDOM: self.chance}

    def table(self) -> tuple[list[str], list[tuple]]:
        """Return a header, and a row for each point of the curves."""
        columns = [tables.TableColumn(say("vision.curves.share", "share"), self.chance.share)]
        for name, curve in self.all.items():
            deletion = say("vision.curves.deletion", "{method}, deletion", method=METHOD_LABELS[name]())
            insertion = say("vision.curves.insertion", "{method}, insertion", method=METHOD_LABELS[name]())
            columns += [tables.TableColumn(deletion, curve.deletion), tables.TableColumn(insertion, curve.insertion)]
        return tables.header_and_rows(columns)

    def arrays(self) -> dict[str, np.ndarray]:
        """Return every curve by its name."""
        ways = {f"{name}, deletion": c.deletion for name, c in self.all.items()}
        ways |= {f"{name}, insertion": c.insertion for name, c in self.all.items()}
        return {"share": self.chance.share, **ways}


def measure_faithfulness(
    service: Service, key: str, trace: PatchTrace, scores: dict[str, np.ndarray], class_index: int
) -> FaithfulnessCurves:
    """Occlude the picture in the order of every score. Each order is computed once, for all classes."""

    def occluded(order: np.ndarray) -> OcclusionCurves:
        # one order at a time, so that a setting recomputes only the curves that it changes
        compute = lambda model: model.occlusions(trace, order[None])[0]  # noqa: E731
        return service.analysis(("covering", key, order.tobytes()), compute).curves(class_index)

    orders = random_orders(trace.grid[0] * trace.grid[1], RANDOM_PAIRS)
    at_random = service.analysis(("covering", key, "random"), lambda model: model.occlusions(trace, orders))
    return FaithfulnessCurves(
        {method: occluded(rank_patches(score)) for method, score in scores.items()},
        occluded(centre_order(trace.grid)),
        average_curves([occlusion.curves(class_index) for occlusion in at_random]),
    )


def render_faithfulness(
    measured: FaithfulnessCurves, words: dict[str, str], card: dict, agreement: dict[str, float | None] | None = None
) -> None:
    """Show both figures, the verdict and the areas.

    Args:
        agreement: method -> its rank correlation with leave-one-out, if that was computed.
    """
    paragraph(PAGE, "faithful", count=len(measured.chance.parts), **words)
    ways = (
        ("deletion", say("occlusion.deletion", "Deletion"), "covered"),
        ("insertion", say("occlusion.insertion", "Insertion"), "uncovered"),
    )
    for column, (way, title, axis) in zip(st.columns(2, gap="large"), ways, strict=True):
        lines = [
            OcclusionCurve(METHOD_LABELS[name](), getattr(curve, way), getattr(curve, f"{way}_area"))
            for name, curve in measured.all.items()
        ]
        random_curves = np.stack([getattr(part, way) for part in measured.chance.parts])  # (order, point)
        *methods, centre, chance = lines
        figure = curves(measured.chance.share, methods, centre, chance, random_curves, axis, sentence_input.theme())
        areas = "; ".join(
            say("occlusion.area", "{name}: area {area}", name=line.name, area=three_digits(line.area)) for line in lines
        )
        with column:
            st.markdown(f"**{title}**")
            alt = say("occlusion.curves", "{way}: a curve for each method. {areas}.", way=title, areas=areas)
            st.plotly_chart(figure, key=way, config={"displayModeBar": False}, alt=alt)
    st.markdown(verdict(measured))
    orders = areas_table(measured, card, agreement)
    label = say("occlusion.areas", "Areas of every order")
    st.html(bars.table(list(orders.columns), orders.to_numpy().tolist(), label, whole=True, stacked=True))
    if card_verdict(card):
        st.caption(card_verdict(card))


def verdict(measured: FaithfulnessCurves) -> str:
    """Describe the deletion areas in words."""
    low, high = (choose(part.deletion_area for part in measured.chance.parts) for choose in (min, max))
    best = min(measured.methods, key=lambda method: measured.methods[method].deletion_area)
    better = [method for method, curve in measured.methods.items() if beats_random_orders(curve, measured.chance)]
    rest = [method for method in measured.methods if method not in better]
    areas = {"area": measured.methods[best].deletion_area, "random": measured.chance.deletion_area}
    sentences = [block(PAGE, "winner", best=METHOD_LABELS[best](), low=low, high=high, **areas)]
    if better:
        sentences.append(block(PAGE, "better", names=_method_names(better)))
    if rest and better:
        sentences.append(block(PAGE, "not-better", names=_method_names(rest)))
    if not better:
        sentences.append(block(PAGE, "all-worse"))
    centre = measured.centre.deletion_area
    beyond = [method for method, curve in measured.methods.items() if curve.deletion_area < centre]
    id = "better-than-centre" if beyond else "centre-is-best"
    sentences.append(block(PAGE, id, area=centre, names=_method_names(beyond)))
    return " ".join(sentences)


def _method_names(methods: Iterable[str]) -> str:
    return ", ".join(METHOD_LABELS[method]() for method in methods)


def areas_table(
    measured: FaithfulnessCurves, card: dict, agreement: dict[str, float | None] | None = None
) -> pd.DataFrame:
    """Return a row for each order: its areas here, and over many pictures if the model's card has them.

    Args:
        agreement: as of `render_faithfulness`.
    """
    curves, many = measured.all, card_figures(card)
    columns: dict[str, list[str]] = {
        say("occlusion.order", "Order by"): [METHOD_LABELS[name]() for name in curves],
        say("occlusion.deletion.area", "Deletion area"): [three_digits(c.deletion_area) for c in curves.values()],
        say("occlusion.insertion.area", "Insertion area"): [three_digits(c.insertion_area) for c in curves.values()],
    }
    if agreement is not None:
        title = say("occlusion.agreement", "Rank correlation with leave-one-out")
        columns[title] = [_correlation(agreement[name]) if name in agreement else "" for name in curves]
    if many:
        titles = {
            "deletion": say("occlusion.deletion.many", "Deletion, many pictures"),
            "insertion": say("occlusion.insertion.many", "Insertion, many pictures"),
        }
        for way, column in titles.items():
            spread = [many[name][way] if name in many else None for name in curves]
            columns[column] = [
                f"{three_digits(figures['mean'])} \u00b1 {three_digits(figures['sd'])}" if figures else ""
                for figures in spread
            ]
        columns[say("occlusion.below", "Below random on")] = [
            percent(many[name]["below_random"]) if name in many and name != RANDOM else "" for name in curves
        ]
    if ranks := card_ranks(card):
        title = say("occlusion.agreement.many", "Rank correlation with leave-one-out, many pictures")
        columns[title] = [_mean_correlation(ranks.get(name)) for name in curves]
    if CENTRE in many:
        gains = {
            "deletion": say("occlusion.deletion.gain", "Deletion, better than centre first by"),
            "insertion": say("occlusion.insertion.gain", "Insertion, better than centre first by"),
        }
        for way, column in gains.items():
            columns[column] = [
                _gain(many[name]["over_centre"][way]) if name in many and name != CENTRE else "" for name in curves
            ]
    return pd.DataFrame(columns)


def _correlation(value: float | None) -> str:
    return say("attribution.undefined", "not defined") if value is None else signed(value)


def _mean_correlation(figures: dict | None) -> str:
    """Format a mean with its standard error; empty without any."""
    if figures is None:
        return ""
    return f"{signed(figures['mean'])} \u00b1 {three_digits(figures['standard_error'])}"


def _gain(gain: dict[str, float]) -> str:
    """Format a paired difference with its 95 % band."""
    words = {name: signed(gain[name]) for name in ("mean", "low", "high")}
    return say("occlusion.gain", "{mean} ({low} to {high})", **words)


def card_figures(card: dict) -> dict[str, dict]:
    """Return method, `CENTRE` or `RANDOM` -> its figures over many pictures in the model's card; empty if it has none.

    Cards of earlier versions have no `CENTRE`.
    """
    many = card.get("evaluation", {}).get("faithfulness", {})
    names = dict.fromkeys(METHODS) | {CENTRE_KEY: CENTRE, RANDOM_KEY: RANDOM}
    return {label or key: many[key] for key, label in names.items() if key in many}


def card_verdict(card: dict) -> str:
    """Describe the card's figures in words; empty if it has none."""
    many = card_figures(card)
    if not many:
        return ""
    # twice the standard error of the paired difference: a useless map passes with a chance of about one in forty
    sure = {method: f["difference"]["mean"] + 2 * f["difference"]["standard_error"] < 0 for method, f in many.items()}
    failed = [method for method in METHODS if not sure[method]]
    sentences = [block(PAGE, "card", pictures=card["evaluation"]["explained"])]
    sentences.append(
        block(PAGE, "card-not-better", names=_method_names(failed)) if failed else block(PAGE, "card-better")
    )
    if CENTRE in many:
        gains = {method: many[method]["over_centre"] for method in METHODS}
        beyond = [method for method in METHODS if all(gains[method][way]["low"] > 0 for way in WAYS)]
        rest = [method for method in METHODS if method not in beyond]
        id = "card-centre-none" if not beyond else "card-centre-some" if rest else "card-centre-all"
        sentences.append(block(PAGE, id, names=_method_names(beyond), others=_method_names(rest)))
    if ranks := card_ranks(card):
        best = max(ranks, key=lambda method: ranks[method]["mean"])
        top = max(ranks, key=lambda method: ranks[method]["top"]["mean"])
        words = {"best": METHOD_LABELS[best](), "correlation": _mean_correlation(ranks[best])}
        words |= {"top": METHOD_LABELS[top](), "share": percent(ranks[top]["top"]["mean"])}
        sentences.append(block(PAGE, "card-agreement", pictures=card["leave_one_out"]["pictures"], **words))
    return " ".join(sentences)


def card_ranks(card: dict) -> dict[str, dict]:
    """Return method or `CENTRE` -> figures of its rank correlation with leave-one-out; empty if the card has none."""
    methods = card.get("leave_one_out", {}).get("methods", {})
    return {CENTRE if name == CENTRE_KEY else name: figures for name, figures in methods.items()}
