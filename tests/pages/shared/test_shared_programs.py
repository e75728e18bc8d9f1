"""Programs of marked lines: their imports, values and headers; every mark belongs to one program."""

import ast
from collections import Counter

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
    (tmp_path / "lesson.py").write_text(MODULE, encoding="utf-8")
    monkeypatch.setattr(shared_programs, "MODEL", tmp_path)
    monkeypatch.setitem(shared_programs.HEADERS, "load", "from PIL import Image\n\ngiven = Image.open(path)\n")
    monkeypatch.setitem(shared_programs.SHARED, ("page", "own"), ("load", "lesson.py double", "lesson.py own"))


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
    monkeypatch.setitem(shared_programs.SHARED, ("page", "own"), ("lesson.py other",))
    with pytest.raises(KeyError, match="other"):
        shared_programs.shared_program("page", "own", "")


def test_every_mark_is_shown_and_every_header_has_no_comment_that_would_stay_english():
    parts = Counter(part for parts in shared_programs.SHARED.values() for part in parts)
    marks = {
        f"{path.relative_to(shared_programs.MODEL).as_posix()} {name}"
        for path in shared_programs.MODEL.rglob("*.py")
        for name in marked_programs(path.read_text(encoding="utf-8"))
    }
    assert set(parts) == marks | set(shared_programs.HEADERS)
    for header in shared_programs.HEADERS.values():
        assert "#" not in header and ast.parse(header)
