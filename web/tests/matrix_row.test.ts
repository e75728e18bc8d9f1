import { expect, test } from "vitest"

import type { Matrix } from "../src/core/matrices"
import { cellAtPoint, layOut } from "../src/views/matrix_row/layout"
import { cellColour, coloursOf } from "../src/views/matrix_row/painting"
import { partsOf, winnerOf, type Cell, type Operation, type Region } from "../src/views/matrix_row/sources"

const LEFT = { values: Float32Array.of(1, 2, 3, 4, 5, 6), shape: [2, 3] as const }
const RIGHT = { values: Float32Array.of(0, 1, 2, 3, 4, 5), shape: [3, 2] as const }
const RESULT = { values: new Float32Array(4), shape: [2, 2] as const }
const PRODUCT = [LEFT, RIGHT, RESULT]
const SCORES = { values: Float32Array.of(0, 2, 1, 3, -Infinity, 1), shape: [2, 3] as const }
const WEIGHTS = { values: Float32Array.of(0.1, 0.6, 0.3, 0.8, -Infinity, 0.2), shape: [2, 3] as const }

test.each<[string, Operation, { values: Float32Array; shape: readonly [number, number] }[], number, Cell, Region[][]]>([
  ["the result of a product", "product", PRODUCT, 2, [1, 0], [[[1, 1, 0, 3]], [[0, 3, 0, 1]], []]],
  ["its left factor", "product", PRODUCT, 0, [1, 2], [[], [[2, 1, 0, 2]], [[1, 1, 0, 2]]]],
  ["its right factor", "product", PRODUCT, 1, [2, 1], [[[0, 2, 2, 1]], [], [[0, 2, 1, 1]]]],
  ["a weight of a softmax", "softmax", [SCORES, WEIGHTS], 1, [0, 2], [[[0, 1, 0, 3], [0, 1, 1, 1]], [[0, 1, 1, 1]]]],
  ["a score of a softmax", "softmax", [SCORES, WEIGHTS], 0, [1, 2], [[[1, 1, 0, 1]], [[1, 1, 0, 3], [1, 1, 0, 1]]]],
  ["a cell of a cell-by-cell step", "each", [SCORES, WEIGHTS], 1, [1, 2], [[[1, 1, 2, 1]], []]],
])("the cells from which or to which a cell is computed: %s", (_, operation, items, at, cell, expected) => {
  expect(partsOf(operation, items, at, cell)).toEqual(expected)
})

test("a row of which every key is masked has no largest one", () => {
  const masked = { values: Float32Array.of(-Infinity, -Infinity), shape: [1, 2] as const }
  expect(winnerOf(masked, 0)).toBe(-1)
  expect(partsOf("softmax", [masked, masked], 1, [0, 0])).toEqual([[[0, 1, 0, 2]], []])
})

function sized(rows: number, columns: number, more: Partial<Matrix> = {}) {
  return { shape: [rows, columns] as const, rows: [], columns: [], words: null, wide: false, ...more }
}

const measure = (text: string) => 10 * text.length

test("a matrix with room has numbers in cells of fixed size", () => {
  const layout = layOut(sized(2, 3), 500, measure)
  expect(layout).toMatchObject({ left: 0, top: 0, cellWidth: 42, cellHeight: 21, width: 127, height: 43, numbered: true })
})

test("cells without room have no numbers, and become as narrow as the width demands", () => {
  expect(layOut(sized(2, 20), 402, measure)).toMatchObject({ cellWidth: 20, cellHeight: 12, numbered: false, gap: 1 })
  expect(layOut(sized(300, 500), 402, measure)).toMatchObject({ cellWidth: 0.5, cellHeight: 1, gap: 0 })
})

test("labels of rows have a maximum width; those of columns are turned if they are wider than a cell", () => {
  const rows = ["a".repeat(20), "b"]
  expect(layOut(sized(2, 2, { rows, columns: ["x", "y"] }), 500, measure)).toMatchObject({ left: 84, top: 18, flat: true })
  expect(layOut(sized(2, 2, { columns: ["long", "y"] }), 500, measure)).toMatchObject({ left: 0, top: 48, flat: false })
  expect(layOut(sized(41, 2, { rows: Array<string>(41).fill("a") }), 500, measure)).toMatchObject({ left: 0, labelled: false })
})

test("the cell at a point of the canvas", () => {
  const matrix = sized(2, 3, { rows: ["a", "b"] })
  const layout = layOut(matrix, 500, measure) // cells of 42 by 21 from x = 18 on
  expect(cellAtPoint(layout, matrix.shape, 18 + 43, 22)).toEqual([1, 1])
  expect(cellAtPoint(layout, matrix.shape, 17, 22)).toBeNull()
  expect(cellAtPoint(layout, matrix.shape, 18 + 3 * 42, 22)).toBeNull()
})

test("a cell's colour: its number on the scale, masked, or allowed by a mask", () => {
  const colours = coloursOf(["#000000", "#ffffff"], "ink", "grey", 150)
  const matrix = { low: -1, high: 1, words: null } as Matrix
  const drawn = [-1, 0, 1, 7, -Infinity].map((value) => cellColour(matrix, value, colours))
  expect(drawn).toEqual(["rgb(0,0,0)", "rgb(128,128,128)", "rgb(255,255,255)", "rgb(255,255,255)", "grey"])
  const mask = { low: 0, high: 1, words: ["hidden", "allowed"] } as unknown as Matrix
  expect([0, 1].map((value) => cellColour(mask, value, colours))).toEqual(["grey", "rgb(150,150,150)"])
})
