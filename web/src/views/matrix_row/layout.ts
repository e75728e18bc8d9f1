/** The cells of a matrix in a row of matrices, in CSS pixels. */

import type { Matrix } from "../../core/matrices"

const NUMBER_WIDTH = 34 // per cell from which on its number is written in it
const ROW = 21 // per row with a label
const SPREAD = 250 // of an axis that is too long for labels
const LONGEST = 40 // labels of an axis

type LaidOut = Pick<Matrix, "shape" | "rows" | "columns" | "words" | "wide">

/** The labels of an axis; none if there are too many. */
export function shownLabels(labels: readonly string[]): readonly string[] {
  return labels.length <= LONGEST ? labels : []
}

/** Width and height of a cell, where all columns have `room` pixels. */
export function cellSize({ shape: [rows, columns], rows: labels, words, wide }: LaidOut, room: number): readonly [number, number] {
  const wish = columns <= 24 ? NUMBER_WIDTH + 8 : columns <= 64 ? (wide ? ROW : 7) : SPREAD / columns
  const width = Math.min(words ? 24 : wish, room / columns)
  if (rows > LONGEST) return [width, Math.max(1, SPREAD / rows)]
  if (words) return [width, Math.min(ROW, Math.max(13, width))]
  return [width, labels.length || width >= NUMBER_WIDTH ? ROW : 12]
}
