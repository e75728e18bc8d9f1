import { expect, test } from "vitest"

import { reducedSize } from "../src/views/picture_strip"

test.each([
  [4000, 3000, [2000, 1500]],
  [3000, 6000, [1000, 2000]],
  [1999, 10, [1999, 10]],
  [100_000, 3, [2000, 1]],
])("a picture of %d by %d pixels is reduced to at most 2000 on a side", (width, height, expected) => {
  expect(reducedSize(width, height, 2000)).toEqual(expected)
})
