// @vitest-environment node
import { expect, test } from "vitest"

import { fitting } from "../../src/views/attention_lines/readout"
import { ALL, makeReadOut } from "./sheets"

test("a number next to a token is the mean over the chosen maps", () => {
  const query = makeReadOut().weightsOf({ side: "query", place: 1 })
  expect(query.map(({ name, mean }) => [name, mean])).toEqual([["the", 0.4375], ["black", 0.21875], ["cat", 0.34375]])
  const key = makeReadOut({ layers: [1], heads: [0] }).weightsOf({ side: "key", place: 2 })
  expect(key.map(({ name, mean }) => [name, mean])).toEqual([["le", 0.5], ["chat", 0.5]])
})

test("maps are numbered layer by layer and named with the numbers of their layers", () => {
  const readOut = makeReadOut({ layers: [1], heads: [0, 1] })
  expect(readOut.maps).toEqual([2, 3])
  expect(readOut.nameOf(3)).toBe("layer 6, head 2")
})

test("the text about a token lists what it attends to, the largest weight first", () => {
  const both = makeReadOut({ layers: [0] })
  expect(both.describe({ side: "query", place: 1 })).toBe(
    "chat (2) attends to: the 0.500, cat 0.438, black 0.0625 (mean of 2 heads)",
  )
  const one = makeReadOut({ layers: [0], heads: [1] })
  expect(one.describe({ side: "key", place: 0 })).toBe(
    "the (1) is attended to by: chat 1.00, le 0.250 (layer 5, head 2)",
  )
  expect(one.describeLocked({ side: "key", place: 0 })).toMatch(/^Locked: the \(1\) is/)
})

test("the text lists five tokens at most, none that is masked", () => {
  const keys = ["a", "b", "c", "d", "e", "f"]
  const weights = Float32Array.of(...[1, 0, 0, 0, 0, 0], ...[0.25, 0.75, 0, 0, 0, 0])
  const fields = { keys, weights, shape: [1, 1, 2, 6] as const, causal: true }
  const causal = makeReadOut({ layers: [0], heads: [0] }, fields)
  expect(causal.describe({ side: "query", place: 1 })).toContain(": b 0.750, a 0.250 (")
  expect(causal.describe({ side: "key", place: 1 })).toContain(": chat 0.750 (")
  expect(causal.weightsOf({ side: "key", place: 1 }).map(({ masked }) => masked)).toEqual([true, false])
  const all = makeReadOut({ layers: [0], heads: [0] }, { ...fields, causal: false })
  expect(all.describe({ side: "query", place: 0 })).toContain(": a 1.00, b 0, c 0, d 0, e 0, \u2026 (")
})

test("the text says what to do if nothing is chosen or no token has the focus", () => {
  expect(makeReadOut({ heads: [] }).describe({ side: "query", place: 0 })).toBe("noneChosen")
  expect(makeReadOut().describe(null)).toBe("point")
})

test("the legend counts lines, and says if not all are drawn", () => {
  expect(makeReadOut().explain({ count: 7, all: 7 })).toBe("all 7")
  expect(makeReadOut().explain({ count: 6, all: 7 })).toBe("6 of 7")
})

test("labels of compressed rows keep a distance, and those of the largest weights stay", () => {
  const weights = Float32Array.of(0.3, 0.25, 0.05, 0, 0.15, 0.25)
  const keys = ["a", "b", "c", "d", "e", "f"]
  const readOut = makeReadOut({ layers: [0], heads: [0] }, { queries: ["q"], keys, weights, shape: [1, 1, 1, 6] })
  expect([...readOut.readable({ side: "query", place: 0 }, 2)]).toEqual([0, 5, 2])
  expect([...readOut.readable({ side: "query", place: 0 }, 3)]).toEqual([0, 5])
})

test("a choice of another input loses what this one does not have", () => {
  const { weights } = makeReadOut()
  const locked = { side: "key", place: 2 } as const
  expect(fitting({ layers: [0, 2], heads: [1, 5], mass: 0.5, locked }, weights)).toEqual({
    layers: [0],
    heads: [1],
    mass: 0.5,
    locked,
  })
  expect(fitting({ ...ALL, locked: { side: "query", place: 2 } }, weights).locked).toBeNull()
})
