/** What the user pulls, and the requests about it: changes one after the other, then what is to be known about them. */

import { filled } from "../../core/dom"
import type { Requests } from "../../core/requests"
import type { StageAnswers } from "./answers"
import { clampNumber } from "./arithmetic"
import type { KindName, MapChoice, StagePayload } from "./payload"
import { isSweep, nearest, SCOPES, type Action, type PullAnswer, type Scope, type Sweep } from "./pull"

const AFTER_KEYS = 500 // milliseconds after the last key, then the weight is set
const AFTER_ARROWS = 150

/** A weight of a kind: of a query and a key. */
export interface Target {
  readonly kind: KindName
  readonly query: number
  readonly key: number
}

interface Question extends Target, MapChoice {
  readonly action: Action
  readonly scope: Scope
  readonly weight: number
}

/** What the server is asked, see `StageRequest` in views/components/stage.py. */
export interface PullRequest extends Question {
  readonly text: string // the sentence
  readonly pulls: string // those on which it is made
}

interface PullingHost {
  readonly requests: Requests<PullRequest>
  refresh: () => void // draws the weight that is tried
  act: () => void // called before a request that changes the pulls
  choice: (kind: KindName) => MapChoice
}

/** Pulls by a key; whether the key does. `weight`: of the key that is chosen in the row, null if none is. */
export function pullsByKey({ key, shiftKey, ctrlKey, metaKey }: KeyboardEvent, pulling: Pulling, weight: number | null): boolean {
  if (weight === null || ctrlKey || metaKey) return false
  if (key === "Delete") pulling.release(0)
  else if (key === "1") pulling.release(1)
  else if (["+", "=", "-", "_"].includes(key)) pulling.step(weight, (key === "+" || key === "=" ? 1 : -1) * (shiftKey ? 0.01 : 0.05))
  else return false
  return true
}

const TYPED = "input:not([type=range]), textarea, select, [contenteditable]" // have an undo of their own

/** Undoes the last pull by a key, wherever the focus is but in a box: the element that had it may be gone. */
export function undoByKey(event: KeyboardEvent, pulling: Pulling): void {
  const [target] = event.composedPath()
  if (!(event.ctrlKey || event.metaKey) || event.key !== "z" || !pulling.undoable) return
  if (target instanceof Element && target.matches(TYPED)) return
  event.preventDefault()
  pulling.takeBack("undo")
}

const NO_TARGET: Target = { kind: "cross", query: 0, key: 0 }

export function sameTarget(one: Target | null, other: Target | null): boolean {
  return one?.kind === other?.kind && one?.query === other?.query && one?.key === other?.key
}

export class Pulling {
  scope: Scope = SCOPES[1]
  target: Target | null = null
  sweep: Sweep | null = null
  weight: number | null = null // that is tried
  error = ""
  leftOut = "" // why a pull in the address is not shown
  private swept = "" // of which map and weight the server has the sweep, or a reason why there is none
  private waiting: number | undefined
  private shown: Pick<StagePayload, "state" | "sentence" | "words" | "limits"> | undefined
  private state = "" // of the page, as the mark has it
  private text = "" // of the pulls that the page has
  private pulls = JSON.stringify(null) // of the payload
  private controlled = "" // the text of the pulls of whose last the control is known
  private sentences: readonly string[] = [] // of that control
  private changed = false // whether there was a change since the weight was chosen
  private changes: Question[] = [] // that wait for the answer to the one before

  constructor(private readonly host: PullingHost) {}

  /** What the control of the last pull found. */
  get control(): readonly string[] {
    return this.controlled === this.text ? this.sentences : []
  }

  /** Chooses a weight, and asks what its place would choose at 17 others. */
  open(target: Target | null, byKeys = false): void {
    if (sameTarget(target, this.target)) return
    this.target = target
    this.weight = null
    this.endSweep()
    window.clearTimeout(this.waiting)
    if (byKeys) this.waiting = window.setTimeout(() => this.askNext(true), AFTER_ARROWS)
    else this.askNext(true)
  }

  setScope(scope: Scope): void {
    this.scope = scope
    this.endSweep()
    this.askNext(true)
    this.host.refresh()
  }

  /** Forgets the sweep, and leaves what is asked for later. */
  private endSweep(): void {
    const { requests } = this.host
    this.sweep = null
    this.swept = this.error = ""
    this.changed = false
    if (requests.open && !isChange(requests.open)) requests.drop()
  }

  /** The translation is another one: what was asked about the former is no longer expected. */
  free(): void {
    this.changes = []
    this.host.requests.drop()
    this.open(null)
  }

  private request(action: Action, weight = 0): Question {
    const target = this.target ?? NO_TARGET
    return { action, ...target, ...this.host.choice(target.kind), scope: this.scope, weight }
  }

  /** Sends what is not answered yet, one after the other: changes, then the control, then the sweep, or that before it. */
  private askNext(sweepFirst = false): void {
    const { requests } = this.host
    if (requests.open || !this.shown || this.shown.state !== this.state) return // the mark or the payload follows
    const change = this.nextChange()
    if (change) this.host.act()
    const sweep = this.target ? this.request("sweep") : null
    const questions = [this.controlled === this.text ? null : this.request("control"), JSON.stringify(sweep) === this.swept ? null : sweep]
    if (sweepFirst) questions.reverse()
    const next = change ?? questions[0] ?? questions[1]
    if (next) requests.ask({ ...next, text: this.shown.sentence, pulls: this.text })
  }

  /** The change that is sent next. One pull too many is not sent. */
  private nextChange(): Question | undefined {
    const change = this.changes.shift()
    const { words, limits } = this.shown ?? {}
    const count = this.text ? this.text.split(";").length : 0
    if (change?.action !== "pull" || !words || !limits || count < limits.pulls) return change
    ;[this.error, this.weight] = [filled(words.mostPulls, { count }), null]
    this.host.refresh()
    return this.nextChange()
  }

  /** Changes the pulls, after the change before; a question that has no answer yet is asked later. */
  private change(action: Action, weight: number): void {
    const { open, late } = this.host.requests
    this.error = ""
    this.changed = true
    if (action === "reset") this.changes = []
    this.changes.push(this.request(action, weight))
    if (open && (late || !isChange(open))) this.host.requests.drop()
    this.askNext()
  }

  /** Tries a weight: what the server knows about the nearest one is shown, without a request. */
  preview(weight: number): void {
    window.clearTimeout(this.waiting)
    const former = this.weight
    this.weight = clampNumber(weight, 0, 1)
    if (this.weight !== former) this.host.refresh()
  }

  /** Sets a weight. */
  release(weight: number): void {
    this.preview(weight)
    this.change("pull", clampNumber(weight, 0, 1))
  }

  /** Changes the weight by keys, and sets it a moment after the last of them. */
  step(from: number, by: number): void {
    this.preview((this.weight ?? from) + by)
    this.waiting = window.setTimeout(() => this.weight !== null && this.release(this.weight), AFTER_KEYS)
  }

  takeBack(action: "undo" | "reset"): void {
    window.clearTimeout(this.waiting)
    this.weight = null
    this.change(action, 0)
  }

  /** Whether there is a pull, or one that is not answered yet. */
  get undoable(): boolean {
    const { open } = this.host.requests
    return this.pulls !== "null" || this.weight !== null || this.changes.length > 0 || Boolean(open && isChange(open))
  }

  /** The translation at the weight that is tried; null if none is tried or known. */
  get triedText(): string | null {
    const { sweep, weight } = this
    return sweep && weight !== null ? (sweep.texts[sweep.of[nearest(sweep, weight)]!] ?? null) : null
  }

  /** Takes the pulls that the page has, and the answer of the server to what was asked last. */
  take(answers: StageAnswers | null): void {
    if (!answers) return
    const changed = answers.pulls !== this.text || answers.state !== this.state
    ;[this.text, this.state] = [answers.pulls, answers.state]
    if (!this.text) this.controlled = ""
    const taken = this.host.requests.take(answers.ask)
    if (taken) this.takeAnswer(taken.request, taken.answer)
    else if (changed) this.askNext()
  }

  private takeAnswer(request: PullRequest, answer: PullAnswer): void {
    if (answer.status === "outdated") {
      this.changes = [] // were made on what is not shown any more
      if (this.text !== request.pulls) this.askNext() // else the page is another one, whose payload follows
      return
    }
    const refused = answer.reason && (request.action !== "sweep" || !this.changed) // a pulled weight may allow no other
    if (refused) [this.error, this.weight] = [answer.reason, null]
    if (request.action === "control") [this.controlled, this.sentences] = [request.pulls, answer.control ?? []]
    if (request.action === "sweep") [this.swept, this.sweep] = [JSON.stringify(questionOf(request)), isSweep(answer) ? answer : null]
    this.askNext()
    this.host.refresh()
  }

  /** Takes why a pull in the address is not shown, with every answer and before the first one. */
  takeLeftOut(answers: StageAnswers | null): void {
    const { leftOut = "" } = answers ?? {}
    const changed = leftOut !== this.leftOut
    this.leftOut = leftOut
    if (changed) this.host.refresh()
  }

  /** Follows what is shown: another sentence or state has none of the former's requests; asks for the control of its last pull. */
  follow(shown: Pick<StagePayload, "state" | "sentence" | "words" | "limits" | "pulled">): void {
    const former = this.shown
    this.shown = shown
    this.host.requests.follow(shown.state)
    if (former && (shown.state !== former.state || shown.sentence !== former.sentence)) this.free()
    const pulls = JSON.stringify(shown.pulled)
    if (pulls !== this.pulls) {
      this.pulls = pulls
      this.weight = null
    }
    this.askNext()
  }
}

function isChange({ action }: Question): boolean {
  return action !== "sweep" && action !== "control"
}

function questionOf({ action, kind, query, key, layer, head, scope, weight }: PullRequest): Question {
  return { action, kind, query, key, layer, head, scope, weight }
}
