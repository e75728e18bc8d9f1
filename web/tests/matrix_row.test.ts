import { expect, test } from "vitest"

import type { Matrix } from "../src/core/matrices"
import { type Cell, type Operation, type Region, cellSize, partsOf, shownLabels, winnerOf } from "../src/views/matrix_row"

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

test("a matrix with room has numbers in cells of fixed size", () => {
  expect(cellSize(sized(2, 3), 500)).toEqual([42, 21])
})

test("cells without room have no numbers, and become as narrow as the width demands", () => {
  expect(cellSize(sized(2, 20), 400)).toEqual([20, 12])
  expect(cellSize(sized(2, 60), 4000)).toEqual([7, 12])
  expect(cellSize(sized(2, 60, { wide: true }), 4000)).toEqual([21, 12])
  expect(cellSize(sized(300, 500), 400)).toEqual([0.5, 1])
})

test("a row has the height of its label; cells of a mask are nearly square", () => {
  expect(cellSize(sized(2, 20, { rows: ["a", "b"] }), 400)).toEqual([20, 21])
  const words = ["no", "yes"] as const
  expect([60, 200, 2000].map((room) => cellSize(sized(2, 10, { words }), room))).toEqual([
    [6, 13],
    [20, 20],
    [24, 21],
  ])
})

test("an axis with too many labels has none", () => {
  const labels = (count: number) => Array<string>(count).fill("a")
  expect([40, 41].map((count) => shownLabels(labels(count)).length)).toEqual([40, 0])
})
