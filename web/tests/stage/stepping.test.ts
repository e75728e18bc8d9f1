import { beforeEach, expect, it, vi } from "vitest"

import { Stepping } from "../../src/views/stage/play"
import type { Layout } from "../../src/views/stage/layout"

const choose = vi.fn<(step: number) => void>()
const moveTo = vi.fn()
const refresh = vi.fn()
let stepping: Stepping

beforeEach(() => {
  vi.clearAllMocks()
  stepping = new Stepping({ figure: { layout: { rows: true } as Layout, moveTo }, choose, refresh })
  stepping.follow(3)
})

const french = (place: number) => ({ side: "french", place }) as const
const english = (place: number) => ({ side: "english", place }) as const
const key = (name: string) => stepping.type(new KeyboardEvent("keydown", { key: name }), french(2))

it("holds the place of the step, whatever was looked at before", () => {
  expect(stepping.attention).toEqual({ focus: french(2), held: true, key: -1, weight: null })
  stepping.point(french(0), 1)
  expect(stepping.attention).toEqual({ focus: french(0), held: false, key: 1, weight: null })
  stepping.follow(4)
  expect(stepping.attention.focus).toEqual(french(3))
})

it("a French token, and each of its ribbons, chooses the step that generates it", () => {
  stepping.press(french(4))
  stepping.grab(french(1))
  stepping.press(french(2)) // its own: nothing is sent
  expect(choose.mock.calls).toEqual([[5], [2]])
})

it("an English token is looked at until it is pressed again", () => {
  stepping.press(english(1))
  expect([stepping.attention.focus, stepping.attention.held]).toEqual([english(1), false])
  stepping.press(english(1))
  expect(stepping.attention.focus).toEqual(french(2))
  expect(choose).not.toHaveBeenCalled()
})

it("arrow keys look along the sentence, and Escape returns to the step", () => {
  key("ArrowRight")
  expect(moveTo).toHaveBeenLastCalledWith(french(3))
  stepping.focus(french(3))
  expect(stepping.attention.focus).toEqual(french(3))
  key("Escape")
  expect(moveTo).toHaveBeenLastCalledWith(french(2))
  expect(stepping.attention.held).toBe(true)
  expect(choose).not.toHaveBeenCalled()
})

it("what is pointed at is drawn once", () => {
  stepping.point(french(1))
  stepping.point(french(1))
  expect(refresh).toHaveBeenCalledTimes(1)
})
