/** The payload of `patch_picture`: see views/components/patch_picture.py. */

import type { Choosable, Control, PlaceWords } from "../../core/choosing"
import type { Theme } from "../../core/colour"
import type { Shape } from "../../core/painting"
import { fromHalf, unpack, type Bytes } from "../../core/payload"

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
  pixels: readonly [height: number, width: number, channels: number]
  grid: Shape // of patches
  panels: readonly PanelFields[]
  title: string
  heading: string
  weights: readonly [layers: number, heads: number, rows: number, columns: number]
  names: readonly [layers: readonly string[], heads: readonly string[]]
  tops: readonly (readonly number[])[] // of each layer and head, on a shared scale; empty for none
  along: readonly [string, string] // the controls of the first two axes
  form: "float32" | "float16"
  id: number // of all weights
  scales: Readonly<Record<Theme, readonly string[]>>
  theme: Theme
  words: PictureWords
}

/** A payload with the picture and the maps, those of all heads one after another. */
export interface Payload extends Header {
  picture: Uint8Array
  maps: Float32Array
}

export function readPicture(bytes: Bytes): Payload {
  const [header, body] = unpack<Header>(bytes)
  const [height, width] = header.pixels
  const size = 3 * height * width
  const count = header.weights.reduce((product, side) => product * side, 1)
  const sent = body.slice(size) // a copy is aligned, as typed arrays need
  const exact = header.form === "float32"
  const maps = exact ? new Float32Array(sent, 0, count) : fromHalf(new Uint16Array(sent, 0, count))
  return { ...header, picture: new Uint8Array(body, 0, size), maps }
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
