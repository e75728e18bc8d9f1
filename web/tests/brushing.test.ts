import { expect, test, vi } from "vitest"

import { calledIn, linkedCell, linkTokens, placeOf, type Pointed } from "../src/core/brushing"

test("a token is known by its whole row, a patch by its place in the picture", () => {
  expect(calledIn(["the", "cat"], 1)).toEqual(["the cat", 1])
  expect(calledIn(["CLS", "1,1", "1,2"], 2, true)).toEqual(["picture", 1])
  expect(calledIn(["CLS", "1,1"], 0, true)).toEqual(["CLS", 0])
})

test("the place of what is pointed at in another row of labels", () => {
  const pairs: Pointed[] = [["picture", 1]]
  expect(placeOf(pairs, ["CLS", "1,1", "1,2"], true)).toBe(2)
  expect(placeOf(pairs, ["1,1", "1,2"], true)).toBe(1)
  expect(placeOf([["the cat", 7]], ["the", "cat"])).toBe(-1)
  expect(linkedCell([["a b", 0], ["c d", 1]], ["a", "b"], ["c", "d"])).toEqual([0, 1])
})

test("pointing is announced to other components, until they are removed", () => {
  const [one, other] = [document.createElement("div"), document.createElement("div")]
  document.body.append(one, other)
  const follow = vi.fn()
  const point = linkTokens(one, vi.fn())
  linkTokens(other, follow)
  point(["the cat", 1])
  expect(follow).toHaveBeenCalledExactlyOnceWith([["the cat", 1]])
  other.remove()
  point()
  point()
  expect(follow).toHaveBeenCalledTimes(1)
})
