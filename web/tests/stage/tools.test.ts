import { beforeEach, expect, test, vi } from "vitest"

import type { StagePayload } from "../../src/views/stage/payload"
import { Playback } from "../../src/views/stage/play"
import { StageTools } from "../../src/views/stage/view"

const words = { undo: "Undo", reset: "Reset", on: "On", back: "Back", play: "Play", pause: "Pause" }
const decoding = { method: "greedy", temperature: 1, seed: 0 }
const payload = (pulled: object | null) => ({ words, decoding, pulled }) as unknown as StagePayload
const events = { undo: vi.fn(), reset: vi.fn(), fillScreen: vi.fn(), leave: vi.fn() }
let [tools, playback]: [StageTools?, Playback?] = []

const named = (name: string) => [...document.querySelectorAll("button")].find((each) => [each.textContent, each.getAttribute("aria-label")].includes(name))!

beforeEach(() => {
  events.leave.mockClear()
  document.body.replaceChildren()
  const host = { count: () => 3, refresh: vi.fn(), candidate: () => null, slot: () => null, follows: () => false, scrolls: () => false }
  playback = new Playback(host)
  tools = new StageTools(document.body, document.createElement("div"), playback, events)
})

test.each(["Undo", "Reset"])("the focus leaves %s where the last pull is taken back, and no other button", (name) => {
  tools!.show(payload({}), false)
  named(name).focus()
  tools!.show(payload({}), false)
  expect(events.leave).not.toHaveBeenCalled()
  tools!.show(payload(null), false)
  expect([events.leave.mock.calls.length, named(name).hidden]).toEqual([1, true])
  tools!.show(payload({}), false)
  named("Play").focus()
  tools!.show(payload(null), false)
  expect(events.leave).toHaveBeenCalledOnce()
})

test("the focus moves to the step on where there is no step back", () => {
  const shown = payload(null)
  for (const by of [1, 1] as const) playback!.step(by)
  tools!.show(shown, false)
  const back = named("Back")
  back.focus()
  playback!.step(-1)
  tools!.show(shown, false)
  expect([back.disabled, document.activeElement]).toEqual([true, named("On")])
})
