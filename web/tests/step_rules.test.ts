import { expect, test } from "vitest"

import { type Axis, type NumberArray, followRule, sampling, smoothing } from "../src/views/step_view/content"

const SORTED = [2, 1, 1, 0, -3]
const EXPONENTIALS = SORTED.map(Math.exp)
const RANK = [1, 2, 3, 4, 5]

function sum(values: readonly number[]): number {
  return values.reduce((all, value) => all + value, 0)
}

test("all tokens share the probability at temperature 1 without a limit", () => {
  const results = sampling({ sorted: SORTED, rank: RANK }, { try_temperature: 1, try_k: 0, try_p: 1 })
  const all = sum(EXPONENTIALS)
  expect(results.kept).toEqual([5])
  expect(results.mass![0]).toBeCloseTo(1, 12)
  results.probability!.forEach((value, place) => expect(value).toBeCloseTo(EXPONENTIALS[place]! / all, 12))
})

test.each([
  { try_k: 1, try_p: 1, kept: 1 },
  { try_k: 2, try_p: 1, kept: 3 }, // logits equal to the last one stay
  { try_k: 0, try_p: 0, kept: 1 }, // the most probable token always stays
  { try_k: 0, try_p: 0.7, kept: 2 },
])("$kept tokens stay with top-k $try_k and top-p $try_p", ({ kept, ...limits }) => {
  const { filtered, probability, mass, ...rest } = sampling({ sorted: SORTED, rank: RANK }, { try_temperature: 1, ...limits })
  expect(rest.kept).toEqual([kept])
  expect(filtered!.map(Number.isNaN)).toEqual(RANK.map((rank) => rank > kept))
  expect(sum(probability!)).toBeCloseTo(1, 12)
  expect(probability!.slice(kept).every((value) => value === 0)).toBe(true)
  expect(mass![0]).toBeCloseTo(sum(EXPONENTIALS.slice(0, kept)) / sum(EXPONENTIALS), 12)
})

test("the temperature divides the logits, of the rows of the table alone", () => {
  const results = sampling({ sorted: SORTED, rank: [4, 1] }, { try_temperature: 0.5, try_k: 0, try_p: 1 })
  expect(results.scaled).toEqual([0, 4])
})

test("a smoothed target gives every token its share of the rest", () => {
  const arrays = { p: [0.75, 0.25], plain: [0.5], even: [9], vocabulary: [4] }
  const { q, gradient, smoothed, smallest } = smoothing(arrays, { smoothing: 20 })
  expect(q!.map((value) => value.toFixed(12))).toEqual(["0.850000000000", "0.050000000000"])
  expect(gradient!.map((value) => value.toFixed(12))).toEqual(["-0.100000000000", "0.200000000000"])
  expect(smoothed![0]).toBeCloseTo(0.8 * 0.5 + 0.2 * 9, 12)
  expect(smallest![0]).toBeCloseTo(-(0.85 * Math.log(0.85) + 3 * 0.05 * Math.log(0.05)), 12)
})

test("without smoothing the loss can be 0", () => {
  const { smallest } = smoothing({ p: [1], plain: [0], even: [9], vocabulary: [4] }, { smoothing: 0 })
  expect(smallest![0]).toBeCloseTo(0, 12)
})

function array(dims: readonly string[], ...values: number[]): NumberArray {
  return { dims, values: Float32Array.from(values), at: (places) => values[dims[0] ? places[dims[0]]! : 0]! }
}

test("a rule's numbers replace the server's, except where the server has computed them", () => {
  const percents: Axis = {
    ...{ id: "smoothing", title: "", labels: [], count: 3, slider: true, said: "", language: "", beside: false },
    values: [0, 20, 50],
  }
  const sent = {
    p: array(["row"], 0.75, 0.25),
    q: array(["row"], 0.85, 0.0625), // the second one is not that of the rule
    gradient: array(["row"], -0.1, 0.2),
    plain: array([], 0.5),
    even: array([], 9),
    smoothed: array([], 2.2),
    smallest: array([], 0.5875),
    vocabulary: array([], 4),
  }
  const { numbers, difference } = followRule("smoothing", sent, { smoothing: 1 }, { smoothing: percents })
  expect(difference).toBeCloseTo(0.0125, 6)
  expect(numbers.q!.at({ smoothing: 1, row: 1 })).toBe(0.0625)
  expect(numbers.q!.at({ smoothing: 2, row: 1 })).toBe(0.125)
  expect(numbers.smoothed!.at({ smoothing: 2 })).toBe(4.75)
  expect(numbers.q!.at({ smoothing: 0, row: 0 })).toBe(1)
  expect(numbers.p).toBe(sent.p)
})
