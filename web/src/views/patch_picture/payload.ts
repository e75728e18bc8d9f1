/** The payload of `patch_picture`: see views/components/patch_picture.py. */

import type { Choosable, Control, PlaceWords } from "../../core/choosing"
import type { Theme } from "../../core/colour"
import { percent, threeDigits } from "../../core/numbers"
import type { Shape } from "../../core/painting"
import { unpack, type Bytes } from "../../core/payload"

/**
 * The map over a panel: none, or the weights of CLS as the query, of the selected patch as the query, or of that as the
 * key. A number is a row that is a map of its own.
 */
export type Shows = "nothing" | "cls" | "from" | "to" | number

/** One copy of the picture. */
export interface PanelFields {
  title: string
  shows: Shows
}

export interface PictureWords extends PlaceWords {
  patch: string
  weight: string
  toPatch: string
  toPatchKept: string
  fromPatch: string
  fromPatchKept: string
  strongest: string
  options: string // the fold of controls
}

export interface Header extends Choosable {
  controls: readonly Control[]
  grid: Shape // of patches
  panels: readonly PanelFields[]
  title: string
  heading: string
  names: readonly [layers: readonly string[], heads: readonly string[]]
  tops: readonly (readonly number[])[] // of each layer and head, on a shared scale; empty for none
  along: readonly [string, string] // the controls of the first two axes
  beside: boolean // heading, controls and read-outs are next to the picture
  percent: boolean // the numbers are probabilities, which are in per cent
  id: number // of all weights
  scales: Readonly<Record<Theme, readonly string[]>>
  theme: Theme
  words: PictureWords
}

/** A payload with the picture and the maps, those of all heads one after another. */
export interface Payload extends Header {
  pixels: Shape // height and width of the picture
  picture: Uint8Array
  weights: readonly [layers: number, heads: number, rows: number, columns: number]
  maps: Float32Array
}

export function readPicture(bytes: Bytes): Payload {
  const [header, arrays] = unpack<Header>(bytes)
  const pixels = arrays.shape("pixels").slice(0, 2) as unknown as Shape
  const weights = arrays.shape("weights") as unknown as Payload["weights"]
  return { ...header, pixels, picture: arrays.bytes("pixels"), weights, maps: arrays.floats("weights") }
}

/** What formats its numbers. */
export function chooseWriter(payload: Payload): (number: number) => string {
  return payload.percent ? percent : threeDigits
}

/** The map of one layer and head, rounded if the payload is. */
export function mapAt({ maps, weights: [, heads, rows, columns] }: Payload, [layer, head]: readonly number[]): Float32Array {
  const place = layer! * heads + head!
  return maps.subarray(place * rows * columns, (place + 1) * rows * columns)
}

/** The exact numbers of one map, which the page provides next to the component, and their name. */
export function readExact(text: string): readonly [name: string, numbers: Float32Array] | null {
  const [name, encoded] = text.split(" ")
  if (!name || !encoded) return null
  return [name, new Float32Array(Uint8Array.from(atob(encoded), (char) => char.charCodeAt(0)).buffer)]
}

/** The name of a map, as `exact_weights` of the Python file writes it. */
export function mapName({ id }: Payload, at: readonly number[]): string {
  return [id, ...at].join(",")
}
