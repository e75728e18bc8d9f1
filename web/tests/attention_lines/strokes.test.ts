// @vitest-environment node
import { expect, test } from "vitest"

import {
  Strokes,
  cellsWidth,
  dashPattern,
  isLong,
  paintStrokes,
  rowHeight,
  slotWidth,
  strengthOf,
  strokesOf,
  widthOf,
} from "../../src/views/attention_lines/strokes"
import { Weights } from "../../src/views/attention_lines/payload"
import { makeSheet, STYLES } from "./sheets"

const WHITE = 0xffffffff

test.each([
  [12, false, 28],
  [13, false, 20],
  [40, false, 20],
  [41, false, 800 / 41],
  [1000, false, 2.5],
  [1000, true, 15],
])("%d tokens, not compressed: %s, have rows of %d pixels", (tokens, full, row) => {
  expect(rowHeight(tokens, full)).toBe(row)
  expect(isLong(tokens)).toBe(tokens > 40)
})

test("each map has a cell, in limited room", () => {
  expect([cellsWidth(800, 3), cellsWidth(800, 20), cellsWidth(200, 20), cellsWidth(0, 20)]).toEqual([27, 72, 40, 72])
  expect(slotWidth(800, 3)).toBe(73)
})

interface Line {
  ends: number[]
  weight: number
  head: number
}

function linesOf(strokes: Strokes): Line[] {
  const lines: Line[] = []
  strokes.each((x1, y1, x2, y2, weight, head) => lines.push({ ends: [x1, y1, x2, y2], weight, head }))
  return lines
}

const SIZE = { most: 99, row: 20, width: 300 }

test("lines join the middles of their tokens' rows, the strongest last", () => {
  const strokes = strokesOf(new Weights(makeSheet()), [1], { focus: null, ...SIZE })
  const lines = linesOf(strokes)
  expect([strokes.count, strokes.all, strokes.thickness]).toEqual([4, 4, 6])
  expect(lines.at(-1)).toEqual({ ends: [0, 30, 300, 10], weight: 1, head: 1 })
  expect(lines.at(-2)).toEqual({ ends: [0, 10, 300, 50], weight: 0.5, head: 1 })
})

test("lines of several maps are side by side", () => {
  const lines = linesOf(strokesOf(new Weights(makeSheet()), [0, 1], { focus: null, ...SIZE }))
  const inRow = (wanted: number) => lines.filter(({ head }) => head === wanted).map(({ ends }) => ends[1]! % 20)
  expect(new Set(inRow(0))).toEqual(new Set([8.75]))
  expect(new Set(inRow(1))).toEqual(new Set([11.25]))
})

test("lines of one token leave room for the cells and numbers of the other side", () => {
  const weights = new Weights(makeSheet())
  const [query, key] = (["query", "key"] as const).map((side) => {
    return linesOf(strokesOf(weights, [0], { focus: { side, place: 0 }, ...SIZE }))
  })
  expect(query!.map(({ ends: [x1, , x2] }) => [x1, x2])).toEqual(Array(3).fill([0, 245]))
  expect(key!.map(({ ends }) => ends)).toEqual([[55, 10, 300, 10]])
})

test("compressed rows have thinner lines", () => {
  const strokes = strokesOf(new Weights(makeSheet()), [0], { focus: null, most: 99, row: 10, width: 300 })
  expect(strokes.thickness).toBe(3)
  expect([widthOf(1, 6), widthOf(0, 6), strengthOf(1), strengthOf(0)]).toEqual([6, 0.8, 1, 0.2])
})

/** The pixels of strokes on white, row by row. */
function painted(strokes: Strokes, across = 1, styles = STYLES): Uint32Array[] {
  const [width, height] = [20 * across, 12]
  const pixels = new Uint32Array(width * height)
  paintStrokes(pixels, [width, height], strokes, { width: 20, height, across, down: 1, background: "#ffffff", styles })
  return Array.from({ length: height }, (_, row) => pixels.subarray(row * width, (row + 1) * width))
}

/** The rows of a column that are not white. */
function inked(rows: Uint32Array[], column: number): number[] {
  return [...rows.keys()].filter((row) => rows[row]![column] !== WHITE)
}

test("the strongest line is the thickest and is painted in its head's colour", () => {
  const strokes = new Strokes(6, 2)
  strokes.add(0, 6, 20, 6, 1, 0)
  const rows = painted(strokes)
  expect(inked(rows, 0)).toEqual([3, 4, 5, 6, 7, 8])
  expect(rows[5]![10]).toBe(0xff0000ff) // opaque red
  const weak = new Strokes(6, 1)
  weak.add(0, 6.5, 20, 6.5, 0.5, 0)
  expect(inked(painted(weak), 0)).toEqual([4, 5, 6, 7, 8])
  expect(painted(weak)[6]![10]).toBe(0xff6767ff) // red, 60 %, on white
})

test("a line climbs from its left end to its right one, and is cut at the edges", () => {
  const strokes = new Strokes(2, 1)
  strokes.add(0, 1, 20, 11, 1, 0)
  const rows = painted(strokes)
  expect(inked(rows, 0)).toEqual([0, 1, 2])
  expect(inked(rows, 19)).toEqual([9, 10, 11])
  expect(inked(rows, 10)).toEqual([5, 6, 7])
})

test("a stronger line is over a weaker one, whichever was added first", () => {
  const strokes = new Strokes(4, 2)
  strokes.add(0, 6, 20, 6, 1, 0)
  strokes.add(0, 6, 20, 6, 0.25, 0)
  strokes.add(0, 6, 20, 6, 0.5, 1)
  expect(painted(strokes)[6]![0]).toBe(0xff0000ff)
  expect(linesOf(strokes).map(({ weight }) => weight)).toEqual([0.25, 0.5, 1])
})

test("dashes of a head are as long on coarser and finer pixels", () => {
  expect(dashPattern([], 2)).toBeNull()
  expect(dashPattern([2, 1], 2)).toEqual([true, true, true, true, false, false])
  expect(dashPattern([2, 1], 1 / 3)).toEqual([true, false])
  const strokes = new Strokes(2, 1)
  strokes.add(0, 6, 20, 6, 1, 1)
  const row = painted(strokes, 2)[6]!
  expect([...row.subarray(0, 6)].map((pixel) => pixel !== WHITE)).toEqual([true, true, false, false, true, true])
})
