/** The payload of the overview: one sheet of maps, or those of every kind. See views/components/attention_grid.py. */

import { KindOfMaps, kindOf, type KindHeader, type MapsShape, type WordsHeader } from "../../core/arranged"
import { MEAN, placeInWords, type Choosable, type Chosen, type Control, type PlaceWords } from "../../core/choosing"
import type { Theme } from "../../core/colour"
import { filled } from "../../core/dom"
import { threeDigits } from "../../core/numbers"
import type { Shape } from "../../core/painting"
import { fromHalf, unpack, type Bytes } from "../../core/payload"

export interface Detail {
  heading: string
  query_axis: string
  key_axis: string
}

type Word = "masked" | "axes" | "mean" | "own" | "blocks" | "strongest" | "cell" | "patch" | "keys" | "table" | "query" | "key"

/** What all sheets of a payload share. */
interface SharedHeader {
  theme: Theme
  masked: Readonly<Record<Theme, string>>
  cls: string
  words: PlaceWords & Readonly<Record<Word, string>> & { options?: string }
  decades: number // of a logarithmic scale; 0 for a linear one
}

interface SheetHeader extends KindHeader {
  rows: readonly string[] // layers, "mean" included
  columns: readonly string[] // heads
  title: string
  causal: boolean
  shared_scale: boolean
  underlay: Shape | null
  opacity: number
  places: boolean
  block: number
  detail: Detail | null
  type: "float32" | "float16"
  scales: Readonly<Record<Theme, readonly string[]>>
  grouped?: (WordsHeader & { detail: Detail }) | null
}

/** The maps that are drawn. */
export interface Sheet extends Omit<SheetHeader, "weights">, SharedHeader {
  shape: MapsShape
  weights: Float32Array
  picture: Uint8Array
}

interface Kind {
  maps: KindOfMaps<SheetHeader>
  picture: Uint8Array
}

export interface Payload extends Choosable {
  controls?: readonly Control[]
  words: SharedHeader["words"]
  sheet: (chosen: Chosen) => Sheet
  axes: (chosen: Chosen) => Pick<SheetHeader, "rows" | "columns"> // of the chosen kind
}

/** Reads a payload with one sheet, or with the sheets and controls of every kind. */
export function readPayload(bytes: Bytes): Payload {
  const [header, body] = unpack<SharedHeader & { controls?: readonly Control[]; kinds?: Record<string, SheetHeader> }>(bytes)
  let offset = 0
  const block = (length: number) => body.slice(offset, (offset += length)) // a copy is aligned, as typed arrays need
  const read = (sheet: SheetHeader): Kind => {
    const whole = sheet.type === "float32"
    const numbers = block(sheet.weights.reduce((product, side) => product * side, 1) * (whole ? 4 : 2))
    const decode = () => (whole ? new Float32Array(numbers) : fromHalf(new Uint16Array(numbers)))
    const picture = new Uint8Array(block(sheet.underlay ? 3 * sheet.underlay[0] * sheet.underlay[1] : 0))
    return { maps: new KindOfMaps(sheet, decode, true), picture }
  }
  if (!header.kinds) {
    const only = read(header as unknown as SheetHeader)
    const sheet = { ...header, ...only.maps.header, ...only.maps.maps({}), picture: only.picture }
    return { words: header.words, sheet: () => sheet, axes: () => sheet }
  }
  const { controls = [], words } = header
  const kinds = Object.fromEntries(Object.entries(header.kinds).map(([name, sheet]) => [name, read(sheet)]))
  const sheet = (chosen: Chosen): Sheet => {
    const { maps, picture } = kindOf(kinds, chosen)
    const inWords = maps.wordsIn(chosen)
    return {
      ...header,
      ...maps.header,
      ...maps.maps(chosen),
      detail: inWords?.detail ?? maps.header.detail,
      picture,
      shared_scale: chosen.scale !== "own",
      decades: chosen.scale === "log" ? header.decades : 0,
    }
  }
  return { controls, words, sheet, axes: (chosen) => kindOf(kinds, chosen).maps.header }
}

/** Where the weights of a map start. */
export function startOf({ shape: [, columns, queries, keys] }: Sheet, row: number, column: number): number {
  return (row * columns + column) * queries * keys
}

export function isMasked({ causal }: Pick<Sheet, "causal">, query: number, key: number): boolean {
  return causal && key > query
}

/** The largest weight in a block of cells of the map that starts at `offset`; -1 if all of them are masked. */
export function largestIn(sheet: Sheet, offset: number, firstQuery: number, firstKey: number, block: number): number {
  const [, , queries, keys] = sheet.shape
  let most = -1
  for (let query = firstQuery; query < Math.min(queries, firstQuery + block); query++) {
    for (let key = firstKey; key < Math.min(keys, firstKey + block); key++) {
      if (!isMasked(sheet, query, key)) most = Math.max(most, sheet.weights[offset + query * keys + key]!)
    }
  }
  return most
}

/** The position of a share of the largest weight on the colour scale; same rule as views/map_weights.py. */
export function shadeOf(decades: number, share: number): number {
  const linear = Math.min(1, Math.max(0, share))
  return decades ? Math.max(0, 1 + Math.log10(Math.max(linear, 10 ** -decades)) / decades) : linear
}

/** A weight in words: half precision has no three digits below 0.0001. */
export function weightText({ type }: Pick<Sheet, "type">, weight: number): string {
  return type === "float16" && weight < 1e-4 ? "< 0.0001" : threeDigits(weight)
}

/** The label of a cell: two tokens, or a patch of the picture. */
export function cellLabel({ underlay, words, queries, keys }: Sheet, query: number, key: number): string {
  return underlay ? filled(words.patch, { row: query + 1, column: key + 1 }) : `${queries[query]} \u2192 ${keys[key]}`
}

/** Layer and head of a map in words. */
export function mapName({ rows, columns, words }: Sheet, row: number, column: number): string {
  return placeInWords(words, rows[row]!, columns[column]!)
}

/** A map in a sentence: its strongest cell. */
export function describe(sheet: Sheet, row: number, column: number): string {
  const [, , queries, keys] = sheet.shape
  const offset = startOf(sheet, row, column)
  let best = 0
  for (let cell = 0; cell < queries * keys; cell++) {
    if (sheet.weights[offset + cell]! > sheet.weights[offset + best]!) best = cell
  }
  const [query, key] = [Math.floor(best / keys), best % keys]
  const tokens = { query: sheet.queries[query]!, key: sheet.keys[key]! }
  const cell = sheet.underlay ? cellLabel(sheet, query, key) : filled(sheet.words.cell, tokens)
  const weight = weightText(sheet, sheet.weights[offset + best]!)
  return filled(sheet.words.strongest, { map: mapName(sheet, row, column), cell, weight })
}

/** The name of a row or a column of maps. */
export function axisName(words: SharedHeader["words"], name: string): string {
  return name === MEAN ? words.mean : name
}
