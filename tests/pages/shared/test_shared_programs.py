"""Programs of marked lines: their imports, values and headers; every mark belongs to one program."""

import pytest

from pages.shared import shared_programs
from views.text.program_comments import marked_programs

MODULE = """\"\"\"A lesson.\"\"\"

import math
import re
from dataclasses import dataclass

import numpy as np
import torch.nn.functional as F
from torch import Tensor, nn

from .other import relative


# program: double
def double(number: Tensor) -> Tensor:
    return 2 * number


# end of program
def computed(given: Tensor, width: int) -> Tensor:
    # program: own
    total = sum(math.sqrt(double(each * width)) for each in given)  # the sum
    layer = nn.Linear(1, len(np.zeros(3)))
    # end of program
    return total
"""


@pytest.fixture
def own(tmp_path, monkeypatch):
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "lesson.py").write_text(MODULE, encoding="utf-8")
    (tmp_path / "headers.py").write_text(
        "from PIL import Image\n\n# program: load\ngiven = Image.open(path)\n# end of program\n", encoding="utf-8"
    )
    monkeypatch.setattr(shared_programs, "ROOT", tmp_path)
    monkeypatch.setattr(shared_programs, "HEADERS", "headers.py")
    monkeypatch.setitem(shared_programs.SHARED, ("page", "own"), ("load", "lesson.py: double", "lesson.py: own"))


def test_a_program_has_its_imports_then_its_values_then_headers_then_the_marked_lines(own):
    assert shared_programs.shared_program("page", "own", "  # yours") == (
        "import math\n\nimport numpy as np\nfrom PIL import Image\nfrom torch import Tensor, nn\n\n"
        "path = None  # yours\nwidth = None  # yours\n\n"
        "given = Image.open(path)\n\n\n"
        "def double(number: Tensor) -> Tensor:\n    return 2 * number\n\n\n"
        "total = sum(math.sqrt(double(each * width)) for each in given)  # the sum\n"
        "layer = nn.Linear(1, len(np.zeros(3)))"
    )


def test_a_mark_that_is_missing_is_an_error(own, monkeypatch):
    monkeypatch.setitem(shared_programs.SHARED, ("page", "own"), ("lesson.py: other",))
    with pytest.raises(KeyError, match="other"):
        shared_programs.shared_program("page", "own", "")


def test_every_mark_is_in_a_program():
    model = shared_programs.ROOT / "model"
    marks = {
        f"{path.relative_to(model).as_posix()}: {name}"
        for path in model.rglob("*.py")
        for name in marked_programs(path.read_text(encoding="utf-8"))
    }
    headers = marked_programs((shared_programs.ROOT / shared_programs.HEADERS).read_text(encoding="utf-8"))
    assert marks | set(headers) == {part for parts in shared_programs.SHARED.values() for part in parts}
