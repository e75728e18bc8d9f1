"""Vision, through the layers: deletion and insertion curves on this picture, and what they say of each method."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pandas as pd
import streamlit as st

from model.attribution.rollout import METHODS
from pages.shared.texts import block, paragraph
from pages.vision.measured import CALLED, PAGE, RANDOM, Measured
from views.controls import inputs
from views.figures.occlusion import Line, curves
from views.text.catalogue import say
from views.text.numbers import percent, three_digits


def faithful(measured: Measured, words: dict[str, str], card: dict) -> None:
    """Both figures, the verdict and the areas."""
    paragraph(PAGE, "faithful", count=len(measured.chance.parts), **words)
    named = (
        ("deletion", say("occlusion.deletion", "Deletion"), "covered"),
        ("insertion", say("occlusion.insertion", "Insertion"), "uncovered"),
    )
    for column, (way, title, axis) in zip(st.columns(2, gap="large"), named, strict=True):
        lines = [
            Line(CALLED[name](), getattr(curve, way), getattr(curve, f"{way}_area"))
            for name, curve in measured.all.items()
        ]
        among = np.stack([getattr(part, way) for part in measured.chance.parts])  # (order, point)
        figure = curves(measured.chance.share, lines[:-1], lines[-1], among, axis, inputs.theme())
        areas = "; ".join(
            say("occlusion.area", "{name}: area {area}", name=line.name, area=three_digits(line.area)) for line in lines
        )
        with column:
            st.markdown(f"**{title}**")
            alt = say("occlusion.curves", "{way}: a curve for each method. {areas}.", way=title, areas=areas)
            st.plotly_chart(figure, key=way, config={"displayModeBar": False}, alt=alt)
    st.markdown(verdict(measured))
    st.dataframe(areas_table(measured, card), hide_index=True, width="stretch")
    if over_many(card):
        st.caption(over_many(card))


def verdict(measured: Measured) -> str:
    """What the deletion areas say, in words."""
    low, high = (choose(part.deletion_area for part in measured.chance.parts) for choose in (min, max))
    best, better, rest = measured.best, measured.better(True), measured.better(False)
    areas = {"area": measured.methods[best].deletion_area, "random": measured.chance.deletion_area}
    said = [block(PAGE, "winner", best=CALLED[best](), low=low, high=high, **areas)]
    if better:
        said.append(block(PAGE, "better", names=_listed(better)))
    if rest and better:
        said.append(block(PAGE, "not-better", names=_listed(rest)))
    if not better:
        said.append(block(PAGE, "all-worse"))
    return " ".join(said)


def _listed(methods: Iterable[str]) -> str:
    return ", ".join(CALLED[method]() for method in methods)


def areas_table(measured: Measured, card: dict) -> pd.DataFrame:
    """A row a method: its areas here, and over many pictures where the model's card has them."""
    curves, many = measured.all, figures_of(card)
    columns: dict[str, list[str]] = {
        say("occlusion.order", "Order by"): [CALLED[name]() for name in curves],
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


def figures_of(card: dict) -> dict[str, dict]:
    """Method or `RANDOM` -> what the model's card says of it over many pictures; empty where it says nothing."""
    many = card.get("evaluation", {}).get("faithfulness", {})
    return {**{method: many[method] for method in METHODS}, RANDOM: many["random"]} if many else {}


def over_many(card: dict) -> str:
    """What the card says, in words; empty where it says nothing."""
    many = figures_of(card)
    if not many:
        return ""
    # Twice the standard error of the paired difference: about one chance in forty that a useless map gets past it.
    sure = {method: f["difference"]["mean"] + 2 * f["difference"]["standard_error"] < 0 for method, f in many.items()}
    failed = [method for method in METHODS if not sure[method]]
    verdict = block(PAGE, "card-not-better", names=_listed(failed)) if failed else block(PAGE, "card-better")
    return f"{block(PAGE, 'card', pictures=card['evaluation']['explained'])} {verdict}"
