/** The size of a map in the whole screen. */

import type { Shape } from "../painting"

export const WHOLE_SCREEN_LABEL = 26 // pixels of a label in the whole screen
export const WHOLE_SCREEN_TYPE = 20 // pixels of the numbers in cells
const LARGEST_CELL = 96 // pixels
const LEGIBLE = 40 // pixels of a row: narrow cells are not made lower than that where there is room

/**
 * Pixels of a cell so that a map of this shape fills a room without leaving it.
 *
 * `square`: cells are as high as wide; else those that are narrow, because there are many, may be higher.
 */
export function wholeScreenCell([rows, columns]: Shape, width: number, height: number, square: boolean): [number, number] {
  const [across, down] = [Math.min(LARGEST_CELL, width / columns), Math.min(LARGEST_CELL, height / rows)]
  const side = Math.min(across, down)
  return square ? [side, side] : [across, Math.min(down, Math.max(across, LEGIBLE))]
}

/** Makes a map as large as the whole screen allows below its heading and next to its labels; `keys` are those of its columns. */
export function fillScreen(
  { root, canvas }: { root: HTMLElement; canvas: HTMLCanvasElement },
  keys: HTMLElement,
  sides: Shape,
  square: boolean,
): void {
  keys.classList.remove("across")
  for (const { style } of [canvas, keys]) style.width = "0"
  canvas.style.height = "0"
  const edge = parseFloat(getComputedStyle(root).paddingLeft)
  const [outside, inside] = [root.getBoundingClientRect(), canvas.getBoundingClientRect()]
  const room = [root.clientWidth - edge - (inside.left - outside.left), root.clientHeight - edge - (inside.top - outside.top)]
  const [width, height] = wholeScreenCell(sides, room[0]!, room[1]!, square)
  Object.assign(canvas.style, { width: `${sides[1] * width}px`, height: `${sides[0] * height}px` })
  keys.style.width = canvas.style.width
}
