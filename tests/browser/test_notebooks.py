"""The notebooks in docs/ run from the first cell to the last, and their views are drawn."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.conftest import PATIENCE
from tests.processes import ROOT

if TYPE_CHECKING:
    import nbformat

pytestmark = pytest.mark.nightly

VIEWS = {"translator": 2, "checkpoint": 1, "bertviz": 3}  # that are drawn
ZERO = r"-?\d(\.\d+)?e-(0[5-9]|[1-9]\d)"  # a number below 0.0001


@pytest.fixture(scope="module", params=VIEWS)
def executed(request, tmp_path_factory) -> tuple[str, nbformat.NotebookNode, Path]:
    """Name, the notebook as it was executed in an empty folder, and that folder."""
    import nbformat
    from nbclient import NotebookClient

    folder = tmp_path_factory.mktemp(request.param)
    notebook = nbformat.read(ROOT / "docs" / f"{request.param}.ipynb", as_version=4)
    assert not any(cell.get("outputs") for cell in notebook.cells), "notebooks are kept without outputs"
    paths = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))
    settings = {"PYTHONPATH": paths, "CUDA_VISIBLE_DEVICES": "", "OMP_NUM_THREADS": "1", "HF_HUB_OFFLINE": "1"}
    client = NotebookClient(notebook, timeout=240, resources={"metadata": {"path": folder}})
    with pytest.MonkeyPatch.context() as patch:
        for name, value in settings.items():
            patch.setenv(name, value)
        client.execute()
    return request.param, notebook, folder


def results(notebook: nbformat.NotebookNode) -> list[dict]:
    """Return the result of each code cell as MIME type -> text; empty without a result."""
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    outputs = [[output.data for output in cell.outputs if output.output_type == "execute_result"] for cell in cells]
    return [each[0] if each else {} for each in outputs]


def test_text_outputs_of_the_cells(executed):
    name, notebook, folder = executed
    texts = [result.get("text/plain", "") for result in results(notebook)]
    if name == "translator":
        assert len(texts) == 10
        assert texts[0] == "'Je veux acheter une voiture.'"
        assert re.search(rf"max_difference={ZERO}, row_sum_error={ZERO}, masked_weight=0.0", texts[3])
        assert re.fullmatch(r"'cross \d\.\d: [+-]\d\.\d{3} nats'", texts[8])
        assert "Check(" in texts[9]
    elif name == "checkpoint":
        assert re.match(r"\('translate',\s+\['encoder self-attention',\s+'masked decoder self-attention',", texts[1])
        assert texts[-2] == "0" and (folder / "study" / "heads.parquet").is_file()
        assert len(re.findall(r"^\d +cross", texts[-1], re.M)) == 8
    else:
        product, score = map(float, re.findall(r"-?\d+\.\d+(?:e-\d+)?", texts[-2]))
        assert product == pytest.approx(score, abs=1e-4)
        assert float(texts[-1]) < 1e-5
        assert (folder / "two-layers.html").is_file()


def test_views_in_the_cells_are_drawn(executed, browser: Browser, tmp_path: Path):
    name, notebook, _ = executed
    frames = [result["text/html"] for result in results(notebook) if "<iframe" in result.get("text/html", "")]
    assert len(frames) == VIEWS[name]
    page = browser.new_page(viewport={"width": 1100, "height": 900})
    page.set_default_timeout(PATIENCE)
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    (tmp_path / "output.html").write_text(f"<body>{''.join(frames)}</body>", encoding="utf-8")
    page.goto((tmp_path / "output.html").as_uri())
    for number in range(len(frames)):
        frame = page.frame_locator("iframe").nth(number)
        expect(frame.locator(".view").first).to_be_visible()
        expect(frame.locator(".tile, .side.query .token").first).to_be_visible()
    page.close()
    assert errors == []
