"""Numbers as text: the same in the browser and in Python."""

from __future__ import annotations

import json
import subprocess

from hypothesis import given, settings
from hypothesis import strategies as st

from tools import npm
from views.text.numbers import three_digits

PROGRAM = """
import { threeDigits } from "./src/core/numbers.ts"
console.log(JSON.stringify(JSON.parse(process.argv[1]).map(threeDigits)))
"""
KNOWN = [0, 1, -0.41234, 0.05, 0.000999, 2.4e-7, 123.4, 999.6, -1234.5, 58_489, 999_499, 999_600, -2.5e7]


@settings(max_examples=2, deadline=None)  # each starts a program, and has a hundred numbers
@given(st.lists(st.floats(-1e12, 1e12, allow_subnormal=False), min_size=100, max_size=100))
def test_scripts_write_numbers_as_python_does(numbers: list[float]):
    numbers = [*KNOWN, *numbers]
    command = [npm.NODE, "--input-type=module", "--eval", PROGRAM, json.dumps(numbers)]
    done = subprocess.run(command, cwd=npm.WEB, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == [three_digits(number) for number in numbers]
