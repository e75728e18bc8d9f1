import { afterEach, beforeEach, expect, test, vi } from "vitest"

import { PACE, placeAfter, Playback } from "../../src/views/stage/play"

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

function playback(count: number): [Playback, ReturnType<typeof vi.fn>] {
  const refresh = vi.fn()
  return [new Playback({ count: () => count, refresh, candidate: () => null, slot: () => null, follows: () => false, scrolls: () => false }), refresh]
}

test("a token at a time until the last, and then the whole", () => {
  const [play] = playback(3)
  play.toggle()
  expect([play.done, play.playing]).toEqual([0, true])
  const seen = Array.from({ length: 3 }, () => (vi.advanceTimersByTime(PACE), play.done))
  expect(seen).toEqual([1, 2, null])
  expect(play.playing).toBe(false)
})

test("pause holds the place, and play goes on from it", () => {
  const [play] = playback(5)
  play.toggle()
  vi.advanceTimersByTime(2 * PACE)
  play.toggle()
  vi.advanceTimersByTime(9 * PACE)
  expect([play.done, play.playing]).toEqual([2, false])
  play.toggle()
  vi.advanceTimersByTime(PACE)
  expect(play.done).toBe(3)
})

test.each([[4, 4], [0.5, 0.5], [99, 4], [0, 0.25]])("speed %d goes %d times as fast", (speed, times) => {
  const [play] = playback(100)
  play.setSpeed(speed)
  play.toggle()
  vi.advanceTimersByTime(PACE * 8)
  expect(play.done).toBe(8 * times)
})

test.each([
  [null, 1, 0], [null, -1, 4], [0, -1, 0], [0, 1, 1], [4, 1, null], [4, -1, 3],
] as const)("from %s a step of %i goes to %s of 5", (done, by, next) => {
  expect(placeAfter(done, by, 5)).toBe(next)
})

test("a step by hand pauses, and the end shows the whole once", () => {
  const [play, refresh] = playback(4)
  play.toggle()
  play.step(1)
  vi.advanceTimersByTime(9 * PACE)
  expect([play.done, play.playing]).toEqual([1, false])
  refresh.mockClear()
  play.end()
  play.end()
  expect(play.done).toBe(null)
  expect(refresh).toHaveBeenCalledTimes(1)
})
