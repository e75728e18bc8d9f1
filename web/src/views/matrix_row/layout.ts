/** Where the cells and the labels of a matrix are in its canvas, in CSS pixels. */

import type { Matrix } from "../../core/matrices"

const NUMBER_WIDTH = 30 // per cell from which on its number is written in it
const ROW = 21 // per row with a label
const SPREAD = 250 // of an axis that is too long for labels
export const LABEL = 84 // maximum width of the row labels

export interface Layout {
  left: number // of the cells
  top: number
  cellWidth: number
  cellHeight: number
  width: number // of the canvas
  height: number
  gap: number // between two cells
  numbered: boolean // numbers are written in the cells
  labelled: boolean // rows have labels
  headed: boolean // columns have labels
  flat: boolean // labels of columns are horizontal
}

/** The layout of a matrix in a width of `available`; `measure` returns the width of a text. */
export function layOut(
  { shape: [rows, columns], rows: names, columns: headings, words, wide }: LaidOut,
  available: number,
  measure: (text: string) => number,
): Layout {
  const labelled = names.length > 0 && rows <= 40
  const headed = headings.length > 0 && columns <= 40
  const widest = (labels: readonly string[]) => Math.ceil(Math.max(0, ...labels.map(measure)))
  const left = labelled ? Math.min(LABEL, widest(names) + 8) : 0
  const room = available - left - 2
  const wish = columns <= 24 ? NUMBER_WIDTH + 12 : columns <= 64 ? (wide ? 21 : 7) : SPREAD / columns
  const asWished = Math.min(wish, room / columns)
  const numbered = asWished >= NUMBER_WIDTH && !words
  const cellWidth = words ? Math.min(24, room / columns) : asWished
  const cellHeight =
    rows > 40
      ? Math.max(1, SPREAD / rows)
      : words
        ? Math.min(ROW, Math.max(13, cellWidth))
        : labelled || numbered
          ? ROW
          : 12
  const flat = headed && widest(headings) + 4 <= cellWidth
  const top = headed ? (flat ? 18 : Math.min(LABEL, widest(headings)) + 8) : 0
  return {
    left,
    top,
    cellWidth,
    cellHeight,
    width: Math.ceil(left + columns * cellWidth) + 1,
    height: Math.ceil(top + rows * cellHeight) + 1,
    gap: cellWidth >= 10 && cellHeight >= 10 ? 1 : 0,
    numbered,
    labelled,
    headed,
    flat,
  }
}

type LaidOut = Pick<Matrix, "shape" | "rows" | "columns" | "words" | "wide">

/** The cell at a point of the canvas; null if there is none. */
export function cellAtPoint(
  { left, top, cellWidth, cellHeight }: Layout,
  [rows, columns]: Matrix["shape"],
  x: number,
  y: number,
): readonly [row: number, column: number] | null {
  const column = Math.floor((x - left) / cellWidth)
  const row = Math.floor((y - top) / cellHeight)
  return row >= 0 && column >= 0 && row < rows && column < columns ? [row, column] : null
}
