import { afterEach, beforeEach, describe, expect, it, test, vi } from "vitest"

import { Requests } from "../../src/core/requests"
import type { Pulled } from "../../src/views/stage/payload"
import { Pulling, pullsByKey, undoByKey, type PullRequest } from "../../src/views/stage/pulling"

const sweep = { before: 0.1, weights: [0, 0.5, 1], tokens: ["a", "a", "b"], texts: ["a", "b"], of: [0, 0, 1] }
const SCARF = { kind: "cross", query: 2, key: 1 } as const
const sender = { answer: vi.fn<(name: string, value: unknown) => void>(), unanswered: new Map<string, unknown>() }
const [act, refresh] = [vi.fn(), vi.fn()]
let pulling: Pulling

const last = () => sender.answer.mock.lastCall![1] as PullRequest & { serial: number }
const asked = () => sender.answer.mock.calls.map(([, request]) => (request as PullRequest).action)
const answer = (fields: object = {}) => pulling.take({ serial: last().serial, ...fields })

beforeEach(() => {
  vi.useFakeTimers()
  vi.clearAllMocks()
  sender.unanswered.clear()
  const requests = new Requests<PullRequest>(sender, "ask", refresh)
  pulling = new Pulling({ requests, act, refresh, choice: () => ({ layer: "4", head: "mean" }) })
})
afterEach(() => {
  vi.useRealTimers()
})

test("why a pull in the address is not shown comes with every answer, also before the first request", () => {
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

describe("requests", () => {
  it("ask once for a weight that is chosen, and never while it is dragged", () => {
    pulling.open(SCARF)
    pulling.open(SCARF)
    pulling.preview(0.3)
    pulling.preview(0.4)
    expect(asked()).toEqual(["sweep"])
    expect(act).not.toHaveBeenCalled() // no entry in the history
    expect(last()).toMatchObject({ kind: "cross", layer: "4", head: "mean", query: 2, key: 1, scope: "layer" })
    pulling.release(0.4)
    expect(act).toHaveBeenCalledOnce()
  })

  it("take the answer to the newest alone, and each answer once", () => {
    pulling.open(SCARF)
    const { serial } = last()
    pulling.setScope("all")
    pulling.take({ ...sweep, serial })
    expect(pulling.sweep).toBeNull()
    answer(sweep)
    pulling.preview(0.9)
    expect(pulling.triedText).toBe("b")
    const repeated = { ...sweep, serial: last().serial }
    pulling.open({ ...SCARF, key: 2 }, true) // by keys, which ask a moment later
    pulling.take(repeated)
    expect(pulling.sweep).toBeNull()
  })

  it("wait for the answer to a change, else the server would receive the later of two alone", () => {
    pulling.open(SCARF)
    answer(sweep)
    pulling.takeBack("undo")
    pulling.takeBack("undo")
    pulling.open({ kind: "encoder", query: 1, key: 0 })
    expect([asked(), act.mock.calls.length]).toEqual([["sweep", "undo"], 1])
    answer()
    expect([asked(), act.mock.calls.length]).toEqual([["sweep", "undo", "undo"], 2])
    answer()
    expect(last()).toMatchObject({ action: "sweep", kind: "encoder", query: 1, key: 0 })
    pulling.release(0.7)
    pulling.takeBack("undo")
    pulling.takeBack("reset") // takes back what waits, too
    answer()
    expect(asked().slice(-2)).toEqual(["pull", "reset"])
  })

  it.each([["changes", "answer"], ["answer", "changes"]])("ask again for a sweep that a release overtook, %s first", (first) => {
    pulling.open(SCARF)
    pulling.release(0.7)
    const follow = () => pulling.follow({ query: 2, key: 1 } as Pulled)
    if (first === "changes") follow()
    answer()
    if (first === "answer") follow()
    for (let question = 0; question < 2; question++) answer(last().action === "sweep" ? sweep : { control: ["None."] })
    expect(asked().slice(0, 2)).toEqual(["sweep", "pull"])
    expect(asked().slice(2).sort()).toEqual(["control", "sweep"])
    expect([pulling.control, pulling.sweep?.texts]).toEqual([["None."], sweep.texts])
  })

  it("a weight that is pressed is tried before the control of the pull before, which is still asked for", () => {
    pulling.follow({ query: 3, key: 0 } as Pulled)
    pulling.open(SCARF)
    expect(asked()).toEqual(["control", "sweep"])
    answer(sweep)
    answer({ control: ["None."] })
    expect([asked(), pulling.control]).toEqual([["control", "sweep", "control"], ["None."]])
  })

  it("a reason why a weight cannot be pulled stays while the sweep is asked for, until the next press", () => {
    pulling.open(SCARF)
    pulling.release(0.7)
    answer({ error: "No score changes it." })
    answer(sweep)
    expect([asked(), pulling.error, pulling.weight]).toEqual([["sweep", "pull", "sweep"], "No score changes it.", null])
    pulling.open({ ...SCARF, key: 0 })
    expect(pulling.error).toBe("")
  })

  it("a sweep that comes after a change and is refused hides nothing of what the change did", () => {
    pulling.open(SCARF)
    pulling.release(1) // before the sweep is answered
    pulling.follow({ query: 2, key: 1 } as Pulled)
    answer()
    answer({ control: ["None."] })
    answer({ error: "The weight of that key is 1 whatever its score." })
    expect([asked(), pulling.control, pulling.error]).toEqual([["sweep", "pull", "control", "sweep"], ["None."], ""])
    pulling.open(null)
    pulling.open(SCARF)
    answer({ error: "The weight of that key is 1 whatever its score." })
    expect(pulling.error).toBe("The weight of that key is 1 whatever its score.")
  })

  it("a refused sweep is not asked for again and again", () => {
    pulling.open(SCARF)
    answer({ error: "There is no key 40." })
    pulling.follow(null)
    expect([asked(), pulling.sweep, pulling.error]).toEqual([["sweep"], null, "There is no key 40."])
  })

  it("of another sentence are not expected any more", () => {
    pulling.open(SCARF)
    pulling.release(0.7)
    pulling.takeBack("undo")
    pulling.free()
    vi.advanceTimersByTime(60_000)
    expect(asked()).toEqual(["sweep", "pull"])
  })

  it("set the exact weight on release, and a moment after the last key", () => {
    pulling.open(SCARF)
    pulling.release(0.755)
    expect(last()).toMatchObject({ action: "pull", weight: 0.755 })
    answer()
    answer(sweep)
    pulling.step(0.5, 0.05)
    pulling.step(0.5, 0.05)
    expect(asked()).toEqual(["sweep", "pull", "sweep"])
    vi.advanceTimersByTime(500)
    expect(asked()).toEqual(["sweep", "pull", "sweep", "pull"])
    expect(last().weight).toBeCloseTo(0.855)
  })

  it("that are lost are sent again; one that stays without an answer gives way to the next change", () => {
    pulling.open(SCARF)
    vi.advanceTimersByTime(3000)
    expect(asked()).toEqual(["sweep", "sweep"])
    answer(sweep)
    expect(pulling.sweep).toMatchObject(sweep)
    pulling.release(0.7)
    vi.advanceTimersByTime(20_000)
    expect([new Set(asked().slice(2)), act.mock.calls.length]).toEqual([new Set(["pull"]), 1])
    pulling.takeBack("reset")
    expect(last().action).toBe("reset")
  })
})

describe("keys", () => {
  const press = (from: Element, key = "z", ctrlKey = true) => {
    const event = new KeyboardEvent("keydown", { key, ctrlKey, bubbles: true, composed: true, cancelable: true })
    from.dispatchEvent(event)
    return event.defaultPrevented
  }
  beforeEach(() => {
    document.body.innerHTML = "<main tabindex=0><button></button><input type=range></main><input><textarea></textarea>"
    const leave = new AbortController()
    document.addEventListener("keydown", (event) => undoByKey(event, pulling), { signal: leave.signal })
    return () => leave.abort()
  })

  it("undo wherever the focus is, also where the element that had it is gone, but in a box with text", () => {
    pulling.follow({ query: 2, key: 1 } as Pulled)
    answer({ control: ["None."] })
    const boxes = [...document.body.children].slice(1)
    expect(boxes.map((each) => press(each))).toEqual([false, false])
    const main = document.querySelector("main")!
    for (const from of [...main.children, main, document.body]) {
      expect(press(from)).toBe(true)
      expect(last().action).toBe("undo")
      answer()
      sender.answer.mockClear()
    }
    expect([press(main, "z", false), press(main, "y"), asked()]).toEqual([false, false, []])
  })

  it("undo a pull without an answer, and nothing where there is none", () => {
    expect(press(document.body)).toBe(false)
    pulling.open(SCARF)
    answer(sweep)
    expect(press(document.body)).toBe(false)
    pulling.release(1)
    pulling.open({ ...SCARF, key: 2 })
    expect(press(document.body)).toBe(true)
    answer()
    expect(last().action).toBe("undo")
  })

  it.each(["1", "=", "-", "Delete"])("of the browser pull no weight: Ctrl and %s", (key) => {
    pulling.open(SCARF)
    const pull = (ctrlKey: boolean) => pullsByKey(new KeyboardEvent("keydown", { key, ctrlKey }), pulling, 0.5)
    expect([pull(true), pull(false)]).toEqual([false, true])
  })
})
