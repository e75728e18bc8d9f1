import { expect, it, vi } from "vitest"

import { dragWeight } from "../../src/views/stage/pulling"
import { Former } from "../../src/views/stage/payload"

function drag() {
  const frames: FrameRequestCallback[] = []
  vi.spyOn(window, "requestAnimationFrame").mockImplementation((frame) => frames.push(frame))
  const pulling = { preview: vi.fn<(weight: number) => void>(), release: vi.fn<(weight: number) => void>() }
  dragWeight(new PointerEvent("pointerdown", { clientX: 100 }), 0.25, 200, pulling)
  const send = (name: string, clientX: number) => window.dispatchEvent(new PointerEvent(name, { clientX }))
  const draw = () => frames.splice(0).forEach((frame) => frame(0))
  return { pulling, send, draw, frames }
}

it("draws the newest of several moves once a frame, and nothing after the release", () => {
  const { pulling, send, draw, frames } = drag()
  send("pointermove", 102) // too short for a drag
  expect(frames).toHaveLength(0)
  for (const x of [110, 120, 150]) send("pointermove", x)
  expect([frames.length, pulling.preview.mock.calls.length]).toEqual([1, 0])
  draw()
  expect(pulling.preview.mock.calls).toEqual([[0.5]])
  send("pointermove", 160)
  send("pointerup", 170)
  draw()
  expect(pulling.preview).toHaveBeenCalledOnce()
  expect(pulling.release.mock.calls).toEqual([[0.6]])
})

it("a press without a drag sets no weight", () => {
  const { pulling, send } = drag()
  send("pointerup", 101)
  send("pointermove", 160)
  expect([pulling.release.mock.calls, pulling.preview.mock.calls]).toEqual([[], []])
})

it("a former state differs where one value does, or their number", () => {
  const former = new Former()
  expect([former.changed(1, "a"), former.changed(1, "a"), former.changed(1, "b"), former.changed(1)]).toEqual([true, false, true, true])
  expect([former.changed(), new Former().changed()]).toEqual([true, true])
})
