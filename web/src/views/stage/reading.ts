/** The stage in words: what is drawn, and what a token attends to. */

import { MEAN } from "../../core/choosing"
import { filled } from "../../core/dom"
import { known, short } from "../../core/numbers"
import { sum } from "./arithmetic"
import { mapOf, type FigurePayload, type KindName, type MapChoice, type StagePayload } from "./payload"

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
