/** What the user pulls, and the requests about it: changes one after the other, then what is to be known about them. */

import type { Requests } from "../../core/requests"
import { clampNumber } from "./arithmetic"
import type { KindName, MapChoice, Pulled } from "./payload"
import { isSweep, nearest, SCOPES, type Action, type Answer, type Scope, type Sweep } from "./pull"

const AFTER_KEYS = 500 // milliseconds after the last key, then the weight is set
const AFTER_ARROWS = 150

/** A weight of a kind: of a query and a key. */
export interface Target {
  readonly kind: KindName
  readonly query: number
  readonly key: number
}

/** What the server is asked, see `StageRequest` in views/components/stage.py. */
export interface PullRequest extends Target, MapChoice {
  readonly action: Action
  readonly scope: Scope
  readonly weight: number
}

export interface PullingHost {
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
  control: readonly string[] = []
  error = ""
  leftOut = "" // why a pull in the address is not shown
  private swept = "" // of which map and weight the server has the sweep, or a reason why there is none
  private waiting: number | undefined
  private pulls = JSON.stringify(null) // of the payload
  private controlled = true // whether the control of the last of them is known
  private changed = false // whether there was a change since the weight was chosen
  private changes: PullRequest[] = [] // that wait for the answer to the one before

  constructor(private readonly host: PullingHost) {}

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

  private request(action: Action, weight = 0): PullRequest {
    const target = this.target ?? NO_TARGET
    return { action, ...target, ...this.host.choice(target.kind), scope: this.scope, weight }
  }

  /** Sends what is not answered yet, one after the other: changes, then the control, then the sweep, or that before it. */
  private askNext(sweepFirst = false): void {
    const { requests } = this.host
    if (requests.open) return
    const change = this.changes.shift()
    if (change) this.host.act()
    const sweep = this.target ? this.request("sweep") : null
    const questions = [this.controlled ? null : this.request("control"), JSON.stringify(sweep) === this.swept ? null : sweep]
    if (sweepFirst) questions.reverse()
    const next = change ?? questions[0] ?? questions[1]
    if (next) requests.ask(next)
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

  /** Takes the answer of the server to what was asked last. */
  take(answer: Answer | null): void {
    const request = this.host.requests.settle(answer?.serial)
    if (!answer || !request) return
    const refused = answer.error && (request.action !== "sweep" || !this.changed) // a pulled weight may allow no other
    if (refused) [this.error, this.weight] = [answer.error, null]
    if (request.action === "control") [this.controlled, this.control] = [true, answer.control ?? []]
    if (request.action === "sweep") [this.swept, this.sweep] = [JSON.stringify(request), isSweep(answer) ? answer : null]
    this.askNext()
    this.host.refresh()
  }

  /** Takes why a pull in the address is not shown, with every answer and before the first one. */
  takeLeftOut(answer: Answer | null): void {
    const { leftOut = "" } = answer ?? {}
    const changed = leftOut !== this.leftOut
    this.leftOut = leftOut
    if (changed) this.host.refresh()
  }

  /** Follows the pulls of a new payload, and asks for the control of the last one. */
  follow(pulled: Pulled | null): void {
    const pulls = JSON.stringify(pulled)
    if (pulls !== this.pulls) {
      this.pulls = pulls
      this.controlled = !pulled
      this.control = []
      this.weight = null
    }
    this.askNext()
  }
}

function isChange({ action }: PullRequest): boolean {
  return action !== "sweep" && action !== "control"
}
