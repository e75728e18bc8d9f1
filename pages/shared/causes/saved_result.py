"""Files of a causal result: its numbers as CSV and NPZ, and an archive with the recipe that computes them again."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from pages.shared import files
from pages.shared.provenance import is_of_own_folder, used_versions, view_link
from pages.shared.texts import block
from views import navigation
from views.export import downloads
from views.export.recipes import Lines
from views.text.catalogue import say
from views.text.glossary import unlink_terms


@dataclass(frozen=True, eq=False)
class ResultSource:
    """The inputs of a causal result."""

    page: str  # whose address shows the result again
    weights_sha256: str  # of the weights that computed it
    facts: Mapping[str, object]  # the inputs and what is measured, by name
    recipe: Lines  # lines of Python that define `model` and `experiment`; see `views.export.causal_recipes`
    own_picture: bool = False  # whether one of the inputs is a user's own picture

    def with_method(self, lines: Lines, **facts: object) -> "ResultSource":
        """The same inputs followed by a method: lines of Python that define `arrays`, and its settings."""
        return replace(self, recipe=(*self.recipe, "", *lines), facts={**self.facts, **facts})


@dataclass(frozen=True, eq=False)
class ResultFiles:
    """The numbers of a causal result."""

    name: str  # of the files, without their endings
    header: Sequence[str]
    rows: Callable[[], Sequence[Sequence[object]]]  # makes the rows of the table
    arrays: Callable[[], Mapping[str, np.ndarray]]  # makes the arrays by name
    check: Mapping[str, float]  # name of a check -> its largest difference
    labels: tuple[str, str]  # of the buttons of CSV and NPZ


def render_result_files(result: ResultFiles, source: ResultSource) -> None:
    """Render the downloads of a result, in the container that is open."""
    files.csv(result.header, result.rows, result.name, result.labels[0])
    files.npz(result.name, result.arrays, result.labels[1])
    link = view_link(source.page)
    name = f"circuits-{result.name}.zip"
    files.download(
        say("circuits.zip", "With recipe and link as ZIP"), lambda: build_archive(result, source, link), name
    )


def build_archive(result: ResultFiles, source: ResultSource, link: str) -> bytes:
    """Return the archive. It contains no time, so the same result gives the same bytes."""
    description = {
        "app": navigation.NAME,
        "link": link,
        "model": {"weights_sha256": source.weights_sha256},
        "input": dict(source.facts),
        "check": dict(result.check),
        "versions": used_versions(opened=source.page == "models"),
    }
    contents = {
        "README.txt": _readme(result, source, link).encode(),
        f"{result.name}.csv": downloads.table_csv(result.header, result.rows()),
        f"{result.name}.npz": downloads.arrays_npz(result.arrays()),
        "settings.json": (json.dumps(description, indent=2, ensure_ascii=False) + "\n").encode(),
    }
    return downloads.archive(contents)


def _readme(result: ResultFiles, source: ResultSource, link: str) -> str:
    recipe = [
        "import numpy as np",
        "",
        *source.recipe,
        "",
        f"stored = np.load('{result.name}.npz')",
        "print(max(np.abs(np.nan_to_num(values - stored[name])).max() for name, values in arrays.items()))",
    ]
    text = unlink_terms(block("circuits", "bundle", name=result.name, recipe="\n".join(recipe)))
    if source.own_picture:
        text += "\n\n" + block("attention_viewer", "own-picture")
    if is_of_own_folder(link):
        text += "\n\n" + block("attention_viewer", "own-folder")
    return text + "\n"
