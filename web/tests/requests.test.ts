import { afterEach, beforeEach, expect, test, vi } from "vitest"

import { mounting, View } from "../src/core/component"
import { Requests, type Answer } from "../src/core/requests"

vi.mock("../src/core/styles", () => ({ adoptStyles: () => {} })) // the test's document has none

interface Sent {
  serial: number
  state: string
  of: string
}
const answer = vi.fn<(name: string, value: unknown) => void>()
const onLate = vi.fn()
const sender = { answer, unanswered: new Map<string, unknown>() }
let requests: Requests<{ of: string }>

const done = (serial: number) => [{ serial, status: "done" as const }]
const sent = () => answer.mock.calls.map(([, value]) => value as Sent)

beforeEach(() => {
  vi.useFakeTimers()
  vi.clearAllMocks()
  sender.unanswered.clear()
  requests = new Requests(sender, "ask", onLate)
})
afterEach(() => {
  vi.useRealTimers()
})

test("a request is sent again with the same number, each time after twice the pause, until it is answered", () => {
  requests.ask({ of: "il" })
  vi.advanceTimersByTime(2999)
  expect(answer).toHaveBeenCalledTimes(1)
  vi.advanceTimersByTime(1)
  expect(answer).toHaveBeenCalledTimes(2)
  vi.advanceTimersByTime(6000)
  expect(answer).toHaveBeenCalledTimes(3)
  expect(new Set(sent().map(({ serial }) => serial)).size).toBe(1)
  expect(requests.take(done(sent()[0]!.serial))?.request).toEqual({ of: "il" })
  expect(requests.take(done(sent()[0]!.serial))).toBeNull() // once
  vi.advanceTimersByTime(600_000)
  expect(answer).toHaveBeenCalledTimes(3)
})

test("an answer to an older request, to none or to one of a component before is not taken", () => {
  expect(requests.take(undefined)).toBeNull()
  requests.ask({ of: "il" })
  requests.ask({ of: "elle" })
  const [old, serial] = sent().map((each) => each.serial)
  expect([requests.take(done(old!)), requests.take([]), requests.take(undefined)]).toEqual([null, null, null])
  vi.advanceTimersByTime(5)
  const later = new Requests<{ of: string }>(sender, "ask", onLate)
  later.ask({ of: "la" })
  expect(later.take(done(serial!))).toBeNull()
  vi.advanceTimersByTime(3000)
  expect(sent().map(({ of }) => of)).toEqual(["il", "elle", "la", "elle", "la"])
})

test("an answer that is missing for 20 seconds is late until it comes, or nothing is expected any more", () => {
  for (const end of [() => requests.take(done(sent().at(-1)!.serial)), () => requests.drop(), () => requests.ask({ of: "elle" })]) {
    onLate.mockClear()
    requests.ask({ of: "il" })
    vi.advanceTimersByTime(19_999)
    expect([requests.late, onLate.mock.calls.length]).toEqual([false, 0])
    vi.advanceTimersByTime(1)
    expect([requests.late, onLate.mock.calls.length]).toEqual([true, 1])
    end()
    expect([requests.late, onLate.mock.calls.length]).toEqual([false, 2])
  }
})

test("a request has the state of the page, and is dropped when that changes", () => {
  requests.follow("one")
  requests.ask({ of: "il" })
  expect(sent().at(-1)).toMatchObject({ of: "il", state: "one" })
  requests.follow("one")
  expect(requests.state).toBe("sent")
  requests.follow("two")
  vi.advanceTimersByTime(60_000)
  expect([requests.state, requests.open, sent().length, sender.unanswered.size]).toEqual(["idle", null, 1, 0])
  expect(requests.take(done(sent()[0]!.serial))).toBeNull()
})

test("its states: each answer ends the wait, also a refusal and an outdated request", () => {
  expect(requests.state).toBe("idle")
  for (const [status, state] of [["done", "answered"], ["refused", "refused"], ["outdated", "outdated"]] as const) {
    requests.ask({ of: "il" })
    expect(requests.state).toBe("sent")
    vi.advanceTimersByTime(20_000)
    expect(requests.state).toBe("late")
    const { serial } = sent().at(-1)!
    const others: Answer[] = [{ serial: serial + 1, status: "done" }, { serial: serial - 1, status: "outdated" }]
    expect(requests.take(others)).toBeNull()
    expect(requests.take([...others, { serial, status, reason: "No." }])?.answer.reason).toBe("No.")
    expect([requests.state, requests.open]).toEqual([state, null])
    const count = sent().length
    vi.advanceTimersByTime(600_000)
    expect(sent()).toHaveLength(count)
  }
  requests.drop()
  expect(requests.state).toBe("idle")
})

test("messages of one component that have no answer go with the next one: the server receives the last that waits", () => {
  class Asking extends View<string> {
    readonly requests = new Requests<{ of: string }>(this, "ask", () => {})
    show() {
      const read = () => JSON.parse(this.host.getAttribute("chosen")!) as unknown
      this.mark = { read, disconnect: () => {} } as View<string>["mark"]
    }
    follow = () => this.followMark()
  }
  const parent = document.createElement("div")
  parent.innerHTML = "<div class='root'></div>"
  const setTriggerValue = vi.fn<(name: string, value: unknown) => void>()
  const views: Asking[] = []
  class Root extends Asking {
    constructor(place: Element | ShadowRoot) {
      super(place, ".root")
      views.push(this)
    }
  }
  const end = mounting(Root, "")({ data: "", parentElement: parent, setTriggerValue, setStateValue: () => {} })
  const view = views[0]!
  const names = () => setTriggerValue.mock.calls.splice(0).map(([name]) => name)
  view.requests.ask({ of: "il" })
  expect(names()).toEqual(["ask"])
  view.tell("chosen", { layer: "2" }, 500)
  vi.advanceTimersByTime(500)
  expect(names()).toEqual(["chosen", "ask"])
  view.requests.ask({ of: "elle" })
  expect(names()).toEqual(["ask", "chosen"])
  parent.setAttribute("chosen", JSON.stringify({ layer: "2" })) // the server repeats the choice
  view.follow()
  view.requests.ask({ of: "la" })
  expect(names()).toEqual(["ask"])
  end()
})
