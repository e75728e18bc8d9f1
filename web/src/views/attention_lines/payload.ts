/** Payload and choices of the lines, see views/components/attention_lines.py. */

import { type KindHeader, KindOfMaps, type Maps, type WordsHeader, isBehind, isWithinText, kindOf } from "../../core/arranged"
import type { Chosen, Control } from "../../core/choosing"
import type { Theme } from "../../core/colour"
import { type Bytes, unpack } from "../../core/payload"

/*
 * The weights of all layers and heads, and which of them are drawn: for each query and head the fewest keys that hold the
 * selected share of the query's weights. A map is a head of a layer; maps are numbered layer by layer.
 */

const STEPS = 4096 // bins of the histogram of weights

/** For each query of a map: how many keys are drawn, and the last of them. */
interface Cut {
  counts: Uint16Array
  last: Uint16Array
}

/** Cells as indices into `values`, and how many there are in all. */
export interface DrawnCells {
  all: number
  cells: readonly number[]
}

export class Weights {
  readonly layers: number
  readonly heads: number
  readonly queries: number
  readonly keys: number
  readonly values: Float32Array
  private readonly behind: (query: number, key: number) => boolean
  private readonly orders = new Map<number, Uint16Array>()
  private readonly cuts = new Map<number, Cut>()
  private share = 1

  constructor({ causal, ...maps }: Pick<Maps, "shape" | "weights" | "positions"> & { causal: boolean }) {
    const { shape, weights } = maps
    this.layers = shape[0]
    this.heads = shape[1]
    this.queries = shape[2]
    this.keys = shape[3]
    this.behind = (query, key) => causal && isBehind(maps, query, key)
    this.values = weights
  }

  at(map: number, query: number, key: number): number {
    return this.values[(map * this.queries + query) * this.keys + key]!
  }

  /** The weight between a token and the token at `place` of the other side. */
  between(map: number, { side, place: own }: Token, place: number): number {
    return side === "query" ? this.at(map, own, place) : this.at(map, place, own)
  }

  masked(query: number, key: number): boolean {
    return this.behind(query, key)
  }

  mean(maps: readonly number[], query: number, key: number): number {
    let sum = 0
    for (const map of maps) sum += this.at(map, query, key)
    return maps.length ? sum / maps.length : 0
  }

  /** The keys of each query of a map, largest weight first; among equals the first key first. */
  order(map: number): Uint16Array {
    const known = this.orders.get(map)
    if (known) return known
    const { queries, keys } = this
    const order = new Uint16Array(queries * keys)
    // Positive floats sort like their bits. Bits and key in one number allow the fast numeric sort.
    const bits = new Uint32Array(this.values.buffer, this.values.byteOffset + 4 * map * queries * keys, queries * keys)
    const row = new Float64Array(keys)
    for (let query = 0; query < queries; query++) {
      for (let key = 0; key < keys; key++) row[key] = bits[query * keys + key]! * 65536 + (65535 - key)
      row.sort()
      for (let place = 0; place < keys; place++) {
        const both = row[keys - 1 - place]!
        order[query * keys + place] = 65535 - (both - Math.floor(both / 65536) * 65536)
      }
    }
    this.orders.set(map, order)
    return order
  }

  /** Sets the share of each query's weights that is drawn. */
  setShare(share: number): void {
    if (share !== this.share) this.cuts.clear()
    this.share = share
  }

  /** Whether a line is drawn. */
  drawn(map: number, query: number, key: number): boolean {
    const { counts, last } = this.cut(map)
    if (!counts[query]) return false
    const weight = this.at(map, query, key)
    const least = this.at(map, query, last[query]!)
    return weight > least || (weight === least && key <= last[query]!)
  }

  private cut(map: number): Cut {
    const known = this.cuts.get(map)
    if (known) return known
    const { queries, keys, values } = this
    const order = this.order(map)
    const cut = { counts: new Uint16Array(queries), last: new Uint16Array(queries) }
    for (let query = 0; query < queries; query++) {
      const row = (map * queries + query) * keys
      const ordered = (place: number) => values[row + order[query * keys + place]!]!
      let total = 0
      for (let key = 0; key < keys; key++) total += values[row + key]!
      const least = this.share * total - 1e-6 // weights have about seven digits
      let covered = 0
      let count = 0
      while (count < keys && covered < least && ordered(count) > 0) covered += ordered(count++)
      cut.counts[query] = count
      if (count) cut.last[query] = order[query * keys + count - 1]!
    }
    this.cuts.set(map, cut)
    return cut
  }

  /** The lines of a token, or of all tokens if `focus` is null: how many there are, and the strongest `most` of them. */
  strongest(maps: readonly number[], focus: Token | null, most: number): DrawnCells {
    const { values } = this
    const cells = this.drawnCells(maps, focus)
    const all = cells.length
    if (all <= most) return { all, cells }
    const counts = new Uint32Array(STEPS + 1)
    for (const cell of cells) counts[Math.min(STEPS, Math.floor(values[cell]! * STEPS))]! += 1
    let step = STEPS
    for (let lines = counts[step]!; step > 0 && lines + counts[step - 1]! <= most; lines += counts[step]!) step -= 1
    const least = step / STEPS
    return { all, cells: cells.filter((cell) => values[cell]! >= least) }
  }

  private drawnCells(maps: readonly number[], focus: Token | null): number[] {
    const { queries, keys } = this
    const cells: number[] = []
    for (const map of maps) {
      const first = map * queries * keys
      if (focus?.side === "key") {
        for (let query = 0; query < queries; query++) {
          if (this.drawn(map, query, focus.place)) cells.push(first + query * keys + focus.place)
        }
        continue
      }
      const order = this.order(map)
      const { counts } = this.cut(map)
      const [from, end] = focus ? [focus.place, focus.place + 1] : [0, queries]
      for (let query = from; query < end; query++) {
        const row = query * keys
        for (let place = row; place < row + counts[query]!; place++) cells.push(first + row + order[place]!)
      }
    }
    return cells
  }
}

export type Side = "query" | "key"

/** A token: its side and its index there. */
export interface Token {
  readonly side: Side
  readonly place: number
}

/** Which lines the user chose; layers and heads count from 0. */
export interface LinesView {
  readonly layers: readonly number[]
  readonly heads: readonly number[]
  readonly mass: number // share of each query's weights that is drawn
  readonly locked: Token | null
}

/** Colour and dashes of a head. */
export type HeadStyle = readonly [colour: string, dashes: readonly number[]]

export type WordName =
  | "all" | "allLines" | "attended" | "attends" | "cell" | "chip" | "drawn" | "drawnNone" | "head" | "heads" | "keyTable"
  | "layer" | "layers" | "locked" | "masked" | "mass" | "mean" | "meanIs" | "meanOf" | "more" | "none" | "noneChosen"
  | "noneLocked" | "one" | "options" | "png" | "pngFile" | "point" | "queryTable" | "sense" | "side" | "single"
  | "strongestLines" | "svg" | "svgFile" | "table" | "tall" | "token" | "unlock" | "unlocked"
export type Words = Readonly<Record<WordName, string>>

interface AxesHeader {
  queryAxis: string
  keyAxis: string
  title: string
  causal: boolean
}

interface LinesKind extends KindHeader, AxesHeader {
  numbers: readonly number[] // of the layers, from 1
  grouped?: (WordsHeader & AxesHeader) | null
}

interface SharedHeader {
  words: Words
  theme: Theme
  styles: Readonly<Record<Theme, readonly HeadStyle[]>>
  controls?: readonly Control[]
}

type Header = SharedHeader & { kinds: Readonly<Record<string, LinesKind>> }

export interface LinesPayload extends SharedHeader {
  kinds: Readonly<Record<string, KindOfMaps<LinesKind>>>
}

/** What is drawn of a payload: the maps of one kind, in tokens or in words. */
export interface LinesSheet extends SharedHeader, AxesHeader, Maps {
  numbers: readonly number[]
}

/** The sheet that is chosen. */
export function sheetOf(payload: LinesPayload, chosen: Chosen): LinesSheet {
  const kind = kindOf(payload.kinds, chosen)
  const { queryAxis, keyAxis, title, causal } = kind.wordsIn(chosen) ?? kind.header
  const { words, theme, styles, controls } = payload
  const axes = { queryAxis, keyAxis, title, causal: causal && isWithinText(chosen), numbers: kind.header.numbers }
  return { words, theme, styles, controls, ...axes, ...kind.maps(chosen) }
}

/** A payload whose kinds are decoded on demand; it has several, or one without a name. */
export function decodeLines(bytes: Bytes): LinesPayload {
  const [header, arrays] = unpack<Header>(bytes)
  const kinds = Object.entries(header.kinds).map(([name, kind]) => [name, new KindOfMaps(kind, arrays, name)] as const)
  return { ...header, kinds: Object.fromEntries(kinds) }
}
