import { beforeEach, expect, it, vi } from "vitest"

import { Holding } from "../../src/views/stage/focusing"
import type { Layout } from "../../src/views/stage/layout"
import type { Focus } from "../../src/views/stage/reading"

const moveTo = vi.fn()
const refresh = vi.fn()
const announce = vi.fn<(held: Focus | null) => void>()
let holding: Holding

beforeEach(() => {
  vi.clearAllMocks()
  holding = new Holding({ figure: { layout: { rows: true } as Layout, moveTo }, refresh, announce })
})

const french = (place: number) => ({ side: "french", place }) as const
const key = (name: string) => holding.type(new KeyboardEvent("keydown", { key: name }), french(2))

it("a token that is held has the attention, whatever is pointed at", () => {
  holding.point(french(1))
  expect(holding.attention).toEqual({ focus: french(1), held: false, key: -1, weight: null })
  holding.press(french(3))
  holding.point(french(0))
  expect(holding.attention).toEqual({ focus: french(3), held: true, key: -1, weight: null })
  expect(announce).toHaveBeenLastCalledWith(french(3))
})

it("a second press and Escape free it, and nothing is looked at then", () => {
  holding.press(french(3))
  holding.press(french(3))
  expect(holding.attention.focus).toBeNull()
  holding.grab(french(1))
  key("Escape")
  expect(holding.attention.focus).toBeNull()
  expect(announce).toHaveBeenLastCalledWith(null)
})

it("arrow keys go along the sentence and free what is held", () => {
  holding.press(french(2))
  key("ArrowRight")
  expect(moveTo).toHaveBeenLastCalledWith(french(3))
  expect(holding.held).toBeNull()
  key("ArrowUp")
  expect(moveTo).toHaveBeenCalledTimes(1)
})

it("another sentence has nothing that is held", () => {
  holding.press(french(2))
  holding.free()
  expect(holding.attention.held).toBe(false)
})
