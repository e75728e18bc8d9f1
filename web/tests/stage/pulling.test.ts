import { afterEach, beforeEach, describe, expect, it, test, vi } from "vitest"

import { Requests, type Answer } from "../../src/core/requests"
import type { Pulled, Words } from "../../src/views/stage/payload"
import { Pulling, pullsByKey, undoByKey, type PullRequest } from "../../src/views/stage/pulling"

const sweep = { before: 0.1, weights: [0, 0.5, 1], tokens: ["a", "a", "b"], texts: ["a", "b"], of: [0, 0, 1] }
const SCARF = { kind: "cross", query: 2, key: 1 } as const
const sender = { answer: vi.fn<(name: string, value: unknown) => void>(), unanswered: new Map<string, unknown>() }
const [act, refresh] = [vi.fn(), vi.fn()]
let pulling: Pulling

const last = () => sender.answer.mock.lastCall![1] as PullRequest & { serial: number }
const asked = () => sender.answer.mock.calls.map(([, request]) => (request as PullRequest).action)
const words = { mostPulls: "There are {count} pulls." } as unknown as Words
const limits = { characters: 30, pulls: 12 }
let pulls = "" // that the page has, as text
const answer = (fields: object = {}, status: Answer["status"] = "done", serial = last().serial) =>
  pulling.take({ state: "one", pulls, ask: [{ serial, status, ...fields }] })
const refuse = (reason: string) => answer({ reason }, "refused")
const follow = (pulled: object | null, sentence = "Hello.", state = "one") =>
  pulling.follow({ pulled: pulled as Pulled | null, sentence, state, words, limits })
/** The page has other pulls. */
const show = (pulled: object | null, text = pulled ? "pull" : "") => {
  pulling.take({ state: "one", pulls: (pulls = text) })
  follow(pulled)
}

beforeEach(() => {
  vi.useFakeTimers()
  vi.clearAllMocks()
  sender.unanswered.clear()
  const requests = new Requests<PullRequest>(sender, "ask", refresh)
  pulling = new Pulling({ requests, act, refresh, choice: () => ({ layer: "4", head: "mean" }) })
  show(null)
  refresh.mockClear()
})
afterEach(() => {
  vi.useRealTimers()
})

test("why a pull in the address is not shown comes with every answer, also before the first request", () => {
  pulling.takeLeftOut(null)
  expect(refresh).not.toHaveBeenCalled()
  pulling.takeLeftOut({ state: "one", pulls, leftOut: "There is no key 40." })
  expect([pulling.leftOut, pulling.error]).toEqual(["There is no key 40.", ""])
  expect(refresh).toHaveBeenCalledTimes(1)
  pulling.takeLeftOut({ state: "one", pulls, leftOut: "There is no key 40." })
  expect(refresh).toHaveBeenCalledTimes(1)
  pulling.takeLeftOut({ state: "one", pulls })
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
    expect(last()).toMatchObject({ state: "one", text: "Hello.", pulls: "" })
    expect(last()).toMatchObject({ kind: "cross", layer: "4", head: "mean", query: 2, key: 1, scope: "layer" })
    pulling.release(0.4)
    expect(act).toHaveBeenCalledOnce()
  })

  it("take the answer to the newest alone, and each answer once", () => {
    pulling.open(SCARF)
    const { serial } = last()
    pulling.setScope("all")
    answer(sweep, "done", serial)
    expect(pulling.sweep).toBeNull()
    answer(sweep)
    pulling.preview(0.9)
    expect(pulling.triedText).toBe("b")
    const repeated = last().serial
    pulling.open({ ...SCARF, key: 2 }, true) // by keys, which ask a moment later
    answer(sweep, "done", repeated)
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
    const pulled = { query: 2, key: 1 }
    if (first === "changes") follow(pulled)
    pulls = "pull"
    answer()
    if (first === "answer") follow(pulled)
    for (let question = 0; question < 2; question++) answer(last().action === "sweep" ? sweep : { control: ["None."] })
    expect(asked().slice(0, 2)).toEqual(["sweep", "pull"])
    expect(asked().slice(2).sort()).toEqual(["control", "sweep"])
    expect([pulling.control, pulling.sweep?.texts]).toEqual([["None."], sweep.texts])
  })

  it("a weight that is pressed is tried before the control of the pull before, which is still asked for", () => {
    show({ query: 3, key: 0 })
    pulling.open(SCARF)
    expect(asked()).toEqual(["control", "sweep"])
    answer(sweep)
    answer({ control: ["None."] })
    expect([asked(), pulling.control]).toEqual([["control", "sweep", "control"], ["None."]])
  })

  it("a reason why a weight cannot be pulled stays while the sweep is asked for, until the next press", () => {
    pulling.open(SCARF)
    pulling.release(0.7)
    refuse("No score changes it.")
    answer(sweep)
    expect([asked(), pulling.error, pulling.weight]).toEqual([["sweep", "pull", "sweep"], "No score changes it.", null])
    pulling.open({ ...SCARF, key: 0 })
    expect(pulling.error).toBe("")
  })

  it("a sweep that comes after a change and is refused hides nothing of what the change did", () => {
    pulling.open(SCARF)
    pulling.release(1) // before the sweep is answered
    show({ query: 2, key: 1 })
    answer()
    answer({ control: ["None."] })
    refuse("The weight of that key is 1 whatever its score.")
    expect([asked(), pulling.control, pulling.error]).toEqual([["sweep", "pull", "control", "sweep"], ["None."], ""])
    pulling.open(null)
    pulling.open(SCARF)
    refuse("The weight of that key is 1 whatever its score.")
    expect(pulling.error).toBe("The weight of that key is 1 whatever its score.")
  })

  it("a refused sweep is not asked for again and again", () => {
    pulling.open(SCARF)
    refuse("There is no key 40.")
    show(null)
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

  it("about a state or pulls that the page does not have any more are asked again once it is known what it has", () => {
    pulling.open(SCARF)
    pulling.release(0.7)
    pulling.takeBack("undo")
    answer({}, "outdated")
    expect([asked(), pulling.error]).toEqual([["sweep", "pull"], ""]) // neither the pull nor the undo behind it is set on what follows
    pulling.open({ ...SCARF, key: 2 }) // before the other state is there
    answer({}, "outdated")
    pulling.take({ state: "two", pulls: "other" })
    pulling.open({ ...SCARF, key: 0 }) // the payload is still that of the former
    expect(asked()).toEqual(["sweep", "pull", "sweep"])
    follow({ query: 2, key: 1 }, "Good day.", "two")
    expect(last()).toMatchObject({ action: "control", text: "Good day.", pulls: "other", state: "two" })
    answer({ control: ["None."] })
    pulling.take({ state: "two", pulls: "other" })
    expect(pulling.control).toEqual(["None."])
  })

  it("are asked again with the pulls that the page has, where others were meant", () => {
    pulling.open(SCARF)
    pulls = "other"
    answer({}, "outdated")
    expect(last()).toMatchObject({ action: "control", pulls: "other" })
    answer({ control: [] })
    expect(last()).toMatchObject({ action: "sweep", pulls: "other" })
  })

  it("for one pull too many are not sent, and the reason is stated", () => {
    show({ query: 2, key: 1 }, Array<string>(12).fill("pull").join(";"))
    answer({ control: [] })
    const before = asked().length
    pulling.open(SCARF)
    answer(sweep)
    pulling.release(1)
    expect([asked().slice(before), pulling.error]).toEqual([["sweep"], "There are 12 pulls."])
    pulling.takeBack("undo")
    expect(last().action).toBe("undo")
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
    show({ query: 2, key: 1 })
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
