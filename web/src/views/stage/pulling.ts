/** What the user pulls, and the requests about it: changes one after the other, then what is to be known about them. */

import { button, element, filled, markData, setAttributes } from "../../core/dom"
import type { Answer, Requests } from "../../core/requests"
import { Former, type KindName, type MapChoice, type StageAnswers, type StagePayload, type Words } from "./payload"
import { clampNumber, columnOfHeads, sum, weightText } from "./reading"

/* A pull in the browser: the row that a weight gives, and what the server's sweep says about weights. */

export type Action = "sweep" | "pull" | "control" | "undo" | "reset"
export const SCOPES = ["drawn", "layer", "all"] as const
export type Scope = (typeof SCOPES)[number]

/** What the server tried: for each weight the token of the place, and the translation. */
export interface Sweep {
  readonly before: number
  readonly weights: readonly number[]
  readonly tokens: readonly (string | null)[]
  readonly texts: readonly string[]
  readonly of: readonly number[] // weight -> its translation
}

/** The answer to a request about pulls. */
export interface PullAnswer extends Answer, Partial<Sweep> {
  readonly control?: readonly string[]
}

/** A stretch of the scale in which the place has one token. */
interface Stretch {
  readonly token: string | null
  readonly from: number // its borders lie between two weights that were tried
  readonly to: number
}

export function isSweep(answer: PullAnswer): answer is PullAnswer & Sweep {
  return Boolean(answer.weights?.length)
}

/** The row with another weight of one key; the others keep their proportions. */
export function pulledRow(row: ArrayLike<number>, key: number, weight: number): Float32Array {
  const others = sum(Array.from(row)) - row[key]!
  const factor = others > 0 ? (1 - weight) / others : 0
  return Float32Array.from(row, (own, place) => (place === key ? weight : own * factor))
}

/** The index of the nearest weight that was tried. */
export function nearest({ weights }: Pick<Sweep, "weights">, weight: number): number {
  let best = 0
  weights.forEach((tried, place) => {
    if (Math.abs(tried - weight) < Math.abs(weights[best]! - weight)) best = place
  })
  return best
}

/** The stretches of the scale, from 0 to 1. */
export function stretches({ weights, tokens }: Pick<Sweep, "weights" | "tokens">): Stretch[] {
  const found: { token: string | null; from: number; to: number }[] = []
  weights.forEach((weight, place) => {
    const border = place ? (weights[place - 1]! + weight) / 2 : 0
    const last = found.at(-1)
    if (last?.token === tokens[place]) return
    if (last) last.to = border
    found.push({ token: tokens[place] ?? null, from: border, to: 1 })
  })
  return found
}

/**
 * What each weight gives, and which of that counts as no change: the token of the place; in the encoder, whose queries choose
 * none, the words of the translation that are others than at the weight before the pull.
 */
export function outcomes(sweep: Sweep, unchanged: string): { tokens: readonly (string | null)[]; same: string | null } {
  const { before, of, texts, tokens } = sweep
  if (tokens.some((token) => token !== null)) return { tokens, same: tokens[0] ?? null }
  const former = texts[of[nearest(sweep, before)]!] ?? ""
  const named = texts.map((text) => {
    if (text === former) return unchanged
    const words = changedWords(text, former).filter(([, changed]) => changed)
    return words.map(([word]) => word.trim()).join(" ") || "\u2026" // words are left out alone
  })
  return { tokens: of.map((text) => named[text]!), same: unchanged }
}

/** The weight of a key in each head if one number is added to its score in all, so that their mean is `wanted`. */
export function headWeights(weights: readonly number[], wanted: number): number[] {
  if (wanted <= 0 || wanted >= 1 || weights.some((weight) => weight <= 0 || weight >= 1)) return weights.map(() => wanted)
  const at = (delta: number) => weights.map((weight) => 1 / (1 + ((1 - weight) / weight) * Math.exp(-delta)))
  let [low, high] = [-100, 100]
  for (let step = 0; step < 60; step++) {
    const middle = (low + high) / 2
    if (sum(at(middle)) / weights.length < wanted) low = middle
    else high = middle
  }
  return at(high)
}

/** Which words of a text are not in another one, in order; both lists of words keep their longest common part. */
export function changedWords(text: string, former: string): readonly (readonly [word: string, changed: boolean])[] {
  const [own, other] = [text.split(/(?<=\s|['\u2019])/u), former.split(/(?<=\s|['\u2019])/u)]
  const lengths = Array.from({ length: own.length + 1 }, () => Array<number>(other.length + 1).fill(0))
  const same = (one: number, two: number) => own[one]!.trim() === other[two]!.trim()
  for (let one = own.length - 1; one >= 0; one--) {
    for (let two = other.length - 1; two >= 0; two--) {
      lengths[one]![two] = same(one, two) ? lengths[one + 1]![two + 1]! + 1 : Math.max(lengths[one + 1]![two]!, lengths[one]![two + 1]!)
    }
  }
  let two = 0
  return own.map((word, one) => {
    while (two < other.length && !same(one, two) && lengths[one]![two + 1]! >= lengths[one]![two]! && lengths[one]![two]! > lengths[one + 1]![two]!) two++
    const changed = two >= other.length || !same(one, two)
    if (!changed) two++
    return [word, changed] as const
  })
}

/* A drag sideways that changes a weight. */

const LEAST_DRAG = 3 // pixels that the pointer moves before it drags

/** Follows the pointer from a press until it is released, once a frame; `length`: pixels from the weight 0 to 1. */
export function dragWeight(
  { clientX }: PointerEvent,
  start: number,
  length: number,
  pulling: { preview: (weight: number) => void; release: (weight: number) => void },
): void {
  const ended = new AbortController()
  const { signal } = ended
  const weightAt = (later: PointerEvent) => Math.round(100 * (start + (later.clientX - clientX) / length)) / 100
  let moved = false
  let newest: PointerEvent | undefined // that waits for the next frame
  const draw = () => {
    if (newest && !signal.aborted) pulling.preview(weightAt(newest))
    newest = undefined
  }
  const move = (later: PointerEvent) => {
    moved ||= Math.abs(later.clientX - clientX) > LEAST_DRAG
    if (!moved) return
    if (!newest) window.requestAnimationFrame(draw)
    newest = later
  }
  const release = (later: PointerEvent) => {
    ended.abort()
    if (moved) pulling.release(weightAt(later))
  }
  window.addEventListener("pointermove", move, { signal })
  window.addEventListener("pointerup", release, { signal })
  window.addEventListener("pointercancel", () => ended.abort(), { signal })
}

/* Which weights of a row are drawn, and how they divide the row's bar. */

export const SHARE = 0.8 // of a row: its strongest keys up to this share are drawn at rest
export const MOST = 3 // of them
export const LEAST = 0.08 // and none below this weight
export const HELD_LEAST = 0.02 // of a token that is held
const ARC_LEAST = 0.25 // of an arc at rest

/** A weight that is drawn. `from` is where its part of the bar begins, from 0 to 1; the rest of the bar is hatched. */
export interface Part {
  readonly key: number
  readonly weight: number
  readonly from: number
}

/** The strongest keys of a row up to `SHARE`, at most `MOST`, none below `LEAST`, in the order of keys. */
export function atRest(row: ArrayLike<number>): Part[] {
  const order = [...Array.from(row).keys()].sort((one, other) => row[other]! - row[one]! || one - other)
  const keys: number[] = []
  let covered = 0
  for (const key of order) {
    if (keys.length === MOST || covered >= SHARE || row[key]! < LEAST) break
    keys.push(key)
    covered += row[key]!
  }
  return inBar(row, keys)
}

/** All keys of a row from `least` on, in the order of keys. */
export function ofHeld(row: ArrayLike<number>, least = HELD_LEAST, also?: number): Part[] {
  return inBar(
    row,
    [...Array.from(row).keys()].filter((key) => row[key]! >= least || key === also),
  )
}

function inBar(row: ArrayLike<number>, keys: readonly number[]): Part[] {
  let from = 0
  return [...keys]
    .sort((one, other) => one - other)
    .map((key) => {
      const part = { key, weight: row[key]!, from }
      from += part.weight
      return part
    })
}

/** The share of a bar that parts leave. */
export function restOf(parts: readonly Part[]): number {
  return Math.max(0, 1 - sum(parts.map(({ weight }) => weight)))
}

/** The strongest key of a row besides `own`, if it has at least `ARC_LEAST`; else -1. */
export function strongestArc(row: ArrayLike<number>, own: number): number {
  let best = -1
  for (let key = 0; key < row.length; key++) {
    if (key !== own && row[key]! >= ARC_LEAST && (best < 0 || row[key]! > row[best]!)) best = key
  }
  return best
}

/** The keys to which arcs lead at rest, without the token itself: one, or where the kind is chosen the strongest. */
export function arcsAtRest(row: ArrayLike<number>, own: number, chosen: boolean): number[] {
  if (chosen) return atRest(row).map(({ key }) => key).filter((key) => key !== own)
  const key = strongestArc(row, own)
  return key < 0 ? [] : [key]
}

/* The panel of a pull: the weight on a scale of words, what it changes, and buttons. */

/** A weight that can be pulled. */
interface Pullable {
  readonly query: string
  readonly key: string
  readonly weight: number
  readonly heads: readonly number[] // its weight in each head that is drawn
  readonly layer: string
  readonly decimals: number
}

/** The weight of a query and a key; `weight`: before it is pulled. */
export function pullableAt(payload: StagePayload, choice: MapChoice, target: Target, weight: number): Pullable {
  const { queries, keys } = payload.maps[target.kind]
  const names = { query: queries[target.query]!, key: keys[target.key]! }
  return { ...names, weight, heads: columnOfHeads(payload, choice, target), layer: choice.layer, decimals: payload.decimals }
}

interface PanelEvents {
  preview: (weight: number) => void
  release: (weight: number) => void
  scope: (scope: Scope) => void
}

export class PullPanel {
  readonly root: HTMLElement
  private readonly title: HTMLHeadingElement
  private readonly weight: HTMLSpanElement
  private readonly scale: HTMLDivElement
  private readonly slider: HTMLInputElement
  private readonly marks: HTMLDivElement
  private readonly scopes: HTMLSelectElement
  private readonly rubOut: HTMLButtonElement
  private readonly onlyThis: HTMLButtonElement
  private pullable: Pullable | null = null
  private readonly formerSweep = new Former()

  constructor(parent: ParentNode, events: PanelEvents) {
    this.root = element("section", "pull", parent)
    this.root.hidden = true
    const head = element("div", "pull-head", this.root)
    this.title = element("h2", "", head)
    this.weight = element("span", "pull-weight", head)
    this.scale = element("div", "scale", this.root)
    this.slider = element("input", "", this.root)
    Object.assign(this.slider, { type: "range", min: 0, max: 1, step: 0.01 })
    this.marks = element("div", "head-marks", this.root)
    this.slider.oninput = () => events.preview(this.slider.valueAsNumber)
    this.slider.onchange = () => events.release(this.slider.valueAsNumber)
    const row = element("div", "pull-buttons", this.root)
    this.rubOut = button(row, "", () => events.release(0))
    this.onlyThis = button(row, "", () => events.release(1))
    this.scopes = element("select", "", row)
    this.scopes.onchange = () => events.scope(this.scopes.value as Scope)
  }

  /** Shows a weight that can be pulled; null hides the panel. */
  open(pullable: Pullable | null, words: Words, scope: Scope): void {
    this.pullable = pullable
    this.root.hidden = !pullable
    if (!pullable) return
    this.title.textContent = filled(words.pull, { query: pullable.query, key: pullable.key })
    setAttributes(this.slider, { "aria-label": filled(words.slider, { query: pullable.query, key: pullable.key }) })
    this.rubOut.textContent = words.rubOut
    this.onlyThis.textContent = words.onlyThis
    const names = { drawn: words.scopeDrawn, layer: filled(words.scopeLayer, { layer: pullable.layer }), all: words.scopeAll }
    this.scopes.setAttribute("aria-label", words.scope)
    this.scopes.replaceChildren(...SCOPES.map((name) => new Option(names[name], name)))
    this.scopes.value = scope
  }

  /** Shows the weight while it is dragged. */
  showWeight(weight: number, words: Words): void {
    const { pullable } = this
    if (!pullable) return
    this.slider.value = String(weight)
    this.slider.setAttribute("aria-valuetext", weightText(weight))
    const changed = Math.abs(weight - pullable.weight) >= 0.005
    const was = weightText(pullable.weight, pullable.decimals)
    this.weight.textContent = changed ? filled(words.weightNow, { weight: weightText(weight), was }) : was
    this.marks.replaceChildren()
    for (const own of pullable.heads.length > 1 ? headWeights(pullable.heads, weight) : []) {
      element("i", "", this.marks).style.left = `${100 * own}%`
    }
  }

  /** Shows which token each weight gives, or which words it changes; null while the server tries them. */
  showSweep(sweep: Sweep | null, words: Words): void {
    if (!this.formerSweep.changed(sweep, words)) return
    this.scale.replaceChildren()
    this.scale.classList.toggle("waiting", !sweep)
    if (!sweep) {
      this.scale.textContent = words.sweeping
      return
    }
    const { tokens, same } = outcomes(sweep, words.unchanged)
    for (const { token, from, to } of stretches({ ...sweep, tokens })) {
      const isPage = token === null || token === same // words of the page, not of the translation
      const part = markData(element("span", token === same ? "" : "other", this.scale), isPage ? "" : "token fr")
      const label = token ?? words.noWord
      part.style.left = `${100 * from}%`
      part.style.width = `${100 * (to - from)}%`
      part.textContent = label
      part.title = filled(words.scale, { token: label, low: weightText(from), high: weightText(to) })
    }
  }
}

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
