import { expect, test } from "vitest"

import { describe, largestIn, readPayload, shadeOf, weightText, type Sheet } from "../src/views/attention_grid/sheet"
import { floats, pack } from "./packing"

const words = {
  one: "layer {layer}, head {head}", overHeads: "layer {layer}, mean", overLayers: "head {head}, mean", overAll: "mean",
  strongest: "{map}: {cell} {weight}", cell: "{query} to {key}", patch: "{row}, {column}",
}
const kind = {
  rows: ["1"], columns: ["1"], queries: ["a", "b"], keys: ["a", "b"], title: "T", causal: true,
  shared_scale: true, log_scale: false, opacity: 1, places: false, block: 1, detail: null, special: [[1], []],
  grouped: { queries: ["ab"], keys: ["a", "b"], starts: [[0], [0, 1]], special: [[], []], detail: { heading: "words" } },
}
const WEIGHTS = floats([1, 1, 2, 2], 1, 0, 0.25, 0.75)

function one(fields = {}): Sheet {
  return readPayload(pack({ words, decades: 4, kinds: { "": { ...kind, ...fields } } }, { "": WEIGHTS })).sheet({})
}

test("one sheet, without choices", () => {
  const sheet = one()
  expect([sheet.shape, [...sheet.weights], sheet.shared_scale, sheet.decades]).toEqual([[1, 1, 2, 2], [1, 0, 0.25, 0.75], true, 0])
  expect(describe(sheet, 0, 0)).toBe("layer 1, head 1: a to a 1.00")
})

test("sheets of kinds, one over a picture of its own", () => {
  const over = { ...kind, special: [[], []], causal: false }
  const halves = ["float16", [1, 1, 2, 2], Uint16Array.of(0x3c00, 0, 0, 0x3800)] as const
  const sent = { own: WEIGHTS, over: halves, "over picture": ["uint8", [1, 1, 3], Uint8Array.of(1, 2, 3)] as const }
  const payload = readPayload(pack({ words, decades: 4, controls: [], kinds: { own: kind, over } }, sent))
  const sheet = payload.sheet({ kind: "over", scale: "log" })
  expect([[...sheet.weights], [...sheet.picture], sheet.decades]).toEqual([[1, 0, 0, 0.5], [1, 2, 3], 4])
  expect(describe(sheet, 0, 0)).toBe("layer 1, head 1: 1, 1 1.00")
  const inWords = payload.sheet({ kind: "own", units: "words", scale: "own" })
  expect([inWords.queries, inWords.shape, inWords.detail]).toEqual([["ab"], [1, 1, 1, 2], { heading: "words" }])
  expect([inWords.shared_scale, inWords.decades]).toEqual([false, 0])
  expect(payload.sheet({ kind: "own", marks: "hidden" }).queries).toEqual(["a"])
  expect(payload.axes({ kind: "own" }).rows).toEqual(["1"])
})

test("the largest weight of a block leaves out masked cells", () => {
  const sheet = one()
  expect(largestIn(sheet, 0, 0, 0, 2)).toBe(1)
  expect(largestIn(sheet, 0, 1, 0, 2)).toBe(0.75)
  expect(largestIn(sheet, 0, 0, 1, 1)).toBe(-1)
  expect(largestIn(one({ causal: false }), 0, 0, 1, 1)).toBe(0)
})

test("shades of a linear and a logarithmic scale", () => {
  expect([-1, 0.5, 2].map((share) => shadeOf(0, share))).toEqual([0, 0.5, 1])
  expect(shadeOf(4, 1)).toBe(1)
  expect(shadeOf(4, 0.01)).toBeCloseTo(0.5, 12)
  expect([shadeOf(4, 1e-9), shadeOf(4, 0)]).toEqual([0, 0])
})

test("half precision has no three digits below 0.0001", () => {
  expect(weightText({ rounded: true }, 0.00005)).toBe("< 0.0001")
  expect(weightText({ rounded: false }, 0.00005)).toBe("5.00e\u22125")
})
