/** The numbers in the cells of a heatmap, and the gaps between cells, on a canvas over them. */

import { short } from "../numbers"
import type { Shape } from "../painting"

export const TYPE = 10 // pixels where text has 16
const NUMBER_WIDTH = 34 // pixels per cell from which on its number is written in it
const NUMBER_HEIGHT = 12
const GAP_SIDE = 10 // pixels per cell from which on cells are separated

/** What is written into cells with room. */
export interface CellText {
  inks: readonly string[] // colour of the text on each shade
  inkOnGrey: string
  masked: string // the text of a masked cell
  bare: boolean // cells have words, which are only read out
  separated: boolean // cells have gaps between them
}

/** Whether cells of so many pixels have room for numbers in type of `size` pixels. */
export function hasRoom(width: number, height: number, size = TYPE): boolean {
  return width * TYPE >= NUMBER_WIDTH * size && height * TYPE >= NUMBER_HEIGHT * size
}

/** Writes the numbers, if there is room, on a canvas of the size of `cells`; `gap` is the colour between cells. */
export function writeNumbers(
  canvas: HTMLCanvasElement,
  cells: HTMLCanvasElement,
  { values, shade, text }: { values: ArrayLike<number>; shade: (value: number) => number; text: CellText },
  [rows, columns]: Shape,
  gap: string,
  size = TYPE,
): void {
  const [width, height, sharp] = [cells.clientWidth, cells.clientHeight, window.devicePixelRatio || 1]
  Object.assign(canvas, { width: width * sharp, height: height * sharp })
  Object.assign(canvas.style, { width: `${width}px`, height: `${height}px` })
  const [wide, tall] = [width / columns, height / rows]
  const pen = canvas.getContext("2d")!
  pen.scale(sharp, sharp)
  if (text.separated && Math.min(wide, tall) >= GAP_SIDE) {
    pen.fillStyle = gap
    for (let row = 1; row < rows; row++) pen.fillRect(0, row * tall - 1, width, 1)
    for (let column = 1; column < columns; column++) pen.fillRect(column * wide - 1, 0, 1, height)
  }
  if (text.bare || !hasRoom(wide, tall, size)) return
  pen.font = `${size}px ${getComputedStyle(cells).fontFamily}`
  pen.textAlign = "center"
  pen.textBaseline = "middle"
  for (let cell = 0; cell < values.length; cell++) {
    const value = values[cell]!
    const masked = value === -Infinity
    pen.fillStyle = masked ? text.inkOnGrey : text.inks[shade(value)]!
    const [x, y] = [(cell % columns) + 0.5, Math.floor(cell / columns) + 0.5]
    pen.fillText(masked ? text.masked : short(value), x * wide, y * tall)
  }
}
