/** Payload and choices of the lines, see views/components/attention_lines.py. */

import { KindOfMaps, kindOf, type KindHeader, type Maps, type MapsShape, type WordsHeader } from "../../core/arranged"
import type { Chosen, Control } from "../../core/choosing"
import type { Theme } from "../../core/colour"
import { unpack, type Bytes } from "../../core/payload"

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
  | "all" | "allLines" | "attended" | "attends" | "chip" | "drawn" | "drawnNone" | "head" | "heads" | "keyTable"
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

export interface LinesKind extends KindHeader, AxesHeader {
  numbers: readonly number[] // of the layers, from 1
  type: "float32" | "float24"
  grouped?: (WordsHeader & AxesHeader) | null
}

interface SharedHeader {
  words: Words
  theme: Theme
  styles: Readonly<Record<Theme, readonly HeadStyle[]>>
  controls?: readonly Control[]
}

type Header = SharedHeader & (LinesKind | { kinds: Readonly<Record<string, LinesKind>> })

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
  const axes = { queryAxis, keyAxis, title, causal, numbers: kind.header.numbers }
  return { words, theme, styles, controls, ...axes, ...kind.maps(chosen) }
}

/** A payload whose kinds are decoded on demand; it has several, or one without a name. */
export function decodeLines(bytes: Bytes): LinesPayload {
  const [header, body] = unpack<Header>(bytes)
  let read = 0
  const kinds = Object.entries("kinds" in header ? header.kinds : { "": header }).map(([name, kind]) => {
    const start = read
    read += sentCells(kind) * (kind.type === "float32" ? 4 : 3)
    const numbers = body.slice(start, read) // a copy is aligned, as typed arrays need
    return [name, new KindOfMaps(kind, () => decodeWeights(kind, numbers))] as const
  })
  return { ...header, kinds: Object.fromEntries(kinds) }
}

function decodeWeights({ type, causal, weights }: LinesKind, numbers: ArrayBuffer): Float32Array {
  const sent = type === "float32" ? new Float32Array(numbers) : from24Bits(new Uint8Array(numbers))
  return causal ? spread(weights, sent) : sent
}

/** The number of a kind's weights in the payload: if causal, only those of keys up to the query. */
function sentCells({ weights: [layers, heads, queries, keys], causal }: LinesKind): number {
  let cells = 0
  for (let query = 0; query < queries; query++) cells += causal ? Math.min(keys, query + 1) : keys
  return layers * heads * cells
}

/** All weights of a causal kind; those that are not sent are 0. */
function spread([layers, heads, queries, keys]: MapsShape, sent: Float32Array): Float32Array {
  const values = new Float32Array(layers * heads * queries * keys)
  let from = 0
  for (let row = 0; row < layers * heads * queries; row++) {
    const visible = Math.min(keys, (row % queries) + 1)
    values.set(sent.subarray(from, from + visible), row * keys)
    from += visible
  }
  return values
}

/** 24-bit floats: float32 without its lowest 8 bits. */
export function from24Bits(bytes: Uint8Array): Float32Array {
  const count = bytes.length / 3
  const whole = new Uint8Array(4 * count)
  for (let number = 0; number < count; number++) {
    whole[4 * number + 1] = bytes[3 * number]!
    whole[4 * number + 2] = bytes[3 * number + 1]!
    whole[4 * number + 3] = bytes[3 * number + 2]!
  }
  return new Float32Array(whole.buffer)
}
