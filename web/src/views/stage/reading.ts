/** The stage in words: what is drawn, and what a token attends to. */

import { MEAN, announceAction } from "../../core/choosing"
import { element, filled, markData } from "../../core/dom"
import { known, short } from "../../core/numbers"
import { buildTable } from "../../core/table"
import { ACTIONS, type FigurePayload, Former, type KindName, type MapChoice, type StagePayload, mapOf } from "./payload"
import { changedWords } from "./pulling"
import type { Scene } from "./scene"

/* Sums and limits. */

export function sum(numbers: Iterable<number>): number {
  let total = 0
  for (const number of numbers) total += number
  return total
}

export function clampNumber(value: number, low: number, high: number): number {
  return Math.max(low, Math.min(high, value))
}

/* The lines below the figure: the translation at a weight that is tried and before, the loss, the control, and what a ribbon is. */

/** What the browser knows besides the payload. */
interface StageFacts {
  readonly tried: string | null // a translation at a weight that is not set
  readonly control: readonly string[]
  readonly problem: string // why a pull is not shown; empty if there is no problem
  readonly averaged: number // heads whose mean is drawn
}

export class StageTexts {
  private readonly lines: HTMLDivElement
  private readonly notes: HTMLParagraphElement
  private readonly former = new Former()
  private readonly examples: HTMLParagraphElement

  /** `brief`: where a small screen shows the result of a pull. */
  constructor(
    parent: ParentNode,
    private readonly brief: HTMLElement,
  ) {
    const holder = element("div", "texts", parent)
    this.lines = element("div", "lines", holder)
    this.examples = element("p", "examples", holder)
    this.notes = element("p", "note", holder)
  }

  /** Shows the pulls of a payload. */
  show(payload: StagePayload, { tried, control, problem, averaged }: StageFacts): void {
    if (!this.former.changed(payload, tried, problem, averaged, ...control)) return
    const { pulled, words, text } = payload
    this.brief.replaceChildren()
    this.lines.replaceChildren()
    const now = tried ?? pulled?.now
    const before = pulled?.before ?? text
    if (now !== undefined) {
      const changes = changedWords(now, before)
      if (tried !== null) this.line(element("div", "now", this.lines), words.atWeight, changes)
      this.line(element("div", "before", this.lines), words.beforeText, [[before, false]])
      this.line(element("div", "now", this.brief), tried !== null ? words.atWeight : words.nowText, changes)
      element("p", "", this.brief).textContent = pulled && tried === null ? [pulled.forced, ...control.slice(0, 2)].join(" ") : ""
    }
    if (problem) element("p", "problem", this.brief).textContent = problem
    const typed = payload.sentence !== payload.entered // of which nothing can be pulled
    this.showExamples(payload, typed || tried !== null ? "none" : pulled ? "next" : "try")
    for (const sentence of [problem, ...(pulled?.lines ?? []), ...(pulled ? [control.join(" ")] : [])]) {
      if (sentence) element("p", "", this.lines).textContent = sentence
    }
    const mean = averaged > 1 ? [filled(words.meanOfHeads, { heads: averaged })] : []
    const how = now !== undefined || typed ? [] : [words.howToPull]
    this.notes.textContent = [...how, ...(pulled ? [pulled.forced] : []), words.note, ...mean].join(" ")
  }

  /** Proposes pulls: all of the payload, or after a pull the last of them. */
  private showExamples({ examples, words }: StagePayload, proposed: "try" | "next" | "none"): void {
    this.examples.replaceChildren()
    this.examples.hidden = proposed === "none" || !examples.length
    if (this.examples.hidden) return
    this.examples.append(`${proposed === "next" ? words.nextPull : words.tryThis}: `)
    for (const [label, address] of proposed === "next" ? examples.slice(-1) : examples) {
      const link = element("a", "", this.examples)
      link.textContent = label
      link.href = address
      link.onclick = (event) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return
        event.preventDefault()
        announceAction(ACTIONS)
        history.pushState(null, "", link.href)
        window.dispatchEvent(new PopStateEvent("popstate", { state: null }))
      }
    }
  }

  private line(line: HTMLElement, name: string, text: readonly (readonly [string, boolean])[]): void {
    element("span", "name", line).textContent = name
    const shown = markData(element("span", "sentence", line), "token fr")
    for (const [word, changed] of text) element(changed ? "mark" : "span", "", shown).textContent = word
  }
}

/** A token of one side; `french` counts places, that is without the start. */
export interface Focus {
  readonly side: "english" | "french"
  readonly place: number
}

const MOST_NAMED = 4

export function sameFocus(one: Focus | null, other: Focus | null): boolean {
  return one?.side === other?.side && one?.place === other?.place
}

/** The side whose tokens are the queries of a kind. */
export function querySide(kind: KindName): Focus["side"] {
  return kind === "encoder" ? "english" : "french"
}

/** The key of a query that a token stands for, -1 if it stands for none: the decoder's inputs begin with the start token, and later ones are masked. */
export function keyOfToken(kind: KindName, query: number, { side, place }: Focus): number {
  if (kind !== "decoder") return side === "english" ? place : -1
  return side === "french" && place < query ? place + 1 : -1
}

/** How many keys a query may attend to. */
export function visibleKeys(kind: KindName, query: number, keys: number): number {
  return kind === "decoder" ? Math.min(keys, query + 1) : keys
}

/** Whether a token that is held has a row in this kind. */
export function keepsFocus({ side }: Focus, kind: KindName): boolean {
  return kind === "cross" || (side === "english") === (kind === "encoder")
}

/** The name of what is drawn: kind, layer and heads. */
export function mapTitle(payload: StagePayload, kind: KindName, { layer, head }: MapChoice): string {
  const { heading, layers, heads } = payload.kinds[kind]
  const { words } = payload
  const counts = { layer, head, layers: layers.length - 1, heads: heads.length - 1 }
  const form =
    layer === MEAN ? (head === MEAN ? words.overAll : words.overLayers) : head === MEAN ? words.overHeads : words.one
  return filled(words.named, { kind: heading, map: filled(form, counts) })
}

/** A weight: three decimals, as in the cells of maps; of a sentence so long that it is sent with two, those. */
export function weightText(weight: number, decimals = 3): string {
  return decimals < 3 ? known(weight, decimals) : short(weight)
}

/** The strongest weights of a row, and what they leave of 1: "animal 0.750, it 0.151, other 0.099". */
export function listWeights(row: ArrayLike<number>, names: readonly string[], other: string, decimals = 3): string {
  const order = [...names.keys()].sort((one, two) => row[two]! - row[one]! || one - two)
  const named = order.slice(0, MOST_NAMED).filter((place) => row[place]! >= 0.05)
  const texts = named.map((place) => `${names[place]} ${weightText(row[place]!, decimals)}`)
  const rest = 1 - sum(named.map((place) => row[place]!)) // a sum of many small weights would add up their rounding
  if (rest >= 0.005) texts.push(`${other} ${weightText(rest, decimals)}`)
  return texts.join(", ")
}

/** A row of a map. */
export function rowOf(map: Float32Array, query: number, keys: number): Float32Array {
  return map.subarray(query * keys, (query + 1) * keys)
}

/** A column of a map. */
export function columnOf(map: Float32Array, key: number, keys: number): Float32Array {
  return map.filter((_, cell) => cell % keys === key)
}

/** A weight in each head that the drawn map of a kind averages; the weight alone where it is of one head. */
export function columnOfHeads(
  payload: StagePayload,
  { layer, head }: MapChoice,
  { kind, query, key }: { readonly kind: KindName; readonly query: number; readonly key: number },
): number[] {
  const { heads, layers } = payload.kinds[kind]
  const own = head === MEAN ? heads.slice(0, -1) : [head]
  const through = layer === MEAN ? layers.slice(0, -1) : [layer]
  const keys = payload.maps[kind].keys.length
  return through.flatMap((each) => own.map((one) => mapOf(payload, kind, { layer: each, head: one })[query * keys + key]!))
}

/** A token in words: its place, and what it attends to in the map that is drawn. */
export function describeToken(payload: FigurePayload, kind: KindName, map: Float32Array, { side, place }: Focus): string {
  const { words, english, maps } = payload
  const { keys } = maps[kind]
  const rows = maps.cross.queries
  const labels = side === "english" ? english : rows
  const name = filled(side === "english" ? words.englishName : words.frenchName, {
    token: labels[place]!,
    place: place + 1,
    count: labels.length,
  })
  const reads = (side === "french") === (kind !== "encoder")
  if (reads) return filled(words.attends, { name, list: listWeights(rowOf(map, place, keys.length), keys, words.other, payload.decimals) })
  if (kind !== "cross") return name
  const column = columnOf(map, place, keys.length)
  const strongest = [...rows.keys()].sort((one, two) => column[two]! - column[one]! || one - two)
  const readers = strongest.slice(0, MOST_NAMED).filter((query) => column[query]! >= 0.05)
  const list = readers.map((query) => `${rows[query]} ${weightText(column[query]!, payload.decimals)}`).join(", ")
  return list ? filled(words.attended, { name, list }) : name
}

/* The map that is drawn as a table: what those read who do not see the figure. */

/** Fills `holder` with the weights: a row for each query, a column for each key. */
export function fillTable(holder: HTMLElement, scene: Scene | null): void {
  if (!scene) return
  const { queries, keys } = scene.payload.maps[scene.kind]
  const map = scene.maps[scene.kind]
  const masked = (query: number, key: number) => scene.kind === "decoder" && key > query
  const cell = (query: number) => (weight: number, key: number) =>
    masked(query, key) ? scene.payload.words.masked : weightText(weight, scene.payload.decimals)
  const rows = queries.map((name, query) => {
    return [`${query + 1} ${name}`, ...Array.from(rowOf(map, query, keys.length), cell(query))] as const
  })
  const kinds = [scene.kind === "encoder" ? "token en" : "token fr", scene.kind === "decoder" ? "token fr" : "token en"] as const
  const columns = [scene.payload.words.corner, ...keys].map((title, place) => [title, place ? kinds[1] : ""] as const)
  buildTable(holder, columns, rows, kinds[0])
}
