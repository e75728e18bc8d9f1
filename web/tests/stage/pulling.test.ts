import { expect, test, vi } from "vitest"

import { Pulling } from "../../src/views/stage/pulling"

function pullingWith() {
  const refresh = vi.fn()
  const pulling = new Pulling({ ask: vi.fn(), act: vi.fn(), refresh, choice: () => ({ layer: "4", head: "mean" }) })
  return { pulling, refresh }
}

test("why a pull in the address is not shown comes with every answer, also before the first request", () => {
  const { pulling, refresh } = pullingWith()
  pulling.takeLeftOut(null)
  expect(refresh).not.toHaveBeenCalled()
  pulling.takeLeftOut({ serial: -1, leftOut: "There is no key 40." })
  expect([pulling.leftOut, pulling.error]).toEqual(["There is no key 40.", ""])
  expect(refresh).toHaveBeenCalledTimes(1)
  pulling.takeLeftOut({ serial: 7, leftOut: "There is no key 40." })
  expect(refresh).toHaveBeenCalledTimes(1)
  pulling.takeLeftOut({ serial: 8, leftOut: "" })
  expect(pulling.leftOut).toBe("")
})
