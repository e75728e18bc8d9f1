import { afterEach, beforeEach, expect, it, vi } from "vitest"

import { WholeScreen } from "../../src/views/stage/view"

const type = () => document.documentElement.style.fontSize
const draw = vi.fn()
let root: HTMLElement
let mounted: AbortController
let screen: WholeScreen
let filled: boolean

beforeEach(() => {
  draw.mockReset()
  filled = false
  root = document.createElement("div")
  Object.assign(root, { matches: () => filled }) // this environment has no full screen
  mounted = new AbortController()
  screen = new WholeScreen(root, draw, mounted.signal)
})

const fill = (on: boolean) => {
  filled = on
  document.dispatchEvent(new Event("fullscreenchange"))
  if (on) document.documentElement.style.fontSize = "28px" // this environment cannot read `clamp`
}
afterEach(() => mounted.abort())

it("draws when the stage fills the screen, and in the page's type afterwards", () => {
  fill(true)
  expect(screen.on).toBe(true)
  fill(false)
  expect([screen.on, type(), draw.mock.calls.length]).toEqual([false, "", 2])
})

it("leaves the type when another element fills the screen, and returns it when the page is left", () => {
  fill(false)
  expect(draw).not.toHaveBeenCalled()
  fill(true)
  mounted.abort()
  expect([screen.on, type()]).toEqual([false, ""])
  fill(false)
  expect(draw).toHaveBeenCalledTimes(1)
})

it("stays on the page where the browser refuses", async () => {
  root.requestFullscreen = () => Promise.reject(new TypeError("not allowed"))
  screen.toggle()
  await Promise.resolve()
  expect([screen.on, type()]).toEqual([false, ""])
})
