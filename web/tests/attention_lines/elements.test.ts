import { expect, test, vi } from "vitest"

import { TokenList, fillLocked, fillPair, toggled } from "../../src/views/attention_lines/figure"
import type { Token } from "../../src/views/attention_lines/payload"
import { pictureOf } from "../../src/views/attention_lines/picture"
import { Strokes } from "../../src/views/attention_lines/strokes"
import { makeReadOut, STYLES } from "./sheets"

const holder = () => document.createElement("div")

function makeList(side: "query" | "key", count: number): { list: TokenList; root: HTMLElement } {
  const root = holder()
  const events = { point: vi.fn(), press: vi.fn(), type: vi.fn(), focus: vi.fn() }
  return { list: new TokenList(root, side, count, events), root }
}

function textsOf(root: Element, selector: string): (string | null)[] {
  return [...root.querySelectorAll(selector)].map(({ textContent }) => textContent)
}

function tokensIn(root: Element): Element[] {
  return [...root.querySelectorAll(".token")]
}

test("a head or layer is added in order, and taken out again", () => {
  expect(toggled([0, 3], 1)).toEqual([0, 1, 3])
  expect(toggled([0, 1, 3], 1)).toEqual([0, 3])
})

test("the tokens across from the one in focus have its weights, masked ones a word", () => {
  const { list, root } = makeList("key", 3)
  const readOut = makeReadOut({ layers: [0], heads: [0] }, { causal: true })
  list.show(readOut, { side: "query", place: 1 }, 20)
  expect(textsOf(root, ".weight")).toEqual(["0", "0.125", "masked"])
  expect(tokensIn(root).map(({ className }) => className)).toEqual(["token", "token", "token masked"])
  list.show(readOut, { side: "query", place: 1 }, 8) // too low for two labels
  expect(textsOf(root, ".weight")).toEqual(["0", "", ""])
  list.show(readOut, null, 20)
  expect(textsOf(root, ".weight")).toEqual(["", "", ""])
})

test("the token in focus is marked, and selected if it is locked", () => {
  const { list, root } = makeList("query", 2)
  const locked = { side: "query", place: 1 } as const
  const states = () => tokensIn(root).map((token) => [token.className, token.getAttribute("aria-selected")])
  list.show(makeReadOut(), locked, 20)
  expect(states()).toEqual([["token", "false"], ["token own", "false"]])
  list.show(makeReadOut({ locked }), locked, 20)
  expect(states()).toEqual([["token", "false"], ["token own", "true"]])
})

test("the table has the mean and every weight of the locked token", () => {
  const root = holder()
  fillLocked(root, makeReadOut({ layers: [0], locked: { side: "query", place: 1 } }))
  expect(textsOf(root, "thead th")).toEqual(["token", "mean", "layer 5, head 1", "layer 5, head 2"])
  expect(textsOf(root, "tbody tr:last-child > *")).toEqual(["3 cat", "0.438", "0.875", "0"])
  expect(textsOf(root, "caption")).toEqual(["queryTable"])
})

test("the table of a causal kind writes a word for masked weights; without a locked token it says what to do", () => {
  const root = holder()
  const locked = { side: "key", place: 1 } as const
  fillLocked(root, makeReadOut({ layers: [0], heads: [0], locked }, { causal: true }))
  expect(textsOf(root, "tbody td")).toEqual(["masked", "0.125"])
  const empty = holder()
  fillLocked(empty, makeReadOut())
  expect(empty.textContent).toBe("noneLocked")
})

test("the tooltip of a pair lists heads, the largest weight first", () => {
  const box = holder()
  fillPair(box, makeReadOut(), STYLES, [{ side: "key", place: 2 }, { side: "query", place: 1 }])
  expect(textsOf(box, ".pair, .value")).toEqual(["chat attends to cat", "mean 0.344"])
  expect(textsOf(box, ".detail")).toEqual([
    "layer 5, head 1: 0.875", "layer 6, head 1: 0.500", "layer 5, head 2: 0", "layer 6, head 2: 0",
  ])
})

test("the tooltip lists ten heads at most, and of a masked pair none", () => {
  const weights = new Float32Array(24).fill(0.5)
  const many = { shape: [1, 12, 1, 2] as const, weights, queries: ["a"], keys: ["b", "c"] }
  const heads = [...Array(12).keys()]
  const styles = heads.map(() => STYLES[0]!)
  const box = holder()
  const pair: [Token, Token] = [{ side: "query", place: 0 }, { side: "key", place: 1 }]
  fillPair(box, makeReadOut({ layers: [0], heads }, many), styles, pair)
  expect(textsOf(box, ".detail").slice(9)).toEqual(["layer 5, head 10: 0.500", "2 more"])
  fillPair(box, makeReadOut({ layers: [0], heads }, { ...many, causal: true }), styles, pair)
  expect(textsOf(box, ".value, .detail")).toEqual(["masked"])
})

const DRAWN = { strokes: new Strokes(6, 0), row: 20, width: 40, height: 60, styles: STYLES, background: "#ffffff" }

test("a picture has tokens, weights, cells and a legend in lines", () => {
  const readOut = makeReadOut({ layers: [0], heads: [0, 1], mass: 0.7 })
  const drawing = { ...DRAWN, readOut, focus: { side: "query", place: 0 } as const }
  const { width, left, top, texts, cells, chips } = pictureOf(drawing, (text) => 10 * text.length)
  expect([left, top, width]).toEqual([80, 36, 200]) // sides have at least 60 pixels
  const written = texts.map(({ text }) => text)
  expect(written).toEqual([
    ...["Query", "Key", "le", "chat", "the", "0.375", "black", "0.250", "cat", "0.375"],
    ...["head 1", "head 2", "Cross-attention, layers 5, 70 %"],
  ])
  expect(texts[2]).toEqual({ text: "le", x: 74, y: 46, size: 13, anchor: "end", weight: 700 })
  expect(cells[0]).toEqual({ x: 102, y: 38, width: 8.1, height: 16, colour: "#ff0000", opacity: 0.5 })
  expect(cells).toHaveLength(6)
  expect(chips.map(({ x, y }) => [x, y])).toEqual([[12, 123], [96, 123]])
})

test("a picture of no layers says so, and a weight that would be invisible has no cell", () => {
  const readOut = makeReadOut({ layers: [], heads: [0] })
  const { texts } = pictureOf({ ...DRAWN, readOut, focus: null }, () => 0)
  expect(texts.at(-1)!.text).toBe("Cross-attention, no layers, 100 %")
  const one = makeReadOut({ layers: [0], heads: [0] })
  const { cells } = pictureOf({ ...DRAWN, readOut: one, focus: { side: "query", place: 1 } }, () => 0)
  expect(cells.map(({ opacity }) => opacity)).toEqual([0.125, 0.875])
})
