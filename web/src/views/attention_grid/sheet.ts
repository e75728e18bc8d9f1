/** The payload of the overview: one sheet of maps, or those of every kind. See views/components/attention_grid.py. */

import { isBehind, isWithinText, KindOfMaps, kindOf, type KindHeader, type MapsShape, type WordsHeader } from "../../core/arranged"
import { MEAN, placeInWords, type Choosable, type Chosen, type Control, type PlaceWords } from "../../core/choosing"
import type { Theme } from "../../core/colour"
import { filled } from "../../core/dom"
import { cellNodes, tokensIn } from "../../core/labels"
import { threeDigits } from "../../core/numbers"
import type { Shape } from "../../core/painting"
import { unpack, type Bytes } from "../../core/payload"

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
  log_scale: boolean
  opacity: number
  places: boolean
  block: number
  detail: Detail | null
  scales: Readonly<Record<Theme, readonly string[]>>
  grouped?: (WordsHeader & { detail: Detail }) | null
}

/** The maps that are drawn. */
export interface Sheet extends SheetHeader, SharedHeader {
  shape: MapsShape
  weights: Float32Array
  rounded: boolean // weights have three digits only
  underlay: Shape | null // height and width of the picture under the maps
  picture: Uint8Array
}

export interface Payload extends Choosable {
  controls?: readonly Control[]
  words: SharedHeader["words"]
  sheet: (chosen: Chosen) => Sheet
  axes: (chosen: Chosen) => Pick<SheetHeader, "rows" | "columns"> // of the chosen kind
}

/** Reads a payload with one sheet, whose name is empty, or with the sheets and controls of every kind. */
export function readPayload(bytes: Bytes): Payload {
  const [header, arrays] = unpack<SharedHeader & { controls?: readonly Control[]; kinds: Record<string, SheetHeader> }>(bytes)
  const kinds = Object.entries(header.kinds).map(([name, kind]) => {
    return [name, { name, maps: new KindOfMaps(kind, arrays, name, [kind.rows.length, kind.columns.length]) }] as const
  })
  const chosenKind = (chosen: Chosen) => kindOf(Object.fromEntries(kinds), chosen)
  const sheet = (chosen: Chosen): Sheet => {
    const { name, maps } = chosenKind(chosen)
    const { header: kind } = maps
    const underlay = arrays.has(`${name} picture`) ? (arrays.shape(`${name} picture`).slice(0, 2) as unknown as Shape) : null
    const log = chosen.scale ? chosen.scale === "log" : kind.log_scale
    return {
      ...header,
      ...kind,
      ...maps.maps(chosen),
      rounded: arrays.rounded(name),
      causal: kind.causal && isWithinText(chosen),
      detail: maps.wordsIn(chosen)?.detail ?? kind.detail,
      underlay,
      picture: arrays.bytes(`${name} picture`),
      shared_scale: chosen.scale ? chosen.scale !== "own" : kind.shared_scale,
      decades: log ? header.decades : 0,
    }
  }
  return { controls: header.controls, words: header.words, sheet, axes: (chosen) => chosenKind(chosen).maps.header }
}

/** Where the weights of a map start. */
export function startOf({ shape: [, columns, queries, keys] }: Sheet, row: number, column: number): number {
  return (row * columns + column) * queries * keys
}

export function isMasked(sheet: Pick<Sheet, "causal" | "positions">, query: number, key: number): boolean {
  return sheet.causal && isBehind(sheet, query, key)
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
export function weightText({ rounded }: Pick<Sheet, "rounded">, weight: number): string {
  return rounded && weight < 1e-4 ? "< 0.0001" : threeDigits(weight)
}

/** A cell in words: which token attends to which, or a patch of the picture. */
export function cellLabel({ underlay, words, queries, keys, places, languages }: Sheet, query: number, key: number): (string | Node)[] {
  if (underlay) return [patchName(words, query, key)]
  return cellNodes(words.cell, queries[query]!, keys[key]!, places ? ["", ""] : tokensIn(languages))
}

function patchName(words: Pick<SharedHeader["words"], "patch">, row: number, column: number): string {
  return filled(words.patch, { row: row + 1, column: column + 1 })
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
  const cell = sheet.underlay ? patchName(sheet.words, query, key) : filled(sheet.words.cell, tokens)
  const weight = weightText(sheet, sheet.weights[offset + best]!)
  return filled(sheet.words.strongest, { map: mapName(sheet, row, column), cell, weight })
}

/** The name of a row or a column of maps. */
export function axisName(words: SharedHeader["words"], name: string): string {
  return name === MEAN ? words.mean : name
}

/** The options of the lists of layers and heads that exist for the displayed maps. */
export function axisOptions({ rows, columns }: Sheet, name: string): readonly string[] | undefined {
  return { layer: rows, head: columns }[name]
}

/** The choices, with the first layer and head where the chosen kind has fewer. */
export function withinAxes(payload: Payload, chosen: Chosen): Chosen {
  const { rows, columns } = payload.axes(chosen)
  const one = (value: string | undefined, names: readonly string[]) =>
    value !== undefined && names.includes(value) ? value : names[0]!
  return { ...chosen, layer: one(chosen.layer, rows), head: one(chosen.head, columns) }
}
