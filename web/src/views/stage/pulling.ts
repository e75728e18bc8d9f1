/** What the user pulls, and the requests about it: the newest wins. */

import { clampNumber } from "./arithmetic"
import type { KindName, MapChoice, Pulled } from "./payload"
import { isSweep, nearest, SCOPES, type Action, type Answer, type Scope, type Sweep } from "./pull"

const AFTER_KEYS = 500 // milliseconds after the last key, then the weight is set
const AFTER_ARROWS = 150
const LOST = 5000 // milliseconds after which no answer to a change is expected any more

/** A weight of a kind: of a query and a key. */
export interface Target {
  readonly kind: KindName
  readonly query: number
  readonly key: number
}

export interface PullingHost {
  ask: (request: Readonly<Record<string, unknown>>) => void
  refresh: () => void // draws the weight that is tried
  act: () => void // called before a request that changes the pulls
  choice: (kind: KindName) => MapChoice
}

/** Pulls by a key; whether the key does. `weight`: of the key that is chosen in the row, null if none is. */
export function pullsByKey({ key, shiftKey, ctrlKey, metaKey }: KeyboardEvent, pulling: Pulling, weight: number | null): boolean {
  if ((ctrlKey || metaKey) && key === "z") pulling.takeBack("undo")
  else if (weight === null) return false
  else if (key === "Delete") pulling.release(0)
  else if (key === "1") pulling.release(1)
  else if (["+", "=", "-", "_"].includes(key)) pulling.step(weight, (key === "+" || key === "=" ? 1 : -1) * (shiftKey ? 0.01 : 0.05))
  else return false
  return true
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
  private serial = 0
  private asked = ""
  private waiting: number | undefined
  private controlled = ""
  private changing: number | undefined // the timer of a change without an answer
  private question: (() => void) | undefined // that waits for the answer

  constructor(private readonly host: PullingHost) {}

  /** Chooses a weight, and asks what its place would choose at 17 others. */
  open(target: Target | null, byKeys = false): void {
    if (sameTarget(target, this.target)) return
    this.target = target
    this.sweep = this.weight = null
    this.asked = ""
    window.clearTimeout(this.waiting)
    if (!target) return
    if (byKeys) this.waiting = window.setTimeout(() => this.askSweep(), AFTER_ARROWS)
    else this.askSweep()
  }

  setScope(scope: Scope): void {
    this.scope = scope
    this.asked = ""
    this.sweep = null
    this.askSweep()
    this.host.refresh()
  }

  private askSweep(): void {
    if (!this.target) return
    const name = JSON.stringify([this.target, this.scope, this.host.choice(this.target.kind)])
    if (name === this.asked) return
    this.asked = name
    this.send("sweep", 0)
  }

  /** Asks the server. Of requests that arrive together it receives the last one: a question waits for the answer to a change. */
  private send(action: Action, weight: number): void {
    const changes = action !== "sweep" && action !== "control"
    if (!changes && this.changing !== undefined) {
      if (action === "control") this.asked = "" // a sweep that waited is asked for again after it
      this.question = () => this.send(action, weight)
      return
    }
    const target = this.target ?? NO_TARGET
    const place = { ...target, ...this.host.choice(target.kind), scope: this.scope }
    if (changes) this.beginChange()
    this.host.ask({ serial: ++this.serial, action, ...place, weight })
  }

  private beginChange(): void {
    this.host.act()
    window.clearTimeout(this.changing)
    this.changing = window.setTimeout(() => this.endChange(), LOST)
  }

  private endChange(): void {
    const { question } = this
    window.clearTimeout(this.changing)
    this.changing = this.question = undefined
    question?.()
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
    this.send("pull", clampNumber(weight, 0, 1))
  }

  /** Changes the weight by keys, and sets it a moment after the last of them. */
  step(from: number, by: number): void {
    this.preview((this.weight ?? from) + by)
    this.waiting = window.setTimeout(() => this.weight !== null && this.release(this.weight), AFTER_KEYS)
  }

  takeBack(action: "undo" | "reset"): void {
    window.clearTimeout(this.waiting)
    this.weight = null
    this.send(action, 0)
  }

  /** The translation at the weight that is tried; null if none is tried or known. */
  get triedText(): string | null {
    const { sweep, weight } = this
    return sweep && weight !== null ? (sweep.texts[sweep.of[nearest(sweep, weight)]!] ?? null) : null
  }

  /** Takes an answer of the server, if no newer request was sent. */
  take(answer: Answer | null): void {
    if (answer?.serial !== this.serial) return
    this.endChange()
    this.error = answer.error ?? ""
    if (answer.error) this.weight = null
    if (answer.control) this.control = answer.control
    if (isSweep(answer)) this.sweep = answer
    else if (answer.control && !this.sweep) this.askSweep() // of a pull that came by a link
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
    const name = JSON.stringify(pulled)
    if (name === this.controlled) return
    this.controlled = name
    this.control = []
    this.weight = null
    if (pulled) this.send("control", 0)
  }
}
