/** Typing, Enter and pulls, with messages that are lost, doubled and delayed: at rest all is of one sentence. */

import fc from "fast-check"
import { afterEach, expect, test, vi } from "vitest"

import { endsWord } from "../../src/core/live_box"
import { Requests, type Answer } from "../../src/core/requests"
import type { Pulled, StageAnswers, StagePayload } from "../../src/views/stage/payload"
import { Pulling, type PullRequest } from "../../src/views/stage/pulling"
import { LiveTyping } from "../../src/views/stage/typing"

const limits = { characters: 12, pulls: 3 }
const words = { mostPulls: "{count}", tooLong: "{count}", pressEnter: "Enter" } as unknown as StagePayload["words"]

type Message = { serial: number; state: string; text: string; pulls?: string; action?: string; weight?: number }
type Waiting = { enter?: string; sent: Map<string, Message> }

/** The server: of messages that wait it receives the last one; what it has answered, it repeats in every run. */
class ServerModel {
  entered = "start"
  typed = ""
  pulls: string[] = []
  readonly made: { pull: string; text: string; on: string }[] = [] // every pull that was set, and on which sentence
  private readonly last = new Map<string, Answer>()

  run({ enter, sent }: Waiting): { answers: StageAnswers; shown: Pick<StagePayload, "sentence" | "entered" | "state" | "pulled"> } {
    if (enter !== undefined && enter !== this.entered) [this.entered, this.typed, this.pulls] = [enter, "", []]
    const answers = (name: string) => {
      const message = sent.get(name)
      const last = this.last.get(name)
      if (!message) return last ? [last] : []
      if (last && message.serial < last.serial) return [last, { serial: message.serial, status: "outdated" as const }]
      const answer = message.serial === last?.serial ? last : { serial: message.serial, status: this.do(name, message) }
      this.last.set(name, answer)
      return [answer]
    }
    const [type, ask] = [answers("type"), answers("ask")]
    const pulls = this.typed ? "" : this.pulls.join(";")
    const shown = { sentence: this.typed || this.entered, entered: this.entered, state: this.entered, pulled: null }
    return { answers: { state: this.entered, pulls, type, ask }, shown: { ...shown, pulled: pulls ? ({ pulls } as unknown as Pulled) : null } }
  }

  private do(name: string, { state, text, pulls = "", action, weight }: Message): Answer["status"] {
    if (state !== this.entered) return "outdated"
    if (name === "type") {
      if (text.includes("?")) return "refused"
      this.typed = text === this.entered ? "" : text
      return "done"
    }
    if (text !== (this.typed || this.entered)) return "outdated"
    if (this.typed) return "refused"
    if (action === "reset") this.pulls = []
    if (action !== "pull" && action !== "undo") return "done"
    if (pulls !== this.pulls.join(";")) return "outdated"
    if (action === "pull" && this.pulls.length === limits.pulls) return "refused"
    if (action === "pull") this.made.push({ pull: String(weight), text, on: this.entered })
    this.pulls = action === "undo" ? this.pulls.slice(0, -1) : [...this.pulls, String(weight)]
    return "done"
  }
}

/** The browser's own classes, with a box that sends its text on Enter, and a line on which messages are lost. */
class Session {
  readonly server = new ServerModel()
  readonly box = { text: "start", committed: "start" }
  readonly texts: string[] = [] // that were sent while they were typed
  readonly halves: string[] = [] // of them, those that were sent in the middle of a word
  private typedAt = 0
  readonly pulled: { weight: number; text: string }[] = []
  shown: Pick<StagePayload, "sentence" | "entered" | "state"> = { sentence: "", entered: "", state: "" }
  lossy = true
  readonly ended = new AbortController()
  private waiting: Waiting = { sent: new Map() }
  private serving: number | undefined
  private readonly type: Requests<{ text: string }>
  private readonly asking: Requests<PullRequest>
  private readonly typing: LiveTyping
  private readonly pulling: Pulling
  private count = 0

  /** `fates`: what happens to each message and answer, in turn. */
  constructor(private readonly fates: readonly Fate[]) {
    const sender = { unanswered: new Map<string, unknown>(), answer: (name: string, value: unknown) => this.send(name, value as Message) }
    const page = { root: document.createElement("div"), notice: document.createElement("p"), signal: this.ended.signal }
    this.type = new Requests(sender, "type", () => {})
    this.asking = new Requests(sender, "ask", () => {})
    this.typing = new LiveTyping(page, this.type)
    this.pulling = new Pulling({ requests: this.asking, act: () => {}, refresh: () => {}, choice: () => ({ layer: "4", head: "1" }) })
    this.show(this.server.run({ sent: new Map() }))
  }

  get states(): string[] {
    return [this.type.state, this.asking.state]
  }

  private fate(): Fate {
    return this.lossy ? (this.fates[this.count++ % this.fates.length] ?? QUIET) : QUIET
  }

  private send(name: string, message: Message): void {
    if (name === "type" && message.text !== this.texts.at(-1)) {
      this.texts.push(message.text)
      const rested = Date.now() - this.typedAt >= 500 || message.text === this.box.committed
      if (!rested && !endsWord(message.text)) this.halves.push(message.text)
    }
    const { lost, twice, pause } = this.fate()
    for (let times = twice ? 2 : 1; times && !lost; times--) setTimeout(() => this.arrive({ sent: new Map([[name, message]]) }), pause * times)
  }

  /** A message waits for the server, in place of those of its name. */
  private arrive({ enter, sent }: Waiting): void {
    if (enter !== undefined) this.waiting.enter = enter
    for (const [name, message] of sent) this.waiting.sent.set(name, message)
    this.serving ??= window.setTimeout(() => {
      this.serving = undefined
      const run = this.server.run(this.waiting)
      this.waiting = { sent: new Map() }
      const { pause } = this.fate()
      const number = ++this.runs
      // the answers of one run are drawn in any order, but none of an older run after those of a later one
      setTimeout(() => number >= this.drawn && this.show(run, (this.drawn = number) % 2 === 0), pause)
    }, 50)
  }

  private runs = 0
  private drawn = 0
  private entering = 0
  private arrived = 0

  private show({ answers, shown }: ReturnType<ServerModel["run"]>, markFirst = true): void {
    const take = () => {
      this.typing.take(answers)
      this.pulling.take(answers)
    }
    if (markFirst) take()
    this.shown = shown
    this.pulling.follow({ ...shown, words, limits })
    this.typing.follow({ ...shown, words, limits })
    take()
  }

  key(text: string): void {
    this.typedAt = Date.now()
    this.typing.type((this.box.text = text))
  }

  enter(): void {
    this.typing.enter()
    const { text } = this.box
    if (text === this.box.committed) return // Streamlit sends a changed text alone
    this.box.committed = text
    const number = ++this.entering // a value is never lost, as each message has it, and none comes after a later one
    const arrive = () => {
      if (number < this.arrived) return
      this.arrived = number
      this.arrive({ enter: text, sent: new Map() })
    }
    setTimeout(arrive, this.fate().pause)
  }

  pull(weight: number): void {
    this.pulled.push({ weight, text: this.shown.sentence })
    this.pulling.open({ kind: "cross", query: 1, key: 1 })
    this.pulling.release(weight / 100)
  }

  take(action: "undo" | "reset"): void {
    this.pulling.takeBack(action)
  }
}

type Fate = { lost: boolean; twice: boolean; pause: number }
const QUIET: Fate = { lost: false, twice: false, pause: 10 }
const TEXTS = ["a ", "a bo", "a box ", "a box is", "why? ", "a text that is far too long ", "start", ""]
const fates = fc.array(fc.record({ lost: fc.boolean(), twice: fc.boolean(), pause: fc.constantFrom(10, 400, 4000, 9000) }), { minLength: 1, maxLength: 12 })
const act = fc.oneof(
  fc.constantFrom(...TEXTS).map((text) => ({ name: "key", text }) as const),
  fc.constant({ name: "enter" } as const),
  fc.integer({ min: 1, max: 99 }).map((weight) => ({ name: "pull", weight }) as const),
  fc.constantFrom("undo", "reset").map((action) => ({ name: action }) as const),
  fc.constantFrom(20, 100, 600, 5000).map((pause) => ({ name: "wait", pause }) as const),
)

afterEach(() => {
  vi.useRealTimers()
})

/** Does what a user does, one after the other. */
function play(session: Session, acts: readonly (typeof act extends fc.Arbitrary<infer Act> ? Act : never)[]): void {
  for (const each of acts) {
    if (each.name === "key") session.key(each.text)
    else if (each.name === "enter") session.enter()
    else if (each.name === "pull") session.pull(each.weight)
    else if (each.name === "wait") vi.advanceTimersByTime(each.pause)
    else session.take(each.name)
  }
}

test("at rest after Enter box, stage and page are of one sentence, and each pull is set once, on the sentence on which it was made", () => {
  vi.useFakeTimers()
  const run = fc.property(fates, fc.array(act, { maxLength: 14 }), fc.constantFrom("a box ", "the end", "start"), (line, acts, last) => {
    const session = new Session(line)
    play(session, acts)
    session.key(last)
    session.enter()
    vi.advanceTimersByTime(5000)
    session.lossy = false
    vi.advanceTimersByTime(200_000)
    const { server, shown, box } = session
    session.ended.abort()
    vi.clearAllTimers()
    expect([shown.sentence, shown.entered, server.entered, server.typed]).toEqual([box.text, box.text, box.text, ""])
    expect(session.states).not.toContain("sent")
    expect(session.states).not.toContain("late")
    for (const { on, text } of server.made) expect(text).toBe(on)
    const asked = session.pulled.map(({ weight, text }) => `${weight / 100} on ${text}`)
    const set = server.made.map(({ pull, on }) => `${pull} on ${on}`)
    for (const one of set) expect(set.filter((other) => other === one).length).toBeLessThanOrEqual(asked.filter((other) => other === one).length)
  })
  fc.assert(run, { numRuns: 1000 })
}, 30_000)

test("what is typed and not entered is shown at last, and no half of a word nor a text that is too long is sent", () => {
  vi.useFakeTimers()
  const run = fc.property(fates, fc.array(act, { maxLength: 10 }), (line, acts) => {
    const session = new Session(line)
    play(session, acts)
    session.lossy = false
    vi.advanceTimersByTime(200_000)
    const before = session.texts.length
    session.key("a box is")
    vi.advanceTimersByTime(499)
    expect(session.texts.length).toBe(before)
    vi.advanceTimersByTime(60_000)
    const { sentence, entered } = session.shown
    session.ended.abort()
    vi.clearAllTimers()
    expect([sentence, entered]).toEqual(["a box is", session.box.committed])
    expect(session.halves).toEqual([])
    expect(session.texts.filter((text) => text.length > limits.characters || !text.trim())).toEqual([])
  })
  fc.assert(run, { numRuns: 300 })
}, 30_000)

test("pulls are set in order, each once, however many of their messages are lost or doubled", () => {
  vi.useFakeTimers()
  const run = fc.property(fates, fc.uniqueArray(fc.integer({ min: 1, max: 99 }), { minLength: 1, maxLength: 5 }), (line, weights) => {
    const session = new Session(line)
    for (const weight of weights) {
      session.pull(weight)
      vi.advanceTimersByTime(600)
    }
    session.lossy = false
    vi.advanceTimersByTime(200_000)
    session.ended.abort()
    vi.clearAllTimers()
    expect(session.server.pulls).toEqual(weights.slice(0, limits.pulls).map((weight) => String(weight / 100)))
  })
  fc.assert(run, { numRuns: 300 })
}, 30_000)
