/** Matrices of a payload, and the text of their cells: see views/components/matrix_row.py. */

import { cssColours, lookupTable, packed, readable, type Theme } from "./colour"
import { dataText, filled, type DataKind } from "./dom"
import type { ShownMap } from "./heatmap"
import { cellNodes, tokensIn, type Languages } from "./labels"
import { clamp, full, threeDigits } from "./numbers"
import type { Shape } from "./painting"
import { unpack, type Bytes } from "./payload"

/** A matrix, without its numbers. */
export interface MatrixFields {
  name: string
  rows: readonly string[] // labels; none if the axis is only numbered
  columns: readonly string[]
  read?: readonly string[] // the tokens read at the rows, where their labels state more; else none
  languages?: Languages
  attends?: boolean // cells are weights of a row on a column
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

type CellAxes = Pick<Matrix, "rows" | "columns" | "row_title" | "column_title" | "attends" | "languages">

/** The parts of the text that identifies a cell; `attends` is that of a weight, with placeholders for both sides. */
export function cellName(matrix: CellAxes, row: number, column: number, attends = ""): (string | Node)[] {
  const kinds = tokensIn(matrix.languages)
  if (matrix.attends && attends) return cellNodes(attends, matrix.rows[row]!, matrix.columns[column]!, kinds)
  const name = (labels: readonly string[], title: string, place: number, kind: DataKind) =>
    labels.length ? dataText(labels[place]!, kind) : `${title} ${place}`
  return [name(matrix.rows, matrix.row_title, row, kinds[0]), ", ", name(matrix.columns, matrix.column_title, column, kinds[1])]
}

/** What a payload says about all its matrices. */
export interface MatrixSettings {
  masked: Readonly<Record<Theme, string>>
  allowed?: number // the shade of a cell that a mask allows
}

/**
 * A matrix as input of a heatmap; cells that are 0 in a matrix of only 0 and 1 are masked. `label` is its name for screen
 * readers, with placeholders for name, rows and columns; `attends` is as of `cellName`.
 */
export function heatmapOf(item: Matrix, { masked, allowed }: MatrixSettings, theme: Theme, label: string, attends = ""): ShownMap {
  const [rows, columns] = item.shape
  const colours = lookupTable(item.scales[theme])
  const [zero, one] = item.words ?? []
  return {
    name: item.name,
    label: filled(label, { name: item.name, rows, columns }),
    shape: item.shape,
    values: item.words ? item.values.map((value) => value || -Infinity) : item.values,
    rows: item.rows,
    columns: item.columns,
    read: item.read?.length ? item.read : null,
    row_title: item.row_title,
    column_title: item.column_title,
    kindOf: (_, side) => tokensIn(item.languages)[side],
    colours,
    shade: (value) => (one ? (allowed ?? 255) : clamp(Math.round(((value - item.low) / (item.high - item.low)) * 255), 256)),
    grey: packed(masked[theme]),
    text: {
      inks: cssColours(item.scales[theme]).map(readable),
      inkOnGrey: readable(masked[theme]),
      masked: item.masked[0],
      bare: Boolean(item.words),
      separated: false,
    },
    drawScale: (scale) => {
      scale.legend.hidden = item.top === 0 || Boolean(item.words) // without colours there is no scale
      scale.paint(colours)
      scale.low.textContent = threeDigits(item.low)
      scale.high.textContent = threeDigits(item.high)
    },
    pair: (row, column) => cellName(item, row, column, attends),
    write: (value) => one ?? full(value),
    masked: zero ?? item.masked.join(", "),
    corner: `${item.row_title} \\ ${item.column_title}`,
    places: false,
    ...(item.cursor && { cursor: item.cursor }),
  }
}
