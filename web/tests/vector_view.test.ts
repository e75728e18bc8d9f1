import { expect, test } from "vitest"

import { spanned, type Vectors } from "../src/views/vector_view/algebra"
import {
  type Placement,
  Projection,
  type Words,
  keyStep,
  moved,
  pastedNumbers,
  reachOf,
  readoutLines,
  turned,
} from "../src/views/vector_view/drawing"

const PLANE: Placement = { vectors: [[2, 1], [-1, 2]], point: [3, 4], turn: [30, 25] }

test("coordinates that move are rounded and stay within the limit", () => {
  expect(moved(PLANE, 1, { 0: -0.90000000001 }, 20).vectors).toEqual([[2, 1], [-0.9, 2]])
  expect(moved(PLANE, 2, { 0: 99, 1: -0.0001 }, 20)).toEqual({ ...PLANE, point: [20, 0] })
  expect(Object.is(moved(PLANE, 0, { 0: -0.0001 }, 20).vectors[0]![0], 0)).toBe(true)
  expect(PLANE.vectors).toEqual([[2, 1], [-1, 2]])
})

test("the view turns in whole degrees within its ranges", () => {
  const ranges = [[-180, 180], [10, 80]] as const
  expect(turned(PLANE, 0, 33.4, ranges).turn).toEqual([33, 25])
  expect(turned(PLANE, 1, 5, ranges).turn).toEqual([30, 10])
})

test("keys move along an axis, with Shift by whole units; up and down of space in space alone", () => {
  expect(keyStep({ key: "ArrowLeft", shiftKey: false }, 2)).toEqual([0, -0.1])
  expect(keyStep({ key: "ArrowUp", shiftKey: true }, 2)).toEqual([1, 1])
  expect(keyStep({ key: "PageUp", shiftKey: false }, 2)).toBeUndefined()
  expect(keyStep({ key: "PageDown", shiftKey: false }, 3)).toEqual([2, -0.1])
  expect(keyStep({ key: "a", shiftKey: false }, 3)).toBeUndefined()
})

test.each(["[[1, -2], [3, 0.5]]", "1 -2\n3 .5", "tensor([[1., \u22122.],\n [3., 0.5]])", "(1, -2, 3, 5e-1)", "+1;-2;3;0.5"])(
  "the numbers of the pasted text %j",
  (text) => {
    expect(pastedNumbers(text)).toEqual([1, -2, 3, 0.5])
  },
)

test("a text without numbers", () => {
  expect(pastedNumbers("u = v")).toEqual([])
})

test("the drawing shows at least five units, and all rows", () => {
  expect(reachOf([[1, 2], [0, -3]])).toBe(5)
  expect(reachOf([[1, 2], [0, -6.2]])).toBe(7)
})

test("the plane is drawn flat, y upwards", () => {
  const plane = new Projection(5, 2, [30, 25])
  expect(plane.unit).toBeCloseTo(18.8, 12)
  expect(plane.line([0, 0], [5, -5])).toBe("M0.00 0.00L94.00 94.00")
  expect(plane.dragged([0, 0], [1.234, -9], false)).toEqual({ 0: 1.2000000000000002, 1: -5 })
})

test.each([
  { row: [1, 2, 3], upwards: false, kept: 2 },
  { row: [-2, 4, 0], upwards: true, kept: 0 },
])("dragging in space follows the pointer; upwards: $upwards", ({ row, upwards }) => {
  const space = new Projection(5, 3, [30, 25])
  const goal = upwards ? [row[0]!, row[1]!, -1] : [-1, 0.5, row[2]!]
  const changed = space.dragged(row, space.seen(goal), upwards)
  const place = row.map((number, column) => changed[column] ?? number)
  place.forEach((number, column) => expect(number).toBeCloseTo(goal[column]!, 9))
})

test("what is drawn of a span", () => {
  const drawn = (dimensions: number, vectors: number[][]) => {
    const projection = new Projection(5, dimensions, [0, 90])
    const placed: Vectors = { vectors, point: vectors[0]!.map(() => 0) }
    const derived = spanned(placed)
    const lines = (path: string) => path.split("M").length - 1
    return [lines(projection.span(vectors, derived)), lines(projection.lattice(vectors, derived.rank))]
  }
  expect(drawn(2, [[0, 0], [0, 0]])).toEqual([0, 0])
  expect(drawn(2, [[1, 2], [2, 4]])).toEqual([1, 0]) // a line
  expect(drawn(2, [[4, 0], [0, 4]])).toEqual([1, 22]) // five parallels on either side of 0, twice
  expect(drawn(3, [[1, 0, 0], [0, 1, 0]])).toEqual([1, 2]) // a plane, and the rest of the parallelogram
  expect(drawn(3, [[1, 0, 0], [0, 1, 0], [1, 1, 0]])).toEqual([1, 0]) // a plane
  expect(drawn(3, [[1, 0, 0], [0, 1, 0], [0, 0, 1]])).toEqual([0, 12]) // a box
})

test("the way to the point, by its coordinates or from the nearest point of the span", () => {
  const plane = new Projection(5, 2, [0, 0])
  expect(plane.sum(PLANE, { coordinates: [2, 1] })).toBe("M0.00 0.00L75.20 -37.60M75.20 -37.60L56.40 -75.20")
  expect(plane.sum(PLANE, { coordinates: null })).toBe("")
  expect(plane.miss(PLANE, { nearest: [1, 0], reached: false })).toBe("M18.80 0.00L56.40 -75.20")
  expect(plane.miss(PLANE, { nearest: [3, 4], reached: true })).toBe("")
})

const WORDS: Words = {
  ...{ vector: "", combined: "", coefficient: "", coordinate: "", zero: "", across: "", upwards: "", turn: "", tilt: "" },
  ...{ determinant: "det {number}", area: "area {number}", rank: "rank {rank} of {count}: {span}", only: "only 0" },
  ...{ independent: "basis", pair: "basis of a plane", dependent: "no basis", coordinates: "p {numbers}" },
  ...{ relation: "sum {numbers}", reached: "in the span", missed: "{distance} from {nearest}" },
}

function readout(vectors: number[][], point: number[]): string[] {
  const header = { words: WORDS, spans: ["origin", "line", "plane", "space"], dimensions: point.length }
  return readoutLines(header, { vectors, point }, spanned({ vectors, point }))
}

test("the read-out of each case", () => {
  expect(readout([[2, 1], [-1, 2]], [3, -4])).toEqual(["det 5.00", "rank 2 of 2: plane", "basis", "p (0.400, \u22122.20)"])
  expect(readout([[2, 1], [4, 2]], [6, 3])).toEqual(["det 0", "rank 1 of 2: line", "no basis", "in the span"])
  expect(readout([[2, 0], [4, 0]], [-3, 4])).toEqual(["det 0", "rank 1 of 2: line", "no basis", "4.00 from (\u22123.00, 0)"])
  expect(readout([[2, 1], [4, 2]], [0, 0])).toEqual(["det 0", "rank 1 of 2: line", "no basis", "sum (2.00, \u22121.00)"])
  expect(readout([[1, 0], [0, 1]], [0, 0]).at(-1)).toBe("only 0")
  expect(readout([[1, 0, 0], [0, 2, 0]], [1, 2, 0]).slice(0, 3)).toEqual(["area 2.00", "rank 2 of 2: plane", "basis of a plane"])
})
