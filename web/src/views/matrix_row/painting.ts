/** Paints a matrix on a canvas: its cells with their numbers, and its labels. */

import { cssColours, readable } from "../../core/colour"
import type { Matrix } from "../../core/matrices"
import { clamp, short } from "../../core/numbers"
import { LABEL, type Layout } from "./layout"
import type { Cell } from "./sources"

/** The colours of the page's theme. */
export interface Colours {
  ink: string
  masked: string
  scale: string[] // 256 shades
  allowed: number // the shade of an allowed cell of a mask
}

export interface Fonts {
  small: string
  number: string
}

/** The colours of a matrix with this scale. */
export function coloursOf(scale: readonly string[], ink: string, masked: string, allowed: number): Colours {
  return { ink, masked, scale: cssColours(scale), allowed }
}

/** Whether a cell is drawn as masked: minus infinity, or 0 in a matrix of only 0 and 1. */
function isMasked({ words }: Matrix, value: number): boolean {
  return value === -Infinity || (words !== null && value === 0)
}

/** The colour of a cell. */
export function cellColour(matrix: Matrix, value: number, { masked, scale, allowed }: Colours): string {
  if (isMasked(matrix, value)) return masked
  const shade = clamp(Math.round(((value - matrix.low) / (matrix.high - matrix.low)) * 255), 256)
  return scale[matrix.words ? allowed : shade]!
}

/** Paints all cells, and a frame around the one of the keyboard cursor. */
export function paintMatrix(
  pen: CanvasRenderingContext2D,
  matrix: Matrix,
  layout: Layout,
  colours: Colours,
  font: string,
  cursor: Cell | undefined,
): void {
  const { left, top, cellWidth, cellHeight, gap, numbered } = layout
  const [rows, columns] = matrix.shape
  pen.font = font
  pen.textBaseline = "middle"
  pen.textAlign = "center"
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      const value = matrix.values[row * columns + column]!
      const [x, y] = [left + column * cellWidth, top + row * cellHeight]
      const colour = cellColour(matrix, value, colours)
      pen.fillStyle = colour
      // slightly larger than a cell, so that cells narrower than a pixel have no seams
      pen.fillRect(x, y, cellWidth - gap + (gap ? 0 : 0.6), cellHeight - gap + (gap ? 0 : 0.6))
      if (!numbered || cellHeight < 14) continue
      pen.fillStyle = readable(colour)
      const text = isMasked(matrix, value) ? matrix.masked[0] : short(value)
      pen.fillText(text, x + (cellWidth - gap) / 2, y + cellHeight / 2)
    }
  }
  if (!cursor) return
  pen.strokeStyle = colours.ink
  pen.lineWidth = 2
  const [x, y] = [left + cursor[1] * cellWidth, top + cursor[0] * cellHeight]
  pen.strokeRect(x, y, Math.max(3, cellWidth - gap), Math.max(3, cellHeight - gap))
}

/** Writes as many labels as are legible. */
export function writeLabels(
  pen: CanvasRenderingContext2D,
  { rows, columns }: Matrix,
  layout: Layout,
  { ink }: Colours,
  font: string,
): void {
  const { left, top, cellWidth, cellHeight, labelled, headed, flat } = layout
  pen.fillStyle = ink
  pen.font = font
  pen.textBaseline = "middle"
  if (labelled) {
    pen.textAlign = "right"
    const step = Math.max(1, Math.ceil(12 / cellHeight))
    rows.forEach((label, row) => {
      if (row % step === 0) pen.fillText(label, left - 6, top + (row + 0.5) * cellHeight, LABEL - 8)
    })
  }
  if (!headed) return
  const step = cellWidth >= 9 ? 1 : Math.ceil(9 / cellWidth)
  columns.forEach((label, column) => {
    pen.save()
    pen.translate(left + (column + 0.5) * cellWidth, top - 5)
    if (!flat) pen.rotate(-Math.PI / 2)
    pen.textAlign = flat ? "center" : "left"
    if (flat || column % step === 0) pen.fillText(label, 0, flat ? -4 : 0, LABEL)
    pen.restore()
  })
}
