/** Cells and pictures, painted one pixel per cell. */

import { pack } from "./colour"
import { element } from "./dom"

export type Shape = readonly [rows: number, columns: number]

/** Paints one pixel per cell, row by row; the browser scales it up. `colour` returns a cell's colour as of `pack`. */
export function paintCells(canvas: HTMLCanvasElement, [rows, columns]: Shape, colour: (cell: number) => number): void {
  canvas.width = columns
  canvas.height = rows
  const image = new ImageData(columns, rows)
  const pixels = new Uint32Array(image.data.buffer)
  for (let cell = 0; cell < pixels.length; cell++) pixels[cell] = colour(cell)
  canvas.getContext("2d")!.putImageData(image, 0, 0)
}

/** Paints a picture: red, green, blue of each pixel. */
export function paintPicture(canvas: HTMLCanvasElement, pixels: Uint8Array, size: Shape): void {
  paintCells(canvas, size, (pixel) => pack(pixels.subarray(3 * pixel, 3 * pixel + 3)))
}

/** The picture under maps: height and width, null for none; and the maps' opacity. */
export interface Underlay {
  underlay: Shape | null
  opacity: number
}

/** Puts a picture under all maps in `holder`. */
export function layUnder(holder: HTMLElement, { underlay, opacity }: Underlay, pixels: Uint8Array): void {
  holder.classList.toggle("over-picture", Boolean(underlay))
  if (!underlay) return
  const canvas = document.createElement("canvas")
  paintPicture(canvas, pixels, underlay)
  holder.style.setProperty("--underlay", `url(${canvas.toDataURL()})`)
  holder.style.setProperty("--opacity", String(opacity))
}

/** The legend of a colour scale; `low` and `high` are the labels of its ends. */
export interface Legend {
  legend: HTMLDivElement
  low: HTMLSpanElement
  high: HTMLSpanElement
  paint: (colours: ArrayLike<number>) => void
}

/** Appends a legend to `parent`. */
export function buildLegend(parent: ParentNode): Legend {
  const legend = element("div", "legend", parent)
  const low = element("span", "", legend)
  const bar = element("canvas", "bar", legend)
  const high = element("span", "high", legend)
  return { legend, low, high, paint: (colours) => paintCells(bar, [1, colours.length], (shade) => colours[shade]!) }
}
