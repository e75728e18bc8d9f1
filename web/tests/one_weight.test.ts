import { expect, test } from "vitest"

import {
  type Kind,
  type ScoreForm,
  buildBar,
  bySize,
  decodeWeights,
  fillTable,
  softmaxOf,
  splitKeys,
  writeProse,
} from "../src/views/one_weight"
import { floats, pack } from "./packing"

const FORM: ScoreForm = { scaling: 0.5, plain: true, softcap: 0, biased: false, sinks: [], allowed: -1 }

/** One layer of two heads that share their keys: two queries and three keys of length 2. */
function kindOf(form: Partial<ScoreForm> | null, more: Partial<Kind> = {}): Kind {
  const numbers = {
    queries: Float32Array.of(1, 0, 0, 1, 2, 0, 0, 2),
    keys: Float32Array.of(2, 4, 0, 0, -2, 2),
    scores: new Float32Array(),
    masks: [Uint8Array.of(1, 1, 1, 1, 0, 1)],
  }
  return {
    labels: [["a", "b"], ["x", "y", "z"]],
    queries: [1, 2, 2, 2],
    keys: [1, 1, 3, 2],
    scores: null,
    forms: form ? [{ ...FORM, ...form }] : [],
    numbers,
    ...more,
  } as Kind
}

test("products, scaled, are the scores; heads may share their keys", () => {
  const one = softmaxOf(kindOf({}), [0, 1, 1])
  expect(one.vectors?.products(0)).toEqual([0, 8])
  expect(one.scores).toEqual([4, 0, 2])
  const total = 1 + Math.exp(-4) + Math.exp(-2)
  expect(one.total).toBeCloseTo(total, 12)
  expect(one.weights[0]).toBeCloseTo(1 / total, 12)
})

test("a masked key has a score and no weight", () => {
  const one = softmaxOf(kindOf({ allowed: 0 }), [0, 0, 1])
  expect(one.raw).toEqual([2, 0, 1])
  expect(one.scores).toEqual([2, -Infinity, 1])
  expect(one.weights[1]).toBe(0)
})

test("a cap bounds the scores, and a sink takes a share of the weights", () => {
  const one = softmaxOf(kindOf({ softcap: 2, sinks: [0, 1] }), [0, 1, 1])
  expect(one.scores[0]).toBeCloseTo(2 * Math.tanh(2), 12)
  const most = 2 * Math.tanh(2)
  expect(one.sink).toBeCloseTo(Math.exp(1 - most), 12)
  expect(one.weights.reduce((sum, weight) => sum + weight) + one.sink / one.total).toBeCloseTo(1, 12)
})

test("recorded scores are used where something was added to them, or queries were not recorded", () => {
  const scores = Float32Array.of(0, 0, 0, 1, 2, 3, 0, 0, 0, 4, -3.4e38, 6)
  const recorded: Partial<Kind> = { scores: [1, 2, 2, 3], numbers: { ...kindOf(null).numbers, scores } }
  expect(softmaxOf(kindOf({ biased: true }, recorded), [0, 0, 1]).scores).toEqual([1, 2, 3])
  const one = softmaxOf(kindOf(null, { ...recorded, queries: null, keys: null }), [0, 1, 1])
  expect(one.scores).toEqual([4, -Infinity, 6])
  expect(one.vectors).toBeUndefined()
})

test("products by size, and the keys of the table", () => {
  expect(bySize([1, -3, 2])).toEqual([1, 2, 0])
  expect(splitKeys([0.1, 0.5, 0.15, 0.25], 2, 0)).toEqual([[0, 1, 3], [2]])
  expect(splitKeys([0.4, 0.6], 40, 1)).toEqual([[0, 1], []])
})

test("each kind has its numbers and masks", () => {
  const fields = { labels: [["a"], ["x", "y", "z"]], masks: 1 }
  const mask = Uint8Array.of(1, 0, 1)
  const of = { "encoder queries": floats([1, 1, 1, 1], 7), "encoder keys": floats([1, 1, 3, 1], 1, 2, 3) }
  const masks = { "encoder mask 0": ["uint8", [1, 3], mask], "cross mask 0": ["uint8", [1, 3], mask] } as const
  const sent = { ...of, ...masks, "cross scores": floats([1, 1, 1, 3], 4, 5, 6) }
  const read = decodeWeights(pack({ kinds: { encoder: fields, cross: fields } }, sent)).kinds
  expect(read.encoder?.numbers.queries).toEqual(Float32Array.of(7))
  expect([read.encoder?.keys, read.encoder?.scores, read.cross?.queries]).toEqual([[1, 1, 3, 1], null, null])
  expect(read.encoder?.numbers.keys).toEqual(Float32Array.of(1, 2, 3))
  expect(read.cross?.numbers.scores).toEqual(Float32Array.of(4, 5, 6))
  expect(read.cross?.numbers.masks).toEqual([mask])
})

test("prose has bold text, links with titles, and elements for placeholders", () => {
  const paragraph = document.createElement("p")
  writeProse(paragraph, 'The **{name} score** is [scaled](/glossary#s "by &lt;d&gt;") {unknown}*', {
    name: () => document.createTextNode("first"),
  })
  expect(paragraph.textContent).toBe("The first score is scaled {unknown}*")
  expect(paragraph.querySelector("b")?.textContent).toBe("first score")
  const link = paragraph.querySelector("a")
  expect([link?.getAttribute("href"), link?.title, link?.target]).toEqual(["/glossary#s", "by <d>", "_blank"])
})

test("a table with a number on a bar", () => {
  const holder = document.createElement("div")
  holder.setAttribute("aria-label", "Softmax")
  const lines = fillTable(holder, ["key", "weight"], [["x", buildBar(-0.25, 0.5, ["red", "blue"])]])
  expect(lines).toHaveLength(1)
  expect([...lines[0]!.cells].map((cell) => cell.textContent)).toEqual(["x", "\u22120.250"])
  expect(holder.querySelector("table")?.getAttribute("aria-label")).toBe("Softmax")
  expect(holder.querySelector<HTMLElement>(".bar-of")?.style.background).toContain("50%")
})
