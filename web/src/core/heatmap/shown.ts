/** What a heatmap shows, and what a user does with it. */

import type { DataKind } from "../dom"
import type { Legend, Shape } from "../painting"
import type { CellText } from "./ink"
import type { Cell, Painted } from "./strokes"

/** A picture below a map: red, green and blue of each pixel, its height and width, and how much of it is covered. */
export interface MapPicture {
  pixels: Uint8Array
  size: Shape
  opacity: number
}

/** What a map shows. */
export interface ShownMap {
  name: string // the heading
  label: string // for screen readers
  shape: Shape
  values: Float32Array | number[] // row by row; minus infinity where masked
  rows: readonly string[] // labels; none if an axis is only numbered
  columns: readonly string[]
  read?: readonly string[] | null // the tokens by which rows are found in other views, where `rows` state more
  row_title: string
  column_title: string
  kindOf: (label: string, side: 0 | 1) => DataKind // of a row or a column, see `markData`
  colours: ArrayLike<number> // pixels
  shade: (value: number) => number // index of a value's colour
  grey: number // the pixel of a masked cell
  text?: CellText | undefined // written into cells with room
  drawScale: (scale: Legend) => void
  pair: (row: number, column: number) => readonly (string | Node)[] // a cell in words
  write: (value: number) => string
  masked: string // the word for a masked cell
  table?: string // title of the table; none without one
  corner?: string
  numbered?: boolean // the table numbers its labels
  places: boolean // labels are positions in a picture
  cursor?: Cell // marked where nothing else is, and where the arrow keys start
  picture?: MapPicture | undefined
  cellSize?: (room: number) => readonly [width: number, height: number] // pixels; without it the map fills its column
}

/** What a user does with a map. */
export interface MapActions {
  select?: (row: number, column: number) => void // the marked cell, or (-1, -1)
  pick?: (row: number, column: number) => void // a click, Enter or Space
  paint?: (cells: readonly Painted[]) => void // a stroke; see `Strokes`
}
