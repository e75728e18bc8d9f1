// @vitest-environment node
import { expect, test } from "vitest"

import { decodeLines, from24Bits, sheetOf } from "../../src/views/attention_lines/payload"
import { pack } from "../packing"

const SHARED = { words: {}, theme: "light", styles: {} }
const CROSS = { queryAxis: "French", keyAxis: "English", title: "Cross", causal: false }
const AXES = { queries: ["a", "b"], keys: ["c", "d"], ...CROSS }
const OF_TOKENS = { weights: [1, 1, 2, 2], numbers: [3], type: "float32", ...AXES }

test("one kind has no name", () => {
  const payload = decodeLines(pack({ ...SHARED, ...OF_TOKENS }, Float32Array.of(0.25, 0.75, 1, 0)))
  const sheet = sheetOf(payload, {})
  expect([...sheet.weights]).toEqual([0.25, 0.75, 1, 0])
  expect([sheet.queryAxis, sheet.numbers, sheet.queries]).toEqual(["French", [3], ["a", "b"]])
})

test("a causal kind is sent without masked weights", () => {
  const causal = { ...OF_TOKENS, weights: [1, 2, 3, 2], queries: ["a", "b", "c"], causal: true }
  const sent = Float32Array.of(1, 0.25, 0.75, 0.5, 0.5, 1, 0, 1, 0.125, 0.875)
  const { weights } = sheetOf(decodeLines(pack({ ...SHARED, ...causal }, sent)), {})
  expect([...weights]).toEqual([1, 0, 0.25, 0.75, 0.5, 0.5, 1, 0, 0, 1, 0.125, 0.875])
})

test("rounded weights have 24 bits", () => {
  const bits = new Uint8Array(Float32Array.of(0.5, 1.5 * 2 ** -100).buffer)
  const bytes = bits.filter((_, place) => place % 4)
  expect([...from24Bits(bytes)]).toEqual([0.5, 1.5 * 2 ** -100])
  const rounded = { ...OF_TOKENS, weights: [1, 1, 1, 2], type: "float24" }
  const sheet = sheetOf(decodeLines(pack({ ...SHARED, ...rounded }, bytes)), {})
  expect([...sheet.weights]).toEqual([0.5, 1.5 * 2 ** -100])
})

test("of several kinds one is chosen, in tokens or in words with the names of their axes", () => {
  const words = { queries: ["ab"], keys: ["c", "d"], starts: [[0], [0, 1]], ...CROSS, queryAxis: "French word" }
  const kinds = {
    encoder: { ...OF_TOKENS, weights: [1, 1, 1, 1], queries: ["a"], keys: ["a"], title: "Encoder" },
    cross: { ...OF_TOKENS, grouped: words },
  }
  const sent = [Float32Array.of(1), Float32Array.of(0.25, 0.75, 1, 0)]
  const payload = decodeLines(pack({ ...SHARED, kinds, controls: [] }, ...sent))
  expect(sheetOf(payload, { kind: "encoder", units: "words" })).toMatchObject({ title: "Encoder", queries: ["a"] })
  const sheet = sheetOf(payload, { kind: "cross", units: "words" })
  expect(sheet).toMatchObject({ queryAxis: "French word", queries: ["ab"], shape: [1, 1, 1, 2], numbers: [3] })
  expect([...sheet.weights]).toEqual([0.625, 0.375])
})
