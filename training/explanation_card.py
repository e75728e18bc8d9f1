"""The section of a picture classifier's card on its explanations, from what `training.vision_scores` measured."""

from model.attribution.faithfulness import CENTRE, RANDOM

from .agreement_card import agreement_cells, agreement_verdict

BASELINES = {CENTRE: "centre first", RANDOM: "random order"}
AREAS = ("deletion", "insertion")


def faithfulness_section(evaluation: dict) -> str:
    """Markdown from the `evaluation` of `card.json`; empty for a network without explanations."""
    if "faithfulness" not in evaluation:
        return ""
    figures = evaluation["faithfulness"]
    centre = CENTRE in figures  # older cards have no such baseline
    methods = "\n".join(_method_line(name, of_method, centre) for name, of_method in figures.items())
    share, columns, compared = "and the share of pictures where it is below.", "", ""
    if centre:
        share = """the share of pictures where it is below; and by
how much both areas are better than those of the order from the centre of the picture outwards, with the 95 % band of
the paired difference (1.96 standard errors to both sides), above 0 is better."""
        columns, compared = " better than centre first, deletion | insertion |", f"\n\n{_compared_with_centre(figures)}"
    return f"""## Which explanation is faithful

Over {evaluation["explained"]} validation pictures, for each picture's most probable class: mean area under the
deletion and insertion curves with the standard deviation over pictures; the paired difference of the deletion area to
random orders with its standard error, below 0 is better than random; {share}

| method | deletion | insertion | difference to random | below random |{columns}
| --- | --- | --- | --- | --- |{" --- | --- |" if centre else ""}
{methods}{compared}

"""


def patch_agreement_section(many: dict | None) -> str:
    """Markdown from `leave_one_out` of `card.json`; empty where it was not measured."""
    if many is None:
        return ""
    methods = many["methods"]
    rows = "\n".join(f"| {BASELINES.get(name, name)} | {agreement_cells(each)} |" for name, each in methods.items())
    mean, most = (f"{100 * many[name]:.1f} %" for name in ("missing", "most_missing"))
    return f"""## Attribution compared with leave-one-out

Over {many["pictures"]} validation pictures, for each picture's most probable class: Spearman's rank correlation of a
method's scores with the fall of the probability when each patch alone is covered by the picture's mean colour, and the
share of pictures on which both have the same top patch. Means over pictures ± their standard errors.
{agreement_verdict([methods])}
The sums of integrated gradients miss {mean} of the change of the logit on average, {most} at most.

| method | rank correlation | same top patch |
| --- | --- | --- |
{rows}

"""


def _method_line(name: str, figures: dict, centre: bool) -> str:
    areas = " | ".join(f"{figures[key]['mean']:.3f} ± {figures[key]['sd']:.3f}" for key in AREAS)
    label = BASELINES.get(name, name)
    if name == RANDOM:
        to_random = " | "
    else:
        difference = figures["difference"]
        to_random = (
            f"{difference['mean']:+.3f} ± {difference['standard_error']:.3f} | {100 * figures['below_random']:.0f} %"
        )
    gains = figures.get("over_centre") if name != CENTRE else None
    over = " | ".join(_gain(gains[key]) for key in AREAS) if gains else " | "
    return f"| {label} | {areas} | {to_random} |" + (f" {over} |" if centre else "")


def _gain(gain: dict[str, float]) -> str:
    return f"{gain['mean']:+.3f} ({gain['low']:+.3f} to {gain['high']:+.3f})"


def better_than_centre(figures: dict) -> list[str]:
    """List the methods whose bands are above 0 in both areas; baselines are no methods.

    Args:
        figures: of `training.vision_scores.compare_explanations`.
    """
    methods = {name: of_method["over_centre"] for name, of_method in figures.items() if name not in BASELINES}
    return [name for name, gains in methods.items() if all(gains[key]["low"] > 0 for key in AREAS)]


def _compared_with_centre(figures: dict) -> str:
    """State which methods say more than where the middle of the picture is."""
    better = better_than_centre(figures)
    rest = [name for name in figures if name not in BASELINES and name not in better]
    sentence = (
        "The order from the centre outwards does not depend on the network: it works for any picture with its object "
    )
    sentence += "in the middle.\n"
    if not better:
        return sentence + "No method is better than it in both areas with its whole band."
    sentence += f"Better than it in both areas with the whole band: {', '.join(better)}."
    return sentence + (f" Not better: {', '.join(rest)}." if rest else "")
