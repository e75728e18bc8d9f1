import { expect, test } from "vitest"

import { choicesOf, combined, determinantOf, dot, orthonormal, rankOf, relationOf, spanned } from "../src/views/vector_view/algebra"

test("a determinant of one, two and three rows", () => {
  expect(determinantOf([[3]])).toBe(3)
  expect(determinantOf([[2, 1], [-1, 2]])).toBe(5)
  expect(determinantOf([[1, 0, -1], [0, 1, -1], [1, 1, 1]])).toBe(3)
})

test("choices keep the order", () => {
  expect(choicesOf(["a", "b", "c"], 2)).toEqual([["a", "b"], ["a", "c"], ["b", "c"]])
  expect(choicesOf(["a"], 0)).toEqual([[]])
  expect(choicesOf(["a"], 2)).toEqual([])
})

test.each([
  [[[0, 0], [0, 0]], 0],
  [[[0.1, 0.2], [0.3, 0.6]], 1], // 0.1 * 0.6 - 0.2 * 0.3 is not 0 as a double
  [[[1, 2], [3, 4]], 2],
  [[[1, 0, -1], [0, 1, -1], [1, 1, -2]], 2],
  [[[2, -1, 0], [1, 3, 1]], 2],
  [[[1, 0, 0], [0, 1, 0], [0, 0, 0.001]], 3],
])("the rank of %j is %i", (rows, rank) => {
  expect(rankOf(rows)).toBe(rank)
})

test("an orthonormal basis leaves out dependent vectors", () => {
  const basis = orthonormal([[2, 0, 0], [4, 0, 0], [1, 3, 0]])
  expect(basis).toEqual([[1, 0, 0], [0, 1, 0]])
  const oblique = orthonormal([[1, 2, 3], [3, 2, 1], [1, 0, 1]])
  oblique.forEach((one, row) =>
    oblique.forEach((other, column) => expect(dot(one, other)).toBeCloseTo(row === column ? 1 : 0, 12)),
  )
})

// as in tests/model/lessons/test_vectors.py
test.each([
  [[[2, 1], [4, 2]], [2, -1]],
  [[[0.5, 0], [-0.2, 0]], [2, 5]],
  [[[0, 0], [1, 2]], [1, 0]],
  [[[1, 2], [0, 0]], [0, 1]],
  [[[1, 0, -1], [0, 1, -1], [1, 1, -2]], [1, 1, -1]],
  [[[1.5, 0, 0], [0, 1, 0], [4.5, 0, 0]], [3, 0, -1]],
  [[[2, -1, 0], [-4, 2, 0]], [2, 1]],
])("coefficients of %j that give 0 are whole and have no common divisor", (vectors, relation) => {
  expect(relationOf(vectors)).toEqual(relation)
  combined(vectors, relation).forEach((number) => expect(number).toBeCloseTo(0, 12))
})

test.each([
  [[[2, 1], [-1, 2]]],
  [[[2, -1, 0], [1, 3, 1]]],
  [[[1, 0, 0], [1, 1, 0], [1, 1, 1]]],
])("the independent vectors %j have no such coefficients", (vectors) => {
  expect(relationOf(vectors)).toBeNull()
})

test("a point in a basis of the plane", () => {
  const derived = spanned({ vectors: [[2, 1], [-1, 2]], point: [3, 4] })
  expect(derived).toMatchObject({ determinant: 5, rank: 2, reached: true, coordinates: [2, 1], distance: 0, relation: null })
})

test("a point outside the line of dependent vectors", () => {
  const { determinant, rank, reached, coordinates, nearest, distance } = spanned({ vectors: [[2, 1], [4, 2]], point: [3, 4] })
  expect({ determinant, rank, reached, coordinates }).toEqual({ determinant: 0, rank: 1, reached: false, coordinates: null })
  nearest.forEach((number, place) => expect(number).toBeCloseTo([4, 2][place]!, 12))
  expect(distance).toBeCloseTo(Math.sqrt(5), 12)
})

test("a point in the span of dependent vectors has no coordinates", () => {
  expect(spanned({ vectors: [[2, 1], [4, 2]], point: [6, 3] })).toMatchObject({ reached: true, coordinates: null, distance: 0 })
})

test("two vectors in space span a plane with an area", () => {
  const vectors = [[2, -1, 0], [1, 3, 1]]
  const outside = spanned({ vectors, point: [2, 0, 8] })
  expect(outside.determinant).toBeCloseTo(Math.sqrt(54), 12)
  expect(outside).toMatchObject({ rank: 2, reached: false, coordinates: null })
  outside.nearest.forEach((number, place) => expect(number).toBeCloseTo([3, 2, 1][place]!, 12))
  const rounded = spanned({ vectors, point: [-1.334, -6.333, -2] }) // 0.333 u - 2 v has more decimals than a coordinate
  expect(rounded.reached).toBe(true)
  expect(rounded.coordinates!.map((number) => number.toFixed(3))).toEqual(["0.333", "-2.000"])
})
