/** A map with its numbers in the cells, if there is room. */

import { element } from "../../core/dom"
import { short } from "../../core/numbers"
import { WeightMap, type ShownMap } from "../../core/weight_map"

const NUMBER_WIDTH = 30 // pixels per cell from which on its number is written in it

export interface NumberedInput extends ShownMap {
  inkOnGrey: string
  inks: readonly string[] // colour of the text on each shade
  hidden: string // the text of a masked cell
  bare: boolean // cells have words, not numbers
}

export class NumberedMap extends WeightMap<NumberedInput> {
  protected override highest = 480
  private ink: HTMLCanvasElement | undefined

  /** Marks the cell that the page marks, if the user marks none. */
  override markCell(row: number, column: number): void {
    const [ownRow, ownColumn] = row < 0 && column < 0 ? (this.shown?.cursor ?? [-1, -1]) : [row, column]
    super.markCell(ownRow, ownColumn)
  }

  protected override label(): void {
    super.label()
    const { shown, canvas, sides } = this
    if (!shown) return
    this.markCell(-1, -1)
    const [width, height, sharp] = [canvas.clientWidth, canvas.clientHeight, window.devicePixelRatio]
    const ink = (this.ink ??= element("canvas", "ink", this.map))
    Object.assign(ink, { width: width * sharp, height: height * sharp })
    Object.assign(ink.style, { width: `${width}px`, height: `${height}px` })
    const [rows, columns] = sides
    if (shown.bare || width / columns < NUMBER_WIDTH) return
    const pen = ink.getContext("2d")!
    pen.scale(sharp, sharp)
    pen.font = `10px ${getComputedStyle(this.root).fontFamily}`
    pen.textAlign = "center"
    pen.textBaseline = "middle"
    for (let cell = 0; cell < shown.values.length; cell++) {
      const value = shown.values[cell]!
      const masked = value === -Infinity
      pen.fillStyle = masked ? shown.inkOnGrey : shown.inks[shown.shade(value)]!
      const [x, y] = [(cell % columns) + 0.5, Math.floor(cell / columns) + 0.5]
      pen.fillText(masked ? shown.hidden : short(value), (x / columns) * width, (y / rows) * height)
    }
  }
}
