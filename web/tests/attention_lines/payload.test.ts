// @vitest-environment node
import { expect, test } from "vitest"

import { decodeLines, sheetOf } from "../../src/views/attention_lines/payload"
import { floats, pack } from "../packing"

const SHARED = { words: {}, theme: "light", styles: {} }
const CROSS = { queryAxis: "French", keyAxis: "English", title: "Cross", causal: false }
const AXES = { queries: ["a", "b"], keys: ["c", "d"], ...CROSS }
const OF_TOKENS = { numbers: [3], ...AXES }

test("one kind has no name", () => {
  const payload = decodeLines(pack({ ...SHARED, kinds: { "": OF_TOKENS } }, { "": floats([1, 1, 2, 2], 0.25, 0.75, 1, 0) }))
  const sheet = sheetOf(payload, {})
  expect([...sheet.weights]).toEqual([0.25, 0.75, 1, 0])
  expect([sheet.queryAxis, sheet.numbers, sheet.queries]).toEqual(["French", [3], ["a", "b"]])
})

test("of several kinds one is chosen, in tokens or in words with the names of their axes", () => {
  const words = { queries: ["ab"], keys: ["c", "d"], starts: [[0], [0, 1]], ...CROSS, queryAxis: "French word" }
  const kinds = {
    encoder: { ...OF_TOKENS, queries: ["a"], keys: ["a"], title: "Encoder" },
    cross: { ...OF_TOKENS, grouped: words },
  }
  const sent = { encoder: floats([1, 1, 1, 1], 1), cross: floats([1, 1, 2, 2], 0.25, 0.75, 1, 0) }
  const payload = decodeLines(pack({ ...SHARED, kinds, controls: [] }, sent))
  expect(sheetOf(payload, { kind: "encoder", units: "words" })).toMatchObject({ title: "Encoder", queries: ["a"] })
  const sheet = sheetOf(payload, { kind: "cross", units: "words" })
  expect(sheet).toMatchObject({ queryAxis: "French word", queries: ["ab"], shape: [1, 1, 1, 2], numbers: [3] })
  expect([...sheet.weights]).toEqual([0.625, 0.375])
})
