"""`python -m benchmarks [NAME ...]`: run the comparisons, print a table, write JSON."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import torch

from benchmarks.timing import Measurement, table
from model import Translator, VisionClassifier
from model.runtime.device import describe_hardware

COMPARISONS = (
    "forward",
    "translate",
    "recurrent",
    "pull",
    "stage",
    "vision",
    "page",
    "first",
    "choices",
    "circuits",
    "lessons",
    "history",
    "microscope",
    "hub",
)
ON_REQUEST = ("load", "scaling", "study")  # minutes and the whole machine; the last two need data
RESULTS = Path(__file__).parent / "results"


def main() -> None:
    """Run the chosen comparisons."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument(
        "which", nargs="*", choices=[[], *COMPARISONS, *ON_REQUEST], help=f"by default all but {', '.join(ON_REQUEST)}"
    )
    parser.add_argument("--visitors", type=int, nargs="+", help="load only: how many at once, one server each")
    parser.add_argument("--seconds", type=float, help="load only: how long they come and stay")
    parser.add_argument("--replicas", type=int, default=1, help="load only: servers, behind nginx where more than one")
    parser.add_argument("--seed", type=int, default=1, help="load only: what the visitors do; default %(default)s")
    parser.add_argument(
        "--data", type=Path, help="for scaling and study: .tsv, .txt, .tsv.gz or .zip of sentence pairs"
    )
    parser.add_argument("--json", type=Path, default=RESULTS / "latest.json", help="default %(default)s")
    options = parser.parse_args()
    chosen = options.which or list(COMPARISONS)
    if {"scaling", "study"} & set(chosen) and options.data is None:
        parser.error("scaling and study need --data")
    rows: list[Measurement] = []
    if {"forward", "translate"} & set(chosen):
        from benchmarks import network

        translator = Translator.load(device="cpu")
        for name in ("forward", "translate"):
            if name in chosen:
                rows += getattr(network, name)(translator)
    if "recurrent" in chosen:
        from benchmarks.recurrent import recurrent

        rows += recurrent(Translator.load(device="cpu"))
    if "pull" in chosen:
        from benchmarks.pull import pull

        rows += pull(Translator.load(device="cpu"))
    if "stage" in chosen:
        from benchmarks.stage import stage

        rows += stage()
    if "vision" in chosen:
        from benchmarks import network

        rows += network.vision(VisionClassifier.load(device="cpu"))
    if "page" in chosen:
        from benchmarks.page import page

        rows += page()
    if "first" in chosen:
        from benchmarks.first_content import first_content

        rows += first_content()
    if "circuits" in chosen:
        from benchmarks.circuits import circuits

        rows += circuits()
    if "choices" in chosen:
        from benchmarks.choices import choices

        rows += choices()
    if "lessons" in chosen:
        from benchmarks.lessons import lessons

        rows += lessons()
    if "history" in chosen:
        from benchmarks.history import history

        rows += history()
    if "microscope" in chosen:
        from benchmarks.microscope import microscope

        rows += microscope()
    if "hub" in chosen:
        from benchmarks.hub import hub

        rows += hub()
    if "load" in chosen:
        from benchmarks.load import WAVES, load

        waves = {count: options.seconds or WAVES.get(count, 60.0) for count in options.visitors or WAVES}
        rows += load(waves, options.seed, options.replicas)
    if "scaling" in chosen:
        from benchmarks.scaling import scaling

        rows += scaling(options.data)
    if "study" in chosen:
        from benchmarks.study import study

        rows += study(options.data)
    machine = (
        f"{describe_hardware(torch.device('cpu'))}, {torch.get_num_threads()} threads, PyTorch {torch.__version__}"
    )
    print(f"{machine}\n\n{table(rows)}")
    options.json.parent.mkdir(parents=True, exist_ok=True)
    content = {"machine": machine, "measurements": [row.to_dict() for row in rows]}
    options.json.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
