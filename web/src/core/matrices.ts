/** Matrices of a payload, and the text of their cells: see views/components/matrix_row.py. */

import type { Theme } from "./colour"
import { dataText } from "./dom"
import { full } from "./numbers"
import type { Shape } from "./painting"
import { unpack, type Bytes } from "./payload"

/** A matrix, without its numbers. */
export interface MatrixFields {
  name: string
  rows: readonly string[] // labels; none if the axis is only numbered
  columns: readonly string[]
  row_title: string
  column_title: string
  words: readonly [zero: string, one: string] | null // of a matrix of only 0 and 1
  masked: readonly [inCell: string, inReadOut: string]
  scales: Readonly<Record<Theme, readonly string[]>>
  low: number // the numbers with the first and the last colour
  high: number
  top: number | null
  wide: boolean
  paint: boolean
  cursor: readonly [row: number, column: number] | null
}

/** A matrix with its numbers, row by row. */
export interface Matrix extends MatrixFields {
  shape: Shape
  values: Float32Array
}

/** An operator between two matrices. */
export interface Operator {
  sign: string
}

type Sent = MatrixFields | Operator

export function isOperator(item: Matrix | Sent): item is Operator {
  return "sign" in item
}

/** The header of a payload, whose fields the caller names, with the numbers of all matrices in `items`. */
export function decode<Fields extends object>(bytes: Bytes): Fields & { items: (Matrix | Operator)[] } {
  const [header, arrays] = unpack<Fields & { items: Sent[] }>(bytes)
  const items = header.items.map((item, place) => {
    if (isOperator(item)) return item
    const [name, shape] = [String(place), arrays.shape(String(place)) as Shape]
    return { ...item, shape, values: arrays.floats(name) }
  })
  return { ...header, items }
}

/** The text of a cell's value. */
export function cellText({ values, shape, words, masked }: CellValues, row: number, column: number): string {
  const value = values[row * shape[1] + column]!
  if (words) return words[value ? 1 : 0]
  return value === -Infinity ? masked.join(", ") : full(value)
}

type CellValues = Pick<Matrix, "values" | "shape" | "words" | "masked">
type CellAxes = Pick<Matrix, "rows" | "columns" | "row_title" | "column_title">

/** The parts of the text that identifies a cell. */
export function cellName(matrix: CellAxes, row: number, column: number): (string | Node)[] {
  const name = (labels: readonly string[], title: string, place: number) =>
    labels.length ? dataText(labels[place]!, "token") : `${title} ${place}`
  return [name(matrix.rows, matrix.row_title, row), " \u2192 ", name(matrix.columns, matrix.column_title, column)]
}
