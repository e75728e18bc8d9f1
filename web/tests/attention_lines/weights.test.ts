// @vitest-environment node
import { expect, test } from "vitest"

import { Weights } from "../../src/views/attention_lines/payload"

function makeWeights(rows: number[][], { heads = 1, causal = false } = {}): Weights {
  const shape = [rows.length / heads / 2, heads, 2, rows[0]!.length] as const
  return new Weights({ shape, causal, weights: Float32Array.from(rows.flat()) })
}

const ROWS = [
  [0.5, 0.25, 0.125, 0.125],
  [0, 0.25, 0.75, 0],
]

/** Which keys of each query are drawn. */
function drawnKeys(weights: Weights, map: number): number[][] {
  const keys = [...Array(weights.keys).keys()]
  return [0, 1].map((query) => keys.filter((key) => weights.drawn(map, query, key)))
}

test.each([
  [0.05, [[0], [2]]], // always the strongest key
  [0.5, [[0], [2]]],
  [0.75, [[0, 1], [2]]],
  [0.8, [[0, 1, 2], [1, 2]]], // among equal weights the first key
  [1, [[0, 1, 2, 3], [1, 2]]], // never a weight of 0
])("the fewest keys that hold a share of %d", (share, keys) => {
  const weights = makeWeights(ROWS)
  weights.setShare(share)
  expect(drawnKeys(weights, 0)).toEqual(keys)
  expect(weights.strongest([0], null, 99).all).toBe(keys.flat().length)
})

test("a share counts for the sum of the query's weights, and covers weights of seven digits", () => {
  const weights = makeWeights([
    [0.2, 0.1, 0.1, 0],
    [0.3333333, 0.3333333, 0.3333334, 0],
  ])
  weights.setShare(0.5)
  expect(drawnKeys(weights, 0)).toEqual([[0], [0, 2]])
  weights.setShare(2 / 3)
  expect(drawnKeys(weights, 0)[1]).toEqual([0, 2])
})

test("keys are in order of their weights, equal ones as they are", () => {
  expect([...makeWeights([...ROWS, [1e-30, 1, 1e-38, 1], [0, 0, 0, 0]]).order(1)]).toEqual([1, 3, 0, 2, 0, 1, 2, 3])
  expect([...makeWeights(ROWS).order(0)]).toEqual([0, 1, 2, 3, 2, 1, 0, 3])
})

test("a causal mask hides the keys behind the query", () => {
  const weights = makeWeights(ROWS, { causal: true })
  expect([weights.masked(0, 0), weights.masked(0, 1), weights.masked(1, 1)]).toEqual([false, true, false])
  expect(makeWeights(ROWS).masked(0, 1)).toBe(false)
})

test("the mean over maps; 0 over none", () => {
  const weights = makeWeights([...ROWS, [1, 0, 0, 0], [0, 0, 0, 1]], { heads: 2 })
  expect(weights.mean([0, 1], 0, 0)).toBe(0.75)
  expect(weights.mean([1], 1, 3)).toBe(1)
  expect(weights.mean([], 0, 0)).toBe(0)
  expect(weights.between(0, { side: "query", place: 1 }, 2)).toBe(0.75)
  expect(weights.between(0, { side: "key", place: 2 }, 1)).toBe(0.75)
})

test("the lines of one token, from both sides", () => {
  const weights = makeWeights(ROWS)
  weights.setShare(0.75)
  expect(weights.strongest([0], { side: "query", place: 0 }, 9)).toEqual({ all: 2, cells: [0, 1] })
  expect(weights.strongest([0], { side: "key", place: 2 }, 9)).toEqual({ all: 1, cells: [6] })
  expect(weights.strongest([], null, 9)).toEqual({ all: 0, cells: [] })
})

test("of too many lines the strongest are drawn", () => {
  const weights = makeWeights(ROWS)
  weights.setShare(1)
  const { all, cells } = weights.strongest([0], null, 4)
  expect(all).toBe(6)
  expect([...cells].sort()).toEqual([0, 1, 5, 6])
  expect(weights.strongest([0], null, 3).cells).toEqual([0, 6]) // of equal weights all or none
})
