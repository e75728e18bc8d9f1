import { expect, test } from "vitest"

import { largestByGroup, nextPlace, pictureAt, readPictures } from "../src/views/attention_text/pictures"
import { pack } from "./packing"

// A text of seven tokens: the first, four parts of a picture of two rows, one of which has no token, and two more.
const PICTURE = { grid: [2, 2] as const, places: [1, 2, -1, 4] }

test("a picture is where its first part is", () => {
  expect(pictureAt([PICTURE], 1)).toBe(PICTURE)
  expect(pictureAt([PICTURE], 0)).toBeUndefined()
  expect(pictureAt([PICTURE], 2)).toBeUndefined()
})

test("arrow keys go by rows in a picture, and by tokens in the text", () => {
  expect(nextPlace([PICTURE], 2, [1, 0])).toBe(4)
  expect(nextPlace([PICTURE], 4, [-1, 0])).toBe(2)
  expect(nextPlace([PICTURE], 1, [1, 0])).toBe(2) // nothing is below: the next one
  expect(nextPlace([PICTURE], 1, [0, 1])).toBe(2)
  expect(nextPlace([PICTURE], 5, [1, 0])).toBe(6)
})

test("text and pictures have their own largest weight", () => {
  const topOf = largestByGroup([PICTURE], Float32Array.of(0.5, 0.125, 0.25, 0, 0, 0.0625, 0))
  expect([0, 3, 6].map(topOf)).toEqual([0.5, 0.5, 0.5])
  expect([1, 2, 4].map(topOf)).toEqual([0.25, 0.25, 0.25])
  expect(largestByGroup([], new Float32Array(2))(0)).toBe(1) // without any weight
})

test("a payload has its pictures, or none", () => {
  const pixels = Uint8Array.of(1, 2, 3, 4, 5, 6)
  const [read] = readPictures(pack({ pictures: [PICTURE] }, { "picture 0": ["uint8", [1, 2, 3], pixels] }))
  expect(read).toEqual({ ...PICTURE, size: [1, 2], pixels })
  expect(readPictures(pack({}))).toEqual([])
})
