"""Whatever Python packs, the browser's reader unpacks: both run on the same generated payloads."""

from __future__ import annotations

import base64
import json
import subprocess

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from tests.payloads import read_payload
from tests.processes import ROOT
from tools import npm
from views.viewer.payload import (
    EXACT_BYTES,
    SentArray,
    canonical_codes,
    code_lengths,
    dtype_of,
    encode_levels,
    pack,
    round_to_levels,
    weights_of_levels,
)

READER = """
import { readFileSync } from "node:fs"
import { unpack } from "%s"
const answers = JSON.parse(readFileSync(0, "utf8")).map((content) => {
  const [header, arrays] = unpack(Uint8Array.from(Buffer.from(content, "base64")))
  const base64 = (numbers) => Buffer.from(numbers.buffer, numbers.byteOffset, numbers.byteLength).toString("base64")
  const numbersOf = ({ name, dtype }) => (dtype === "uint8" ? arrays.bytes(name) : arrays.floats(name))
  const read = (sent) => [sent.name, arrays.shape(sent.name), base64(numbersOf(sent))]
  return [header, header.arrays.map(read)]
})
console.log(JSON.stringify(answers))
"""

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
HEADERS = st.dictionaries(
    TEXTS.filter(lambda name: name not in ("arrays", "__proto__")), TEXTS | st.integers(-9, 9) | st.none()
)


@st.composite
def sent_arrays(draw) -> SentArray:
    """An array of any shape and format; numbers that float16 can hold, and minus infinity."""
    dtype = draw(st.sampled_from(["float32", "float24", "float16", "uint8", "levels"]))
    causal = dtype != "uint8" and draw(st.booleans())
    shape = draw(array_shapes(min_dims=2 if causal else 0, max_dims=4, max_side=5))
    floats = st.floats(0, 1, width=32) if dtype == "levels" else st.floats(-1e4, 1e4, width=16) | st.just(-np.inf)
    numbers = st.integers(0, 255) if dtype == "uint8" else floats
    values = draw(arrays(np.uint8 if dtype == "uint8" else np.float32, shape, elements=numbers))
    masked = np.where(np.tri(*shape[-2:], dtype=bool), values, 0) if causal else values
    return SentArray(masked, dtype, causal, draw(st.sampled_from([200, 1000])))


def as_sent(array: SentArray) -> np.ndarray:
    """The numbers that the browser should read."""
    if array.dtype != "levels":
        return array.values
    weights = weights_of_levels(round_to_levels(array.values, array.levels), array.levels)
    return np.where(np.tri(*weights.shape[-2:], dtype=bool), weights, 0) if array.causal else weights


def test_the_browser_reads_what_python_packs():
    cases = []

    @settings(
        max_examples=100, deadline=None, database=None, phases=[Phase.generate], suppress_health_check=list(HealthCheck)
    )
    @given(HEADERS, st.dictionaries(TEXTS, sent_arrays(), max_size=4))
    def write(header: dict, sent: dict[str, SentArray]) -> None:
        cases.append((header, sent, pack(header, sent)))

    write()
    contents = json.dumps([base64.b64encode(content).decode() for *_, content in cases])
    program = READER % (ROOT / "web/src/core/payload.ts").as_uri()
    run = [str(npm.NODE), "--input-type=module", "--eval", program]
    answers = json.loads(subprocess.run(run, input=contents, capture_output=True, text=True, check=True).stdout)
    for (header, sent, content), (read, found) in zip(cases, answers, strict=True):
        assert {name: value for name, value in read.items() if name != "arrays"} == header
        assert [name for name, *_ in found] == list(sent)
        for name, shape, encoded in found:
            kind = np.uint8 if sent[name].dtype == "uint8" else np.float32
            numbers = np.frombuffer(base64.b64decode(encoded), kind).reshape(shape)
            np.testing.assert_array_equal(numbers, as_sent(sent[name]))
            np.testing.assert_array_equal(numbers, read_payload(content)[1][name])


def test_a_rounded_number_has_its_nearest_neighbour_of_24_bits():
    values = np.float32([0.1, 1 / 3, 1e-30, 1 - 2**-24])
    (read,) = read_payload(pack({}, {"x": SentArray(values, "float24")}))[1].values()
    np.testing.assert_allclose(read, values, rtol=2**-16)
    assert (read.view(np.uint32) & 0xFF == 0).all()


def test_numbers_are_rounded_where_all_of_them_would_take_too_much():
    half = np.zeros(EXACT_BYTES // 8)
    assert (dtype_of(half), dtype_of(half, half), dtype_of(half, half, np.zeros(1))) == (
        "float32",
        "float32",
        "float16",
    )
    causal = SentArray(np.zeros((2, 3, 3)), causal=True)
    assert dtype_of(causal, rounded="float24", exact_bytes=4 * 12) == "float32" != dtype_of(causal, exact_bytes=4 * 11)


def test_arrays_that_are_none_are_left_out():
    header, arrays = read_payload(pack({"a": 1}, {"x": None, "mask": np.array([True, False])}))
    assert header == {"a": 1, "arrays": [{"name": "mask", "dtype": "uint8", "shape": [2]}]}
    assert arrays["mask"].tolist() == [1, 0]


@pytest.mark.parametrize("levels", [200, 1000])
def test_the_second_digit_of_a_weight_is_retained(levels):
    weights = np.random.default_rng(1).dirichlet(np.full(12, 0.2), 5000)
    read = weights_of_levels(round_to_levels(weights, levels), levels)
    assert [f"{weight:.2f}" for weight in read.flat] == [f"{weight:.2f}" for weight in weights.flat]
    assert np.abs(read - weights).max() <= 1 / levels


def test_zero_and_one_stay():
    assert weights_of_levels(round_to_levels(np.array([0, 1]), 1000), 1000) == pytest.approx([1 / 3000, 1])


@pytest.mark.parametrize(
    ("counts", "lengths"),
    [([5], [1]), ([0, 3, 0], [0, 1, 0]), ([1, 1, 2, 4], [3, 3, 2, 1]), ([7, 7], [1, 1]), ([0], [0])],
)
def test_frequent_classes_have_short_codes(counts, lengths):
    assert code_lengths(np.array(counts)).tolist() == lengths


def test_no_code_begins_with_another():
    lengths = code_lengths(np.array([40, 1, 30, 7, 7, 7, 2, 0, 11]))
    codes = [f"{code:0{length}b}" for code, length in zip(canonical_codes(lengths), lengths, strict=True) if length]
    assert sum(2.0 ** -len(code) for code in codes) == 1
    assert not any(one != other and other.startswith(one) for one in codes for other in codes)


def test_bits_of_a_known_row():
    # levels 0, 0, 1, 3: classes 0, 0, 1, 2 with the codes 0, 0, 10 and 11, and the lower bit 1 of level 3
    assert encode_levels(np.array([0, 0, 1, 3], np.uint32)) == bytes([3, 1, 2, 2, 0b00101110])


def test_an_empty_array_has_no_bits():
    assert pack({}, {"x": SentArray(np.zeros((0, 3)), "levels")})[-2:] == bytes([1, 0])
