import { beforeEach, describe, expect, it, vi } from "vitest"

import { Requests } from "../../src/core/requests"
import { Focusing } from "../../src/views/stage/focusing"
import type { StageFigure } from "../../src/views/stage/figure"
import type { Scene } from "../../src/views/stage/scene"
import type { KindName, Pulled, StagePayload } from "../../src/views/stage/payload"
import { Playback } from "../../src/views/stage/play"
import { Pulling, type PullRequest } from "../../src/views/stage/pulling"
import { keyOfToken, visibleKeys, type Focus } from "../../src/views/stage/reading"

const english = ["a", "b", "c"]
const french = ["un", "deux", "trois"]
const maps = {
  encoder: { queries: english, keys: english },
  cross: { queries: french, keys: english },
  decoder: { queries: french, keys: ["<s>", "un", "deux"] },
}
const payload = { english, french, maps, pulled: null, words: { pair: "{query} {key} {weight}", held: "{token}", freed: "" } } as unknown as StagePayload
const weights = Float32Array.from({ length: 9 }, (_, cell) => cell / 10)

let kind: KindName
let pulling: Pulling
let focusing: Focusing
const announce = vi.fn<(text: string) => void>()

beforeEach(() => {
  vi.useFakeTimers()
  const requests = new Requests<PullRequest>({ answer: vi.fn(), unanswered: new Map() }, "ask", vi.fn())
  pulling = new Pulling({ requests, act: vi.fn(), refresh: vi.fn(), choice: () => ({ layer: "4", head: "mean" }) })
  pulling.take({ state: "", pulls: "" })
  const host = { count: () => 3, refresh: vi.fn(), candidate: () => null, slot: () => null, follows: () => false, scrolls: () => false }
  focusing = new Focusing({
    figure: { layout: { rows: true } } as unknown as StageFigure,
    playback: new Playback(host),
    pulling,
    scene: (): Scene<StagePayload> => ({ payload, kind, maps: { encoder: weights, cross: weights, decoder: weights } }),
    refresh: vi.fn(),
    announce,
  })
  focusing.describe = () => ""
})

const draw = (name: KindName) => focusing.followKind((kind = name))
const press = (side: Focus["side"], place: number) => focusing.press({ side, place })

describe("a tap on another token", () => {
  it.each([
    ["cross", ["french", 1], ["english", 2], 2],
    ["encoder", ["english", 1], ["english", 2], 2],
    ["decoder", ["french", 2], ["french", 0], 1], // the start token is the first key
  ] as const)("chooses a key of %s", (name, [side, query], [other, place], key) => {
    draw(name)
    press(side, query)
    press(other, place)
    expect(focusing.held).toEqual({ side, place: query })
    expect(focusing.pullable).toEqual({ kind: name, query, key })
    expect(pulling.target).toEqual(focusing.pullable)
    expect(announce).toHaveBeenLastCalledWith(expect.stringMatching(/^\S+ \S+ 0\.\d\d\d$/))
  })
  it("of the same side holds that token when it is tapped again, and frees a token that is held", () => {
    draw("encoder")
    for (const place of [1, 2, 2]) press("english", place)
    expect([focusing.held?.place, focusing.pullable]).toEqual([2, null])
    press("english", 2)
    expect(focusing.held).toBeNull()
  })
  it("which the mask hides holds that token", () => {
    draw("decoder")
    press("french", 0)
    press("french", 2)
    expect([focusing.held?.place, focusing.key]).toEqual([2, -1])
  })
})

it("arrow keys go through the keys that a place sees", () => {
  draw("decoder")
  const down = () => focusing.type(new KeyboardEvent("keydown", { key: "ArrowDown" }), { side: "french", place: 1 })
  for (const expected of [0, 1, 1]) {
    down()
    expect(pulling.target).toEqual({ kind: "decoder", query: 1, key: expected })
  }
})

it("another kind has other keys", () => {
  draw("cross")
  press("french", 1)
  press("english", 2)
  draw("decoder")
  expect([focusing.held?.place, focusing.key, pulling.target]).toEqual([1, -1, null])
  draw("encoder")
  expect(focusing.held).toBeNull()
})

it.each([
  ["encoder", "encoder", { side: "english", place: 2 }],
  ["decoder", "decoder", { side: "french", place: 2 }],
  ["decoder", "cross", null],
] as const)("a pull of %s in an address is held where %s is drawn", (pulled, drawn, held) => {
  kind = drawn
  focusing.followPulled({ ...payload, pulled: { kind: pulled, query: 2, key: 1 } as Pulled }, drawn)
  expect(focusing.held).toEqual(held)
  expect(focusing.pullable).toEqual(held && { kind: pulled, query: 2, key: 1 })
})

it("tokens stand for the keys that a query may attend to", () => {
  expect(keyOfToken("cross", 1, { side: "french", place: 0 })).toBe(-1)
  expect(keyOfToken("decoder", 2, { side: "french", place: 1 })).toBe(2)
  expect(keyOfToken("decoder", 2, { side: "french", place: 2 })).toBe(-1)
  expect([visibleKeys("decoder", 1, 5), visibleKeys("cross", 1, 5)]).toEqual([2, 5])
})
