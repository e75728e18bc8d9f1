// @vitest-environment node
import { expect, test, vi } from "vitest"

import {
  fillMeans,
  inWords,
  isBehind,
  isWithinText,
  kindOf,
  KindOfMaps,
  ofPair,
  readAt,
  withoutSpecial,
  type KindHeader,
} from "../src/core/arranged"

// Two heads of one layer; queries "<s>", "cro", "yable" and keys "un", "usual", "</s>".
const HEAD = [0.5, 0.25, 0.25, 0, 0.5, 0.5, 0.25, 0.75, 0]
const TOKENS: KindHeader = {
  queries: ["<s>", "cro", "yable"],
  keys: ["un", "usual", "</s>"],
  special: [[0], [2]],
  grouped: {
    queries: ["<s>", "croyable"],
    keys: ["unusual", "</s>"],
    starts: [[0, 1], [0, 2]],
    special: [[0], [1]],
  },
}
const DOUBLED = [...HEAD, ...HEAD.map((weight) => weight / 2)]

function arraysOf(shape: readonly number[], ...numbers: number[]) {
  return { shape: () => shape, floats: vi.fn(() => Float32Array.from(numbers)) }
}

function makeKind(header: KindHeader = TOKENS): KindOfMaps<KindHeader> {
  return new KindOfMaps(header, arraysOf([1, 2, 3, 3], ...DOUBLED), "")
}

test("a kind is chosen by its name, the only one without", () => {
  expect(kindOf({ encoder: 1, cross: 2 }, { kind: "cross" })).toBe(2)
  expect(kindOf({ "": 1 }, {})).toBe(1)
})

test("tokens are shown as they are", () => {
  const { shape, weights, queries } = makeKind().maps({ units: "tokens", marks: "shown" })
  expect([shape, [...weights], queries]).toEqual([[1, 2, 3, 3], DOUBLED, TOKENS.queries])
})

test("weights of words are summed over keys and averaged over queries", () => {
  const maps = makeKind().maps({ units: "words", marks: "shown" })
  expect(maps.shape).toEqual([1, 2, 2, 2])
  expect([...maps.weights]).toEqual([0.75, 0.25, 0.75, 0.25, 0.375, 0.125, 0.375, 0.125])
  expect([maps.queries, maps.keys]).toEqual([["<s>", "croyable"], ["unusual", "</s>"]])
})

test("a kind without words is shown in tokens", () => {
  const kind = makeKind({ ...TOKENS, grouped: null })
  expect(kind.wordsIn({ units: "words" })).toBeUndefined()
  expect(kind.maps({ units: "words" }).queries).toEqual(TOKENS.queries)
  expect(makeKind().wordsIn({ units: "words" })).toBe(TOKENS.grouped)
  expect(makeKind().wordsIn({ units: "tokens" })).toBeUndefined()
})

test("hidden special tokens leave the other weights as they are, of tokens and of words", () => {
  const tokens = makeKind().maps({ units: "tokens", marks: "hidden" })
  expect([tokens.queries, tokens.keys, tokens.shape]).toEqual([["cro", "yable"], ["un", "usual"], [1, 2, 2, 2]])
  expect([...tokens.weights]).toEqual([0, 0.5, 0.25, 0.75, 0, 0.25, 0.125, 0.375])
  const words = makeKind().maps({ units: "words", marks: "hidden" })
  expect([words.queries, words.keys, [...words.weights]]).toEqual([["croyable"], ["unusual"], [0.75, 0.375]])
})

test("if all tokens of an axis are special, they stay", () => {
  const maps = makeKind({ ...TOKENS, special: [[0, 1, 2], []] }).maps({ marks: "hidden" })
  expect(maps.shape).toEqual([1, 2, 3, 3])
  const unmarked = { queries: ["a"], keys: ["b"], shape: [1, 1, 1, 1] as const, weights: Float32Array.of(1) }
  expect(withoutSpecial(unmarked)).toEqual(unmarked)
})

test("the row at which the first word is chosen stays, is found by its token read, and masks what is behind it", () => {
  const named = ["<s> \u2192 cro", "cro \u2192 yable", "yable \u2192 </s>"]
  const read = ["<s>", "cro", "yable"]
  const header = { ...TOKENS, queries: named, keys: read, read, special: [[], [0]] as const, grouped: null }
  const shown = makeKind(header).maps({ marks: "shown" })
  expect([isBehind(shown, 0, 1), isBehind(shown, 1, 1)]).toEqual([true, false])
  const hidden = makeKind(header).maps({ marks: "hidden" })
  expect([hidden.queries, hidden.keys, readAt(hidden), hidden.shape]).toEqual([named, ["cro", "yable"], read, [1, 2, 3, 2]])
  const masked = named.map((_, query) => [0, 1].map((key) => isBehind(hidden, query, key)))
  expect(masked).toEqual([[true, true], [false, true], [false, false]])
  expect(readAt({ queries: ["a"] })).toEqual(["a"])
})

test("the last layer and the last head of words are averages again", () => {
  const header: KindHeader = {
    queries: ["a"],
    keys: ["b", "c"],
    grouped: { queries: ["a"], keys: ["bc"], starts: [[0], [0]] },
  }
  const kind = new KindOfMaps(header, arraysOf([2, 2, 1, 2], 0.5, 0.25, 9, 9, 9, 9, 9, 9), "", [2, 2])
  expect([...kind.maps({ units: "words" }).weights]).toEqual([0.75, 0.75, 0.75, 0.75])
  const weights = Float32Array.of(1, 3, 0, 5, 7, 0, 0, 0, 0)
  fillMeans({ weights, shape: [3, 3, 1, 1] })
  expect([...weights]).toEqual([1, 3, 2, 5, 7, 6, 3, 5, 4])
})

test("means that were not sent are computed, of words too, and stay when special tokens are hidden", () => {
  const header: KindHeader = { queries: ["a"], keys: ["b", "c"], special: [[], [0]] }
  const kind = new KindOfMaps(header, arraysOf([1, 2, 1, 2], 0.5, 0.25, 0.25, 0.75), "", [2, 3])
  const { shape, weights } = kind.maps({ marks: "shown" })
  const layer = [0.5, 0.25, 0.25, 0.75, 0.375, 0.5]
  expect([shape, [...weights]]).toEqual([[2, 3, 1, 2], [...layer, ...layer]])
  expect([...kind.maps({ marks: "hidden" }).weights]).toEqual([0.25, 0.75, 0.5, 0.25, 0.75, 0.5])
})

test("a word's sum is in double precision, the first key plus the others", () => {
  const weights = Float32Array.of(1, 2 ** -24, 2 ** -24)
  const words = { queries: ["a"], keys: ["b"], starts: [[0], [0]] as const }
  expect(inWords({ shape: [1, 1, 1, 3], weights }, words).weights[0]).toBe(1 + 2 ** -23)
})

test("maps are decoded and arranged once", () => {
  const arrays = arraysOf([1, 2, 3, 3], ...DOUBLED)
  const kind = new KindOfMaps(TOKENS, arrays, "")
  expect(arrays.floats).not.toHaveBeenCalled()
  const first = kind.maps({ units: "words", marks: "shown" })
  expect(kind.maps({ units: "words", marks: "shown" })).toBe(first)
  kind.maps({ units: "tokens", marks: "shown" })
  expect(arrays.floats).toHaveBeenCalledOnce()
})

test("one of two texts attends to one of them", () => {
  const maps = {
    shape: [1, 1, 3, 3] as const,
    weights: Float32Array.from(HEAD),
    queries: ["a", "b", "c"],
    keys: ["a", "b", "c"],
    segments: [[0, 0, 1], [0, 0, 1]] as const,
  }
  const { shape, weights, queries, keys, segments } = ofPair(maps, "ba")
  expect([shape, [...weights], queries, keys, segments]).toEqual([[1, 1, 1, 2], [0.25, 0.75], ["c"], ["a", "b"], [[1], [0, 0]]])
  expect(ofPair({ ...maps, segments: undefined }, "ba").weights).toEqual(maps.weights)
  const kind = new KindOfMaps({ ...maps }, arraysOf([1, 1, 3, 3], ...HEAD), "")
  expect([...kind.maps({ pair: "ab" }).weights]).toEqual([0.25, 0.5])
  expect(kind.maps({ pair: "all" }).shape).toEqual([1, 1, 3, 3])
  expect([isWithinText({}), isWithinText({ pair: "bb" }), isWithinText({ pair: "ab" })]).toEqual([true, true, false])
})
