import { describe, expect, it, vi } from "vitest"
import { changedWords, headWeights, nearest, outcomes, pulledRow, stretches, type Sweep } from "../../src/views/stage/pull"
import type { Pulled } from "../../src/views/stage/payload"
import { Pulling } from "../../src/views/stage/pulling"

describe("a row with a pulled weight", () => {
  it("keeps the proportions of the others", () => {
    expect([...pulledRow([0.5, 0.25, 0.25], 1, 0.5)]).toEqual([expect.closeTo(1 / 3), 0.5, expect.closeTo(1 / 6)])
  })
  it("becomes one-hot, and loses a key", () => {
    expect([...pulledRow([0.5, 0.25, 0.25], 0, 1)]).toEqual([1, 0, 0])
    expect([...pulledRow([0.5, 0.25, 0.25], 0, 0)]).toEqual([0, 0.5, 0.5])
  })
})

describe("weights of heads", () => {
  it("have the wanted mean, by one number on all scores", () => {
    const own = [0.001, 0.02, 0.4]
    const pulled = headWeights(own, 0.75)
    expect(pulled.reduce((total, weight) => total + weight, 0) / 3).toBeCloseTo(0.75, 6)
    const added = pulled.map((weight, head) => Math.log(weight / (1 - weight)) - Math.log(own[head]! / (1 - own[head]!)))
    for (const delta of added) expect(delta).toBeCloseTo(added[0]!, 6)
  })
  it("are the limits at 0 and 1", () => expect([headWeights([0.2, 0.4], 0), headWeights([0.2, 0.4], 1)]).toEqual([[0, 0], [1, 1]]))
})

const sweep: Sweep = { before: 0.1, weights: [0, 0.5, 1], tokens: ["elle", "elle", "il"], texts: ["a", "b"], of: [0, 0, 1] }

it("divides the scale between the weights that were tried", () => {
  expect(stretches(sweep)).toEqual([{ token: "elle", from: 0, to: 0.75 }, { token: "il", from: 0.75, to: 1 }])
  expect([0, 0.2, 0.3, 0.8].map((weight) => nearest(sweep, weight))).toEqual([0, 0, 1, 2])
})

it("names what a weight gives: the token of a place, or the words that an encoder's weight changes", () => {
  expect(outcomes(sweep, "no change")).toEqual({ tokens: ["elle", "elle", "il"], same: "elle" })
  const texts = ["une robe rouge.", "une petite robe rouge.", "une robe."]
  const encoder: Sweep = { before: 0.4, weights: [0, 0.5, 0.75, 1], tokens: [null, null, null, null], texts, of: [1, 0, 2, 0] }
  const { tokens, same } = outcomes(encoder, "no change")
  expect(tokens).toEqual(["petite", "no change", "robe.", "no change"])
  expect(same).toBe("no change")
  expect(outcomes({ ...encoder, texts: [texts[1]!, texts[0]!, texts[2]!] }, "same").tokens).toEqual(["\u2026", "same", "robe.", "same"])
})

it("marks words that changed, and no others", () => {
  const changed = (text: string, former: string) => changedWords(text, former).filter(([, is]) => is).map(([word]) => word.trim())
  expect(changed("parce qu'il était trop fatigué.", "parce qu'elle était trop fatigué.")).toEqual(["il"])
  expect(changed("une petite robe rouge.", "une robe rouge.")).toEqual(["petite"])
  expect(changed("une robe rouge.", "une petite robe rouge.")).toEqual([])
  expect(changedWords("l'un a", "l'un b").map(([word]) => word).join("")).toBe("l'un a")
})

describe("requests", () => {
  const start = () => {
    vi.useFakeTimers()
    const ask = vi.fn<(request: Readonly<Record<string, unknown>>) => void>()
    const act = vi.fn()
    const pulling = new Pulling({ ask, act, refresh: () => undefined, choice: () => ({ layer: "4", head: "mean" }) })
    pulling.open({ kind: "cross", query: 2, key: 1 })
    vi.runAllTimers()
    return { act, ask, pulling, last: () => ask.mock.calls.at(-1)![0] }
  }
  it("ask once for a weight that is chosen, and never while it is dragged", () => {
    const { act, ask, pulling } = start()
    pulling.open({ kind: "cross", query: 2, key: 1 })
    pulling.preview(0.3)
    pulling.preview(0.4)
    vi.runAllTimers()
    expect(ask).toHaveBeenCalledOnce()
    expect(act).not.toHaveBeenCalled() // no entry in the history
    pulling.release(0.4)
    pulling.takeBack("undo")
    expect(act).toHaveBeenCalledTimes(2)
    expect(ask.mock.calls[0]![0]).toMatchObject({ action: "sweep", kind: "cross", layer: "4", head: "mean", query: 2, key: 1 })
  })
  it("take the answer to the newest alone", () => {
    const { pulling, last } = start()
    const first = last().serial as number
    pulling.setScope("all")
    pulling.take({ ...sweep, serial: first })
    expect(pulling.sweep).toBeNull()
    pulling.take({ ...sweep, serial: first + 1 })
    pulling.preview(0.9)
    expect(pulling.triedText).toBe("b")
  })
  it("wait for the answer to a change, else the server would receive the later of two alone", () => {
    const { ask, pulling, last } = start()
    pulling.takeBack("reset")
    const { serial } = last() as { serial: number }
    pulling.open({ kind: "encoder", query: 1, key: 0 })
    vi.advanceTimersByTime(100)
    expect(last()).toMatchObject({ action: "reset" })
    pulling.take({ serial: serial - 1 })
    expect(last()).toMatchObject({ action: "reset" })
    pulling.take({ serial })
    expect(last()).toMatchObject({ action: "sweep", kind: "encoder", query: 1, key: 0 })
    expect(ask).toHaveBeenCalledTimes(3)
  })
  it("do not wait for ever, and ask for the control before a sweep", () => {
    const { ask, pulling, last } = start()
    pulling.release(0.7)
    pulling.open({ kind: "cross", query: 3, key: 1 })
    vi.advanceTimersByTime(100)
    pulling.follow({ query: 2, key: 1 } as Pulled)
    expect(ask).toHaveBeenCalledTimes(2)
    vi.advanceTimersByTime(5000) // the answer is lost
    expect(last()).toMatchObject({ action: "control" })
    pulling.take({ serial: last().serial as number, control: ["None."] })
    expect(last()).toMatchObject({ action: "sweep", query: 3 })
  })
  it("set the exact weight on release, and a moment after the last key", () => {
    const { ask, pulling, last } = start()
    pulling.release(0.755)
    expect(last()).toMatchObject({ action: "pull", weight: 0.755 })
    pulling.step(0.5, 0.05)
    pulling.step(0.5, 0.05)
    expect(ask).toHaveBeenCalledTimes(2)
    vi.runAllTimers()
    expect(ask).toHaveBeenCalledTimes(3)
    expect(last().weight).toBeCloseTo(0.855)
  })
})
